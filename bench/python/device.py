"""Sums, scans and sorts of arrays on a device, beside CuPy and PyTorch: the wall time of a call and
of waiting for its result, in turns. Needs the package built where nvcc is, and both libraries.

    python bench/python/device.py [--sizes 10,20,24] [--turns 31] [--json FILE]

The first results of a size are held against each other. "put" is the time until a call comes back,
which is before its work is done.
"""

import argparse
import json
import statistics
import time

import cupy
import torch
import warpfold as wf


def calls(t):
    """Of each case its name, then the calls of each library on the values of t."""
    c = cupy.asarray(t)
    yield "sum", lambda: wf.sum(t), lambda: torch.sum(t), lambda: cupy.sum(c)
    yield "cumsum", lambda: wf.cumsum(t), lambda: torch.cumsum(t, 0), lambda: cupy.cumsum(c)
    yield "sort", lambda: wf.sort(t), lambda: torch.sort(t).values, lambda: cupy.sort(c)
    yield "argsort", lambda: wf.argsort(t), lambda: torch.argsort(t), lambda: cupy.argsort(c)


def wall(call):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    call()
    put = time.perf_counter() - begin
    torch.cuda.synchronize()
    return 1e6 * (time.perf_counter() - begin), 1e6 * put


def check(name, t, ours, theirs):
    """Sums may differ by the rounding of another order; indices, where values are equal."""
    if name == "argsort":
        ours, theirs = t[ours], t[theirs]
    within = 4e-6 * len(t) if name in ("sum", "cumsum") else 0
    off = float((ours.double() - theirs.double()).abs().max())
    if not off <= within:
        raise SystemExit(f"{name} of {len(t)} values is {off} off")


def row(name, t, each, turns):
    """Of each library the medians of a call's wall time and of the time until it comes back."""
    first = [wall(call)[0] for call in each]
    check(name, t, each[0](), each[1]())
    times = list(zip(*([wall(call) for call in each] for _ in range(turns)), strict=True))
    whole, put = ([statistics.median(t[i] for t in taken) for taken in times] for i in (0, 1))
    return {"call": name, "n": len(t), "us": whole, "put_us": put, "first_us": first}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10,14,16,18,20,22,24,26,28", help="powers of two")
    parser.add_argument("--turns", type=int, default=31)
    parser.add_argument("--json", help="a file for the figures")
    given = parser.parse_args()
    about = {"device": torch.cuda.get_device_name(), "libraries": ["warpfold", "torch", "cupy"]}
    about["versions"] = [wf.__version__, torch.__version__, cupy.__version__]
    print(*about["versions"], about["device"], "\n")
    print("| call | n | warpfold, µs | put | torch | put | cupy | put |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    rows = []
    for size in given.sizes.split(","):
        t = torch.rand(1 << int(size), device="cuda")
        for name, *each in calls(t):
            rows.append(row(name, t, each, given.turns))
            pairs = zip(rows[-1]["us"], rows[-1]["put_us"], strict=True)
            cells = [f"{x:.1f}" for pair in pairs for x in pair]
            print(f"| {name} | 2^{size} | {' | '.join(cells)} |", flush=True)
    if given.json:
        with open(given.json, "w") as file:
            json.dump({**about, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
