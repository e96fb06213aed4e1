"""Selections, and runs of equal neighbours. Selected values keep their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Array, ArrayLike, as_array, as_stored, contiguous, is_gpu_to_gpu, op_number
from ._reduce import _converted


def _row(call: str, x: ArrayLike) -> Array:
    values = contiguous(as_array(x))
    if values.ndim != 1:
        raise ValueError(f"{call} takes arrays of one axis, not of {values.ndim}")
    return values


def _marks(call: str, flags: ArrayLike, n: int) -> Array:
    """The flags as bytes of 0 and 1."""
    marks = _row(call, np.asarray(flags, dtype=bool))
    if marks.size != n:
        raise ValueError(f"{call}: {n} values and {marks.size} flags; pass as many of each")
    return as_stored(marks)


def _chosen(values: Array, marks: Array) -> Array:
    result = np.empty(np.count_nonzero(marks), values.dtype)
    _core.copy_flagged(as_stored(values), marks, as_stored(result))
    return result


def copy_flagged(x: ArrayLike, flags: ArrayLike) -> Any:
    """The values whose flag is true, as x[flags].

    ``x`` and ``flags`` have one axis and as many values; otherwise ValueError.

    >>> copy_flagged([3, 1, 4, 1], [True, False, False, True])
    array([3, 1])
    """
    values = _row("copy_flagged", x)
    return _chosen(values, _marks("copy_flagged", flags, values.size))


def copy_if(x: ArrayLike, keep: Callable[[Any], ArrayLike]) -> Any:
    """The values for which ``keep``, called with an array, is true.

    >>> copy_if([3, 1, 4, 1], lambda v: v > 1)
    array([3, 4])
    """
    values = _row("copy_if", x)
    return _chosen(values, _marks("copy_if", keep(values), values.size))


def partition_copy(x: ArrayLike, pred: Callable[[Any], ArrayLike] | ArrayLike) -> tuple[Any, Any]:
    """The values for which ``pred``, a predicate on an array or flags, is true; and all others.

    >>> partition_copy([3, 1, 4, 1], lambda v: v > 1)
    (array([3, 4]), array([1, 1]))
    """
    values = _row("partition_copy", x)
    marks = _marks("partition_copy", pred(values) if callable(pred) else pred, values.size)
    return _chosen(values, marks), _chosen(values, marks ^ 1)


def _begins(keys: Array) -> Array:
    marks = np.empty(keys.size, np.uint8)
    _core.begins(as_stored(keys), marks)
    return marks


def unique(x: ArrayLike) -> Any:
    """The first value of each run of equal neighbours; of sorted values, each value once.

    Unlike numpy.unique it does not sort. A NaN equals nothing.

    >>> unique([1, 1, 2, 2, 1])
    array([1, 2, 1])
    """
    values = _row("unique", x)
    return _chosen(values, _begins(values))


def run_length_encode(x: ArrayLike) -> tuple[Any, Any]:
    """The first value of each run of equal neighbours, and the lengths of the runs.

    >>> run_length_encode([7, 7, 8, 7])
    (array([7, 8, 7]), array([2, 1, 1]))
    """
    values = _row("run_length_encode", x)
    marks = _begins(values)
    firsts = _chosen(values, marks)
    lengths = np.empty(firsts.size, np.int64)
    _core.run_lengths(marks, lengths)
    return firsts, lengths


def _keyed(call: str, keys: ArrayLike, values: ArrayLike) -> tuple[Array, Array, Array]:
    names, rows = _row(call, keys), _row(call, values)
    if names.size != rows.size:
        raise ValueError(f"{call}: {names.size} keys and {rows.size} values; pass as many of each")
    return names, rows, _begins(names)


def unique_by_key(keys: ArrayLike, values: ArrayLike) -> tuple[Any, Any]:
    """The first key of each run, and its value.

    >>> unique_by_key([1, 1, 2], [10, 20, 30])
    (array([1, 2]), array([10, 30]))
    """
    names, rows, marks = _keyed("unique_by_key", keys, values)
    return _chosen(names, marks), _chosen(rows, marks)


def _summed(values: Array, op: int, dtype: npt.DTypeLike | None) -> Array:
    """The values, converted to the type of the result."""
    if dtype is None and values.dtype.kind == "b" and op <= 1:  # sums and products
        dtype = np.int64
    _, to = _converted(values, op, dtype)
    return contiguous(values.astype(to, copy=False))


def reduce_by_key(
    keys: ArrayLike,
    values: ArrayLike,
    op: str = "sum",
    *,
    dtype: npt.DTypeLike | None = None,
    determinism: str = "run_to_run",
) -> tuple[Any, Any]:
    """The first key of each run of equal neighbours, and the run's values reduced.

    ``op`` and ``dtype`` are as reduce's: the results have the type of the values, in which integers
    wrap, or ``dtype``. Sort by key first to reduce all values of a key together. At
    ``determinism="gpu_to_gpu"`` each run of floats has the canonical order: the same bits on every
    machine.

    >>> reduce_by_key([1, 1, 2], [10, 20, 30])
    (array([1, 2]), array([30, 30]))
    """
    number, canonical = op_number(op), is_gpu_to_gpu(determinism)
    names, rows, marks = _keyed("reduce_by_key", keys, values)
    rows = _summed(rows, number, dtype)
    firsts = _chosen(names, marks)
    result = np.empty(firsts.size, rows.dtype)
    _core.reduce_runs(as_stored(rows), number, marks, as_stored(result), canonical)
    return firsts, result


def _scan(
    call: str,
    keys: ArrayLike,
    values: ArrayLike,
    op: str,
    dtype: npt.DTypeLike | None,
    exclusive: bool,
    initial: Any,
    determinism: str,
) -> Any:
    number, canonical = op_number(op), is_gpu_to_gpu(determinism)
    _, rows, marks = _keyed(call, keys, values)
    rows = _summed(rows, number, dtype)
    result = np.empty(rows.shape, rows.dtype)
    init = None if initial is None else as_stored(np.array([initial], dtype=rows.dtype))
    stored = as_stored(result)
    _core.scan_runs(as_stored(rows), number, marks, exclusive, init, stored, canonical)
    return result


def inclusive_scan_by_key(
    keys: ArrayLike,
    values: ArrayLike,
    op: str = "sum",
    *,
    dtype: npt.DTypeLike | None = None,
    determinism: str = "run_to_run",
) -> Any:
    """For each value, the reduction of itself and all before it in its run of equal keys.

    ``determinism`` is reduce_by_key's.

    >>> inclusive_scan_by_key([1, 1, 2], [10, 20, 30])
    array([10, 30, 30])
    """
    return _scan("inclusive_scan_by_key", keys, values, op, dtype, False, None, determinism)


def exclusive_scan_by_key(
    keys: ArrayLike,
    values: ArrayLike,
    op: str = "sum",
    *,
    dtype: npt.DTypeLike | None = None,
    initial: Any = None,
    determinism: str = "run_to_run",
) -> Any:
    """For each value, the reduction of all before it in its run, from ``initial`` or the identity.

    ``determinism`` is reduce_by_key's.

    >>> exclusive_scan_by_key([1, 1, 2], [10, 20, 30])
    array([ 0, 10,  0])
    """
    return _scan("exclusive_scan_by_key", keys, values, op, dtype, True, initial, determinism)
