"""One program's job on a file, in a process of its own:
file_job.py PROGRAM JOB SOURCE TARGET SPILL MIB. Numbers are printed, all else goes to TARGET."""
import math
import os
import sys

AT_ONCE = 1 << 17  # values of what goes through a file by itself: 1 MiB
UNPACKED = {"compression": "none", "use_dictionary": False}  # random values: nothing to pack


def by_numpy():
    import numpy as np

    x = np.load(SOURCE, mmap_mode="r")
    parts = (x[at:at + AT_ONCE] for at in range(0, len(x), AT_ONCE))
    if JOB == "sum":
        return [sum(part.sum() for part in parts)]
    if JOB == "min":
        return [min(part.min() for part in parts)]
    if JOB == "exact sum":
        return [math.fsum(memoryview(x))]
    if JOB == "statistics":
        return joined((len(part), part.mean(), part.var(), part.min(), part.max())
                      for part in parts)
    if JOB == "cumulative sum":
        to = np.lib.format.open_memmap(TARGET, mode="w+", dtype=x.dtype, shape=x.shape)
        place, carry = 0, 0.0
        for part in parts:
            prefixes = to[place:place + len(part)]
            np.cumsum(part, out=prefixes)
            prefixes += carry
            place, carry = place + len(part), prefixes[-1]
        to.flush()
        return []
    np.save(TARGET, np.sort(x) if JOB == "sort" else np.argsort(x))
    return []


def joined(parts):
    """Mean, variance, minimum and maximum of all, from those of parts."""
    n, mean, squares, least, most = 0, 0.0, 0.0, math.inf, -math.inf
    for count, of, variance, first, last in parts:
        n += count
        apart = of - mean
        mean += apart * count / n
        squares += variance * count + apart * apart * count * (n - count) / n
        least, most = min(least, first), max(most, last)
    return [mean, squares / n, least, most]


def by_polars():
    # Read when Polars is loaded.
    os.environ["POLARS_OOC_MEMORY_BUDGET_MB"] = MIB
    os.environ["POLARS_OOC_SPILL_DIR"] = SPILL
    import polars as pl

    rows, v = pl.scan_parquet(SOURCE), pl.col("v")
    numbers = {"sum": [v.sum()], "min": [v.min()],
               "statistics": [v.mean().alias("a"), v.var(ddof=0).alias("b"), v.min().alias("c"),
                              v.max().alias("d")]}
    if JOB in numbers:
        return rows.select(numbers[JOB]).collect(engine="streaming").row(0)
    result = {"cumulative sum": lambda: rows.select(v.cum_sum()),
              "sort": lambda: rows.sort("v"),
              "argsort": lambda: rows.with_row_index("i").sort("v").select(v="i")}[JOB]()
    result.sink_parquet(TARGET, compression="uncompressed", engine="streaming")
    return []


def by_duckdb():
    import duckdb

    database = duckdb.connect(config={"memory_limit": f"{MIB}MiB", "temp_directory": SPILL})
    rows = f"read_parquet('{SOURCE}')"
    numbers = {"sum": "sum(v)", "min": "min(v)",
               "statistics": "avg(v), var_pop(v), min(v), max(v)"}
    if JOB in numbers:
        return database.sql(f"SELECT {numbers[JOB]} FROM {rows}").fetchall()[0]
    result = {"cumulative sum": f"SELECT sum(v) OVER (ROWS UNBOUNDED PRECEDING) AS v FROM {rows}",
              "sort": f"SELECT v FROM {rows} ORDER BY v",
              "argsort": f"SELECT file_row_number AS i FROM "
                         f"read_parquet('{SOURCE}', file_row_number = true) ORDER BY v"}[JOB]
    database.execute(f"COPY ({result}) TO '{TARGET}' (FORMAT parquet, COMPRESSION uncompressed)")
    return []


def by_pyarrow():
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    file = pq.ParquetFile(SOURCE, pre_buffer=False)  # which would keep the whole file
    columns = (batch.column(0) for batch in file.iter_batches(batch_size=AT_ONCE))
    if JOB == "sum":
        return [sum(pc.sum(part).as_py() for part in columns)]
    if JOB == "min":
        return [min(pc.min(part).as_py() for part in columns)]
    if JOB == "statistics":
        return joined((len(part), pc.mean(part).as_py(), pc.variance(part).as_py(),
                       *(end.as_py() for end in pc.min_max(part).values())) for part in columns)

    def prefixes():
        carry = 0.0
        for part in columns:
            sums = pc.cumulative_sum(part, start=carry)
            carry = sums[-1].as_py()
            yield sums

    if JOB == "cumulative sum":
        kind, parts = pa.float64(), prefixes()
    else:
        values = file.read().column(0)
        order = pc.sort_indices(values)
        kind, parts = ((order.type, [order]) if JOB == "argsort"
                       else (values.type, values.take(order).chunks))
    with pq.ParquetWriter(TARGET, pa.schema([("v", kind)]), **UNPACKED) as to:
        for part in parts:
            to.write_batch(pa.record_batch([part], ["v"]))
    return []


def row_numbers():
    """What `warpfold sort` moves along with the keys for an argsort."""
    import numpy as np

    np.save(TARGET, np.arange(np.load(SOURCE, mmap_mode="r").shape[0], dtype=np.uint32))
    return []


if __name__ == "__main__":
    PROGRAM, JOB, SOURCE, TARGET, SPILL, MIB = sys.argv[1:]
    result = {"NumPy": by_numpy, "Polars": by_polars, "DuckDB": by_duckdb,
              "PyArrow": by_pyarrow, "row numbers": row_numbers}[PROGRAM]()
    print(*map(float, result))
