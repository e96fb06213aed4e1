"""Arrays of PyTorch and CuPy on a device: results, streams, graphs, no copies."""

import importlib

import numpy as np
import pytest
import warpfold as wf


def framework(name):
    """The library, or a skip where it is missing or sees no device."""
    module = pytest.importorskip(name)
    try:
        count = (
            module.cuda.device_count() if name == "torch" else module.cuda.runtime.getDeviceCount()
        )
    except Exception as error:  # of CuPy's own, without a driver
        pytest.skip(f"{name} sees no device: {error}")
    if count == 0:
        pytest.skip(f"{name} sees no device")
    return module


def to_device(name, x):
    module = importlib.import_module(name)
    return module.from_numpy(x.copy()).cuda() if name == "torch" else module.asarray(x)


def to_host(x):
    return x.get() if hasattr(x, "get") else x.cpu().numpy()


@pytest.mark.parametrize("name", ("torch", "cupy"))
@pytest.mark.parametrize("dtype", ("i4", "i8", "f4", "f8"))
@pytest.mark.parametrize("n", (1, 1000, 1 << 20))
def test_results(name, dtype, n):
    framework(name)
    x = np.random.default_rng(3).integers(0, 100, n).astype(dtype)
    d = to_device(name, x)
    for call in (  # f32 sums are exact
        wf.sum,
        wf.min,
        wf.max,
        wf.cumsum,
        lambda a: wf.exclusive_scan(a, "max", initial=3),
        wf.sort,
        wf.argsort,
        lambda a: wf.sort(a, descending=True),
        lambda a: wf.sort_by_key(a, a)[1],
        *((wf.exact_sum, wf.exact_mean, lambda a: wf.exact_dot(a, a)) if dtype[0] == "f" else ()),
    ):
        expected, result = call(x), call(d)
        assert type(result) is type(d) and result.device == d.device
        assert to_host(result).dtype == expected.dtype
        assert np.array_equal(to_host(result), expected)
    for call in (wf.argmin, wf.argmax, wf.minmax):
        assert call(d) == call(x)
    assert wf.mean(d) == pytest.approx(wf.mean(x))
    assert np.array_equal(to_host(d), x)


def test_torch_on_another_stream():
    torch = framework("torch")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.zeros(1 << 26, device="cuda", dtype=torch.int32)
        torch.cuda._sleep(200_000_000)
        x += 1
        total = wf.sum(x)  # right only behind the addition
        prefixes = wf.cumsum(x)
        assert not stream.query()  # the calls waited for nothing
    stream.synchronize()
    assert total.item() == 1 << 26 and prefixes[-1].item() == 1 << 26


def test_cupy_on_another_stream():
    cupy = framework("cupy")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.zeros(1 << 26, dtype=cupy.int32)
        for _ in range(200):
            x += 1
        total = wf.sum(x)
        ordered = wf.sort(x)
    stream.synchronize()
    assert int(total) == 200 << 26 and int(ordered[0]) == 200


def test_torch_in_a_captured_graph():
    torch = framework("torch")
    x = torch.arange(1 << 16, device="cuda", dtype=torch.float32)
    out = torch.zeros((), device="cuda")
    prefixes = torch.zeros_like(x)
    wf.sum(x, out=out)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        wf.sum(x, out=out)
        wf.inclusive_scan(x, "max", out=prefixes)
    for k in (1.0, 2.0):
        x.fill_(k)
        graph.replay()
        torch.cuda.synchronize()
        assert out.item() == k * (1 << 16) and prefixes[-1].item() == k


def test_no_copy_is_made():
    torch = framework("torch")
    x = torch.rand(1 << 24, device="cuda")
    wf.sum(x)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    wf.sum(x)
    wf.sort(x, out=x)
    torch.cuda.synchronize()
    assert torch.cuda.max_memory_allocated() - before < 1 << 20
    assert bool((x[1:] >= x[:-1]).all())


def test_mixed_memories_and_types():
    torch = framework("torch")
    x = torch.rand(8, device="cuda")
    with pytest.raises(TypeError, match="one memory"):
        wf.exact_dot(x, x.cpu())
    with pytest.raises(TypeError, match="float16"):
        wf.sum(x.half())
    with pytest.raises(ValueError, match="axis"):
        wf.sum(x.reshape(2, 4), axis=0)
