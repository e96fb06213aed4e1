"""Reductions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core, _device
from ._arrays import (
    NUMBERS,
    Array,
    ArrayLike,
    Axis,
    as_array,
    as_stored,
    contiguous,
    finish,
    is_gpu_to_gpu,
    is_plain,
    number,
    op_number,
    split,
)
from ._device import on_device, refuse

_SUM, _PRODUCT, _MIN, _MAX, _AND = range(5)
_WIDE: dict[str, np.dtype[Any]] = {
    "b": np.dtype(np.int64),
    "i": np.dtype(np.int64),
    "u": np.dtype(np.uint64),
}
# What sum takes as it is: the type of the result, and whether that is another one.
_SUMS = {
    dtype: (_WIDE.get(dtype.kind, dtype).type, dtype.kind != "f" and dtype.itemsize < 8)
    for dtype in NUMBERS
}


def _identity(op: int, dtype: np.dtype[Any]) -> Any:
    """The value that changes nothing."""
    if op in (_MIN, _MAX):
        if dtype.kind == "f":
            return np.inf if op == _MIN else -np.inf
        if dtype.kind == "b":
            return op == _MIN
        return np.iinfo(dtype).max if op == _MIN else np.iinfo(dtype).min
    return ~dtype.type(0) if op == _AND else dtype.type(op == _PRODUCT)


def _converted(x: Array, op: int, dtype: npt.DTypeLike | None) -> tuple[Array, np.dtype[Any]]:
    """The values to reduce and the type of the result: the values' own, or one that the library
    reduces them in, or else the values converted."""
    if dtype is None:
        return x, x.dtype
    to = np.dtype(dtype)
    wide = np.dtype(np.float64) if x.dtype.kind == "f" else _WIDE[x.dtype.kind]
    if to == x.dtype or (op in (_SUM, _PRODUCT) and to == wide):
        return x, to
    return as_array(x.astype(to)), to


def _reduce(
    x: ArrayLike,
    op: int,
    axis: Axis,
    dtype: npt.DTypeLike | None,
    out: Array | None,
    keepdims: bool,
    where: ArrayLike | None,
    initial: Any,
    gpu_to_gpu: bool,
) -> Any:
    values, to = _converted(as_array(x), op, dtype)
    if where is not None:
        mask = np.asarray(where, dtype=bool)
        values = np.where(mask, values, np.array(_identity(op, values.dtype), values.dtype))
    if axis is None and not values.flags.c_contiguous and not gpu_to_gpu:
        kept = (1,) * values.ndim
        values = values.ravel(order="K")  # the operators commute
        parts = split(values, None)._replace(kept=kept)
    else:
        parts = split(values, axis)
    stored = np.dtype(np.uint8) if to.kind == "b" else to
    # The library widens a kind to itself: sums of bools are of unsigned numbers.
    inside = np.dtype(np.uint64) if values.dtype.kind == "b" and stored.itemsize == 8 else stored
    array = as_stored(parts.values)
    if axis is None or (parts.outer == 1 and parts.inner == 1 and not gpu_to_gpu):
        init = None if initial is None else np.array([initial], dtype=to).view(inside)
        value = _core.reduce(array, op, inside != array.dtype, init, gpu_to_gpu)
        result = np.array(value, dtype=inside)
    else:
        result = np.empty(parts.outer * parts.inner, inside)
        _core.reduce_axis(array, op, parts.outer, parts.n, parts.inner, result, gpu_to_gpu)
        if initial is not None:
            result = _joined(result, np.array(initial, dtype=to).view(inside), op)
    return finish(result.view(to), parts.kept if keepdims else parts.shape, out)


_JOIN = (np.add, np.multiply, np.minimum, np.maximum, np.bitwise_and, np.bitwise_or, np.bitwise_xor)


def _joined(a: Array, b: Array, op: int) -> Array:
    joined: Array = _JOIN[op](b, a)
    return joined


def reduce(
    x: ArrayLike,
    op: str = "sum",
    axis: Axis = None,
    *,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    initial: Any = None,
    determinism: str = "run_to_run",
) -> Any:
    """All values, or those along an axis, reduced by an operator.

    ``op`` is one of sum, product, min, max, and, or, xor; the last three take integers and bools.
    ``axis`` is an axis, some, or None for all. The result has the type of the values, in which
    integers wrap, or ``dtype``. It starts from ``initial`` and ignores values where ``where``,
    which is broadcast, is false; for no values it is the operator's identity. NaN propagates. At
    ``determinism="gpu_to_gpu"`` the result has the same bits on every machine: sums of floats
    without ``axis`` are exact, rounded once; all others combine the values in the canonical order.

    Raises ValueError for an unknown operator, axis or level and an ``out`` of another shape,
    TypeError for values or an ``out`` of another type.

    >>> reduce([[1, 2], [3, 4]], "max", axis=0)
    array([3, 4])
    >>> print(reduce(np.array([200, 100], dtype=np.uint8)))
    44
    """
    if on_device(x):
        refuse("reduce", where=where, keepdims=keepdims)
        return _device.reduce("reduce", x, op, axis, dtype, out, initial, determinism)
    exact = is_gpu_to_gpu(determinism)
    values = as_array(x)
    if dtype is None and values.dtype.kind == "b" and op in ("sum", "product"):
        dtype = np.int64
    return _reduce(values, op_number(op), axis, dtype, out, keepdims, where, initial, exact)


def sum(
    x: ArrayLike,
    axis: Axis = None,
    *,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    initial: Any = None,
    determinism: str = "run_to_run",
) -> Any:
    """The sum, as of reduce, in NumPy's types: integers and bools in 64 bits, floats in their own.

    >>> print(sum(np.array([200, 100], dtype=np.uint8)))
    300
    """
    if (
        axis is dtype is out is where is initial is None
        and not keepdims
        and determinism == "run_to_run"
        and is_plain(x)
    ):
        kind, wide = _SUMS[x.dtype]
        return kind(_core.reduce(x, _SUM, wide, None, False))
    return _numpy_typed(x, _SUM, axis, dtype, out, keepdims, where, initial, determinism)


def prod(
    x: ArrayLike,
    axis: Axis = None,
    *,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    initial: Any = None,
    determinism: str = "run_to_run",
) -> Any:
    """The product, in the types of sum.

    >>> print(prod([2, 3, 4]))
    24
    """
    return _numpy_typed(x, _PRODUCT, axis, dtype, out, keepdims, where, initial, determinism)


def _numpy_typed(
    x: ArrayLike,
    op: int,
    axis: Axis,
    dtype: npt.DTypeLike | None,
    out: Array | None,
    keepdims: bool,
    where: ArrayLike | None,
    initial: Any,
    determinism: str,
) -> Any:
    if on_device(x):
        name = "sum" if op == _SUM else "product"
        refuse(name, where=where, keepdims=keepdims)
        return _device.reduce(name, x, name, axis, dtype, out, initial, determinism, widens=True)
    exact = is_gpu_to_gpu(determinism)
    values = as_array(x)
    if dtype is None:
        dtype = _WIDE.get(values.dtype.kind)
    return _reduce(values, op, axis, dtype, out, keepdims, where, initial, exact)


def _extreme_value(
    call: str,
    x: ArrayLike,
    op: int,
    axis: Axis,
    out: Array | None,
    keepdims: bool,
    where: ArrayLike | None,
    initial: Any,
) -> Any:
    plain = axis is None and out is None and where is None and initial is None
    if plain and not keepdims and is_plain(x) and x.size:
        return x.dtype.type(_core.reduce(x, op, False, None, False))
    if on_device(x):
        refuse(call, where=where, keepdims=keepdims)
        return _device.reduce(call, x, call, axis, None, out, initial, "run_to_run")
    values = as_array(x)
    if initial is None and values.size == 0 and split(values, axis).n == 0:
        raise ValueError(f"{call} of no values; pass initial=")
    return _reduce(values, op, axis, None, out, keepdims, where, initial, False)


def min(
    x: ArrayLike,
    axis: Axis = None,
    *,
    out: Array | None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    initial: Any = None,
) -> Any:
    """The smallest value; NaN if any is. If ``where`` selects none, the greatest of the type.

    Raises ValueError for no values without ``initial``.

    >>> min([[1, 5], [3, 2]], axis=1)
    array([1, 2])
    """
    return _extreme_value("min", x, _MIN, axis, out, keepdims, where, initial)


def max(
    x: ArrayLike,
    axis: Axis = None,
    *,
    out: Array | None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    initial: Any = None,
) -> Any:
    """The greatest value; NaN if any is. If ``where`` selects none, the smallest of the type.

    Raises ValueError for no values without ``initial``.

    >>> print(max([1.0, 5.0], initial=7.0))
    7.0
    """
    return _extreme_value("max", x, _MAX, axis, out, keepdims, where, initial)


class MinMax(NamedTuple):
    """The smallest and the greatest value."""

    min: Any
    max: Any


def minmax(x: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> MinMax:
    """The smallest and the greatest value; both NaN if any is.

    Raises ValueError for no values.

    >>> low, high = minmax([3, 1, 2])
    >>> print(low, high)
    1 3
    """
    if on_device(x):
        refuse("minmax", axis=axis, keepdims=keepdims)
        return MinMax(*_device.minmax(x))
    values = as_array(x)
    if axis is None and not keepdims and values.size and values.dtype.kind != "b":
        low, high = _core.minmax(contiguous(values.ravel(order="K")))
        return MinMax(values.dtype.type(low), values.dtype.type(high))
    return MinMax(
        min(values, axis, keepdims=keepdims),
        max(values, axis, keepdims=keepdims),
    )


def _index(
    call: str, x: ArrayLike, op: int, axis: int | None, out: Array | None, keepdims: bool
) -> Any:
    if out is None and not keepdims and is_plain(x) and x.size and (axis is None or x.ndim == 1):
        if axis is not None:
            number(axis, 1)
        return np.intp(_core.index(x, op))
    if on_device(x):
        refuse(call, out=out, keepdims=keepdims)
        return _device.extreme(call, x, axis)
    values = as_array(x)
    parts = split(values, axis)
    if parts.n == 0 and parts.outer * parts.inner > 0:
        raise ValueError(f"{call} of no values")
    array = parts.values
    if parts.inner != 1:  # the rows, one after another
        array = contiguous(array.reshape(parts.outer, parts.n, parts.inner).swapaxes(1, 2))
    indices = np.empty(parts.outer * parts.inner, np.intp)
    _core.extreme(as_stored(array), op, indices.size, indices)
    return finish(indices, parts.kept if keepdims else parts.shape, out)


def argmin(
    x: ArrayLike, axis: int | None = None, *, out: Array | None = None, keepdims: bool = False
) -> Any:
    """The index of the first NaN, or else of the first of the smallest values.

    Without ``axis`` it counts all values in C's order. Raises ValueError for no values.

    >>> print(argmin([3, 1, 2]))
    1
    """
    return _index("argmin", x, _MIN, axis, out, keepdims)


def argmax(
    x: ArrayLike, axis: int | None = None, *, out: Array | None = None, keepdims: bool = False
) -> Any:
    """The index of the first NaN, or else of the first of the greatest values.

    Without ``axis`` it counts all values in C's order. Raises ValueError for no values.

    >>> print(argmax([3, float("nan"), 2]))
    1
    """
    return _index("argmax", x, _MAX, axis, out, keepdims)


def mean(
    x: ArrayLike,
    axis: Axis = None,
    *,
    out: Array | None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    determinism: str = "run_to_run",
) -> Any:
    """The arithmetic mean, in float64; NaN where there are no values.

    At ``determinism="gpu_to_gpu"`` its sum is reduce's at that level.

    >>> print(mean([1, 2]))
    1.5
    """
    if on_device(x):
        refuse("mean", axis=axis, where=where, out=out, keepdims=keepdims)
        return _device.mean(x, determinism)
    exact = is_gpu_to_gpu(determinism)
    values = as_array(x)
    if axis is None and where is None and out is None and not keepdims and values.size:
        return np.float64(_core.mean(as_stored(contiguous(values.ravel(order="K"))), exact))
    kind = _mean_type(values)
    sums = np.asarray(
        sum(values, axis, dtype=kind, keepdims=keepdims, where=where, determinism=determinism)
    )
    if where is None:
        count: Any = split(values, axis).n
    else:
        mask = np.broadcast_to(np.asarray(where, dtype=bool), values.shape)
        count = np.asarray(sum(mask, axis, keepdims=keepdims))
    with np.errstate(invalid="ignore", divide="ignore"):
        result = np.asarray(sums.astype(np.float64) / count)
    return finish(result, sums.shape, out)


def _mean_type(x: Array) -> np.dtype[Any]:
    # 64-bit integers would wrap; sums of the others can't.
    return np.dtype(np.float64) if x.dtype.kind == "f" or x.itemsize == 8 else _WIDE[x.dtype.kind]


class Summary(NamedTuple):
    """What statistics returns. The variance is the population's: divided by the count."""

    count: int  # type: ignore[assignment]  # tuples have a method of that name
    sum: float
    mean: float
    variance: float
    min: Any
    max: Any
    argmin: int
    argmax: int


def statistics(x: ArrayLike, *, determinism: str = "run_to_run") -> Summary:
    """Count, sum, mean, variance, extremes and their indices, from one read of all values.

    Sum, mean and variance are float64; min and max have the type of the values; the indices count
    in C's order. A NaN makes all but the count NaN, and the indices those of the first one. At
    ``determinism="gpu_to_gpu"`` the sums combine the values in the canonical order.
    Raises ValueError for no values.

    >>> s = statistics([1.0, 2.0, 4.0])
    >>> print(s.mean, s.max, s.argmax)
    2.3333333333333335 4.0 2
    """
    if on_device(x):
        return Summary(*_device.statistics(x, determinism))
    canonical = is_gpu_to_gpu(determinism)
    values = contiguous(as_array(x))
    if values.size == 0:
        raise ValueError("statistics of no values")
    all_of_it = _core.statistics(as_stored(values), canonical)
    count, total, average, variance, low, high, first, last = all_of_it
    kind = values.dtype.type
    return Summary(count, total, average, variance, kind(low), kind(high), first, last)
