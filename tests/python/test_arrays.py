"""What is taken as an array, what is refused, and with which sentence."""

import array
import ctypes

import numpy as np
import pyarrow as pa
import pytest
import warpfold as wf
from warpfold._arrays import as_array


class OnlyDlpack:
    """As a PyTorch tensor is: no buffer protocol."""

    def __init__(self, x, device=None):
        self.x, self.device = x, device

    def __dlpack__(self, **how):
        return self.x.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.device or self.x.__dlpack_device__()


class OnlyInterface:
    def __init__(self, x):
        self.x = x
        self.__array_interface__ = x.__array_interface__


class OnDevice:
    __cuda_array_interface__ = {"shape": (3,)}  # noqa: RUF012


X = np.array([3.0, 1.0, 2.0])


@pytest.mark.parametrize(
    "x",
    (
        [3.0, 1.0, 2.0],
        (3.0, 1.0, 2.0),
        memoryview(X),
        array.array("d", X),
        (ctypes.c_double * 3)(3, 1, 2),
        OnlyDlpack(X),
        OnlyInterface(X),
        pa.array(X),
        np.matrix(X),
    ),
    ids=lambda x: type(x).__name__,
)
def test_taken(x):
    assert wf.sum(x) == 6
    assert wf.max(x) == 3
    assert np.array_equal(np.ravel(wf.sort(x)), [1, 2, 3])
    assert wf.exact_sum(x) == 6
    assert np.array_equal(np.ravel(wf.cumsum(x)), [3, 4, 6])


def test_without_a_copy():
    x = np.arange(1000.0)
    x.flags.writeable = False
    assert wf.sum(x) == wf.sum(OnlyDlpack(np.arange(1000.0))) == x.sum()
    for source in (memoryview(bytearray(800)), OnlyDlpack(np.zeros(100))):
        assert not as_array(source).flags.owndata
    y = bytearray(b"warpfold")
    out = np.frombuffer(y, np.uint8)
    wf.sort(out, out=out)
    assert y == b"adfloprw"


def test_scalars_are_numpy_s():
    assert type(wf.sum(np.ones(3, np.float32))) is np.float32
    assert type(wf.sum(np.ones(3, np.uint8))) is np.uint64
    assert type(wf.max(np.ones(3, np.int8))) is np.int8
    assert type(wf.argmax(np.ones(3))) is np.intp
    assert type(wf.max(np.ones(3, bool))) is np.bool_
    assert wf.sum(np.float64(3)) == 3 and wf.sum(5) == 5


@pytest.mark.parametrize(
    ("x", "error", "word"),
    (
        (np.array([object()]), TypeError, "object"),
        (np.array(["a"]), TypeError, "<U1"),
        (np.zeros(3, complex), TypeError, "complex128"),
        (np.zeros(3, np.float16), TypeError, "float16"),
        (np.zeros(3, ">f8"), TypeError, ">f8"),
        (np.zeros(3, "M8[s]"), TypeError, "datetime64"),
        (np.ma.masked_array([1, 2], [0, 1]), TypeError, "masked"),
        (OnDevice(), TypeError, "device"),
        (OnlyDlpack(X, (2, 0)), TypeError, "device"),
        (None, TypeError, "object"),
    ),
)
def test_refused_values(x, error, word):
    for function in (
        wf.sum,
        wf.max,
        wf.sort,
        wf.argsort,
        wf.cumsum,
        wf.exact_sum,
        wf.mean,
        wf.statistics,
        wf.minmax,
        wf.argmin,
        wf.reduce,
        wf.exclusive_scan,
    ):
        with pytest.raises(error, match=word) as raised:
            function(x)
        assert "\n" not in str(raised.value)


def test_refused_arguments():
    x = np.ones((2, 3))
    read_only = np.zeros(2)
    read_only.flags.writeable = False
    for call, error, word in (
        (lambda: wf.reduce(x, "mul"), ValueError, "there are sum, product"),
        (lambda: wf.reduce(x, []), ValueError, "no operator"),
        (lambda: wf.reduce(x, "and"), ValueError, "integers"),
        (lambda: wf.sum(x, 2), ValueError, "out of bounds"),
        (lambda: wf.sum(x, (0, 0)), ValueError, "twice"),
        (lambda: wf.sum(x, 1.5), TypeError, "integer"),
        (lambda: wf.sum(x, 1, out=np.zeros(3)), ValueError, "shape"),
        (lambda: wf.sum(x, 1, out=np.zeros(2, np.float32)), TypeError, "float32"),
        (lambda: wf.sum(x, 1, out=[0, 0]), TypeError, "list"),
        (lambda: wf.sum(x, 1, out=read_only), ValueError, "read-only"),
        (lambda: wf.sort(read_only, out=read_only), ValueError, "read-only"),
        (lambda: wf.cumsum(x, 0, out=x.astype(int)), TypeError, "int64"),
        (lambda: wf.sum(x, where=np.ones(5, bool)), ValueError, "broadcast"),
        (lambda: wf.sum(x, determinism="always"), ValueError, "run_to_run"),
        (lambda: wf.cumsum(x, determinism="always"), ValueError, "run_to_run"),
        (lambda: wf.statistics(x, determinism="always"), ValueError, "run_to_run"),
        (lambda: wf.sort_by_key([1, 2], [1]), ValueError, "2 keys"),
        (lambda: wf.sort_by_key([1], [object()]), TypeError, "objects"),
        (lambda: wf.sort_by_key(x, x), ValueError, "one axis"),
        (lambda: wf.exact_sum(x, 0, where=x > 0), ValueError, "where"),
    ):
        with pytest.raises(error, match=word):
            call()
