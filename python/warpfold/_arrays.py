"""From what users pass to contiguous NumPy arrays, and back to the shapes that they expect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

#: Whatever has the buffer protocol, DLPack or __array_interface__, a number, or a sequence of such.
ArrayLike: TypeAlias = Any
Axis: TypeAlias = int | Sequence[int] | None
Array: TypeAlias = npt.NDArray[Any]

TYPES = frozenset(np.dtype(c) for c in "?bBhHiIlLqQfd")
NUMBERS = frozenset(t for t in TYPES if t.kind != "b")
OPS = {"sum": 0, "product": 1, "min": 2, "max": 3, "and": 4, "or": 5, "xor": 6}
_LEVELS = {"run_to_run": False, "not_guaranteed": False, "gpu_to_gpu": True}


def op_number(op: str) -> int:
    """The operator's number in C; ValueError names those there are."""
    try:
        return OPS[op]
    except (KeyError, TypeError):
        raise ValueError(f"there is no operator {op!r}; there are {', '.join(OPS)}") from None


def is_gpu_to_gpu(determinism: str) -> bool:
    """Whether sums of floats are exact."""
    try:
        return _LEVELS[determinism]
    except (KeyError, TypeError):
        raise ValueError(
            f"there is no determinism {determinism!r}; there are {', '.join(_LEVELS)}"
        ) from None


def as_array(x: ArrayLike) -> Array:
    """x as an array of values that warpfold takes, without a copy where it is an array already."""
    array: Array = x if type(x) is np.ndarray else imported(x)
    if array.dtype not in TYPES:
        raise TypeError(
            f"warpfold does not take values of type {array.dtype}; it takes bool, integers of 8 to "
            "64 bits, float32 and float64 in the machine's byte order: convert with astype"
        )
    return array


def imported(x: ArrayLike) -> Array:
    """x as an array of any type, without a copy where it is one already."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("masked arrays are not supported; pass x.data and where=~x.mask")
    if not isinstance(x, np.ndarray) and hasattr(x, "__dlpack_device__"):
        kind = int(x.__dlpack_device__()[0])
        if kind not in (1, 3, 11):  # host memory: plain, and pinned by CUDA and ROCm
            raise TypeError("the array is in a device's memory; copy it to the host")
        try:
            return np.from_dlpack(x)
        except BufferError:  # read-only, which NumPy before 2.1 does not take
            pass
    elif hasattr(x, "__cuda_array_interface__"):
        raise TypeError("the array is in a device's memory; copy it to the host")
    return np.asarray(x)


def contiguous(x: Array) -> Array:
    """x in C's order and aligned: itself, or a copy."""
    flags = x.flags
    return x if flags.c_contiguous and flags.aligned else np.array(x, order="C", copy=True)


def is_plain(x: Any) -> bool:
    """Whether x can be passed on as it is."""
    if type(x) is not np.ndarray or x.dtype not in NUMBERS:
        return False
    flags = x.flags
    return bool(flags.c_contiguous and flags.aligned)


def is_row(x: Any, axis: Any) -> bool:
    """Whether x is one row that can be passed on as it is, and axis its axis, or none."""
    return (axis == -1 or axis is None) and is_plain(x) and x.ndim == 1 and x.size > 0


def as_stored(x: Array) -> Array:
    """bool as the bytes that it is."""
    return x.view(np.uint8) if x.dtype.kind == "b" else x


def number(n: int, ndim: int) -> int:
    """The axis n, counted from the first one."""
    n = index(n)
    if not -ndim <= n < ndim:
        raise ValueError(f"axis {n} is out of bounds for an array of {ndim} dimensions")
    return n % ndim


class Split(NamedTuple):
    """A contiguous array as `outer` blocks of n rows of `inner` values; n is the axis reduced."""

    values: Array
    outer: int
    n: int
    inner: int
    #: The shape of the result, and the same with axes of length 1 for those reduced.
    shape: tuple[int, ...]
    kept: tuple[int, ...]


def split(x: Array, axis: Axis) -> Split:
    """Copies only what does not lie in one piece, or has other axes between those reduced."""
    if axis is None:
        axes = list(range(x.ndim))
    elif isinstance(axis, Sequence):
        axes = sorted(number(a, x.ndim) for a in axis)
        if len(set(axes)) < len(axes):
            raise ValueError(f"an axis is named twice in {tuple(axis)}")
    else:
        axes = [number(axis, x.ndim)]
    kept = tuple(1 if a in axes else size for a, size in enumerate(x.shape))
    shape = tuple(size for a, size in enumerate(x.shape) if a not in axes)
    if axes != list(range(axes[0], axes[-1] + 1)) if axes else False:
        x = np.moveaxis(x, axes, range(x.ndim - len(axes), x.ndim))
        axes = list(range(x.ndim - len(axes), x.ndim))
    first, end = (axes[0], axes[-1] + 1) if axes else (x.ndim, x.ndim)
    outer, n = math.prod(x.shape[:first]), math.prod(x.shape[first:end])
    return Split(contiguous(x), outer, n, math.prod(x.shape[end:]), shape, kept)


def rows_last(x: Array, axis: int) -> tuple[Array, int]:
    """x with that axis last, contiguous, and how many rows of values there are."""
    moved = contiguous(x if axis == x.ndim - 1 else np.moveaxis(x, axis, -1))
    return moved, moved.size // moved.shape[-1] if moved.size else 0


def back(rows: Array, axis: int) -> Array:
    """rows with the last axis where it was."""
    return rows if axis == rows.ndim - 1 else np.moveaxis(rows, -1, axis)


def check_out(out: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """TypeError and ValueError where the result does not fit into out."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
    if out.dtype != dtype:
        raise TypeError(f"out has values of {out.dtype}, the result has {dtype}")
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, the result has {shape}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")


def finish(result: Array, shape: tuple[int, ...], out: Array | None) -> Any:
    """The result in its shape: in out, or as a scalar where it has no axes."""
    result = result.reshape(shape)
    if out is None:
        return result[()]
    check_out(out, shape, result.dtype)
    out[...] = result
    return out
