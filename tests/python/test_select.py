"""Selections and runs against NumPy."""

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


def some(dtype, n, most=3):
    return np.random.default_rng(n).integers(0, most, n).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", (0, 1, 7, 100_000))
def test_selections(dtype, n):
    x = some(dtype, n)
    flags = x == 1
    for result in (wf.copy_flagged(x, flags), wf.copy_if(x, lambda v: v == 1)):
        assert result.dtype == x.dtype and np.array_equal(result, x[flags])
    ones, others = wf.partition_copy(x, flags)
    assert np.array_equal(ones, x[flags]) and np.array_equal(others, x[~flags])
    begins = np.concatenate([np.ones(min(n, 1), bool), x[1:] != x[:-1]])
    assert np.array_equal(wf.unique(x), x[begins])
    values, lengths = wf.run_length_encode(x)
    assert np.array_equal(values, x[begins]) and values.dtype == x.dtype
    assert np.array_equal(np.repeat(values, lengths), x) and lengths.dtype == np.int64
    keys, firsts = wf.unique_by_key(x, np.arange(n))
    assert np.array_equal(keys, x[begins]) and np.array_equal(firsts, np.flatnonzero(begins))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", OPS)
def test_by_key(dtype, op):
    for n in (1, 1000, 20_000):
        keys, x = np.sort(some("i4", n, 1 + n // 10)), some(dtype, n, 4)
        if dtype[0] == "f" and op in ("and", "or", "xor"):
            with pytest.raises(ValueError, match="integers"):
                wf.reduce_by_key(keys, x, op)
            continue
        firsts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        to = np.dtype(np.int64) if dtype == "?" and op in ("sum", "product") else x.dtype
        with np.errstate(over="ignore"):
            expected = OPS[op].reduceat(x.astype(to), firsts, dtype=to)
        names, result = wf.reduce_by_key(keys, x, op)
        assert np.array_equal(names, keys[firsts]) and result.dtype == to
        assert np.array_equal(result, expected)
        prefixes = np.empty(n, to)
        for begin, end in zip(firsts, [*firsts[1:], n], strict=True):
            prefixes[begin:end] = OPS[op].accumulate(x[begin:end].astype(to), dtype=to)
        inclusive = wf.inclusive_scan_by_key(keys, x, op)
        assert inclusive.dtype == to and np.array_equal(inclusive, prefixes)
        start = to.type(1)
        exclusive = wf.exclusive_scan_by_key(keys, x, op, initial=start)
        before = np.concatenate([[start], prefixes[:-1]]).astype(to)
        shifted = OPS[op](start, before).astype(to)
        shifted[firsts] = start
        assert np.array_equal(exclusive, shifted)


def test_widths_layouts_and_nan():
    keys = np.repeat([1, 2], 200)
    ones = np.full(400, 2, np.uint8)
    assert wf.reduce_by_key(keys, ones)[1].tolist() == [144, 144]
    assert wf.reduce_by_key(keys, ones, dtype=np.uint64)[1].tolist() == [400, 400]
    assert np.array_equal(
        wf.unique(np.arange(20) // 4)[::-1], wf.unique((np.arange(20) // 4)[::-1])
    )
    assert wf.unique([np.nan, np.nan, -0.0, 0.0]).size == 3
    assert wf.reduce_by_key([1.5, 1.5, 2.5], [1, 2, 3])[1].tolist() == [3, 3]


@pytest.mark.parametrize(
    ("call", "error", "word"),
    (
        (lambda: wf.copy_flagged([1, 2], [True]), ValueError, "2 values and 1 flags"),
        (lambda: wf.copy_if([1, 2], lambda v: True), ValueError, "0"),
        (lambda: wf.unique(np.zeros((2, 2))), ValueError, "one axis"),
        (lambda: wf.reduce_by_key([1], [1, 2]), ValueError, "1 keys and 2 values"),
        (lambda: wf.reduce_by_key([1], [1], "plus"), ValueError, "no operator"),
        (lambda: wf.unique([object()]), TypeError, "object"),
        (lambda: wf.inclusive_scan_by_key([1], ["a"]), TypeError, "<U1"),
    ),
)
def test_refused(call, error, word):
    with pytest.raises(error, match=word):
        call()
