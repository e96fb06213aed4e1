"""Programs on a file that does not fit in the memory they may use: warpfold's commands beside those
that libraries from PyPI are made of, each a process whose start counts."""
import dataclasses
import functools
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import checks
import file_job
from contest import CannotDo, Contestant, contest

ROWS_AT_ONCE = 1 << 20  # a row group of the Parquet file
GIVE_UP_SECONDS = 300
OPERATIONS = {"sum": "sum", "min": "min", "statistics": "statistics", "exact sum": "exact-sum"}
BY_SYSTEM = ("NumPy", "PyArrow")  # which cannot be told: the system refuses them more
TOLD = {"warpfold": "`--memory`",
        "NumPy": "maps the file, takes 1 MiB at a time; `prlimit --data`",
        "Polars": "`POLARS_OOC_MEMORY_BUDGET_MB`, streaming engine",
        "DuckDB": "`memory_limit`",
        "PyArrow": "batches of 1 MiB; `prlimit --data`"}


def make_files(folder, n):
    """The same new random values as .npy and as Parquet; the values, mapped."""
    random = np.random.default_rng()
    values = np.lib.format.open_memmap(folder / "values.npy", mode="w+", dtype=np.float64,
                                       shape=(n,))
    with pq.ParquetWriter(folder / "values.parquet", pa.schema([("v", pa.float64())]),
                          **file_job.UNPACKED) as parquet:
        for part in checks.chunks(values, ROWS_AT_ONCE):
            random.standard_normal(out=part)
            parquet.write_batch(pa.record_batch([pa.array(part)], ["v"]))
    values.flush()
    os.sync()
    return np.load(folder / "values.npy", mmap_mode="r")


def put_in_page_cache(path):
    with open(path, "rb", buffering=0) as file:
        buffer = bytearray(1 << 20)
        while file.readinto(buffer):
            pass


class Watch(threading.Thread):
    """The most memory of its own that a process held: what it mapped of files does not count."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.most = process, 0
        self.start()

    def run(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status")
        while self.process.returncode is None:
            try:
                lines = status.read_text().splitlines()
            except OSError:
                return
            for line in lines:
                if line.startswith("RssAnon:"):
                    self.most = max(self.most, 1024 * int(line.split()[1]))
            time.sleep(0.01)


def reason(process, error):
    """In Markdown."""
    lines = error.strip().splitlines() or ["no message"]
    last = "`" + lines[-1].strip()[:120].replace("`", "'").replace("|", "/") + "`"
    if process.returncode < 0:
        return f"ended by {signal.Signals(-process.returncode).name}: {last}"
    return last


def run(command, limit, printed):
    """What it prints, where that is asked for, and the most memory that it held. `limit`: bytes of
    its own data, or none."""
    limited = ["prlimit", f"--data={limit}"] if limit else []
    process = subprocess.Popen([*limited, *command], stderr=subprocess.PIPE, text=True,
                               stdout=subprocess.PIPE if printed else subprocess.DEVNULL)
    watch = Watch(process)
    try:
        text, error = process.communicate(timeout=GIVE_UP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise CannotDo(f"not done after {GIVE_UP_SECONDS} s") from None
    if process.returncode != 0:
        raise CannotDo(reason(process, error))
    return text, watch.most


def numbers_of(who, job, printed):
    if who == "warpfold" and job == "statistics":
        named = dict(line.split()[:2] for line in printed.splitlines())
        return tuple(float(named[name]) for name in ("mean", "variance", "min", "max"))
    return tuple(map(float, printed.split()))


def parts_of(path):
    if path.suffix == ".npy":
        yield np.load(path, mmap_mode="r")
        return
    for batch in pq.ParquetFile(path).iter_batches(batch_size=ROWS_AT_ONCE):
        yield batch.column(0).to_numpy()


@dataclasses.dataclass
class Places:
    program: pathlib.Path  # warpfold
    folder: pathlib.Path  # of the files, and of what does not fit in memory
    outputs: pathlib.Path

    def clean(self):
        for folder in (self.folder, self.outputs):
            for left in folder.iterdir():
                if left.stem == "values":
                    continue
                shutil.rmtree(left) if left.is_dir() else left.unlink()


class Jobs:
    def __init__(self, places, n, mib):
        self.places, self.mib = places, mib
        self.truth = checks.Truth(make_files(places.folder, n))

    def commands(self, who, job, source, target):
        program, folder = self.places.program, self.places.folder

        def script(name, to):
            return [sys.executable, file_job.__file__, name, job, source, to, folder, str(self.mib)]

        if who != "warpfold":
            return [script(who, target)]
        common = [source, "--memory", f"{self.mib}MiB", "--backend", "host"]
        if job in OPERATIONS:
            return [[program, "reduce", "--op", OPERATIONS[job], *common]]
        if job == "cumulative sum":
            return [[program, "scan", "-o", target, *common]]
        sort = [program, "sort", "--tmp", folder, *common]
        if job == "sort":
            return [[*sort, "-o", target]]
        numbers = folder / "numbers.npy"
        return [script("row numbers", numbers),
                [*sort, "-o", "-", "--values", numbers, "--values-out", target]]

    def run(self, who, job, facts):
        """Seconds until the result is printed or on the disk, and what is wrong with it."""
        if job == "exact sum" and who not in ("warpfold", "NumPy"):
            raise CannotDo("it has no exact sum")
        kind = ".npy" if who in ("warpfold", "NumPy") else ".parquet"
        source = self.places.folder / f"values{kind}"
        target = self.places.outputs / f"result{kind}"
        put_in_page_cache(source)
        limit = self.mib << 20 if who in BY_SYSTEM else None
        printed = job in checks.NUMBERS
        try:
            begin = time.perf_counter()
            runs = [run(command, limit, printed)
                    for command in self.commands(who, job, source, target)]
            if not printed:
                with open(target, "rb") as file:
                    os.fsync(file.fileno())
            seconds = time.perf_counter() - begin
            facts["peak_bytes"] = max(facts.get("peak_bytes", 0), *(most for _, most in runs))
            result = numbers_of(who, job, runs[-1][0]) if printed else parts_of(target)
            return seconds, checks.CHECKS[job](self.truth, result)
        finally:
            self.places.clean()

    def contestants(self, job):
        for who in TOLD:
            facts = {"told": TOLD[who]}
            yield Contestant(who, facts, functools.partial(self.run, who, job, facts))


def measure(places, n, mib, most, seconds):
    """Rows, a job's at a time."""
    jobs = Jobs(places, n, mib)
    for job in checks.CHECKS:
        yield [{"job": job, "type": "f64", "n": n, "memory_mib": mib, **row}
               for row in contest(list(jobs.contestants(job)), most, seconds)]
