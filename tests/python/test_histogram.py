"""Histograms against NumPy."""

import math

import numpy as np
import pytest
import warpfold as wf

TYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")


def some(dtype, n, most=100):
    return np.random.default_rng(n).integers(0, most, n).astype(dtype)


def same(ours, numpys):
    return all(np.array_equal(a, b) for a, b in zip(ours, numpys, strict=True))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", (0, 1, 7, 50_000))
def test_counts(dtype, n):
    x = some(dtype, n)
    as_number = x.astype("u1") if dtype == "?" else x
    for bins, ends in ((10, None), (99, (0, 99)), (4, (10, 50)), (1, (3, 3))):
        counts, edges = wf.histogram(x, bins, ends)
        assert counts.dtype == np.int64
        expected = np.histogram(as_number, bins, ends)
        assert same((counts, edges), expected) and edges.dtype == expected[1].dtype
    bounds = [1, 2, 5, 50, 120]
    assert same(wf.histogram(x, bounds), np.histogram(as_number, bounds))
    between = np.array([-0.5, 0.25, 3.5, 1e9])
    assert same(wf.histogram(x, between), np.histogram(as_number, between))
    if dtype[0] != "f":
        assert same((wf.bincount(x),), (np.bincount(as_number.astype("i8")),))
        assert wf.bincount(x, 200).size == 200 and wf.bincount(x).dtype == np.int64


@pytest.mark.parametrize("by", TYPES)
@pytest.mark.parametrize("dtype", ("u1", "i4", "u8", "f4", "f8"))
def test_weights(dtype, by):
    x, weights = some(dtype, 30_000), some(by, 30_000, 200)
    wide = {"f": by, "u": "u8"}.get(by[0], "i8")
    for bins in (7, [0, 3, 50, 100]):
        sums, edges = wf.histogram(x, bins, weights=weights)
        assert sums.dtype == wide
        assert same((sums, edges), np.histogram(x, bins, weights=weights.astype(wide)))
    with pytest.raises(ValueError, match="weights of shape"):
        wf.histogram(x, 3, weights=weights[1:])


def test_sums_of_floats_are_exact():
    rng = np.random.default_rng(1)
    x = rng.random(20_000)
    weights = rng.standard_normal(20_000) * 10.0 ** rng.integers(0, 30, 20_000)
    sums, _ = wf.histogram(x, 5, (0.0, 1.0), weights)
    bins = np.minimum((x * 5).astype(int), 4)
    assert sums.tolist() == [math.fsum(weights[bins == k]) for k in range(5)]
    assert wf.histogram([0, 0, 0], 1, weights=[1e16, 1.0, -1e16])[0].tolist() == [1.0]


def test_types_layouts_and_nan():
    x = np.array([np.nan, 0.0, 0.5, 1.0, np.inf, -1.0])
    assert wf.histogram(x, 2, (0, 1))[0].tolist() == [1, 2]
    assert wf.histogram(x, [0, 1, np.inf])[0].tolist() == [2, 2]
    big = 2**63 + np.array([0, 2047, 2048, 4096, 4097], dtype=np.uint64)
    assert wf.histogram(big, 2, (2**63, 2**63 + 4096))[0].tolist() == [2, 2]
    assert wf.histogram(np.array([1, 250], np.uint8), 2, (-300, 300))[0].tolist() == [0, 2]
    y = some("i4", 600).reshape(20, 30)
    weights = some("f8", 600).reshape(20, 30)
    ours = wf.histogram(y.T, 10, weights=weights.T)
    assert same(ours, np.histogram(y.T, 10, weights=weights.T))
    assert wf.bincount(np.arange(20)[::-2]).tolist() == [0, 1] * 10
    assert wf.bincount(np.array([], dtype=int)).size == 0


@pytest.mark.parametrize(
    ("call", "error", "word"),
    (
        (lambda: wf.histogram([1, 2], 0), ValueError, "must be positive"),
        (lambda: wf.histogram([1, 2], 2**25), ValueError, "2\\^24 bins"),
        (lambda: wf.histogram([1, 2], 1.5), TypeError, "float"),
        (lambda: wf.histogram([1, 2], 3, (2, 1)), ValueError, "max must be larger"),
        (lambda: wf.histogram([1.0, np.nan]), ValueError, "not finite"),
        (lambda: wf.histogram([1, 2], [1]), ValueError, "1 bounds"),
        (lambda: wf.histogram([1, 2], [2, 1]), ValueError, "do not rise"),
        (lambda: wf.histogram([1, 2], [1, np.nan]), ValueError, "NaN"),
        (lambda: wf.histogram(["a"]), TypeError, "<U1"),
        (lambda: wf.histogram([1, 2], weights=[1, 1j]), TypeError, "complex"),
        (lambda: wf.bincount([1.0]), TypeError, "integers, not float64"),
        (lambda: wf.bincount([-1, 2]), ValueError, "bincount of -1"),
        (lambda: wf.bincount([2**24]), ValueError, "2\\^24 counts"),
        (lambda: wf.bincount([1], -1), ValueError, "minlength is -1"),
        (lambda: wf.bincount([[1]]), ValueError, "one axis"),
    ),
)
def test_refused(call, error, word):
    with pytest.raises(error, match=word):
        call()
