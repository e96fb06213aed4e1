"""The commands on files, by the program that WARPFOLD names."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest
import warpfold as wf

OWN = Path(wf.__file__).parent / "programs"
pytestmark = pytest.mark.skipif("WARPFOLD" not in os.environ, reason="no program to call")


def test_sort(tmp_path, capfd):
    x = np.random.default_rng(8).standard_normal(300_000)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "i.npy", np.arange(x.size))
    wf.files.sort(
        tmp_path / "x.npy",
        tmp_path / "s.npy",
        memory="64MiB",
        progress=True,
        values=tmp_path / "i.npy",
        values_out=tmp_path / "o.npy",
        threads=2,
    )
    assert np.array_equal(np.load(tmp_path / "s.npy"), np.sort(x))
    assert np.array_equal(np.load(tmp_path / "o.npy"), np.argsort(x, kind="stable"))
    assert capfd.readouterr().err
    wf.files.sort(tmp_path / "x.npy", tmp_path / "s.npy", descending=True, force=True)
    assert np.array_equal(np.load(tmp_path / "s.npy"), np.sort(x)[::-1])
    assert not capfd.readouterr().err


def test_reduce_and_scan(tmp_path):
    x = np.arange(1000, dtype=np.float32)
    x.tofile(tmp_path / "x.raw")
    assert wf.files.reduce(tmp_path / "x.raw", type="f32") == x.sum()
    assert wf.files.reduce(tmp_path / "x.raw", "exact-mean", type="f32") == 499.5
    about = wf.files.reduce(tmp_path / "x.raw", "statistics", type="f32")
    assert about["count"] == 1000 and about["mean"] == 499.5
    wf.files.scan(tmp_path / "x.raw", tmp_path / "p.npy", type="f32", exclusive=True)
    assert np.load(tmp_path / "p.npy")[-1] == x[:-1].sum()


def test_axes_accumulators_and_operators(tmp_path):
    x = np.random.default_rng(9).standard_normal((20, 30))
    np.save(tmp_path / "x.npy", x)
    assert np.array_equal(wf.files.reduce(tmp_path / "x.npy", "min", 0), x.min(0))
    wf.files.reduce(tmp_path / "x.npy", "argmax", 1, out=tmp_path / "a.npy")
    assert np.array_equal(np.load(tmp_path / "a.npy"), x.argmax(1))
    for times in (1, 2):
        total = wf.files.reduce(tmp_path / "x.npy", "exact-sum", accumulator=tmp_path / "sum")
        assert total == wf.exact_sum([wf.exact_sum(x)] * 2 if times == 2 else x)
    y = x.ravel()
    np.save(tmp_path / "y.npy", y)
    both = [tmp_path / "y.npy"] * 2
    wf.files.scan(both, tmp_path / "p.npy", "max", determinism="gpu_to_gpu")
    assert np.array_equal(np.load(tmp_path / "p.npy"), np.maximum.accumulate([*y, *y]))
    np.save(tmp_path / "nan.npy", [1, np.nan])
    assert np.isnan(wf.files.reduce(tmp_path / "nan.npy"))


def test_counts_and_orders(tmp_path):
    rng = np.random.default_rng(10)
    x, k = rng.standard_normal(5000), rng.integers(0, 9, 5000, np.int32)
    fx, fk = tmp_path / "x.npy", tmp_path / "k.npy"
    np.save(fx, x)
    np.save(fk, k)
    for range in (None, (-1, 1.5)):
        counts, edges = wf.files.histogram(fx, 7, range, threads=1)
        expected = np.histogram(x, 7, range)
        assert np.array_equal(counts, expected[0]) and np.allclose(edges, expected[1])
    sums, _ = wf.files.histogram(fk, 9, weights=fx)
    assert np.array_equal(sums, [wf.exact_sum(x[k == i]) for i in np.arange(9)])
    assert wf.files.quantiles(fx, 0.25) == np.quantile(x, 0.25)
    assert np.array_equal(
        wf.files.quantiles([fx, fx], [[0, 0.5], [0.9, 1]], method="lower"),
        np.quantile([*x, *x], [[0, 0.5], [0.9, 1]], method="lower"),
    )
    assert wf.files.median(fx) == np.median(x)
    values, indices = wf.files.top(fx, 4)
    assert np.array_equal(values, np.sort(x)[:-5:-1]) and np.array_equal(values, x[indices])
    assert np.array_equal(wf.files.top(fx, 4, smallest=True)[0], np.sort(x)[:4])
    values, counts = wf.files.unique(fk)
    assert np.array_equal((values, counts), np.unique(k, return_counts=True))
    assert wf.files.unique(fk, tmp_path / "u.npy")[0] is None
    assert np.array_equal(np.load(tmp_path / "u.npy"), values)


def test_groups(tmp_path):
    rng = np.random.default_rng(11)
    x, k = rng.integers(0, 100, 5000), rng.integers(0, 9, 5000, np.int32)
    fx, fk = tmp_path / "x.npy", tmp_path / "k.npy"
    np.save(fx, x)
    np.save(fk, k)
    every = np.arange(9)
    table = wf.files.group(fk, fx, ("count", "sum", "min", "max", "mean"), progress=False)
    assert np.array_equal(table["key"], every)
    assert np.array_equal(table["count"], np.bincount(k))
    for name in ("sum", "min", "max", "mean"):
        assert np.array_equal(table[name], [getattr(x[k == i], name)() for i in every])
    named = {"key": tmp_path / "keys.npy", "sum": tmp_path / "sums.npy"}
    assert wf.files.group(fk, fx, ["sum"], out=named) == {"key": None, "sum": None}
    assert np.array_equal(np.load(tmp_path / "sums.npy"), table["sum"])
    for aggregates, out in ((["banana"], {}), (["count"], {"sum": fx}), (["sum"], {})):
        with pytest.raises(ValueError, match="aggregate"):
            wf.files.group(fk, None, aggregates, out=out)


def test_a_signal_ends_a_command(tmp_path, stopping):
    pipe, out = tmp_path / "pipe", tmp_path / "out.npy"
    os.mkfifo(pipe)

    def write():  # the command reads, and waits for more
        with open(pipe, "wb", buffering=0) as file:
            file.write(bytes(100))
            ended.wait()

    ended = threading.Event()
    writer = threading.Thread(target=write)
    writer.start()
    try:
        with stopping("output_of"):
            wf.files.scan(pipe, out, type="u8")
    finally:
        ended.set()
        writer.join()
    assert os.listdir(tmp_path) == ["pipe"]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_errors(tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", np.zeros(3))
    with pytest.raises(ValueError, match="banana"):
        wf.files.reduce(tmp_path / "x.npy", "banana")
    with pytest.raises(OSError, match="missing"):
        wf.files.sort(tmp_path / "missing.npy", tmp_path / "s.npy")
    with pytest.raises(ValueError, match="both"):
        wf.files.sort(tmp_path / "x.npy", tmp_path / "s.npy", values=tmp_path / "x.npy")
    monkeypatch.setenv("WARPFOLD", str(tmp_path / "missing"))
    with pytest.raises(FileNotFoundError, match="WARPFOLD names"):
        wf.files.reduce(tmp_path / "x.npy")


@pytest.mark.skipif(OWN.exists(), reason="the package has the program")
def test_without_the_program(tmp_path, monkeypatch):
    monkeypatch.delenv("WARPFOLD")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="dev install"):
        wf.files.reduce(tmp_path / "x.npy")
