"""Arrays in a device's memory, CuPy's, PyTorch's and others, by libwarpfold's calls.

A call works on the caller's current stream, waits for nothing but where its result is a number of
the host, and returns the kind of array that it was given.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

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
    if _CUDA and not library.wf_has_cuda():
        raise TypeError(
            f"the array is in a device's memory, and {name} was built without CUDA; copy it to the "
            "host"
        )
    return library


def _call(function: str, *arguments: Any) -> None:
    library = _library()
    status = getattr(library, function)(*arguments)
    if status:
        raise _ERRORS.get(status, RuntimeError)(library.wf_error().decode())


class _Framework(NamedTuple):
    """What allocates arrays beside one that was given, and says which stream is current."""

    empty: Callable[[tuple[int, ...], np.dtype[Any]], Any]
    cast: Callable[[Any, np.dtype[Any]], Any]
    copy: Callable[[Any], Any]
    stream: Callable[[], int]
    device: Callable[[], Any]  # makes the array's device the current one
    back: Callable[[Any], Any]  # the kind of array that was given


def _same(x: Any) -> Any:
    return x


def _torch(x: Any, back: Callable[[Any], Any] = _same) -> _Framework:
    torch: Any = importlib.import_module("torch")

    def type_of(dtype: np.dtype[Any]) -> Any:
        return getattr(torch, dtype.name)

    return _Framework(
        lambda shape, dtype: torch.empty(shape, dtype=type_of(dtype), device=x.device),
        lambda a, dtype: a.to(type_of(dtype)),
        lambda a: a.clone(memory_format=torch.contiguous_format),
        lambda: int(torch.cuda.current_stream(x.device).cuda_stream),
        lambda: torch.cuda.device(x.device),
        back,
    )


def _cupy(x: Any, back: Callable[[Any], Any] = _same) -> _Framework:
    cupy: Any = importlib.import_module("cupy")
    return _Framework(
        cupy.empty,
        lambda a, dtype: a.astype(dtype),
        lambda a: a.copy(order="C"),
        lambda: int(cupy.cuda.get_current_stream().ptr),
        lambda: x.device,
        back,
    )


def _framework(x: Any) -> tuple[Any, _Framework]:
    """x, or the same memory as an array of CuPy or PyTorch, and what goes with it."""
    kind = type(x).__module__.partition(".")[0]
    if kind == "torch":
        return x.detach(), _torch(x)
    if kind == "cupy":
        return x, _cupy(x)
    back = getattr(x.__array_namespace__(), "from_dlpack", _same) if _has_namespace(x) else _same
    with contextlib.suppress(ImportError):
        cupy: Any = importlib.import_module("cupy")
        y = cupy.from_dlpack(x) if hasattr(x, "__dlpack__") else cupy.asarray(x)
        return y, _cupy(y, back)
    with contextlib.suppress(ImportError):
        torch: Any = importlib.import_module("torch")
        y = torch.from_dlpack(x) if hasattr(x, "__dlpack__") else torch.as_tensor(x, device="cuda")
        return y, _torch(y, back)
    raise TypeError(
        f"a {type(x).__name__} is in a device's memory; its results need CuPy or PyTorch to be "
        "allocated: install one, or copy it to the host"
    )


def _has_namespace(x: Any) -> bool:
    return hasattr(x, "__array_namespace__")


class _Values(NamedTuple):
    """A contiguous array of a device."""

    array: Any
    of: _Framework
    pointer: int
    size: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def type(self) -> int:
        return _TYPES[self.dtype]


def _view(x: Any) -> tuple[int, tuple[int, ...], np.dtype[Any], bool, bool]:
    """Pointer, shape, type, whether it lies in C's order, whether it is read-only."""
    about = x.__cuda_array_interface__
    shape, dtype = tuple(about["shape"]), np.dtype(about["typestr"])
    strides = about.get("strides")
    step, plain = dtype.itemsize, True
    for n, stride in zip(reversed(shape), reversed(strides or ()), strict=False):
        plain = plain and (n == 1 or stride == step)
        step *= n
    pointer, read_only = about["data"]
    return pointer or 0, shape, dtype, plain or 0 in shape, read_only


def _values(call: str, x: Any) -> _Values:
    if not on_device(x):
        raise TypeError(
            f"{call} takes arrays of one memory: one is in a device's, one in the host's"
        )
    array, of = _framework(x)
    pointer, shape, dtype, plain, _ = _view(array)
    if dtype not in _TYPES:
        raise TypeError(
            f"warpfold takes integers and floats of 32 and 64 bits on a device, not {dtype}; "
            "convert with astype, or to"
        )
    if not plain:
        array = of.copy(array)
        pointer = _view(array)[0]
    return _Values(array, of, pointer, int(np.prod(shape, dtype=np.int64)), shape, dtype)


def _cast(v: _Values, dtype: np.dtype[Any]) -> _Values:
    if v.dtype == dtype:
        return v
    with v.of.device():
        array = v.of.cast(v.array, dtype)
    return v._replace(array=array, pointer=_view(array)[0], dtype=dtype)


@contextlib.contextmanager
def _place(v: _Values, gpu_to_gpu: bool = False) -> Iterator[Any]:
    with v.of.device():
        yield ctypes.byref(_Place(_CUDA, 0, v.of.stream(), int(gpu_to_gpu)))


def _result(v: _Values, shape: tuple[int, ...], dtype: np.dtype[Any], out: Any) -> Any:
    """Memory for a result: `out`, if there is one, which has that shape and type."""
    if out is None:
        return v.of.empty(shape, dtype)
    if not on_device(out):
        raise TypeError(f"out must be an array in the device's memory, not {type(out).__name__}")
    _, its, kind, plain, read_only = _view(_framework(out)[0])
    if kind != dtype:
        raise TypeError(f"out has values of {kind}, the result has {dtype}")
    if its != shape:
        raise ValueError(f"out has the shape {its}, the result has {shape}")
    if read_only or not plain:
        raise ValueError("out must be writable and lie in one piece")
    return out


def _given(v: _Values, result: Any, out: Any) -> Any:
    return v.of.back(result) if out is None else out


def _pointer(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(_view(_framework(array)[0])[0])


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
    with _place(v, is_gpu_to_gpu(determinism)) as place:
        result = _result(v, (), to, out)
        _call(
            "wf_reduce", place, v.type, operator, ctypes.c_void_p(v.pointer),
            ctypes.c_size_t(v.size), _TYPES[to], init, _pointer(result),
        )  # fmt: skip
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
    with _place(v, is_gpu_to_gpu(determinism)) as place:
        result = _result(v, shape, v.dtype, out)
        _call(
            "wf_scan", place, v.type, operator, ctypes.c_void_p(v.pointer),
            ctypes.c_size_t(v.size), int(exclusive), v.type, init, _pointer(result),
        )  # fmt: skip
    return _given(v, result, out)


def sort(x: Any, axis: Any, descending: bool, out: Any) -> Any:
    """A sorted copy, or ``out``, which may be x."""
    v = _values("sort", x)
    _all_values("sort", v, axis)
    if out is not None and out is not x:
        raise ValueError("sort of an array on a device takes out=x, or none")
    with _place(v) as place:
        if out is None:
            result = v.of.copy(v.array).reshape(-1)
        else:
            result = _result(v, v.shape, v.dtype, out)
        _call("wf_sort", place, v.type, _pointer(result), ctypes.c_size_t(v.size), int(descending))
    return _given(v, result, out)


def argsort(x: Any, axis: Any, descending: bool) -> Any:
    """The indices, in 64 bits with a sign."""
    v = _values("argsort", x)
    _all_values("argsort", v, axis)
    with _place(v) as place:
        indices = v.of.empty((v.size,), np.dtype(np.int64))
        _call(
            "wf_argsort", place, v.type, ctypes.c_void_p(v.pointer), ctypes.c_size_t(v.size),
            int(descending), _pointer(indices),
        )  # fmt: skip
    return v.of.back(indices)


def sort_by_key(keys: Any, items: Any, descending: bool) -> tuple[Any, Any]:
    """Copies of both, sorted."""
    v, w = _values("sort_by_key", keys), _values("sort_by_key", items)
    if len(v.shape) != 1 or w.shape != v.shape:
        raise ValueError(f"keys and items on a device have one axis and as many values: {w.shape}")
    with _place(v) as place:
        sorted_keys, moved = v.of.copy(v.array), w.of.copy(w.array)
        _call(
            "wf_sort_by_key", place, v.type, _pointer(sorted_keys), _pointer(moved),
            ctypes.c_size_t(w.dtype.itemsize), ctypes.c_size_t(v.size), int(descending),
        )  # fmt: skip
    return v.of.back(sorted_keys), w.of.back(moved)


def exact(call: str, arrays: tuple[Any, ...], axis: Any, out: Any) -> Any:
    """exact_sum, exact_mean, exact_dot: an array without axes."""
    values = [_values(call, x) for x in arrays]
    v = values[0]
    _all_values(call, v, axis)
    if any(w.shape != v.shape or w.dtype != v.dtype for w in values):
        raise ValueError(f"{call} takes two arrays of one shape and type")
    if v.dtype.kind != "f":
        raise TypeError(f"{call} takes float32 and float64, not {v.dtype}")
    with _place(v) as place:
        result = _result(v, (), v.dtype, out)
        pointers = [ctypes.c_void_p(w.pointer) for w in values]
        size = ctypes.c_size_t(v.size)
        _call(f"wf_{call}", place, v.type, *pointers, size, _pointer(result))
    return _given(v, result, out)


def extreme(call: str, x: Any, axis: Any) -> Any:
    """argmin and argmax: a number of the host."""
    v = _values(call, x)
    _all_values(call, v, axis)
    index = ctypes.c_uint64()
    with _place(v) as place:
        _call(
            f"wf_{call}", place, v.type, ctypes.c_void_p(v.pointer), ctypes.c_size_t(v.size), None,
            ctypes.byref(index),
        )  # fmt: skip
    return np.intp(index.value)


def minmax(x: Any) -> tuple[Any, Any]:
    """Numbers of the host."""
    v = _values("minmax", x)
    if v.size == 0:
        raise ValueError("minmax of no values")
    ends = np.empty(2, v.dtype)
    at = ends.ctypes.data
    with _place(v) as place:
        _call(
            "wf_minmax", place, v.type, ctypes.c_void_p(v.pointer), ctypes.c_size_t(v.size),
            ctypes.c_void_p(at), ctypes.c_void_p(at + v.dtype.itemsize),
        )  # fmt: skip
    return ends[0], ends[1]


def mean(x: Any, determinism: str) -> Any:
    """A number of the host."""
    v = _values("mean", x)
    result = ctypes.c_double()
    with _place(v, is_gpu_to_gpu(determinism)) as place:
        _call(
            "wf_mean", place, v.type, ctypes.c_void_p(v.pointer), ctypes.c_size_t(v.size),
            ctypes.byref(result),
        )  # fmt: skip
    return np.float64(result.value)


def statistics(x: Any) -> tuple[Any, ...]:
    """Numbers of the host, as Summary has them."""
    v = _values("statistics", x)
    if v.size == 0:
        raise ValueError("statistics of no values")
    s = _Summary()
    with _place(v) as place:
        _call(
            "wf_statistics", place, v.type, ctypes.c_void_p(v.pointer), ctypes.c_size_t(v.size),
            ctypes.byref(s),
        )  # fmt: skip
    kind = v.dtype.type
    rounded = v.dtype.kind != "f" and v.dtype.itemsize == 8
    low, high = minmax(x) if rounded else (s.min, s.max)
    return (s.count, s.sum, s.mean, s.variance, kind(low), kind(high), s.argmin, s.argmax)
