"""Calls on values in memory: warpfold::host's beside those of libraries from PyPI."""
import ctypes
import functools
import gc
import importlib.util
import math
import pathlib
import time

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

import checks
from contest import Contestant, contest

TYPES = {"f64": np.float64, "f32": np.float32, "i32": np.int32}
OF_ALL_TYPES = ("min", "sort")
SMALL = 1 << 16  # values of the calls that start threads, and are not timed

# What is timed, of each program: x is a NumPy array, s a series and f a frame of Polars, t a table
# of DuckDB, a an array of PyArrow, y a tensor of PyTorch, and all hold the same values, in column
# v. `out` is there for what can be told where to write: of sorts, it holds the values. `warpfold`
# and `highway` are the same calls, built without Highway and with it.
CALLS = {
    "sum": {
        "warpfold": "warpfold.sum(x)",
        "NumPy": "x.sum()",
        "Polars": "s.sum()",
        "DuckDB": "sql('SELECT sum(v) FROM t').fetchall()",
        "PyArrow": "pc.sum(a)",
        "PyTorch": "y.sum()",
    },
    "min": {
        "warpfold": "warpfold.min(x)",
        "NumPy": "x.min()",
        "Polars": "s.min()",
        "DuckDB": "sql('SELECT min(v) FROM t').fetchall()",
        "PyArrow": "pc.min(a)",
        "PyTorch": "y.min()",
    },
    "statistics": {
        "warpfold": "warpfold.statistics(x)",
        "NumPy": "(x.mean(), x.var(), x.min(), x.max())",
        "Polars": "f.select(a=v.mean(), b=v.var(ddof=0), c=v.min(), d=v.max())",
        "DuckDB": "sql('SELECT avg(v), var_pop(v), min(v), max(v) FROM t').fetchall()",
        "PyArrow": "(pc.mean(a), pc.variance(a), *pc.min_max(a).values())",
        "PyTorch": "(y.mean(), y.var(correction=0), *y.aminmax())",
    },
    "exact sum": {
        "warpfold": "warpfold.exact_sum(x)",
        "NumPy": "math.fsum(memoryview(x))",
    },
    "cumulative sum": {
        "warpfold": "warpfold.cumulative_sum(x, out)",
        "NumPy": "x.cumsum(out=out)",
        "Polars": "s.cum_sum()",
        "DuckDB": "sql('SELECT sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM t').to_arrow_table()",
        "PyArrow": "pc.cumulative_sum(a)",
        "PyTorch": "y.cumsum(0)",
    },
    "sort": {
        "warpfold": "warpfold.sort(out)",
        "warpfold, Highway": "highway.sort(out)",
        "NumPy": "out.sort()",
        "Polars": "s.sort()",
        "DuckDB": "sql('SELECT v FROM t ORDER BY v').to_arrow_table()",
        "PyArrow": "a.take(pc.sort_indices(a))",
        "PyTorch": "y.sort().values",
    },
    "argsort": {
        "warpfold": "warpfold.argsort(x, indices)",
        "NumPy": "x.argsort()",
        "Polars": "s.arg_sort()",
        "DuckDB": "sql('SELECT rowid FROM t ORDER BY v').to_arrow_table()",
        "PyArrow": "pc.sort_indices(a)",
        "PyTorch": "y.argsort()",
    },
}


class Library:
    """warpfold's calls, from a library that calls.cpp was built to."""

    def __init__(self, path):
        self.shared_object = ctypes.CDLL(str(path))
        for job in ("sum", "exact_sum", "min"):
            for name, of in (("f64", ctypes.c_double), ("f32", ctypes.c_float),
                             ("i32", ctypes.c_int32)):
                if job == "min" or name == "f64":
                    getattr(self.shared_object, f"{job}_{name}").restype = of

    def call(self, job, x, *outputs):
        name = next(name for name, of in TYPES.items() if x.dtype == of)
        pointers = (ctypes.c_void_p(each.ctypes.data) for each in outputs)
        return getattr(self.shared_object, f"{job}_{name}")(
            ctypes.c_void_p(x.ctypes.data), ctypes.c_size_t(len(x)), *pointers)

    def __getattr__(self, job):
        return functools.partial(self.call, job)

    def statistics(self, x):
        result = np.full(4, np.nan)
        self.call("statistics", x, result)
        return result

    def cumulative_sum(self, x, out):
        self.call("cumulative_sum", x, out)
        return out

    def sort(self, out):
        self.call("sort", out)
        return out

    def argsort(self, x, indices):
        self.call("argsort", x, indices)
        return indices


def libraries(folder):
    found = {"warpfold": Library(folder / "warpfold_calls_host.so")}
    if (folder / "warpfold_calls_highway.so").exists():
        found["highway"] = Library(folder / "warpfold_calls_highway.so")
    return found


def as_array(result):
    """What a call returned, as NumPy's array, without a copy where it can be."""
    if isinstance(result, pa.Table):
        result = result.column(0)
    if isinstance(result, pa.ChunkedArray):
        return np.concatenate([part.to_numpy() for part in result.chunks])
    return np.asarray(result)  # a series, an array of PyArrow, a tensor


def as_numbers(result):
    if isinstance(result, pl.DataFrame):
        result = result.row(0)
    elif isinstance(result, list):  # of DuckDB's rows
        result = result[0]
    elif not isinstance(result, (tuple, np.ndarray)):
        result = (result,)
    return tuple(float(each.as_py() if isinstance(each, pa.Scalar) else each) for each in result)


@functools.cache
def other_values():
    """So many that no cache has anything else once they were read."""
    caches = pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    kib = max((int(size.read_text().strip().rstrip("K")) for size in caches), default=32 << 10)
    return np.ones(2 * kib * 1024 // 8)


class Data:
    """New random values, as each library likes them, and what is right of them."""

    def __init__(self, type_name, n, warpfolds):
        random = np.random.default_rng()
        if type_name == "i32":
            x = random.integers(-2**31, 2**31, n, np.int32)
        else:
            x = random.standard_normal(n, TYPES[type_name])
        self.type, self.n, self.truth = type_name, n, checks.Truth(x)
        self.out, self.indices = np.empty_like(x), np.empty(n, np.uint32)
        arrow, self.database = pa.array(x), duckdb.connect()
        self.database.from_arrow(pa.table({"v": arrow})).create("t")
        self.names = {"math": math, "pc": pc, **warpfolds, "x": x, "s": pl.Series("v", x),
                      "f": pl.DataFrame({"v": x}), "v": pl.col("v"), "sql": self.database.sql,
                      "a": arrow, "out": self.out, "indices": self.indices}
        if importlib.util.find_spec("torch"):
            import torch
            self.names["y"] = torch.from_numpy(x)

    def renew(self, job):
        """Outputs without a value that could pass for a result; of sorts, the input in place."""
        self.out.view(np.uint8)[:] = 0xff
        self.indices[:] = 0xffffffff
        if job == "sort":
            self.out[:] = self.truth.values
        other_values().sum()

    def run(self, job, call):
        """Seconds, and what is wrong with the result."""
        self.renew(job)
        begin = time.perf_counter()
        result = eval(call, self.names)
        seconds = time.perf_counter() - begin
        if job in checks.NUMBERS:
            return seconds, checks.CHECKS[job](self.truth, as_numbers(result))
        values = as_array(self.out if result is None else result)  # None of what sorts in place
        wrong = checks.CHECKS[job](self.truth, [values])
        del result, values
        gc.collect()
        return seconds, wrong

    def contestants(self, job):
        absent = {who for who, name in (("PyTorch", "y"), ("warpfold, Highway", "highway"))
                  if name not in self.names}
        return [Contestant(who, {"call": text},
                           functools.partial(self.run, job, compile(text, who, "eval")))
                for who, text in CALLS[job].items() if who not in absent]


def measure(folder, sizes, most, seconds):
    """Rows, a job's at a time; floats of 64 bits, of the least size also other types."""
    warpfolds = libraries(folder)
    for n in sizes:
        for type_name in TYPES if n == min(sizes) else ("f64",):
            first, data = Data(type_name, SMALL, warpfolds), Data(type_name, n, warpfolds)
            for job in CALLS if type_name == "f64" else OF_ALL_TYPES:
                for each in first.contestants(job):
                    _, wrong = each.run()
                    if wrong:
                        raise SystemExit(f"bench python: {each.who}, {job}: {wrong}")
                yield [{"job": job, "type": type_name, "n": n, **row}
                       for row in contest(data.contestants(job), most, seconds)]
            first.database.close()
            data.database.close()
