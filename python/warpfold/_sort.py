"""Sorts: stable; -0 before +0; NaN greater than every number, so first where descending."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _device
from ._arrays import (
    Array,
    ArrayLike,
    as_array,
    as_stored,
    back,
    check_out,
    contiguous,
    is_row,
    number,
    rows_last,
)
from ._device import on_device


def sort(
    x: ArrayLike, axis: int | None = -1, *, descending: bool = False, out: Array | None = None
) -> Any:
    """The values sorted along an axis, or all of them without one.

    A copy, unless ``out`` is given, which may be x. NaN comes last, or first where descending.

    >>> sort([3, 1, 2], descending=True)
    array([3, 2, 1])
    """
    if out is None and is_row(x, axis):
        row: Array = np.empty(x.shape, x.dtype)
        _core.sort(x, row, 1, descending)
        return row
    if on_device(x):
        return _device.sort(x, axis, descending, out)
    values = as_array(x)
    if axis is None:
        values, axis = values.reshape(-1), 0
    axis = number(axis, values.ndim)
    if out is not None:
        check_out(out, values.shape, values.dtype)
    if out is not None and axis == values.ndim - 1 and out.flags.carray:
        if out is not values:
            out[...] = values
        rows = out
    else:
        rows = (values if axis == values.ndim - 1 else np.moveaxis(values, axis, -1)).copy("C")
    stored = as_stored(rows)
    _core.sort(stored, stored, rows.size // rows.shape[-1] if rows.size else 0, descending)
    if out is None:
        return back(rows, axis)
    if rows is not out:
        out[...] = back(rows, axis)
    return out


def argsort(x: ArrayLike, axis: int | None = -1, *, descending: bool = False) -> Any:
    """The indices that sort the values along an axis, or all of them; equal ones keep their order.

    >>> argsort([3, 1, 2])
    array([1, 2, 0])
    """
    if is_row(x, axis):
        indices = np.empty(x.shape, np.int64)
        _core.argsort(x, 1, descending, indices)
        return indices
    if on_device(x):
        return _device.argsort(x, axis, descending)
    values = as_array(x)
    if axis is None:
        values, axis = values.reshape(-1), 0
    axis = number(axis, values.ndim)
    rows, count = rows_last(values, axis)
    indices = np.empty(rows.shape, np.int64)
    _core.argsort(as_stored(rows), count, descending, indices)
    return back(indices, axis)


def sort_by_key(keys: ArrayLike, items: ArrayLike, *, descending: bool = False) -> tuple[Any, Any]:
    """Keys, sorted, and the items along with them; items of equal keys keep their order.

    ``keys`` has one axis. ``items`` has as many rows as there are keys, of any type and shape
    without Python objects. Both results are copies. Raises ValueError if the numbers differ.

    >>> sort_by_key([3, 1, 2], ["c", "a", "b"])
    (array([1, 2, 3]), array(['a', 'b', 'c'], dtype='<U1'))
    """
    if on_device(keys):
        return _device.sort_by_key(keys, items, descending)
    sorted_keys = np.array(as_array(keys), order="C", copy=True)
    rows: Array = np.array(items, order="C", copy=True)
    if sorted_keys.ndim != 1:
        raise ValueError(f"keys have one axis, not {sorted_keys.ndim}")
    if rows.ndim == 0 or len(rows) != len(sorted_keys):
        raise ValueError(f"{len(sorted_keys)} keys and items of shape {rows.shape}; pass as many")
    if rows.dtype.hasobject:
        raise TypeError(f"items of type {rows.dtype} hold Python objects; sort their indices")
    if rows.size:
        stored = contiguous(rows).reshape(len(rows), -1).view(_unit(rows))
        _core.sort_by_key(as_stored(sorted_keys), stored, descending)
    return sorted_keys, rows


def _unit(rows: Array) -> Any:
    """An unsigned type in which a row's bytes divide."""
    bytes_a_row = rows.nbytes // len(rows)
    return next(np.dtype(f"u{size}") for size in (8, 4, 2, 1) if bytes_a_row % size == 0)
