# What mpi4py and NumPy say beside what warpfold says: of calls across ranks, and of the commands on
# files. Run by mpirun; arguments: a folder, and as this is the oracle of what other programs wrote,
# `make` before them or `check` behind them.
import math
import os
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
step, folder = sys.argv[1], sys.argv[2]


def path(name):
    return os.path.join(folder, name)


def parts():
    """All ranks' parts, of unequal lengths, the second one empty."""
    random = np.random.default_rng(27 + size)
    return [random.normal(0, 1e3, 0 if r == 1 else int(random.integers(1, 4000)))
            for r in range(size)]


def expect(what, right):
    if not right:
        print(f"rank {rank} of {size}: {what} is not what NumPy says", file=sys.stderr)
        comm.Abort(1)


def from_calls(kind, name):
    return np.fromfile(path(f"{name}.{rank}"), kind)


def check_calls():
    all_parts = parts()
    mine, values = all_parts[rank], np.concatenate(all_parts)
    numbers = from_calls(np.float64, "numbers")
    expect("exact_sum", numbers[0] == math.fsum(values))
    expect("exact_dot", math.isclose(numbers[1], float(np.dot(values, values)), rel_tol=1e-12))
    scale = float(np.abs(values).sum())
    expect("reduce", abs(numbers[2] - comm.allreduce(float(mine.sum()))) <= 1e-13 * scale)
    expect("mean", abs(numbers[3] - values.mean()) <= 1e-13 * scale)
    expect("variance", math.isclose(numbers[4], values.var(), rel_tol=1e-9) or
           math.isclose(numbers[4], values.var(ddof=1), rel_tol=1e-9))
    low = comm.allreduce(float(mine.min()) if mine.size else math.inf, MPI.MIN)
    high = comm.allreduce(float(mine.max()) if mine.size else -math.inf, MPI.MAX)
    expect("minmax", list(numbers[5:7]) == [low, high])
    expect("argmin", int(numbers[7]) == int(values.argmin()))
    expect("argmax", int(numbers[8]) == int(values.argmax()))
    begin = sum(p.size for p in all_parts[:rank])
    before = np.concatenate([[1.0], 1.0 + np.cumsum(values)])[begin:begin + mine.size]
    expect("exclusive_scan", np.allclose(from_calls(np.float64, "exclusive"), before, rtol=0,
                                         atol=1e-12 * scale))
    highest = np.maximum.accumulate(values)[begin:begin + mine.size]
    expect("inclusive_scan", np.array_equal(from_calls(np.float64, "highest"), highest))
    keys = np.trunc(np.trunc(values) / 10).astype(np.int64)
    order = np.argsort(keys, kind="stable")
    expect("balanced_sort_by_key", np.array_equal(from_calls(np.int64, "rows"),
                                                  np.array_split(order, size)[rank]))


def make_files():
    random = np.random.default_rng(5)
    np.save(path("f.npy"), random.normal(0, 1, 400_001).astype(np.float32))
    np.save(path("i.npy"), random.integers(-999, 999, 400_001, dtype=np.int32))


def check_files():
    floats, ints = np.load(path("f.npy")), np.load(path("i.npy"))
    with open(path("sum")) as text:
        expect("reduce --op exact-sum", np.float32(text.read()) == np.float32(math.fsum(floats)))
    expect("scan", np.array_equal(np.load(path("scanned.npy")), np.cumsum(ints, dtype=np.int32)))
    expect("sort", np.array_equal(np.load(path("keys.npy")), np.sort(ints)))
    order = np.argsort(ints, kind="stable")
    expect("sort --values", np.array_equal(np.load(path("items.npy")), floats[order]))


if step == "make":
    parts()[rank].tofile(path(f"in.{rank}"))
    if rank == 0:
        make_files()
else:
    check_calls()
    if rank == 0:
        check_files()
