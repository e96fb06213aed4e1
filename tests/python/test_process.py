"""The interpreter around the calls: threads, signals, memory, fork, and random calls."""

import contextlib
import gc
import multiprocessing
import pickle
import random
import signal
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
import warpfold as wf
from warpfold import _core

CALLS = (
    wf.sum,
    wf.max,
    wf.argmin,
    wf.minmax,
    wf.mean,
    wf.statistics,
    wf.cumsum,
    wf.exclusive_scan,
    wf.sort,
    wf.argsort,
    wf.exact_sum,
    lambda x: wf.sum(x.reshape(4, -1), 0),
    lambda x: wf.sort_by_key(x, x),
    lambda x: wf.exact_dot(x, x),
    lambda x: pickle.loads(pickle.dumps(wf.Accumulator().add(x))),
)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def refused(call):
    of = np.zeros(3, complex)

    def refuse(_):
        with contextlib.suppress(TypeError):
            call(of)

    return refuse


@pytest.mark.parametrize("call", (*CALLS, *map(refused, (wf.sum, wf.sort, wf.exact_sum))))
def test_calls_leak_nothing(call):
    x = np.random.default_rng(5).standard_normal(2000)

    def many(times):
        for _ in range(times):
            call(x)
        gc.collect()

    many(200)
    references, before = sys.getrefcount(x), resident()
    tracemalloc.start()
    many(200)
    first = tracemalloc.get_traced_memory()[0]
    many(10_000)
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert sys.getrefcount(x) == references
    assert grown < 8000  # an object a call would be more
    assert resident() - before < 8_000_000  # an array a call, too


def test_threads_get_their_own_results():
    arrays = [np.random.default_rng(i).standard_normal(50_000 + i) for i in range(16)]
    expected = [[call(x) for call in CALLS[:11]] for x in arrays]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            for x, right in zip(arrays, expected, strict=True):
                futures = [pool.submit(call, x) for call in CALLS[:11]]
                for future, value in zip(futures, right, strict=True):
                    assert np.array_equal(future.result(), value)
    shared = wf.Accumulator()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(shared.add, arrays))
    assert shared == wf.Accumulator().add(np.concatenate(arrays))


@contextlib.contextmanager
def thread_that_runs_when_the_lock_is_free(function):
    """Begins a thread that calls function once the interpreter's lock is given away: not between
    two steps of this thread, which keeps the lock, but within a call that releases it."""
    gate, before = threading.Lock(), sys.getswitchinterval()
    gate.acquire()

    def pass_gate():
        with gate:
            function()

    thread = threading.Thread(target=pass_gate)
    thread.start()
    sys.setswitchinterval(1000)
    try:
        gate.release()
        yield
    finally:
        sys.setswitchinterval(before)
        thread.join()


has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()


@pytest.mark.skipif(not has_lock, reason="the interpreter has no lock")
def test_other_threads_run_meanwhile():
    x = np.random.default_rng(6).standard_normal(1 << 16)
    ran = []
    with thread_that_runs_when_the_lock_is_free(lambda: ran.append(True)):
        assert not ran
        for _ in range(10_000):
            wf.argsort(x)
            if ran:
                break
        assert ran


class StopError(Exception):
    pass


def argsort_into(x):
    indices = np.full(x.size, -1)
    return indices, lambda: _core.argsort(x, 1, False, indices)


def exact_rows_into(x):
    sums = np.full(x.size // 4, np.nan)
    return sums, lambda: _core.exact_sum(x, sums.size, sums)


@pytest.mark.parametrize("into", (argsort_into, exact_rows_into))
def test_a_signal_ends_a_call(into):
    x = np.random.default_rng(8).standard_normal(1 << 23)
    whole, call = into(x)
    call()

    def stop(*_):
        raise StopError

    def stopped_within_a_call():
        """Whether the signal, which is sent after the call began, ended it before it was done."""
        part, call = into(x)
        send = partial(signal.raise_signal, signal.SIGUSR1)
        with contextlib.suppress(StopError), thread_that_runs_when_the_lock_is_free(send):
            call()
        return not np.array_equal(part, whole)

    before = signal.signal(signal.SIGUSR1, stop)
    try:
        assert any(stopped_within_a_call() for _ in range(50))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert wf.exact_sum(x) == wf.exact_sum(x[::-1])


def in_child(x):
    return float(wf.exact_sum(x)), float(wf.sort(x)[0])


@pytest.mark.parametrize("method", ("spawn", "forkserver"))
def test_other_processes(method):
    x = np.random.default_rng(7).standard_normal(100_000)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(in_child, [x, x]) == [in_child(x)] * 2


def test_sub_interpreters_are_refused():
    try:
        import _interpreters as interpreters  # noqa: PLC0415
    except ModuleNotFoundError:  # before Python 3.13
        interpreters = pytest.importorskip("_xxsubinterpreters")
    other = interpreters.create()
    try:
        said = interpreters.run_string(other, "import warpfold").formatted
    except RuntimeError as error:  # before Python 3.13
        said = str(error)
    finally:
        interpreters.destroy(other)
    assert "use threads, or processes" in said


def any_array(rng):
    kind = rng.choice("?bBhHiIlLqQfdegFDSOM")
    shape = tuple(rng.choice((0, 1, 2, 3, 7)) for _ in range(rng.randint(0, 4)))
    x = np.zeros(shape, kind if kind not in "SM" else {"S": "S3", "M": "M8[s]"}[kind])
    if x.dtype.kind in "iufb":
        x[...] = np.random.default_rng(rng.randint(0, 99)).integers(0, 100, shape)
    if x.ndim and rng.random() < 0.3:
        x = x[tuple(slice(None, None, rng.choice((1, 2, -1))) for _ in shape)]
    if rng.random() < 0.2:
        x = x.T
    if rng.random() < 0.1:
        x.flags.writeable = False
    return x


def any_value(rng):
    return rng.choice(
        (
            None,
            True,
            0,
            1,
            -1,
            2,
            10**30,
            0.5,
            float("nan"),
            "sum",
            "max",
            (),
            (0, 1),
            [0],
            b"x",
            np.int8,
            "f4",
            object(),
            "gpu_to_gpu",
            any_array(rng),
            any_array(rng),
        )
    )


@pytest.mark.filterwarnings("ignore")
def test_random_calls_end_in_a_result_or_an_exception():
    seed = random.randrange(1 << 30)
    print("seed", seed)
    rng = random.Random(seed)
    words = (
        "axis",
        "dtype",
        "out",
        "keepdims",
        "where",
        "initial",
        "determinism",
        "descending",
        "op",
    )
    programs = ("steps", "report")  # each call starts one
    names = [n for n in wf.__all__ if callable(getattr(wf, n)) and n not in programs]
    kept = any_array(rng), wf.Accumulator()
    worked = 0
    for _ in range(20_000):
        function = getattr(wf, rng.choice(names))
        arguments = [any_array(rng) if rng.random() < 0.9 else any_value(rng)]
        arguments += [any_value(rng) for _ in range(rng.choice((0, 0, 0, 1, 2)))]
        how = {w: any_value(rng) for w in words if rng.random() < 0.1}
        try:
            function(*arguments, **how)
            worked += 1
            kept[1].add(arguments[0])
        except (TypeError, ValueError, OverflowError, MemoryError):
            pass
    assert worked > 1000
