"""What is made of arrays in a device's memory, without a device: a stand-in for CuPy, whose memory
is the host's, and libwarpfold's calls on the host."""

import contextlib
import os
import sys
import types
from functools import partial

import numpy as np
import pytest
import warpfold as wf
from warpfold import _device

pytestmark = pytest.mark.skipif("WARPFOLD_LIBRARY" not in os.environ, reason="no libwarpfold")


class Array:
    """The interface of the arrays of a device, and what CuPy's have of methods."""

    __module__ = "cupy"
    device = contextlib.nullcontext()

    def __init__(self, x):
        self.x = x
        self.shape, self.dtype, self.flags = x.shape, x.dtype, x.flags
        self.data = types.SimpleNamespace(ptr=x.ctypes.data, device_id=0)

    @property
    def __cuda_array_interface__(self):
        return {**self.x.__array_interface__, "version": 3}

    def __dlpack_device__(self):
        return 2, 0

    def astype(self, dtype):
        return Array(self.x.astype(dtype))

    def copy(self, order):
        return Array(self.x.copy(order))

    def reshape(self, n):
        return Array(self.x.reshape(n))


class Other:
    """Of a library that can't allocate for us."""

    def __init__(self, x):
        self.__cuda_array_interface__ = x.__array_interface__


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    module = types.ModuleType("cupy")
    module.empty = lambda shape, dtype: Array(np.full(shape, 77, dtype))
    module.asarray = lambda x: Array(
        np.array(types.SimpleNamespace(__array_interface__=x.__cuda_array_interface__), copy=False)
    )
    module.cuda = types.SimpleNamespace(
        get_current_stream=lambda: types.SimpleNamespace(ptr=0),
        runtime=types.SimpleNamespace(getDevice=lambda: 0),
    )
    monkeypatch.setitem(sys.modules, "cupy", module)
    monkeypatch.setattr(_device, "_CUDA", 0)
    forget()
    yield
    forget()


def forget():
    for found in (_device._library, _device._cupy, _device._torch):
        found.cache_clear()
    _device._of_types.clear()


@pytest.mark.parametrize("dtype", ("i4", "i8", "u4", "u8", "f4", "f8"))
def test_results_are_the_host_s_in_arrays_of_the_same_kind(dtype):
    x = np.random.default_rng(2).integers(1, 100, 5000).astype(dtype)
    d = Array(x)
    for call in (
        wf.sum,
        wf.prod,
        wf.min,
        wf.max,
        wf.cumsum,
        wf.inclusive_scan,
        lambda a: wf.exclusive_scan(a, "max", initial=3),
        lambda a: wf.reduce(a, "min", initial=-1 if x.dtype.kind != "u" else 0),
        wf.sort,
        wf.argsort,
        lambda a: wf.sort(a, descending=True),
        lambda a: wf.sum(a, dtype="f8"),
        lambda a: wf.sort_by_key(a, a)[1],
        lambda a: wf.prod(a, determinism="gpu_to_gpu"),
        lambda a: wf.cumsum(a, determinism="gpu_to_gpu"),
        *((wf.exact_sum, wf.exact_mean, lambda a: wf.exact_dot(a, a)) if dtype[0] == "f" else ()),
    ):
        with np.errstate(over="ignore"):
            expected, result = call(x), call(d)
        assert type(result) is Array
        assert result.x.dtype == expected.dtype
        assert np.array_equal(result.x, expected)
    everywhere = partial(wf.statistics, determinism="gpu_to_gpu")
    for call in (wf.argmin, wf.argmax, wf.mean, wf.statistics, everywhere, wf.minmax):
        assert call(d) == call(x)
    assert type(wf.argmin(d)) is np.intp
    assert np.array_equal(d.x, x)


def test_layouts_and_outputs():
    x = np.arange(12.0).reshape(3, 4)
    assert wf.sum(Array(x.T)).x == 66 and wf.max(Array(x[:, ::2])).x == 10
    assert np.array_equal(wf.cumsum(Array(x)).x, np.cumsum(x))
    out = Array(np.zeros(()))
    assert wf.sum(Array(x), out=out) is out and out.x == 66
    keys = Array(np.array([3.0, 1.0, 2.0]))
    assert wf.sort(keys, out=keys) is keys and keys.x.tolist() == [1, 2, 3]
    assert wf.inclusive_scan(keys, out=keys) is keys and keys.x.tolist() == [1, 3, 6]
    assert wf.sum(Array(np.zeros(0))).x == 0
    assert wf.sum(Other(np.array([1.0, 2.0]))).x == 3
    x = np.zeros(())
    assert wf.sum(Array(keys.x), out=Other(x)) is not None and x == 10
    x.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        wf.sum(keys, out=Other(x))


@pytest.fixture
def torch(monkeypatch):
    """PyTorch, whose tensors on the host are taken for a device's."""
    module = pytest.importorskip("torch")
    monkeypatch.setattr(_device._Torch, "on_device", lambda _, x: True)
    monkeypatch.setattr(_device._Torch, "device", lambda _, x: contextlib.nullcontext())
    monkeypatch.setattr(_device._Torch, "stream", lambda _, x: 0)
    return module


def test_tensors(torch):
    x = torch.arange(12.0).reshape(3, 4)
    for call in (
        wf.sum,
        wf.max,
        wf.cumsum,
        wf.argsort,
        wf.exact_sum,
        lambda a: wf.sort_by_key(a, a)[0],
    ):
        result, expected = call(x.reshape(-1)), call(x.reshape(-1).numpy())
        assert type(result) is torch.Tensor and np.array_equal(result.numpy(), expected)
    assert wf.sum(x.to(torch.int32), dtype="f8").dtype == torch.float64
    assert wf.cumsum(x.T).tolist() == np.cumsum(x.numpy().T).tolist()
    out = torch.zeros(())
    assert wf.sum(x[:, ::2], out=out) is out and out == 30
    grown = wf.sort(x.clone().requires_grad_(), axis=None)
    assert grown.tolist() == list(range(12)) and not grown.requires_grad
    negative = torch.complex(x, x).conj().imag
    assert negative.is_neg() and wf.sum(negative) == -66
    with pytest.raises(TypeError, match="float16"):
        wf.sum(x.half())
    with pytest.raises(TypeError, match="to_dense"):
        wf.sum(x.to_sparse())


@pytest.mark.parametrize(
    ("call", "error", "word"),
    (
        (lambda d: wf.sum(Array(np.zeros(3, np.int8))), TypeError, "int8"),
        (lambda d: wf.sum(d, axis=1), ValueError, "leave the axis out"),
        (lambda d: wf.sum(d, where=[True]), ValueError, "where"),
        (lambda d: wf.sum(d, out=np.zeros(())), TypeError, "device's memory"),
        (lambda d: wf.sum(d, out=Array(np.zeros((), "f4"))), TypeError, "float32"),
        (lambda d: wf.sum(d, out=Array(np.zeros(2))), ValueError, "shape"),
        (lambda d: wf.reduce(d, "and"), ValueError, "integers"),
        (lambda d: wf.reduce(d, "plus"), ValueError, "no operator"),
        (lambda d: wf.minmax(Array(np.zeros(0))), ValueError, "no values"),
        (lambda d: wf.argmin(Array(np.zeros(0))), ValueError, "no values"),
        (lambda d: wf.exact_dot(d, np.zeros(3)), TypeError, "one memory"),
        (lambda d: wf.exact_dot(np.zeros((2, 2)), d), TypeError, "one memory"),
        (lambda d: wf.exact_sum(Array(np.zeros(3, "i4"))), TypeError, "float64"),
        (lambda d: wf.sort_by_key(d, d), ValueError, "one axis"),
        (lambda d: wf.sort(d, axis=None, out=Array(np.zeros(4))), ValueError, "out=x"),
        (lambda d: wf.Accumulator().add(d), TypeError, "device's memory"),
    ),
)
def test_refused(call, error, word):
    with pytest.raises(error, match=word) as raised:
        call(Array(np.ones((2, 2))))
    assert "\n" not in str(raised.value)


def test_libraries_without_cuda(monkeypatch):
    d = Array(np.ones(3))
    monkeypatch.setattr(_device, "_CUDA", 1)
    _device._library.cache_clear()
    if not __import__("ctypes").CDLL(os.environ["WARPFOLD_LIBRARY"]).wf_has_cuda():
        with pytest.raises(TypeError, match="built without CUDA"):
            wf.sum(d)
    _device._library.cache_clear()
    monkeypatch.setenv("WARPFOLD_LIBRARY", "/missing/libwarpfold.so")
    with pytest.raises(TypeError, match="no libwarpfold built for CUDA"):
        wf.sum(d)
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(TypeError, match="CuPy or PyTorch"):
        wf.sum(Other(np.ones(3)))
