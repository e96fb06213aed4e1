"""determinism="gpu_to_gpu": the bits of the reference, tests/library/canonical/reference.py."""

import operator
import runpy
from pathlib import Path

import numpy as np
import pytest
import warpfold as wf

REFERENCE = runpy.run_path(str(Path(__file__).parents[1] / "library/canonical/reference.py"))
EVERYWHERE = {"determinism": "gpu_to_gpu"}
OPS = (("sum", operator.add), ("product", operator.mul))


def values(dtype, shape):
    """Whose products are near 1."""
    return (1 + np.random.default_rng(7).uniform(-1, 1, shape) / 999).astype(dtype)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n", (1, 2, 7, 1000, 70_001))
def test_all_values(dtype, n):
    x = values(dtype, n)
    product = REFERENCE["reduce"](list(x), operator.mul)
    assert wf.reduce(x, "product", **EVERYWHERE) == wf.prod(x, **EVERYWHERE) == product
    assert wf.sum(x, **EVERYWHERE) == wf.exact_sum(x)
    for op, apply in OPS:
        inclusive = REFERENCE["inclusive_scan"](list(x), apply)
        assert np.array_equal(wf.inclusive_scan(x, op, **EVERYWHERE), inclusive)
        begin = dtype(3)
        rest = REFERENCE["inclusive_scan"](list(x), apply, begin)
        exclusive = wf.exclusive_scan(x, op, initial=3, **EVERYWHERE)
        assert np.array_equal(exclusive, [begin, *rest[:-1]])
    assert np.array_equal(
        wf.cumsum(x, **EVERYWHERE), REFERENCE["inclusive_scan"](list(x), operator.add)
    )


@pytest.mark.parametrize("shape", ((1, 300), (300, 1), (30, 20), (5, 700), (2000, 3)))
def test_axes(shape):
    x = values(np.float32, shape)
    for op, apply in OPS:
        for axis, rows in ((0, x.T), (1, x)):
            expected = [REFERENCE["reduce"](list(row), apply) for row in rows]
            for array in (x, np.asfortranarray(x)):
                assert np.array_equal(wf.reduce(array, op, axis, **EVERYWHERE), expected)
            scans = [REFERENCE["inclusive_scan"](list(row), apply) for row in rows]
            result = wf.inclusive_scan(x, op, axis, **EVERYWHERE)
            assert np.array_equal(result.T if axis == 0 else result, scans)
    with_initial = wf.sum(x, 1, initial=2, **EVERYWHERE)
    assert np.array_equal(with_initial, np.float32(2) + wf.sum(x, 1, **EVERYWHERE))


def test_the_layout_does_not_matter():
    x = values(np.float64, (40, 50))
    turned = np.asfortranarray(x)
    assert wf.prod(turned, **EVERYWHERE) == wf.prod(x, **EVERYWHERE)
    assert wf.statistics(turned, **EVERYWHERE) == wf.statistics(x, **EVERYWHERE)
    assert np.array_equal(wf.cumsum(turned, **EVERYWHERE), wf.cumsum(x, **EVERYWHERE))


def test_means_and_statistics():
    x = values(np.float32, (30, 50))
    wide = x.astype(np.float64)
    sums = [REFERENCE["reduce"](list(row), operator.add) for row in wide]
    assert np.array_equal(wf.mean(x, 1, **EVERYWHERE), np.array(sums) / 50)
    assert wf.mean(x, keepdims=True, **EVERYWHERE) == wf.mean(x, **EVERYWHERE)
    assert wf.mean(x, where=x > 1, **EVERYWHERE) == wf.exact_sum(wide[x > 1]) / (x > 1).sum()
    s = wf.statistics(x, **EVERYWHERE)
    assert s.sum == REFERENCE["reduce"](list(wide.ravel()), operator.add)
    assert (s.min, s.argmax) == (x.min(), x.argmax())


def test_runs_of_keys():
    lengths = (1, 2, 7, 64, 1, 1000, 30_001)
    keys = np.repeat(np.arange(len(lengths)), lengths)
    x = values(np.float32, keys.size)
    runs = np.split(x, np.cumsum(lengths)[:-1])
    for op, apply in OPS:
        firsts, results = wf.reduce_by_key(keys, x, op, **EVERYWHERE)
        assert np.array_equal(firsts, np.arange(len(lengths)))
        assert np.array_equal(results, [REFERENCE["reduce"](list(run), apply) for run in runs])
        scans = [REFERENCE["inclusive_scan"](list(run), apply) for run in runs]
        result = wf.inclusive_scan_by_key(keys, x, op, **EVERYWHERE)
        assert np.array_equal(result, np.concatenate(scans))
        begin = np.float32(3)
        scans = [REFERENCE["inclusive_scan"](list(run), apply, begin) for run in runs]
        result = wf.exclusive_scan_by_key(keys, x, op, initial=3, **EVERYWHERE)
        assert np.array_equal(result, np.concatenate([[begin, *scan[:-1]] for scan in scans]))
