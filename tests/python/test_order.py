"""The first values and order statistics against NumPy."""

import numpy as np
import pytest
import warpfold as wf

TYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
METHODS = ("linear", "lower", "higher", "nearest", "midpoint")


def some(dtype, shape, most=100):
    return np.random.default_rng(7).integers(0, most, shape).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", (0, 1, 7, 50_000))
@pytest.mark.parametrize("largest", (True, False))
def test_first(dtype, n, largest):
    x = some(dtype, n)
    by_index = wf.argsort(x, descending=largest)
    for k in {0, min(n, 1), min(n, 5), n}:
        expected = by_index[:k]
        indices = wf.argtop_k(x, k, largest=largest)
        assert indices.dtype == np.int64 and np.array_equal(indices, expected)
        values = wf.top_k(x, k, largest=largest)
        assert values.dtype == x.dtype and np.array_equal(values, x[expected])
        left = np.sort(expected)
        assert np.array_equal(wf.argtop_k(x, k, largest=largest, sorted=False), left)
        assert np.array_equal(wf.top_k(x, k, largest=largest, sorted=False), x[left])


@pytest.mark.parametrize("axis", (0, 1, 2, -1, None))
def test_first_along_an_axis(axis):
    x = some("f4", (6, 5, 4))[:, ::-1]
    rows, along = (x.reshape(-1), 0) if axis is None else (x, axis)
    expected = np.take(np.argsort(-rows, axis=along, kind="stable"), range(3), axis=along)
    assert np.array_equal(wf.argtop_k(x, 3, axis), expected)
    assert np.array_equal(wf.top_k(x, 3, axis), np.take_along_axis(rows, expected, axis=along))
    assert wf.top_k(np.zeros((0, 4)), 2).shape == (0, 2)
    assert wf.top_k(np.zeros((2, 0)), 0).shape == (2, 0)


def test_first_with_nan():
    x = np.array([1.0, np.nan, -np.inf, 2.0, np.nan])
    assert wf.argtop_k(x, 3).tolist() == [1, 4, 3]
    assert wf.argtop_k(x, 3, largest=False).tolist() == [2, 0, 3]
    assert np.array_equal(wf.top_k(x, 2), [np.nan, np.nan], equal_nan=True)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", (1, 2, 7, 50_000))
def test_order_statistics(dtype, n):
    x = some(dtype, n)
    ordered = np.sort(x)
    for nth in {0, n // 3, n - 1, -1, -n}:
        value = wf.nth_element(x, nth)
        assert value == ordered[nth] and value.dtype == x.dtype
    q = np.array([[0, 0.1, 0.5], [0.75, 0.999, 1]])
    for method in METHODS:
        result = wf.quantiles(x, q, method)
        assert result.shape == q.shape and result.dtype == np.float64
        expected = np.quantile(x.astype(np.float64), q, method=method)
        assert np.allclose(result, expected, rtol=1e-15)
    assert wf.median(x) == np.median(x.astype(np.float64)) == wf.quantiles(x, 0.5)


def test_order_statistics_of_layouts_and_nan():
    x = some("f8", (20, 30))
    assert wf.median(x[:, ::2]) == np.median(x[:, ::2])
    assert wf.nth_element(x.T, 11) == np.sort(x, axis=None)[11]
    assert wf.nth_element([np.nan, 2.0, 1.0], 1) == 2
    assert np.isnan(wf.nth_element([np.nan, 2.0, 1.0], -1))
    assert wf.median([np.nan, 2.0, 1.0]) == 2
    assert wf.quantiles([], []).shape == (0,)


@pytest.mark.parametrize(
    ("call", "error", "word"),
    (
        (lambda: wf.top_k([1, 2], 3), ValueError, "2 values, of which k = 3"),
        (lambda: wf.argtop_k([1, 2], -1), ValueError, "k = -1"),
        (lambda: wf.top_k([1, 2], 1.5), TypeError, "float"),
        (lambda: wf.top_k([1, 2], 1, axis=1), ValueError, "axis 1"),
        (lambda: wf.top_k(["a"], 1), TypeError, "<U1"),
        (lambda: wf.nth_element([1, 2], 2), ValueError, "no index 2 among 2 values"),
        (lambda: wf.nth_element([], 0), ValueError, "no index 0 among 0 values"),
        (lambda: wf.quantiles([1], 1.5), ValueError, "between 0 and 1"),
        (lambda: wf.quantiles([1], np.nan), ValueError, "between 0 and 1"),
        (lambda: wf.quantiles([1], 0.5, "middle"), ValueError, "no method 'middle'"),
        (lambda: wf.median([]), ValueError, "no values"),
        (lambda: wf.median(np.array([1], dtype=np.float16)), TypeError, "float16"),
    ),
)
def test_refused(call, error, word):
    with pytest.raises(error, match=word):
        call()
