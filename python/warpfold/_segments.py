"""Calls on segments. Segment i is x[offsets[i] : offsets[i + 1]]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Array, ArrayLike, as_array, as_stored, contiguous, is_gpu_to_gpu, op_number
from ._select import _row, _summed


def _offsets(call: str, offsets: ArrayLike) -> Array:
    """As int64."""
    ends = as_array(offsets)
    if ends.ndim != 1:
        raise ValueError(f"{call} takes offsets of one axis, not of {ends.ndim}")
    if ends.dtype.kind not in "iu" and ends.size:
        raise TypeError(f"{call} takes offsets that are integers, not {ends.dtype}")
    return contiguous(ends.astype(np.int64, copy=False))


def _init(initial: Any, dtype: np.dtype[Any]) -> Array | None:
    return None if initial is None else as_stored(np.array([initial], dtype=dtype))


def segmented_reduce(
    x: ArrayLike,
    offsets: ArrayLike,
    op: str = "sum",
    *,
    dtype: npt.DTypeLike | None = None,
    initial: Any = None,
    determinism: str = "run_to_run",
) -> Any:
    """The values of each segment reduced, with ``initial`` or the identity, which empty ones give.

    ``op`` and ``dtype`` are as reduce's: the results have the type of the values, in which integers
    wrap, or ``dtype``. Unlike numpy.add.reduceat, ``offsets`` has one more than there are segments:
    it never falls, and ends at the number of values at most; otherwise ValueError. At
    ``determinism="gpu_to_gpu"`` each segment of floats has the canonical order.

    >>> segmented_reduce([10, 20, 30], [0, 2, 2, 3])
    array([30,  0, 30])
    """
    number, canonical = op_number(op), is_gpu_to_gpu(determinism)
    ends = _offsets("segmented_reduce", offsets)
    values = _summed(_row("segmented_reduce", x), number, dtype)
    result: Array = np.empty(max(ends.size - 1, 0), values.dtype)
    init = _init(initial, values.dtype)
    _core.segmented_reduce(as_stored(values), number, ends, init, as_stored(result), canonical)
    return result


def _found(
    find: Callable[[Array, Array, Array], None], call: str, x: ArrayLike, offsets: ArrayLike
) -> Any:
    ends = _offsets(call, offsets)
    indices = np.empty(max(ends.size - 1, 0), np.int64)
    find(as_stored(_row(call, x)), ends, indices)
    return indices


def segmented_argmin(x: ArrayLike, offsets: ArrayLike) -> Any:
    """The index among all values of each segment's first NaN or smallest; -1 of an empty one.

    >>> segmented_argmin([20, 10, 30, 30], [0, 2, 2, 4])
    array([ 1, -1,  2])
    """
    return _found(_core.segmented_argmin, "segmented_argmin", x, offsets)


def segmented_argmax(x: ArrayLike, offsets: ArrayLike) -> Any:
    """The index among all values of each segment's first NaN or greatest; -1 of an empty one.

    >>> segmented_argmax([20, 10, 30, 30], [0, 2, 2, 4])
    array([ 0, -1,  2])
    """
    return _found(_core.segmented_argmax, "segmented_argmax", x, offsets)


def _scan(
    call: str,
    x: ArrayLike,
    offsets: ArrayLike,
    op: str,
    dtype: npt.DTypeLike | None,
    exclusive: bool,
    initial: Any,
    determinism: str,
) -> Any:
    number, canonical = op_number(op), is_gpu_to_gpu(determinism)
    ends = _offsets(call, offsets)
    result = _summed(_row(call, x), number, dtype).copy()
    init = _init(initial, result.dtype)
    _core.segmented_scan(as_stored(result), number, ends, exclusive, init, canonical)
    return result


def segmented_inclusive_scan(
    x: ArrayLike,
    offsets: ArrayLike,
    op: str = "sum",
    *,
    dtype: npt.DTypeLike | None = None,
    determinism: str = "run_to_run",
) -> Any:
    """For each value, the reduction of itself and all before it in its segment.

    Values in no segment are copied. Arguments are segmented_reduce's.

    >>> segmented_inclusive_scan([10, 20, 30], [0, 2, 3])
    array([10, 30, 30])
    """
    return _scan("segmented_inclusive_scan", x, offsets, op, dtype, False, None, determinism)


def segmented_exclusive_scan(
    x: ArrayLike,
    offsets: ArrayLike,
    op: str = "sum",
    *,
    dtype: npt.DTypeLike | None = None,
    initial: Any = None,
    determinism: str = "run_to_run",
) -> Any:
    """For each value, the reduction of all before it in its segment, from ``initial`` or identity.

    Values in no segment are copied. Arguments are segmented_reduce's.

    >>> segmented_exclusive_scan([10, 20, 30], [0, 2, 3])
    array([ 0, 10,  0])
    """
    return _scan("segmented_exclusive_scan", x, offsets, op, dtype, True, initial, determinism)


def segmented_sort(x: ArrayLike, offsets: ArrayLike, *, descending: bool = False) -> Any:
    """A copy with the values of each segment sorted, as by sort; others stay where they are.

    >>> segmented_sort([3, 1, 2, 1], [0, 2, 4])
    array([1, 3, 1, 2])
    """
    ends = _offsets("segmented_sort", offsets)
    result = _row("segmented_sort", x).copy()
    _core.segmented_sort(as_stored(result), ends, descending)
    return result


def segmented_argsort(x: ArrayLike, offsets: ArrayLike, *, descending: bool = False) -> Any:
    """The indices among all values that sort each segment; equal values keep their order.

    The index of a value in no segment is its own.

    >>> segmented_argsort([3, 1, 2, 1], [0, 2, 4])
    array([1, 0, 3, 2])
    """
    ends = _offsets("segmented_argsort", offsets)
    values = _row("segmented_argsort", x)
    indices = np.empty(values.size, np.int64)
    _core.segmented_argsort(as_stored(values), ends, descending, indices)
    return indices


def segmented_stable_sort_by_key(
    keys: ArrayLike, items: ArrayLike, offsets: ArrayLike, *, descending: bool = False
) -> tuple[Any, Any]:
    """Keys and items, both in the order that sorts the keys of each segment.

    >>> segmented_stable_sort_by_key([3, 1, 2, 1], [10, 20, 30, 40], [0, 2, 4])
    (array([1, 3, 1, 2]), array([20, 10, 40, 30]))
    """
    call = "segmented_stable_sort_by_key"
    names, rows = _row(call, keys), _row(call, items)
    if names.size != rows.size:
        raise ValueError(f"{call}: {names.size} keys and {rows.size} items; pass as many of each")
    indices = segmented_argsort(names, offsets, descending=descending)
    return names[indices], rows[indices]
