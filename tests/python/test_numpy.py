"""Every function against NumPy's, over types, shapes, axes, strides and special values."""

import itertools
import math

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
import warpfold as wf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

INTEGERS = [np.dtype(c) for c in "bBhHiIqQ"]
FLOATS = [np.dtype(c) for c in "fd"]
TYPES = [np.dtype("?"), *INTEGERS, *FLOATS]
SIZES = (0, 1, 2, 7, 100, 5000, 300_000)
NAMES = {
    "sum": np.add,
    "product": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def values(dtype, shape, seed=1):
    random = np.random.default_rng(seed)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind == "f":
        return random.standard_normal(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def layouts(x):
    """The same values as arrays that lie in memory in other ways."""
    yield x
    yield np.asfortranarray(x)
    if x.ndim:
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        yield wide[..., ::2]
        yield x[::-1].copy()[::-1]
    unaligned = np.frombuffer(b"-" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape)
    assert x.size == 0 or x.itemsize == 1 or not unaligned.flags.aligned
    yield unaligned  # and read-only


def same(got, expected, scale=0.0):
    """Equal bits, or as close as sums of floats of that scale are."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    if got.dtype.kind == "f":
        tolerance = scale * 40 * np.finfo(got.dtype).eps
        np.testing.assert_allclose(
            got, expected, rtol=1e-4 if got.itemsize == 4 else 1e-10, atol=tolerance
        )
    else:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_of_all_values(dtype, n):
    x = values(dtype, n)
    scale = float(np.abs(x.astype(float)).sum()) if n else 0.0
    same(wf.sum(x), np.sum(x), scale)
    same(wf.cumsum(x), np.cumsum(x), scale)
    same(wf.prod(x[:20]), np.prod(x[:20]))
    same(wf.sort(x), np.sort(x))
    same(wf.argsort(x), np.argsort(x, kind="stable"))
    if n:
        same(wf.min(x), np.min(x))
        same(wf.max(x), np.max(x))
        same(wf.argmin(x), np.argmin(x))
        same(wf.argmax(x), np.argmax(x))
        assert math.isclose(wf.mean(x), np.mean(x, dtype=float), rel_tol=1e-7, abs_tol=1e-7)
        assert wf.minmax(x) == (np.min(x), np.max(x))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_along_axes(dtype):
    x = values(dtype, (4, 3, 5))
    for axis in (None, 0, 1, 2, -1, -3, (0, 1), (0, 2), (2, 0), (0, 1, 2), ()):
        for keepdims, same_values in itertools.product((False, True), layouts(x)):
            how = {"axis": axis, "keepdims": keepdims}
            same(wf.sum(same_values, **how), np.sum(x, **how), 100)
            same(wf.max(same_values, **how), np.max(x, **how))
            same(wf.min(same_values, **how), np.min(x, **how))
            same(wf.prod(same_values, **how), np.prod(x, **how), 1)
            assert np.allclose(wf.mean(same_values, **how), np.mean(x, dtype=float, **how))
            if axis is None or isinstance(axis, int):
                same(wf.argmax(same_values, **how), np.argmax(x, **how))
                same(wf.argmin(same_values, **how), np.argmin(x, **how))
    for axis, same_values in itertools.product((None, 0, 1, 2, -1), layouts(x)):
        same(wf.cumsum(same_values, axis), np.cumsum(x, axis), 100)
        same(wf.sort(same_values, axis), np.sort(x, axis))
        same(wf.argsort(same_values, axis), np.argsort(x, axis, kind="stable"))


@pytest.mark.parametrize("op", NAMES)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_operators(op, dtype):
    x = values(dtype, (6, 50))
    function = NAMES[op]
    if dtype.kind == "f" and op in ("and", "or", "xor"):
        with pytest.raises(ValueError, match=op if op != "and" else "bit_and"):
            wf.reduce(x, op)
        return
    to = np.int64 if dtype.kind == "b" and op in ("sum", "product") else None
    how = {"dtype": to or dtype}
    for axis in (None, 0, 1):
        same(wf.reduce(x, op, axis), function.reduce(x, axis, **how), 300)
        mask = values(np.dtype("?"), (6, 50), 2)
        initial = x[0, 0]
        same(
            wf.reduce(x, op, axis, initial=initial),
            function.reduce(x, axis, initial=initial, **how),
            300,
        )
        same(
            wf.reduce(x, op, axis, where=mask, initial=initial),
            function.reduce(x, axis, where=mask, initial=initial, **how),
            300,
        )
    for axis in (0, 1):
        inclusive = function.accumulate(x, axis, **how)
        same(wf.inclusive_scan(x, op, axis), inclusive, 300)
        exclusive = wf.exclusive_scan(x, op, axis)
        identity = wf.reduce(x[:0].reshape(-1), op)
        same(np.take(exclusive, 0, axis), np.full_like(np.take(inclusive, 0, axis), identity))
        n = x.shape[axis]
        same(np.take(exclusive, range(1, n), axis), np.take(inclusive, range(n - 1), axis), 300)


def test_scans_with_initial():
    x = np.array([5, 1, 7], np.int32)
    same(wf.inclusive_scan(x, initial=10), np.array([15, 16, 23], np.int32))
    same(wf.exclusive_scan(x, "max", initial=6), np.array([6, 6, 6], np.int32))
    same(wf.exclusive_scan(x, dtype=np.int64, initial=1), np.array([1, 6, 7]))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_reduce_wraps_and_sum_does_not(dtype):
    x = np.full(3, np.iinfo(dtype).max, dtype)
    same(wf.reduce(x), np.add.reduce(x, dtype=dtype))
    same(wf.reduce(x, dtype=np.float64), np.sum(x, dtype=np.float64), 1)
    same(wf.sum(x), np.sum(x))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
@pytest.mark.filterwarnings("ignore:Mean of empty")
def test_no_values(shape):
    x = np.zeros(shape, np.float32)
    for axis in (None, *range(len(shape))):
        same(wf.sum(x, axis), np.sum(x, axis))
        same(wf.prod(x, axis), np.prod(x, axis))
        same(wf.cumsum(x, axis), np.cumsum(x, axis))
        same(wf.sort(x, axis), np.sort(x, axis))
        same(wf.argsort(x, axis), np.argsort(x, axis))
        same(wf.exact_sum(x, axis), np.sum(x, axis))
        with np.errstate(all="ignore"):
            assert np.array_equal(np.isnan(wf.mean(x, axis)), np.isnan(x.mean(axis)))
        for ours, theirs in ((wf.min, np.min), (wf.argmax, np.argmax)):
            try:
                expected = theirs(x, axis)
            except ValueError:
                with pytest.raises(ValueError, match="no values"):
                    ours(x, axis)
            else:
                same(ours(x, axis), expected)
    with pytest.raises(ValueError, match="no values"):
        wf.statistics(x)
    with pytest.raises(ValueError, match="no values"):
        wf.exact_mean(x)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("n", (5, 100_000))
def test_special_values(dtype, n):
    x = values(dtype, n)
    x[n // 2] = np.nan
    x[3] = np.inf
    for function in (wf.sum, wf.min, wf.max, wf.mean, wf.exact_sum, wf.exact_mean):
        assert np.isnan(function(x))
    assert wf.argmin(x) == wf.argmax(x) == np.argmin(x) == n // 2
    assert all(np.isnan(v) for v in wf.minmax(x))
    same(wf.sort(x), np.sort(x))
    same(wf.argsort(x), np.argsort(x, kind="stable"))
    assert np.isnan(wf.sort(x, descending=True)[0])
    zeros = np.array([0.0, -0.0, 0.0], dtype)
    assert list(np.signbit(wf.sort(zeros))) == [True, False, False]
    assert np.signbit(wf.sum(zeros[1:2])) == np.signbit(wf.exact_sum(zeros[1:2])) == 1
    assert not np.signbit(wf.sum(zeros[:0]))


def test_out_and_descending():
    x = values(np.dtype("i"), (5, 6))
    for axis in (0, 1):
        out = np.empty((6,) if axis == 0 else (5,), np.int64)
        assert wf.sum(x, axis, out=out) is out
        same(out, np.sum(x, axis))
        scans = np.empty((5, 6), np.int64)[:, ::-1]
        assert wf.cumsum(x, axis, out=scans) is scans
        same(scans, np.cumsum(x, axis))
        y = x.copy()
        assert wf.inclusive_scan(y, axis=axis, out=y) is y
        same(y, np.add.accumulate(x, axis, dtype=x.dtype))
        y = x.copy()
        assert wf.sort(y, axis, out=y) is y
        same(y, np.sort(x, axis))
        same(wf.sort(x, axis, descending=True), -np.sort(-x.astype(int), axis).astype(x.dtype))
        order = wf.argsort(x, axis, descending=True)
        same(np.take_along_axis(x, order, axis), wf.sort(x, axis, descending=True))
    shifted = np.arange(10.0)
    wf.inclusive_scan(shifted[:-1], out=shifted[1:])
    same(shifted, np.concatenate([[0.0], np.cumsum(np.arange(9.0))]))
    same(wf.mean(x, 0, out=np.empty(6)), x.mean(0), 1)


def test_sort_by_key():
    keys = np.array([3, 1, 3, 2], np.uint16)
    for items in (np.arange(4, dtype=c) for c in "bhiqfd"):
        out_keys, out_items = wf.sort_by_key(keys, items)
        same(out_keys, np.array([1, 2, 3, 3], np.uint16))
        same(out_items, items[[1, 3, 0, 2]])
    rows = np.arange(12.0).reshape(4, 3)
    same(wf.sort_by_key(keys, rows, descending=True)[1], rows[[0, 2, 3, 1]])
    records = np.array([(1, "a"), (2, "b"), (3, "c"), (4, "d")], [("n", "i4"), ("s", "U3")])
    assert list(wf.sort_by_key(keys, records)[1]["s"]) == ["b", "d", "a", "c"]


def test_statistics():
    x = values(np.dtype("f"), 100_000)
    s = wf.statistics(x.reshape(100, 1000))
    assert s.count == x.size
    assert s.min == x.min() and s.max == x.max()
    assert (s.argmin, s.argmax) == (x.argmin(), x.argmax())
    assert math.isclose(s.mean, x.mean(dtype=float), rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(s.variance, x.var(dtype=float), rel_tol=1e-9)
    big = np.array([2**63 - 1, 2**63 - 3])
    assert wf.statistics(big).max == 2**63 - 1


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    hnp.arrays(
        st.sampled_from(TYPES),
        hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6),
    ),
    st.data(),
)
def test_any_array(x, data):
    if x.ndim:
        x = x.transpose(data.draw(st.permutations(range(x.ndim))))
        axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    else:
        axis = None
    with np.errstate(all="ignore"):
        scale = float(np.abs(np.nan_to_num(x.astype(float), posinf=0, neginf=0)).sum())
        if math.isfinite(np.float32(scale)):
            same(wf.sum(x, axis), np.sum(x, axis), scale)
        if x.size:
            same(wf.max(x, axis), np.max(x, axis))
            same(wf.argmin(x, axis), np.argmin(x, axis))
        if x.ndim:
            same(wf.sort(x, axis), np.sort(x, axis))
