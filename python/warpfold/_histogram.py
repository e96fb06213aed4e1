"""Histograms. A bin holds its lower edge; the last one holds its upper edge, too."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from . import _core
from ._arrays import Array, ArrayLike, as_array, as_stored, contiguous
from ._select import _row


def _even_edges(values: Array, even: int, ends: Any) -> tuple[Array, Array]:
    """The edges, and both ends in 64 bits: integers for integers, where both are."""
    if ends is None:
        ends = np.array(_core.minmax(values), values.dtype) if values.size else (0, 1)
    edges = np.histogram_bin_edges(values[:0], even, ends)
    low, high = ends if ends[0] < ends[1] else (ends[0] - 0.5, ends[1] + 0.5)
    if values.dtype.kind != "f" and all(isinstance(end, (int, np.integer)) for end in (low, high)):
        whole = np.int64 if values.dtype.kind == "i" else np.uint64
        most = np.iinfo(whole)
        if most.min <= low and high <= most.max:
            return edges, np.array([low, high], whole)
    return edges, np.array([low, high], np.float64)


def _of_one_type(values: Array, bounds: Array) -> tuple[Array, Array]:
    """The values' type if it holds the bounds, or else a common one."""
    with np.errstate(invalid="ignore", over="ignore"):
        own = bounds.astype(values.dtype)
    if values.dtype.kind == "b" or not np.array_equal(own, bounds):
        common = np.result_type(values, bounds)
        return contiguous(values.astype(common)), bounds.astype(common)
    return values, own


def histogram(
    x: ArrayLike,
    bins: int | ArrayLike = 10,
    range: tuple[Any, Any] | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Any, Any]:
    """How many values are in each bin, or the sum of their weights; and the edges of the bins.

    ``bins`` is the number of bins of one width, over ``range`` or from the least to the greatest
    value; or the rising bounds of bins. Values in no bin, and NaN, are not counted. Sums of floats
    are exact, rounded once, in the type of the weights; those of integers and bools have 64 bits.

    >>> histogram([1, 2, 1, 4], bins=3)
    (array([2, 1, 1]), array([1., 2., 3., 4.]))
    >>> histogram([1, 2, 1, 4], bins=[1, 2, 5], weights=[0.5, 1, 1, 1])
    (array([1.5, 2. ]), array([1, 2, 5]))
    """
    given = as_array(x)
    values = contiguous(given).reshape(-1)
    if np.ndim(bins) == 0:
        even = index(bins)
        edges, stored = _even_edges(as_stored(values), even, range)
    else:
        even, edges = 0, _row("histogram", bins)
        if edges.size < 2:
            raise ValueError(f"histogram: {edges.size} bounds; bins have two at least")
        values, stored = _of_one_type(values, edges)
    result: Array
    if weights is None:
        result = np.empty(edges.size - 1, np.int64)
        _core.histogram(as_stored(values), as_stored(stored), even, result)
        return result, edges
    beside = _weights(weights, given.shape)
    result = np.empty(edges.size - 1, beside.dtype)
    as_sums = [v.view(np.uint64) if v.dtype.kind == "i" else v for v in (beside, result)]
    _core.weighted_histogram(as_stored(values), as_stored(stored), even, *as_sums)
    return result, edges


def _weights(weights: ArrayLike, shape: tuple[int, ...]) -> Array:
    """One for each value; integers in 64 bits."""
    beside = as_array(weights)
    if beside.shape != shape:
        raise ValueError(f"histogram: weights of shape {beside.shape} for values of {shape}")
    wide = {"b": np.int64, "i": np.int64, "u": np.uint64}.get(beside.dtype.kind, beside.dtype)
    return contiguous(beside.astype(wide, copy=False)).reshape(-1)


def bincount(x: ArrayLike, minlength: int = 0) -> Any:
    """How often each integer from 0 to the greatest occurs, in ``minlength`` counts at least.

    ``x`` has one axis. ValueError for negative values, and for those of 2^24 or more.

    >>> bincount([1, 3, 1])
    array([0, 2, 0, 1])
    """
    values, least = _row("bincount", x), index(minlength)
    if values.dtype.kind == "f":
        raise TypeError(f"bincount takes integers, not {values.dtype}")
    if least < 0:
        raise ValueError(f"bincount: minlength is {least}; it is not negative")
    return _core.bincount(as_stored(values), least).view(np.int64)
