"""Exact sums: the same bits for any order of the values, on any machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _device
from ._arrays import Array, ArrayLike, Axis, as_array, contiguous, finish, imported, split
from ._device import on_device, refuse


def _floats(call: str, x: ArrayLike) -> Array:
    values = as_array(x)
    if values.dtype.kind != "f":
        raise TypeError(
            f"{call} takes float32 and float64, not {values.dtype}; sum is exact for integers, "
            "up to 64 bits"
        )
    return values


def _exact(
    call: str,
    x: ArrayLike,
    axis: Axis,
    out: Array | None,
    keepdims: bool,
    where: ArrayLike | None,
) -> Any:
    if on_device(x):
        refuse(call, where=where, keepdims=keepdims)
        return _device.exact(call, (x,), axis, out)
    values = _floats(call, x)
    if where is not None:
        mask = np.broadcast_to(np.asarray(where, dtype=bool), values.shape)
        if axis is not None or keepdims:
            raise ValueError(f"{call} takes where without an axis only")
        values = values[mask]
    if axis is None:
        order = values.ravel(order="K")  # any order gives the same bits
        parts = split(values, None)._replace(values=contiguous(order), n=order.size)
    else:
        parts = split(values, axis)
    array = parts.values
    if parts.inner != 1:
        array = contiguous(array.reshape(parts.outer, parts.n, parts.inner).swapaxes(1, 2))
    result = np.empty(parts.outer * parts.inner, values.dtype)
    if parts.n == 0 and call == "exact_mean" and result.size:
        raise ValueError("exact_mean of no values")
    function = _core.exact_sum if call == "exact_sum" else _core.exact_mean
    function(array, result.size, result)
    return finish(result, parts.kept if keepdims else parts.shape, out)


def exact_sum(
    x: ArrayLike,
    axis: Axis = None,
    *,
    out: Array | None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
) -> Any:
    """The real sum, rounded once to the type of the values, float32 or float64.

    The same bits for any order and machine. Without ``axis`` of all values, or of those where
    ``where`` is true; of none it is 0. Infinities of both signs, or a NaN, make it NaN.

    >>> print(exact_sum(np.array([1e16, 1.0, 1.0, -1e16])))
    2.0
    """
    return _exact("exact_sum", x, axis, out, keepdims, where)


def exact_mean(
    x: ArrayLike,
    axis: Axis = None,
    *,
    out: Array | None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
) -> Any:
    """The real sum divided by the number of values, rounded once; it never overflows.

    Otherwise as exact_sum. Raises ValueError for no values.

    >>> print(exact_mean(np.array([1e308, 1e308])))
    1e+308
    """
    return _exact("exact_mean", x, axis, out, keepdims, where)


def exact_dot(a: ArrayLike, b: ArrayLike) -> Any:
    """The real sum of the products of values, rounded once; neither overflows nor underflows.

    ``a`` and ``b`` have one shape and one type, float32 or float64.

    >>> print(exact_dot(np.array([1e200, 3.0, -1e200]), np.array([1e200, 1.0, 1e200])))
    3.0
    """
    if on_device(a) or on_device(b):
        return _device.exact("exact_dot", (a, b), None, None)
    x, y = _floats("exact_dot", a), _floats("exact_dot", b)
    if x.shape != y.shape:
        raise ValueError(f"exact_dot takes two arrays of one shape, not {x.shape} and {y.shape}")
    if x.dtype != y.dtype:
        raise TypeError(f"exact_dot takes two arrays of one type, not {x.dtype} and {y.dtype}")
    return x.dtype.type(_core.exact_dot(contiguous(x), contiguous(y)))


class Accumulator:
    """An exact sum that is not rounded yet, of float32 or float64 values.

    Parts of a sum from anywhere are merged by ``merge``, ``+`` or ``+=``. ``bytes(a)`` is the same
    for equal sums and on every machine; docs/exact.md has the layout. It can be pickled.

    >>> a = Accumulator().add([1e16, 1.0])
    >>> b = Accumulator().add([-1e16])
    >>> print((a + b).round())
    1.0
    >>> print(Accumulator.from_bytes(bytes(a)) == a)
    True
    """

    __slots__ = ("_sum",)
    __hash__ = None  # type: ignore[assignment]  # it changes

    def __init__(self, dtype: npt.DTypeLike = np.float64) -> None:
        """No values yet; dtype is float32 or float64."""
        kind = np.dtype(dtype)
        if kind not in (np.float32, np.float64):
            raise TypeError(f"an accumulator adds float32 or float64, not {kind}")
        self._sum = _core.Accumulator(kind == np.float32)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return np.dtype(np.float32 if self._sum.is_narrow() else np.float64)

    def add(self, x: ArrayLike) -> Accumulator:
        """Adds all values, which have its type; Python's numbers are converted. Returns itself."""
        values = x if isinstance(x, np.ndarray) else imported(x)
        if not hasattr(x, "dtype"):
            values = values.astype(self.dtype)
        self._sum.add(contiguous(as_array(values).ravel(order="K")))
        return self

    def merge(self, other: Accumulator) -> Accumulator:
        """Adds what the other one, of the same type, has added. Returns itself."""
        if not isinstance(other, Accumulator):
            raise TypeError(f"merge takes an Accumulator, not {type(other).__name__}")
        self._sum.merge(other._sum)
        return self

    def round(self) -> Any:
        """The sum, rounded once to its type."""
        return self.dtype.type(self._sum.round())

    def mean(self, count: int) -> Any:
        """The sum divided by count, rounded once. Raises ValueError for a count of 0."""
        return self.dtype.type(self._sum.mean(count))

    def __bytes__(self) -> bytes:
        return self._sum.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Accumulator:
        """What bytes(a) has written. Raises ValueError, with the reason, for anything else."""
        result = cls.__new__(cls)
        result._sum = _core.Accumulator.from_bytes(bytes(data))
        return result

    def __add__(self, other: Accumulator) -> Accumulator:
        if not isinstance(other, Accumulator):
            return NotImplemented
        return self.__copy__().merge(other)

    def __iadd__(self, other: Accumulator) -> Accumulator:
        if not isinstance(other, Accumulator):
            return NotImplemented
        return self.merge(other)

    def __copy__(self) -> Accumulator:
        return self.from_bytes(bytes(self))

    def __deepcopy__(self, _memo: Any) -> Accumulator:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return type(self).from_bytes, (bytes(self),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Accumulator) and self._sum.equals(other._sum)

    def __float__(self) -> float:
        return float(self._sum.round())

    def __repr__(self) -> str:
        return f"Accumulator({self.dtype}, {self.round()!s})"
