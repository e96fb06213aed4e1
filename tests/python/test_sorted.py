"""Calls on sorted keys against NumPy."""

from collections import Counter

import numpy as np
import pytest
import warpfold as wf

TYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")


def some(dtype, n, most=100):
    return np.sort(np.random.default_rng(n).integers(0, most, n).astype(dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("sizes", ((0, 0), (0, 3), (5, 0), (7, 20), (30_000, 9000)))
def test_merge_and_sets(dtype, sizes):
    a, b = (some(dtype, n) for n in sizes)
    in_a, in_b = Counter(a.tolist()), Counter(b.tolist())
    merged = wf.merge(a, b)
    assert merged.dtype == a.dtype and np.array_equal(merged, np.sort(np.concatenate([a, b])))
    results = (
        (wf.set_union(a, b), in_a | in_b),
        (wf.set_intersection(a, b), in_a & in_b),
        (wf.set_difference(a, b), in_a - in_b),
        (wf.set_symmetric_difference(a, b), (in_a - in_b) | (in_b - in_a)),
    )
    for result, expected in results:
        assert result.dtype == a.dtype and result.tolist() == sorted(expected.elements())


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", (0, 1, 7, 30_000))
def test_bounds(dtype, n):
    keys, needles = some(dtype, n), some(dtype, 20_000, 120)[::-1]
    for call, side in ((wf.lower_bound, "left"), (wf.upper_bound, "right")):
        result = call(keys, needles)
        assert result.dtype == np.int64
        assert np.array_equal(result, np.searchsorted(keys, needles, side))
        assert call(keys, needles[:0]).size == 0
        assert np.array_equal(wf.equal_range(keys, needles)[side == "right"], result)
        square = needles[:16].reshape(4, 4)
        assert np.array_equal(call(keys, square), np.searchsorted(keys, square, side))


def test_types_layouts_and_nan():
    a, b = np.array([1, 3], np.int32), np.array([2.5, np.nan], np.float32)
    merged = wf.merge(a, b)
    assert merged.dtype == np.float64
    assert np.array_equal(merged, [1, 2.5, 3, np.nan], equal_nan=True)
    assert np.isnan(wf.set_intersection([1, np.nan], [2, np.nan])).tolist() == [True]
    assert wf.set_difference([1.0, np.nan], [np.nan]).tolist() == [1.0]
    assert wf.lower_bound([-0.0, 0.0, np.nan], [0.0, np.nan]).tolist() == [1, 2]
    assert wf.upper_bound([1, 2, 2], 2) == 3
    assert wf.merge(np.arange(10)[::2], np.arange(10)[1::2]).tolist() == list(range(10))


@pytest.mark.parametrize(
    "call",
    (
        wf.merge,
        wf.set_union,
        wf.set_intersection,
        wf.set_difference,
        wf.set_symmetric_difference,
        wf.lower_bound,
        wf.upper_bound,
    ),
)
def test_refused(call):
    with pytest.raises(ValueError, match=f"{call.__name__} takes arrays of one axis"):
        call([[1]], [1])
    with pytest.raises(TypeError, match="<U1"):
        call([1], ["a"])
    with pytest.raises(TypeError, match="float16"):
        call(np.zeros(2, np.float16), [1])
