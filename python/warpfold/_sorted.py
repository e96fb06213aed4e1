"""Calls on keys that are sorted, as by sort: ascending, -0 before +0, NaN last. That they are is
not checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from ._arrays import Array, ArrayLike, as_array, as_stored, contiguous
from ._select import _row


def _both(call: str, a: ArrayLike, b: ArrayLike) -> tuple[Array, Array, np.dtype[Any]]:
    """Rows of a common type, as stored, and that type."""
    rows = _row(call, a), _row(call, b)
    common = np.result_type(*rows)
    first, second = (as_stored(row.astype(common, copy=False)) for row in rows)
    return first, second, common


def merge(a: ArrayLike, b: ArrayLike) -> Any:
    """All keys of two sorted arrays, sorted, in their common type.

    >>> merge([1, 3, 5], [2, 3])
    array([1, 2, 3, 3, 5])
    """
    first, second, common = _both("merge", a, b)
    result: Array = np.empty(first.size + second.size, common)
    _core.merge(first, second, as_stored(result))
    return result


def _kept(
    operation: Callable[[Array, Array, Array], int],
    call: str,
    a: ArrayLike,
    b: ArrayLike,
    most: Callable[[int, int], int],
) -> Any:
    first, second, common = _both(call, a, b)
    result: Array = np.empty(most(first.size, second.size), common)
    count = operation(first, second, as_stored(result))
    return result if count == result.size else result[:count].copy()


def set_union(a: ArrayLike, b: ArrayLike) -> Any:
    """The keys that are in either of two sorted arrays, sorted, in their common type.

    A key that is m times in a and n times in b is max(m, n) times in the result.

    >>> set_union([1, 3, 3], [2, 3])
    array([1, 2, 3, 3])
    """
    return _kept(_core.set_union, "set_union", a, b, lambda n, m: n + m)


def set_intersection(a: ArrayLike, b: ArrayLike) -> Any:
    """The keys that are in both of two sorted arrays, sorted, in their common type.

    A key that is m times in a and n times in b is min(m, n) times in the result.

    >>> set_intersection([1, 3, 3], [2, 3])
    array([3])
    """
    return _kept(_core.set_intersection, "set_intersection", a, b, min)


def set_difference(a: ArrayLike, b: ArrayLike) -> Any:
    """The keys of a sorted array a that are not in b, sorted, in their common type.

    A key that is m times in a and n times in b is max(m - n, 0) times in the result.

    >>> set_difference([1, 3, 3], [2, 3])
    array([1, 3])
    """
    return _kept(_core.set_difference, "set_difference", a, b, lambda n, _: n)


def set_symmetric_difference(a: ArrayLike, b: ArrayLike) -> Any:
    """The keys that are in one of two sorted arrays only, sorted, in their common type.

    A key that is m times in a and n times in b is abs(m - n) times in the result.

    >>> set_symmetric_difference([1, 3, 3], [2, 3])
    array([1, 2, 3])
    """
    operation = _core.set_symmetric_difference
    return _kept(operation, "set_symmetric_difference", a, b, lambda n, m: n + m)


def _searched(
    search: Callable[[Array, Array, Array], None], call: str, keys: ArrayLike, needles: ArrayLike
) -> Any:
    wanted = contiguous(as_array(needles))
    first, second, _ = _both(call, keys, wanted.reshape(-1))
    indices = np.empty(wanted.shape, np.int64)
    search(first, second, indices)
    return indices[()]


def lower_bound(keys: ArrayLike, needles: ArrayLike) -> Any:
    """For each needle, the number of sorted keys before it: numpy.searchsorted's side "left".

    >>> lower_bound([1, 3, 3, 5], [3, 6])
    array([1, 4])
    """
    return _searched(_core.lower_bound, "lower_bound", keys, needles)


def upper_bound(keys: ArrayLike, needles: ArrayLike) -> Any:
    """For each needle, the number of sorted keys not after it: numpy.searchsorted's side "right".

    >>> upper_bound([1, 3, 3, 5], [3, 6])
    array([3, 4])
    """
    return _searched(_core.upper_bound, "upper_bound", keys, needles)


def equal_range(keys: ArrayLike, needles: ArrayLike) -> tuple[Any, Any]:
    """For each needle, where its equals begin and end among the sorted keys: both bounds.

    >>> equal_range([1, 3, 3, 5], [3, 6])
    (array([1, 4]), array([3, 4]))
    """
    return lower_bound(keys, needles), upper_bound(keys, needles)
