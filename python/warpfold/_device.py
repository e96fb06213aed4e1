"""Arrays in a device's memory, CuPy's, PyTorch's and others, by libwarpfold's calls.

A call works on the caller's current stream, waits for nothing but where its result is a number of
the host, and returns the kind of array that it was given.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import math
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ._arrays import is_gpu_to_gpu, op_number

_SUM, _PRODUCT, _MIN, _MAX = range(4)
_CUDA = 1
_TYPES = {
    np.dtype(t): n for t, n in (("i4", 2), ("i8", 3), ("u4", 6), ("u8", 7), ("f4", 8), ("f8", 9))
}
_WIDE = {"i": np.dtype(np.int64), "u": np.dtype(np.uint64)}
_ERRORS = {2: ValueError, 4: ValueError, 6: MemoryError}
_DLPACK_DEVICES = (2, 13)  # CUDA's memory, and managed memory


def on_device(x: Any) -> bool:
    """Whether x is an array in a CUDA device's memory."""
    if isinstance(x, np.ndarray):
        return False
    own = _own_framework(x)
    if own is not None:
        return own.on_device(x)
    if hasattr(x, "__dlpack_device__"):
        return int(x.__dlpack_device__()[0]) in _DLPACK_DEVICES
    return hasattr(x, "__cuda_array_interface__")


class _Place(ctypes.Structure):
    _fields_ = (
        ("machine", ctypes.c_int),
        ("threads", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("determinism", ctypes.c_int),
    )


class _Summary(ctypes.Structure):
    _fields_ = (
        ("count", ctypes.c_uint64),
        ("sum", ctypes.c_double),
        ("mean", ctypes.c_double),
        ("variance", ctypes.c_double),
        ("argmin", ctypes.c_uint64),
        ("argmax", ctypes.c_uint64),
        ("min", ctypes.c_double),
        ("max", ctypes.c_double),
    )


_PLACE = _AT = ctypes.c_void_p
_N, _CODE = ctypes.c_size_t, ctypes.c_int
_ARGUMENTS = {
    "wf_reduce": (_PLACE, _CODE, _CODE, _AT, _N, _CODE, _AT, _AT),
    "wf_scan": (_PLACE, _CODE, _CODE, _AT, _N, _CODE, _CODE, _AT, _AT),
    "wf_sort": (_PLACE, _CODE, _AT, _N, _CODE),
    "wf_argsort": (_PLACE, _CODE, _AT, _N, _CODE, _AT),
    "wf_sort_by_key": (_PLACE, _CODE, _AT, _AT, _N, _N, _CODE),
    "wf_exact_sum": (_PLACE, _CODE, _AT, _N, _AT),
    "wf_exact_mean": (_PLACE, _CODE, _AT, _N, _AT),
    "wf_exact_dot": (_PLACE, _CODE, _AT, _AT, _N, _AT),
    "wf_argmin": (_PLACE, _CODE, _AT, _N, _AT, _AT),
    "wf_argmax": (_PLACE, _CODE, _AT, _N, _AT, _AT),
    "wf_minmax": (_PLACE, _CODE, _AT, _N, _AT, _AT),
    "wf_mean": (_PLACE, _CODE, _AT, _N, _AT),
    "wf_statistics": (_PLACE, _CODE, _AT, _N, _AT),
}


@cache
def _library() -> ctypes.CDLL:
    """libwarpfold, built for CUDA: named by WARPFOLD_LIBRARY, in the package, or the loader's."""
    packaged = Path(__file__).parent / "libwarpfold.so.0"
    name = os.environ.get("WARPFOLD_LIBRARY") or (packaged if packaged.exists() else packaged.name)
    try:
        library = ctypes.CDLL(str(name))
    except OSError as error:
        raise TypeError(
            "the array is in a device's memory, and there is no libwarpfold built for CUDA; "
            f"install the package where nvcc is, or copy the array to the host ({error})"
        ) from None
    library.wf_error.restype = ctypes.c_char_p
    for call, arguments in _ARGUMENTS.items():
        getattr(library, call).argtypes = arguments
    if _CUDA and not library.wf_has_cuda():
        raise TypeError(
            f"the array is in a device's memory, and {name} was built without CUDA; copy it to the "
            "host"
        )
    return library


class _View(NamedTuple):
    """An array of a device: plain ones lie in C's order."""

    pointer: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    plain: bool


def _taken(dtype: Any) -> np.dtype[Any]:
    """dtype, where it is one that a device takes."""
    if isinstance(dtype, np.dtype) and dtype in _TYPES:
        return dtype
    raise TypeError(
        f"warpfold takes integers and floats of 32 and 64 bits on a device, not {dtype}; "
        "convert with astype, or to"
    )


_NO_CHANGE = contextlib.nullcontext()


class _Torch:
    """What PyTorch's tensors are, and how others are made beside one: without what it computes in
    Python for a __cuda_array_interface__, which takes longer than a sum."""

    def __init__(self) -> None:
        torch: Any = importlib.import_module("torch")
        self._torch = torch
        self._types = {getattr(torch, t.name): t for t in _TYPES if hasattr(torch, t.name)}
        self._own_types = {t: own for own, t in self._types.items()}
        self._stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)

    def on_device(self, x: Any) -> bool:
        return bool(x.is_cuda)

    def pointer(self, x: Any) -> int:
        return int(x.data_ptr())

    def view(self, x: Any) -> _View:
        if x.layout is not self._torch.strided:
            raise TypeError(f"a tensor of layout {x.layout} is not taken; convert with to_dense")
        dtype = _taken(self._types.get(x.dtype, x.dtype))
        plain = x.is_contiguous() and not x.is_neg()
        return _View(x.data_ptr(), tuple(x.shape), dtype, plain)

    def empty(self, beside: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        return self._torch.empty(shape, dtype=self._own_types[dtype], device=beside.device)

    def cast(self, x: Any, dtype: np.dtype[Any]) -> Any:
        return x.detach().to(self._own_types[dtype])

    def copy(self, x: Any) -> Any:
        format_of_c = self._torch.contiguous_format
        return x.detach().resolve_neg().clone(memory_format=format_of_c)

    def device(self, x: Any) -> Any:
        """A context in which x's device is the current one."""
        index = x.get_device()
        cuda = self._torch.cuda
        return _NO_CHANGE if cuda.current_device() == index else cuda.device(index)

    def stream(self, x: Any) -> int:
        if self._stream is not None:
            return int(self._stream(x.get_device()))
        return int(self._torch.cuda.current_stream(x.device).cuda_stream)


class _Cupy:
    """The same of CuPy's arrays."""

    def __init__(self) -> None:
        self._cupy: Any = importlib.import_module("cupy")

    def on_device(self, _: Any) -> bool:
        return True

    def pointer(self, x: Any) -> int:
        return int(x.data.ptr)

    def view(self, x: Any) -> _View:
        return _View(x.data.ptr, x.shape, _taken(x.dtype), x.flags.c_contiguous)

    def empty(self, _: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        return self._cupy.empty(shape, dtype)

    def cast(self, x: Any, dtype: np.dtype[Any]) -> Any:
        return x.astype(dtype)

    def copy(self, x: Any) -> Any:
        return x.copy(order="C")

    def device(self, x: Any) -> Any:
        current = self._cupy.cuda.runtime.getDevice()
        return _NO_CHANGE if x.data.device_id == current else x.device

    def stream(self, _: Any) -> int:
        return int(self._cupy.cuda.get_current_stream().ptr)


_Framework: TypeAlias = _Torch | _Cupy
_torch, _cupy = cache(_Torch), cache(_Cupy)


_of_types: dict[type, _Framework | None] = {}


def _own_framework(x: Any) -> _Framework | None:
    """That of x's type, if it can allocate results."""
    kind = type(x)
    if kind not in _of_types:
        module = str(kind.__module__).partition(".")[0]
        found: _Framework | None = None
        if module == "torch" and hasattr(kind, "is_cuda"):
            found = _torch()
        elif module == "cupy" and hasattr(kind, "__cuda_array_interface__"):
            found = _cupy()
        _of_types[kind] = found
    return _of_types[kind]


def _same(x: Any) -> Any:
    return x


def _framework(x: Any) -> tuple[Any, _Framework, Callable[[Any], Any]]:
    """x, or the same memory as an array of CuPy or PyTorch; what goes with it; and what makes the
    kind of array that was given of a result."""
    own = _own_framework(x)
    if own is not None:
        return x, own, _same
    back = getattr(x.__array_namespace__(), "from_dlpack", _same) if _has_namespace(x) else _same
    with contextlib.suppress(ImportError):
        cupy: Any = importlib.import_module("cupy")
        y = cupy.from_dlpack(x) if hasattr(x, "__dlpack__") else cupy.asarray(x)
        return y, _cupy(), back
    with contextlib.suppress(ImportError):
        torch: Any = importlib.import_module("torch")
        y = torch.from_dlpack(x) if hasattr(x, "__dlpack__") else torch.as_tensor(x, device="cuda")
        return y, _torch(), back
    raise TypeError(
        f"a {type(x).__name__} is in a device's memory; its results need CuPy or PyTorch to be "
        "allocated: install one, or copy it to the host"
    )


def _has_namespace(x: Any) -> bool:
    return hasattr(x, "__array_namespace__")


def _is_read_only(x: Any) -> bool:
    return hasattr(x, "__cuda_array_interface__") and bool(x.__cuda_array_interface__["data"][1])


class _Values(NamedTuple):
    """A contiguous array of a device."""

    array: Any
    of: _Framework
    back: Callable[[Any], Any]
    pointer: int
    size: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def type(self) -> int:
        return _TYPES[self.dtype]


def _values(call: str, x: Any) -> _Values:
    if not on_device(x):
        raise TypeError(
            f"{call} takes arrays of one memory: one is in a device's, one in the host's"
        )
    array, of, back = _framework(x)
    pointer, shape, dtype, plain = of.view(array)
    if not plain:
        array = of.copy(array)
        pointer = of.pointer(array)
    return _Values(array, of, back, pointer, math.prod(shape), shape, dtype)


def _cast(v: _Values, dtype: np.dtype[Any]) -> _Values:
    if v.dtype == dtype:
        return v
    with v.of.device(v.array):
        array = v.of.cast(v.array, _taken(dtype))
    return v._replace(array=array, pointer=v.of.pointer(array), dtype=dtype)


def _call(v: _Values, function: str, gpu_to_gpu: bool, *arguments: Any) -> None:
    """Calls libwarpfold on the current stream of v's device, which is the current one."""
    library = _library()
    place = ctypes.byref(_Place(_CUDA, 0, v.of.stream(v.array), gpu_to_gpu))
    status = getattr(library, function)(place, v.type, *arguments)
    if status:
        raise _ERRORS.get(status, RuntimeError)(library.wf_error().decode())


def _result(v: _Values, shape: tuple[int, ...], dtype: np.dtype[Any], out: Any) -> tuple[Any, int]:
    """Memory for a result: `out`, if there is one, which has that shape and type."""
    if out is None:
        result = v.of.empty(v.array, shape, dtype)
        return result, v.of.pointer(result)
    if not on_device(out):
        raise TypeError(f"out must be an array in the device's memory, not {type(out).__name__}")
    array, of, _ = _framework(out)
    pointer, its, kind, plain = of.view(array)
    if kind != dtype:
        raise TypeError(f"out has values of {kind}, the result has {dtype}")
    if its != shape:
        raise ValueError(f"out has the shape {its}, the result has {shape}")
    if not plain or (array is not out and _is_read_only(out)):
        raise ValueError("out must be writable and lie in one piece")
    return out, pointer


def _given(v: _Values, result: Any, out: Any) -> Any:
    return v.back(result) if out is None else out


def _all_values(call: str, v: _Values, axis: Any) -> None:
    if axis is None or (len(v.shape) == 1 and axis in (0, -1, (0,), (-1,))):
        return
    raise ValueError(f"{call} of an array on a device takes all its values: leave the axis out")


def _init(value: Any, dtype: np.dtype[Any]) -> Any:
    return None if value is None else np.array([value], dtype).ctypes.data_as(ctypes.c_void_p)


def refuse(call: str, **given: Any) -> None:
    """Raises ValueError for what a call takes of the host's arrays only."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise ValueError(f"{call} takes {name} of arrays in the host's memory only")


def reduce(
    call: str,
    x: Any,
    op: str,
    axis: Any,
    dtype: npt.DTypeLike | None,
    out: Any,
    initial: Any,
    determinism: str,
    *,
    widens: bool = False,
) -> Any:
    """An array without axes. ``widens``: integers are summed in 64 bits."""
    v, operator = _values(call, x), op_number(op)
    _all_values(call, v, axis)
    own = _WIDE.get(v.dtype.kind, v.dtype) if widens and operator <= _PRODUCT else v.dtype
    to = own if dtype is None else np.dtype(dtype)
    wide = np.dtype(np.float64) if v.dtype.kind == "f" else _WIDE[v.dtype.kind]
    if to not in (v.dtype, wide) or (to != v.dtype and operator > _PRODUCT):
        v = _cast(v, to)
    init = _init(initial, to)
    level = is_gpu_to_gpu(determinism)
    with v.of.device(v.array):
        result, at = _result(v, (), to, out)
        _call(v, "wf_reduce", level, operator, v.pointer, v.size, _TYPES[to], init, at)
    return _given(v, result, out)


def scan(
    call: str,
    x: Any,
    op: str,
    axis: Any,
    dtype: npt.DTypeLike | None,
    out: Any,
    initial: Any,
    determinism: str,
    *,
    exclusive: bool = False,
    widens: bool = False,
) -> Any:
    """Prefixes of all values."""
    v, operator = _values(call, x), op_number(op)
    _all_values(call, v, axis)
    own = _WIDE.get(v.dtype.kind, v.dtype) if widens else v.dtype
    v = _cast(v, own if dtype is None else np.dtype(dtype))
    init = _init(initial, v.dtype)
    shape = v.shape if len(v.shape) == 1 else (v.size,)
    level = is_gpu_to_gpu(determinism)
    with v.of.device(v.array):
        result, at = _result(v, shape, v.dtype, out)
        _call(v, "wf_scan", level, operator, v.pointer, v.size, exclusive, v.type, init, at)
    return _given(v, result, out)


def sort(x: Any, axis: Any, descending: bool, out: Any) -> Any:
    """A sorted copy, or ``out``, which may be x."""
    v = _values("sort", x)
    _all_values("sort", v, axis)
    if out is not None and out is not x:
        raise ValueError("sort of an array on a device takes out=x, or none")
    with v.of.device(v.array):
        result = v.of.copy(v.array).reshape(-1) if out is None else out
        at = v.of.pointer(result) if out is None else _result(v, v.shape, v.dtype, out)[1]
        _call(v, "wf_sort", False, at, v.size, int(descending))
    return _given(v, result, out)


def argsort(x: Any, axis: Any, descending: bool) -> Any:
    """The indices, in 64 bits with a sign."""
    v = _values("argsort", x)
    _all_values("argsort", v, axis)
    with v.of.device(v.array):
        indices, at = _result(v, (v.size,), np.dtype(np.int64), None)
        _call(v, "wf_argsort", False, v.pointer, v.size, int(descending), at)
    return v.back(indices)


def sort_by_key(keys: Any, items: Any, descending: bool) -> tuple[Any, Any]:
    """Copies of both, sorted."""
    v, w = _values("sort_by_key", keys), _values("sort_by_key", items)
    if len(v.shape) != 1 or w.shape != v.shape:
        raise ValueError(f"keys and items on a device have one axis and as many values: {w.shape}")
    with v.of.device(v.array):
        sorted_keys, moved = v.of.copy(v.array), w.of.copy(w.array)
        both = v.of.pointer(sorted_keys), w.of.pointer(moved)
        size = w.dtype.itemsize
        _call(v, "wf_sort_by_key", False, *both, size, v.size, int(descending))
    return v.back(sorted_keys), w.back(moved)


def exact(call: str, arrays: tuple[Any, ...], axis: Any, out: Any) -> Any:
    """exact_sum, exact_mean, exact_dot: an array without axes."""
    values = [_values(call, x) for x in arrays]
    v = values[0]
    _all_values(call, v, axis)
    if any(w.shape != v.shape or w.dtype != v.dtype for w in values):
        raise ValueError(f"{call} takes two arrays of one shape and type")
    if v.dtype.kind != "f":
        raise TypeError(f"{call} takes float32 and float64, not {v.dtype}")
    with v.of.device(v.array):
        result, at = _result(v, (), v.dtype, out)
        _call(v, f"wf_{call}", False, *(w.pointer for w in values), v.size, at)
    return _given(v, result, out)


def extreme(call: str, x: Any, axis: Any) -> Any:
    """argmin and argmax: a number of the host."""
    v = _values(call, x)
    _all_values(call, v, axis)
    index = ctypes.c_uint64()
    with v.of.device(v.array):
        _call(v, f"wf_{call}", False, v.pointer, v.size, None, ctypes.byref(index))
    return np.intp(index.value)


def minmax(x: Any) -> tuple[Any, Any]:
    """Numbers of the host."""
    v = _values("minmax", x)
    if v.size == 0:
        raise ValueError("minmax of no values")
    ends = np.empty(2, v.dtype)
    at = ends.ctypes.data
    with v.of.device(v.array):
        _call(v, "wf_minmax", False, v.pointer, v.size, at, at + v.dtype.itemsize)
    return ends[0], ends[1]


def mean(x: Any, determinism: str) -> Any:
    """A number of the host."""
    v = _values("mean", x)
    result = ctypes.c_double()
    level = is_gpu_to_gpu(determinism)
    with v.of.device(v.array):
        _call(v, "wf_mean", level, v.pointer, v.size, ctypes.byref(result))
    return np.float64(result.value)


def statistics(x: Any, determinism: str) -> tuple[Any, ...]:
    """Numbers of the host, as Summary has them."""
    v = _values("statistics", x)
    if v.size == 0:
        raise ValueError("statistics of no values")
    s = _Summary()
    level = is_gpu_to_gpu(determinism)
    with v.of.device(v.array):
        _call(v, "wf_statistics", level, v.pointer, v.size, ctypes.byref(s))
    kind = v.dtype.type
    rounded = v.dtype.kind != "f" and v.dtype.itemsize == 8
    low, high = minmax(x) if rounded else (s.min, s.max)
    return (s.count, s.sum, s.mean, s.variance, kind(low), kind(high), s.argmin, s.argmax)
