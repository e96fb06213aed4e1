"""Calls on segments against NumPy."""

from itertools import pairwise

import numpy as np
import pytest
import warpfold as wf

TYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
OPS = {
    "sum": np.add,
    "product": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def some(dtype, n, most=4):
    return np.random.default_rng(n).integers(0, most, n).astype(dtype)


def cut(n, segments):
    """Offsets, of empty segments too; some values at both ends are in no segment."""
    return np.sort(np.random.default_rng(n).integers(n // 10, n - n // 10 + 1, segments + 1))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", OPS)
def test_reduce_and_scan(dtype, op):
    for n, segments in ((0, 3), (1, 1), (1000, 300), (20_000, 40)):
        x, offsets = some(dtype, n), cut(n, segments)
        if dtype[0] == "f" and op in ("and", "or", "xor"):
            with pytest.raises(ValueError, match="integers"):
                wf.segmented_reduce(x, offsets, op)
            continue
        to = np.dtype(np.int64) if dtype == "?" and op in ("sum", "product") else x.dtype
        start, x_to = to.type(1), x.astype(to)
        sums = np.full(segments, start)
        inclusive, exclusive = x_to.copy(), x_to.copy()
        with np.errstate(over="ignore"):
            for i, (begin, end) in enumerate(pairwise(offsets)):
                values = np.concatenate([[start], x_to[begin:end]])
                prefixes = OPS[op].accumulate(values, dtype=to)
                sums[i], exclusive[begin:end] = prefixes[-1], prefixes[:-1]
                inclusive[begin:end] = OPS[op].accumulate(x_to[begin:end], dtype=to)
        results = (
            (wf.segmented_reduce(x, offsets, op, initial=start), sums),
            (wf.segmented_inclusive_scan(x, offsets, op), inclusive),
            (wf.segmented_exclusive_scan(x, offsets, op, initial=start), exclusive),
        )
        for result, expected in results:
            assert result.dtype == to and np.array_equal(result, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("descending", (False, True))
def test_sorts(dtype, descending):
    for n, segments in ((0, 3), (1, 1), (1000, 300), (20_000, 40)):
        x, offsets = some(dtype, n, 100), cut(n, segments)
        before, expected = x.copy(), np.arange(n)
        for begin, end in pairwise(offsets):
            expected[begin:end] = begin + wf.argsort(x[begin:end], descending=descending)
        indices = wf.segmented_argsort(x, offsets, descending=descending)
        assert indices.dtype == np.int64 and np.array_equal(indices, expected)
        result = wf.segmented_sort(x, offsets, descending=descending)
        assert result.dtype == x.dtype and np.array_equal(result, x[expected])
        keys, items = wf.segmented_stable_sort_by_key(
            x, np.arange(n), offsets, descending=descending
        )
        assert np.array_equal(keys, result) and np.array_equal(items, expected)
        assert np.array_equal(x, before)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("call", ("argmin", "argmax"))
def test_extremes(dtype, call):
    for n, segments in ((0, 3), (1, 1), (1000, 300), (20_000, 40)):
        x, offsets = some(dtype, n, 100), cut(n, segments)
        if dtype.startswith("f"):
            x[::97] = np.nan
        expected = [
            begin + getattr(wf, call)(x[begin:end]) if begin < end else -1
            for begin, end in pairwise(offsets)
        ]
        result = getattr(wf, f"segmented_{call}")(x, offsets)
        assert result.dtype == np.int64 and result.tolist() == expected


def test_types_layouts_and_nan():
    x = np.full(400, 2, np.uint8)
    assert wf.segmented_reduce(x, [0, 200, 400]).tolist() == [144, 144]
    assert wf.segmented_reduce(x, [0, 200, 400], dtype=np.uint64).tolist() == [400, 400]
    for kind in ("i1", "u2", "u8"):
        assert wf.segmented_reduce(x, np.array([0, 3, 5], kind)).tolist() == [6, 4]
    assert wf.segmented_reduce(np.arange(20)[::-2], [0, 2, 10]).tolist() == [36, 64]
    assert wf.segmented_reduce([1.0, 2.0], [0, 0, 2], "min").tolist() == [np.inf, 1.0]
    for offsets in ([], [0]):
        assert wf.segmented_reduce([1, 2], offsets).size == 0
        assert wf.segmented_sort([2, 1], offsets).tolist() == [2, 1]
    y = np.array([np.nan, 2.0, 1.0, 0.0, -0.0])
    assert np.isnan(wf.segmented_reduce(y, [0, 3, 5])).tolist() == [True, False]
    assert wf.segmented_argsort(y, [0, 3, 5]).tolist() == [2, 1, 0, 4, 3]
    assert wf.segmented_argsort(y, [0, 3, 5], descending=True).tolist() == [0, 1, 2, 3, 4]


def test_levels():
    x = np.random.default_rng(3).standard_normal(5000).astype(np.float32)
    rows, offsets = x.reshape(5, 1000), np.arange(6) * 1000
    for level in ("run_to_run", "gpu_to_gpu"):
        sums = wf.segmented_reduce(x, offsets, determinism=level)
        prefixes = wf.segmented_inclusive_scan(x, offsets, determinism=level)
        assert np.allclose(sums, rows.sum(axis=1), rtol=1e-3)
        assert np.allclose(prefixes[999::1000], sums, rtol=1e-3)
    assert np.array_equal(sums, wf.reduce(rows, axis=1, determinism=level))
    assert np.array_equal(prefixes, wf.inclusive_scan(rows, axis=1, determinism=level).ravel())


@pytest.mark.parametrize(
    ("call", "error", "word"),
    (
        (lambda: wf.segmented_reduce([1, 2], [0, 3]), ValueError, "offsets up to 3 and 2"),
        (lambda: wf.segmented_reduce([1, 2], [-1, 2]), ValueError, "offsets up to 2 and 2"),
        (lambda: wf.segmented_reduce([1, 2], [2, 0]), ValueError, "less than the one before"),
        (lambda: wf.segmented_sort([1, 2], [2, 0]), ValueError, "less than the one before"),
        (lambda: wf.segmented_argsort([1, 2], [0, 3]), ValueError, "offsets up to 3"),
        (lambda: wf.segmented_argmin([1, 2], [0, 3]), ValueError, "offsets up to 3"),
        (
            lambda: wf.segmented_stable_sort_by_key([1, 2], [1], [0, 2]),
            ValueError,
            "2 keys and 1 items",
        ),
        (lambda: wf.segmented_inclusive_scan([1, 2], [0.0, 2.0]), TypeError, "not float64"),
        (lambda: wf.segmented_reduce([1, 2], [[0, 2]]), ValueError, "offsets of one axis"),
        (lambda: wf.segmented_reduce([[1, 2]], [0, 2]), ValueError, "one axis"),
        (lambda: wf.segmented_reduce([1], [0, 1], "plus"), ValueError, "no operator"),
        (lambda: wf.segmented_reduce([1], [0, 1], determinism="all"), ValueError, "determinism"),
        (lambda: wf.segmented_exclusive_scan(["a"], [0, 1]), TypeError, "<U1"),
    ),
)
def test_refused(call, error, word):
    with pytest.raises(error, match=word):
        call()
