"""Prefixes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _device
from ._arrays import (
    Array,
    ArrayLike,
    as_array,
    as_stored,
    back,
    check_out,
    is_gpu_to_gpu,
    is_row,
    number,
    op_number,
    rows_last,
)
from ._device import on_device
from ._reduce import _PRODUCT, _SUM, _SUMS, _WIDE, _converted


def _scan(
    x: ArrayLike,
    op: int,
    axis: int | None,
    dtype: npt.DTypeLike | None,
    out: Array | None,
    initial: Any,
    exclusive: bool,
    gpu_to_gpu: bool,
) -> Any:
    values = as_array(x)
    if values.dtype.kind == "b" and op in (_SUM, _PRODUCT):
        values = values.astype(np.int64 if dtype is None else dtype)
    values, to = _converted(values, op, dtype)
    if axis is None:
        values, axis = values.reshape(-1), 0
    axis = number(axis, values.ndim)
    rows, count = rows_last(values, axis)
    result = np.empty(rows.shape, to)
    if out is not None:
        check_out(out, values.shape, to)
        in_place = rows is out and rows.dtype == to
        if (
            out.flags.carray
            and back(rows, axis) is rows
            and (in_place or not np.may_share_memory(out, rows))
        ):
            result = out
    init = None if initial is None else as_stored(np.array([initial], dtype=to))
    _core.scan(as_stored(rows), op, count, exclusive, init, as_stored(result), gpu_to_gpu)
    if out is None:
        return back(result, axis)
    if result is not out:
        out[...] = back(result, axis)
    return out


def inclusive_scan(
    x: ArrayLike,
    op: str = "sum",
    axis: int | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    initial: Any = None,
    determinism: str = "run_to_run",
) -> Any:
    """For each value, ``initial``, all before it and itself, reduced by an operator of reduce.

    Along ``axis``; without one, along all values in C's order. The result has the type of the
    values, in which integers wrap, or ``dtype``; ``out`` may be x. At
    ``determinism="gpu_to_gpu"`` sums and products of floats combine the values in the canonical
    order, with the same bits on every machine. Raises as reduce.

    >>> inclusive_scan([3, 1, 4], "max")
    array([3, 3, 4])
    """
    if on_device(x):
        return _device.scan("inclusive_scan", x, op, axis, dtype, out, initial, determinism)
    exact = is_gpu_to_gpu(determinism)
    return _scan(x, op_number(op), axis, dtype, out, initial, False, exact)


def exclusive_scan(
    x: ArrayLike,
    op: str = "sum",
    axis: int | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    initial: Any = None,
    determinism: str = "run_to_run",
) -> Any:
    """For each value, the reduction of all before it; the first is ``initial`` or the identity.

    Otherwise as inclusive_scan.

    >>> exclusive_scan([3, 1, 4], initial=10)
    array([10, 13, 14])
    """
    if on_device(x):
        return _device.scan(
            "exclusive_scan", x, op, axis, dtype, out, initial, determinism, exclusive=True
        )
    exact = is_gpu_to_gpu(determinism)
    return _scan(x, op_number(op), axis, dtype, out, initial, True, exact)


def cumsum(
    x: ArrayLike,
    axis: int | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    determinism: str = "run_to_run",
) -> Any:
    """The sums of each value and all before it, in the types of sum.

    ``determinism`` is inclusive_scan's.

    >>> cumsum([3, 1, 4])
    array([3, 4, 8])
    """
    if dtype is None and out is None and is_row(x, axis):
        result: Array = np.empty(x.shape, _SUMS[x.dtype][0])
        _core.scan(x, _SUM, 1, False, None, result, is_gpu_to_gpu(determinism))
        return result
    if on_device(x):
        return _device.scan("cumsum", x, "sum", axis, dtype, out, None, determinism, widens=True)
    values = as_array(x)
    if dtype is None:
        dtype = _WIDE.get(values.dtype.kind)
    canonical = is_gpu_to_gpu(determinism)
    return _scan(values, _SUM, axis, dtype, out, None, False, canonical)
