"""The first values of an order, and order statistics. NaN is greater than every number."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Array, ArrayLike, as_array, as_stored, back, contiguous, number, rows_last

_METHODS = ("linear", "lower", "higher", "nearest", "midpoint")


def _first(
    call: Callable[..., None],
    x: ArrayLike,
    k: int,
    axis: int | None,
    dtype: npt.DTypeLike | None,
    largest: bool,
    sorted: bool,
) -> Any:
    values, k = as_array(x), index(k)
    if axis is None:
        values, axis = values.reshape(-1), 0
    axis = number(axis, values.ndim)
    if not 0 <= k <= values.shape[axis]:
        raise ValueError(f"there are {values.shape[axis]} values, of which k = {k} are asked for")
    rows, count = rows_last(values, axis)
    result: Array = np.empty((*rows.shape[:-1], k), dtype or values.dtype)
    call(as_stored(rows), count, k, largest, sorted, as_stored(result))
    return back(result, axis)


def top_k(
    x: ArrayLike, k: int, axis: int | None = -1, *, largest: bool = True, sorted: bool = True
) -> Any:
    """The k largest values along an axis, or of all of them; or the k smallest.

    They stand in that order, or, unless ``sorted``, in the order of the input. ValueError if there
    are fewer than k.

    >>> top_k([3, 1, 4, 2], 2)
    array([4, 3])
    >>> top_k([3, 1, 4, 2], 2, sorted=False)
    array([3, 4])
    """
    return _first(_core.top_k, x, k, axis, None, largest, sorted)


def argtop_k(
    x: ArrayLike, k: int, axis: int | None = -1, *, largest: bool = True, sorted: bool = True
) -> Any:
    """The indices of the k values of top_k; of equal values the first.

    >>> argtop_k([3, 1, 4, 3], 2)
    array([2, 0])
    """
    return _first(_core.argtop_k, x, k, axis, np.int64, largest, sorted)


def nth_element(x: ArrayLike, nth: int) -> Any:
    """The value that a sort of all values would put at index ``nth``, without a sort.

    A negative index is counted from the end. ValueError if there is no such index.

    >>> print(nth_element([3, 1, 4, 2], 1))
    2
    """
    values, place = contiguous(as_array(x)), index(nth)
    if not -values.size <= place < values.size:
        raise ValueError(f"nth_element: there is no index {place} among {values.size} values")
    result: Array = np.empty(1, values.dtype)
    _core.nth_element(as_stored(values), place % values.size, as_stored(result))
    return result[0]


def quantiles(x: ArrayLike, q: ArrayLike, method: str = "linear") -> Any:
    """The quantiles ``q``, between 0 and 1, of all values, in float64 and the shape of q.

    ``method`` is NumPy's linear, lower, higher, nearest or midpoint. ValueError for no values.

    >>> quantiles([3, 1, 4, 2], [0.0, 0.5, 1.0])
    array([1. , 2.5, 4. ])
    """
    if method not in _METHODS:
        raise ValueError(f"there is no method {method!r}; there are {', '.join(_METHODS)}")
    values = as_stored(contiguous(as_array(x)))
    shares: Array = np.array(q, dtype=np.float64, order="C")
    result: Array = np.empty(shares.shape)
    _core.quantiles(values, shares, _METHODS.index(method), result)
    return result[()]


def median(x: ArrayLike) -> Any:
    """The median of all values, in float64: of an even number the mean of the two in the middle.

    >>> print(median([3, 1, 4, 2]))
    2.5
    """
    return quantiles(x, 0.5)
