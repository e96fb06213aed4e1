#!/usr/bin/env python3
"""The Python package beside NumPy and math.fsum: medians of calls in turns, as Markdown.

$(./dev python) bench/python/package.py [--turns 9] [--small 2000] [--only sort]
"""

import argparse
import math
import statistics
import time

import numpy as np
import warpfold as wf


def in_turns(turns, *calls):
    """Medians of the calls' seconds, and the first one's over the second's, turn by turn."""
    seconds = [[] for _ in calls]
    for _ in range(turns):
        for call, kept in zip(calls, seconds, strict=True):
            begin = time.perf_counter()
            call()
            kept.append(time.perf_counter() - begin)
    ratio = statistics.median(a / b for a, b in zip(*seconds[:2], strict=True))
    return [statistics.median(s) for s in seconds], ratio


def large():
    random = np.random.default_rng(1)
    values = random.random(1 << 27, dtype=np.float32)
    out = np.empty_like(values)
    yield "sum of 2^27 f32", lambda: np.sum(values), lambda: wf.sum(values)
    yield (
        "cumsum of 2^27 f32",
        lambda: np.cumsum(values, out=out),
        lambda: wf.cumsum(values, out=out),
    )
    keys = {
        "u32": random.integers(0, 1 << 32, 1 << 24, dtype=np.uint32),
        "f32": random.standard_normal(1 << 24, dtype=np.float32),
    }
    for name, x in keys.items():
        yield f"sort of 2^24 {name}", lambda x=x: np.sort(x), lambda x=x: wf.sort(x)
        yield f"argsort of 2^24 {name}", lambda x=x: np.argsort(x), lambda x=x: wf.argsort(x)
        yield (
            f"stable argsort of 2^24 {name}",
            lambda x=x: np.argsort(x, kind="stable"),
            lambda x=x: wf.argsort(x),
        )
    wide = random.standard_normal(1 << 23)
    yield ("exact_sum of 2^23 f64 / math.fsum", lambda: math.fsum(wide), lambda: wf.exact_sum(wide))


def small(times):
    x = np.random.default_rng(2).standard_normal(10)
    for name in ("sum", "min", "max", "argmin", "mean", "cumsum", "sort", "argsort"):
        theirs, ours = getattr(np, name), getattr(wf, name)
        yield (
            name,
            lambda f=theirs: [f(x) for _ in range(times)],
            lambda f=ours: [f(x) for _ in range(times)],
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--small", type=int, default=2000, help="calls on ten values a turn")
    parser.add_argument("--only", default="", help="large cases whose names have this in them")
    given = parser.parse_args()
    print(f"NumPy {np.__version__}, warpfold {wf.__version__}\n")
    print("| call | NumPy, ms | warpfold, ms | × |\n|---|---:|---:|---:|")
    for name, theirs, ours in large():
        if given.only not in name:
            continue
        (a, b), ratio = in_turns(given.turns, theirs, ours)
        print(f"| {name} | {1e3 * a:.1f} | {1e3 * b:.1f} | {ratio:.2f} |", flush=True)
    print("\n| ten f64 values | NumPy, µs | warpfold, µs |\n|---|---:|---:|")
    for name, theirs, ours in small(given.small):
        (a, b), _ = in_turns(given.turns, theirs, ours)
        print(f"| {name} | {1e6 * a / given.small:.2f} | {1e6 * b / given.small:.2f} |")


if __name__ == "__main__":
    main()
