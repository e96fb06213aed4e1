"""Sums, scans and sorts of arrays on a device, beside CuPy and PyTorch: the wall time of a call and
of waiting for its result, in turns. Needs the package built where nvcc is, and both libraries.

    python bench/python/device.py [--sizes 10,20,24] [--turns 31]
"""

import argparse
import statistics
import time

import cupy
import torch
import warpfold as wf


def calls(n):
    """Of each case its name, then the calls of each library on float32 values."""
    t = torch.rand(n, device="cuda")
    c = cupy.asarray(t)
    yield "sum", lambda: wf.sum(t), lambda: torch.sum(t), lambda: cupy.sum(c)
    yield "cumsum", lambda: wf.cumsum(t), lambda: torch.cumsum(t, 0), lambda: cupy.cumsum(c)
    yield "sort", lambda: wf.sort(t), lambda: torch.sort(t).values, lambda: cupy.sort(c)
    yield "argsort", lambda: wf.argsort(t), lambda: torch.argsort(t), lambda: cupy.argsort(c)


def wall(call):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    call()
    torch.cuda.synchronize()
    return 1e6 * (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10,14,16,18,20,22,24,26,28", help="powers of two")
    parser.add_argument("--turns", type=int, default=31)
    given = parser.parse_args()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, cupy {cupy.__version__}\n")
    print("| call | n | warpfold, µs | first | torch | first | cupy | first |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for size in given.sizes.split(","):
        for name, *each in calls(1 << int(size)):
            first = [wall(call) for call in each]
            times = list(zip(*([wall(c) for c in each] for _ in range(given.turns)), strict=True))
            cells = [
                f"{x:.1f}"
                for taken, once in zip(times, first, strict=True)
                for x in (statistics.median(taken), once)
            ]
            print(f"| {name} | 2^{size} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
