"""The commands on files, by the program that WARPFOLD names."""

import os

import numpy as np
import pytest
import warpfold as wf

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


def test_errors(tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", np.zeros(3))
    with pytest.raises(ValueError, match="banana"):
        wf.files.reduce(tmp_path / "x.npy", "banana")
    with pytest.raises(OSError, match="missing"):
        wf.files.sort(tmp_path / "missing.npy", tmp_path / "s.npy")
    with pytest.raises(ValueError, match="both"):
        wf.files.sort(tmp_path / "x.npy", tmp_path / "s.npy", values=tmp_path / "x.npy")
    monkeypatch.delenv("WARPFOLD")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="dev install"):
        wf.files.reduce(tmp_path / "x.npy")
