"""Arguments of a kernel, as run_kernel.cpp reads them."""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np

from ._arrays import Array, imported

Dtype = np.dtype[Any]

_VECTOR = re.compile(r"(u?)(char|short|int|longlong|long|float|double)([1-4])\b")
_SIZES = {"char": 1, "short": 2, "int": 4, "long": 8, "longlong": 8, "float": 4, "double": 8}
_OTHERS = {"__half": ("f2", 1), "__half2": ("f2", 2), "dim3": ("u4", 3)}


class _Slot(NamedTuple):
    """Where an array lies in the memory shared with the process."""

    array: Array
    offset: int
    written: bool

    def view(self, memory: mmap.mmap) -> Array:
        return np.ndarray(self.array.shape, self.array.dtype, memory, self.offset)


class Arguments:
    """``words`` for the process, and the arrays, in memory that it shares."""

    def __init__(
        self, kernel: str, parameters: Sequence[dict[str, Any]], arguments: Sequence[Any]
    ) -> None:
        slots: dict[Any, _Slot] = {}
        self.words = [
            _word(f"argument {i} of {kernel}, {p['name']}", p, a, slots)
            for i, (p, a) in enumerate(zip(parameters, arguments, strict=True))
        ]
        self._slots = list(slots.values())
        _refuse_overlaps(kernel, self._slots)
        size = max((s.offset + s.array.nbytes for s in self._slots), default=0)
        self.file = os.memfd_create("warpfold", 0)
        self.path = f"/proc/self/fd/{self.file}"
        os.ftruncate(self.file, max(size, 1))
        self._memory = mmap.mmap(self.file, max(size, 1))
        for s in self._slots:
            s.view(self._memory)[...] = s.array

    def copy_back(self) -> None:
        for s in self._slots:
            if s.written:
                s.array[...] = s.view(self._memory)

    def __enter__(self) -> Arguments:
        return self

    def __exit__(self, *_error: object) -> None:
        self._memory.close()
        os.close(self.file)


def _components(parameter: dict[str, Any]) -> tuple[Dtype, int]:
    """The type and number of a vector's components; any other value is one component."""
    name = parameter["name"]
    vector = _VECTOR.match(name)
    if vector:
        letter = "f" if vector[2] in ("float", "double") else vector[1] or "i"
        return np.dtype(f"{letter}{_SIZES[vector[2]]}"), int(vector[3])
    kind, count = _OTHERS.get(re.split(r"\W", name)[0], (parameter["type"], 1))
    return np.dtype(kind), count


def _word(what: str, parameter: dict[str, Any], x: Any, slots: dict[Any, _Slot]) -> str:
    kind, count = _components(parameter)
    if not parameter["pointer"]:
        return "v:" + _value(what, kind, count, x).hex()
    if x is None:
        return "v:" + bytes(8).hex()
    if isinstance(x, np.ma.MaskedArray) or not (
        isinstance(x, np.ndarray)
        or hasattr(x, "__dlpack_device__")
        or hasattr(x, "__array_interface__")
        or hasattr(x, "__cuda_array_interface__")
    ):
        raise TypeError(f"{what}, takes an array, not {type(x).__name__}")
    array = x if isinstance(x, np.ndarray) else imported(x)
    if array.dtype.hasobject or not array.dtype.isnative:
        raise TypeError(f"{what}, does not take an array of {array.dtype}")
    size = kind.itemsize * count
    if not parameter["name"].startswith("void"):
        if not _is_array_of(array, kind, count):
            of = f"values of {size} bytes" if kind.kind == "V" else str(kind)
            raise TypeError(f"{what}, takes an array of {of}, not of {array.dtype}")
        if array.nbytes % size:
            raise ValueError(f"{what}, takes values of {size} bytes, not {array.nbytes} bytes")
    written = not parameter["const"]
    if written and not array.flags.writeable:
        raise ValueError(f"{what}, may be written to; the array is read-only")
    key = (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)
    if key in slots:
        slot = slots[key]._replace(written=written or slots[key].written)
    else:
        end = max((s.offset + s.array.nbytes for s in slots.values()), default=0)
        slot = _Slot(array, (end + 255) // 256 * 256 + (256 if array.nbytes == 0 else 0), written)
    slots[key] = slot
    return f"a:{slot.offset}:{array.nbytes}:{int(written)}"


def _is_array_of(array: Array, kind: Dtype, count: int) -> bool:
    """Whether the array has the components, or values of the structure's or the vector's size."""
    if array.dtype == kind:
        return True
    if kind.kind != "V" and count == 1:
        bytes_alike = kind.itemsize == 1 and kind.kind in "iu" and array.dtype.kind in "iu"
        return bytes_alike and array.itemsize == 1
    size = kind.itemsize * count
    if kind.kind != "V":
        is_complex = array.dtype.kind == "c" and kind.kind == "f"
        return array.itemsize == size and (is_complex or array.dtype.kind == "V")
    row = array.shape[-1] * array.itemsize if array.ndim else 0
    return size in (array.itemsize, row) or (array.dtype.kind in "iu" and array.itemsize == 1)


def _value(what: str, kind: Dtype, count: int, x: Any) -> bytes:
    """A number, a vector or a structure, as bytes."""
    if kind.kind == "V" or isinstance(x, np.void):
        data = np.asarray(x).tobytes()
        if len(data) != kind.itemsize * count:
            size = kind.itemsize * count
            raise TypeError(f"{what}, takes a value of {size} bytes, not of {len(data)}")
        return data
    if count > 1:
        parts = (x.real, x.imag) if isinstance(x, complex | np.complexfloating) else x
        if isinstance(parts, str | bytes) or not hasattr(parts, "__len__") or len(parts) != count:
            raise TypeError(f"{what}, takes {count} numbers, not {x!r}")
        return b"".join(_value(what, kind, 1, part) for part in parts)
    try:
        if isinstance(x, str | bytes) or np.ndim(x) != 0:
            raise TypeError
        if kind.kind == "f":
            return _float(what, kind, x)
        number = bool(x) if kind.kind == "b" and x in (0, 1) else index(x)
    except (TypeError, ValueError):
        expected = "a number" if kind.kind == "f" else "an integer"
        raise TypeError(f"{what}, takes {expected}, not {type(x).__name__}") from None
    if kind.kind != "b" and not np.iinfo(kind).min <= number <= np.iinfo(kind).max:
        raise OverflowError(f"{what}, has {kind.itemsize} bytes: {number} does not fit")
    return np.asarray(number, kind).tobytes()


def _float(what: str, kind: Dtype, x: Any) -> bytes:
    try:
        number = float(x)
        with np.errstate(over="raise"):
            return np.asarray(number).astype(kind).tobytes()
    except (OverflowError, FloatingPointError):
        raise OverflowError(f"{what}, has {kind.itemsize} bytes: {x!r} does not fit") from None


def _refuse_overlaps(name: str, slots: list[_Slot]) -> None:
    for i, a in enumerate(slots):
        for b in slots[:i]:
            if (a.written or b.written) and np.may_share_memory(a.array, b.array):
                raise ValueError(
                    f"arrays of {name} overlap in part; pass one of them, and an offset"
                )
