"""Exact sums against math.fsum and fractions; accumulators, their bytes and their pickles."""

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
import warpfold as wf


def wide(dtype, n, seed=3):
    random = np.random.default_rng(seed)
    scale = 30 if dtype == np.float32 else 250
    return (random.standard_normal(n) * 2.0 ** random.integers(-scale, scale, n)).astype(dtype)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n", (0, 1, 10, 1000, 100_000))
def test_sums(dtype, n):
    x = wide(dtype, n)
    total = wf.exact_sum(x)
    assert total.dtype == dtype
    assert total == dtype(math.fsum(x))
    assert total == wf.exact_sum(x[::-1]) == wf.exact_sum(np.random.permutation(x))
    assert total == wf.sum(x, determinism="gpu_to_gpu")
    if n:
        exact = sum(map(Fraction, x.tolist()), Fraction(0)) if n <= 1000 else None
        if exact is not None and dtype == np.float64:
            assert wf.exact_mean(x) == float(exact / n)
            assert wf.mean(x, determinism="gpu_to_gpu") == wf.exact_mean(x)


def test_axes_and_masks():
    x = wide(np.float64, 60).reshape(3, 4, 5)
    for axis in (0, 1, 2, (0, 2)):
        axes = axis if isinstance(axis, tuple) else (axis,)
        rows = np.moveaxis(x, axes, range(-len(axes), 0))
        for array in (x, np.asfortranarray(x)):
            sums = wf.exact_sum(array, axis)
            for index in np.ndindex(*sums.shape):
                assert sums[index] == math.fsum(rows[index].flat)
            kept = wf.exact_sum(array, axis, keepdims=True)
            assert kept.shape == np.sum(x, axis, keepdims=True).shape
            assert np.array_equal(kept.squeeze(axis), sums)
    mask = x > 0
    assert wf.exact_sum(x, where=mask) == math.fsum(x[mask])
    assert wf.exact_sum(x.transpose(2, 0, 1)) == math.fsum(x.flat)


def test_dot():
    a, b = wide(np.float64, 200), wide(np.float64, 200, 4)
    exact = sum(Fraction(x) * Fraction(y) for x, y in zip(a.tolist(), b.tolist(), strict=True))
    assert wf.exact_dot(a, b) == float(exact)
    assert wf.exact_dot(a[::2], b[::2]) == wf.exact_dot(a[::2].copy(), b[::2].copy())
    with pytest.raises(ValueError, match="one shape"):
        wf.exact_dot(a, b[1:])
    with pytest.raises(TypeError, match="one type"):
        wf.exact_dot(a, b.astype(np.float32))


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_accumulators(dtype):
    x = wide(dtype, 3000)
    total = wf.Accumulator(dtype).add(x)
    parts = [wf.Accumulator(dtype).add(part) for part in np.array_split(x, 7)]
    merged = sum(parts[1:], parts[0])
    assert merged == total and bytes(merged) == bytes(total)
    assert merged.round() == wf.exact_sum(x) == total.round()
    assert merged.round().dtype == merged.dtype == dtype
    assert total.mean(3000) == wf.exact_mean(x)
    again = pickle.loads(pickle.dumps(total))
    assert again == total and again is not total
    other = copy.deepcopy(total)
    other += wf.Accumulator(dtype).add([1.0])
    assert other != total and total == again
    assert wf.Accumulator.from_bytes(bytes(total)) == total
    assert len(bytes(total)) == (64 if dtype == np.float32 else 292)
    assert float(wf.Accumulator().add([1, 2.5])) == 3.5
    assert repr(wf.Accumulator(np.float32)) == "Accumulator(float32, 0.0)"


def test_refusals():
    narrow, double = wf.Accumulator(np.float32), wf.Accumulator()
    with pytest.raises(ValueError, match="f64"):
        narrow.merge(double)
    with pytest.raises(TypeError, match="float32"):
        narrow.add(np.zeros(3))
    with pytest.raises(TypeError, match="int64"):
        wf.Accumulator(np.int64)
    with pytest.raises(TypeError, match="int32"):
        wf.exact_sum(np.zeros(3, np.int32))
    damaged = bytearray(bytes(double.add([1.0])))
    damaged[30] ^= 1
    with pytest.raises(ValueError, match="checksum"):
        wf.Accumulator.from_bytes(damaged)
    for data in (b"", b"wfexact\n", bytes(64), bytes(292)):
        with pytest.raises(ValueError, match="from_bytes"):
            wf.Accumulator.from_bytes(data)
    with pytest.raises(ValueError, match="count"):
        double.mean(0)
    with pytest.raises(TypeError):
        double + 1
    with pytest.raises(TypeError):
        hash(double)
