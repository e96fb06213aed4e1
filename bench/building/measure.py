#!/usr/bin/env python3
"""What it costs to build warpfold, in clones of its own and with no compiler cache. Each stage is
stored when it has ended, beside what is there of the others, in bench/results/build_<cores>core.json."""
import argparse
import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from machine import RESULTS, ROOT, commit, machine, nvcc, output_of  # noqa: E402

RESULT = RESULTS / f"build_{os.cpu_count()}core.json"

COMMANDS = (  # in the order of a first visit
    "run",
    "run ladder reduce --type f64 --n 2^10",
    "run ladder scan --n 2^10",
    "run ladder sort --n 2^10",
    "run ladder streams --n 2^10",
    "run steps reduce/sequential --values 3,1,2",
    "run reduce numbers.raw --type i32",
    "run bench reduce --backend host --n 2^10 --samples 1",
    "run doctor",
)
CHANGES = (  # a file, and what runs its tests
    ("ladder/reduce/12_sequential.cuh", "test -R ^ladder.reduce"),
    ("include/warpfold/host/scan.hpp", "test -R ^library.host_scan"),
    ("cli/doctor.cpp", "test -R ^cli.commands"),
)


def say(text):
    stamp = datetime.datetime.now().strftime("%H:%M:%S")
    print(f"{stamp} bench build: {text}", file=sys.stderr, flush=True)


def timed(command, cwd=None, env=None):
    """Wall and CPU seconds of a command and all its children, whether it ended well, and its words."""
    with tempfile.TemporaryFile("w+") as printed:
        begin = time.monotonic()
        child = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=printed,
                                 stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        text = printed.read()
    if child.returncode != 0:
        say(f"{' '.join(map(str, command))} ended with {child.returncode}:\n{text[-4000:]}")
    return wall, used.ru_utime + used.ru_stime, child.returncode == 0, text


class Clone:
    """A clone whose compilers are timed one by one."""

    def __init__(self, folder, **environment):
        self.folder = folder
        self.log = folder.with_suffix(".compilers")
        self.log.touch()
        self.stages = []
        self.env = {**os.environ, "PATH": f"{folder}.bin:{os.environ['PATH']}",
                    "WARPFOLD_COMPILERS": str(self.log), "CCACHE_DISABLE": "1", **environment}
        if not folder.exists():
            self.add("git clone", ["git", "clone", "-q", ROOT, folder], folder.parent)
            clock = pathlib.Path(f"{folder}.bin") / "ccache"
            clock.parent.mkdir()
            shutil.copy(HERE / "clock", clock)

    def compiled(self):
        """CPU seconds and output of each compiler that has run here."""
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [(float(user) + float(system), output) for user, system, output in lines]

    def add(self, name, command, folder):
        before = len(self.compiled())
        wall, cpu, well, text = timed(command, folder, self.env)
        row = {"command": name, "wall_s": round(wall, 1), "cpu_s": round(cpu, 1),
               "files": len(self.compiled()) - before}
        tests = re.findall(r"Total Test time \(real\) = +([\d.]+) sec", text)
        if tests:
            row["tests_s"] = round(sum(map(float, tests)), 1)
        if not well:
            row["failed"] = True
        say(", ".join(f"{key} {value}" for key, value in row.items()))
        self.stages.append(row)

    def dev(self, arguments, note=""):
        self.add(f"./dev {arguments}{note}", [self.folder / "dev", *arguments.split()], self.folder)

    def by_target(self):
        totals = {}
        for cpu, output in self.compiled():
            target = re.search(r"CMakeFiles/([^/]*)\.dir/", output)
            entry = totals.setdefault(target[1] if target else "other", {"cpu_s": 0.0, "files": 0})
            entry["cpu_s"] += cpu
            entry["files"] += 1
        rows = [{"name": name, "cpu_s": round(entry["cpu_s"], 1), "files": entry["files"]}
                for name, entry in totals.items()]
        return sorted(rows, key=lambda row: -row["cpu_s"])

    def dearest(self):
        rows = []
        for cpu, output in sorted(self.compiled(), reverse=True)[:10]:
            within = output.removeprefix(f"{self.folder}/build/")
            name = re.sub(r"CMakeFiles/[^/]*\.dir/(.*)\.o$", r"\1", within.split("/", 1)[-1])
            rows.append({"file": name, "cpu_s": round(cpu, 1)})
        return rows

    def result(self):
        return {"stages": self.stages, "targets": self.by_target(), "files": self.dearest()}


# A stage yields what is to be stored of it whenever there is more.

def commands(work):
    clone = Clone(work / "commands")
    values = b"".join(value.to_bytes(4, "little") for value in range(1000))
    (clone.folder / "numbers.raw").write_bytes(values)
    for command in COMMANDS:
        clone.dev(command)
        yield clone.result()


def test(work):
    clone = Clone(work / "test")
    clone.dev("test")
    yield clone.result()


def test_without_nvcc(work):
    clone = Clone(work / "test_without_nvcc", CUDACXX="none")
    clone.dev("test", ", without nvcc")
    yield clone.result()


def changes(work):
    clone = Clone(work / "test")
    clone.dev("test")  # all that is built before somebody changes something
    clone.stages.clear()
    for file, arguments in CHANGES:
        with open(clone.folder / file, "a") as source:
            source.write("// changed\n")
        clone.dev(arguments, f", after a change in {file}")
        yield {"stages": clone.stages}


def calls(work):
    """One call of each library, by nvcc: the middle one of five."""
    if not nvcc():
        raise SystemExit("calls: there is no nvcc here")
    rows = []
    for source in sorted((HERE / "calls").glob("*.cu")):
        call, library = source.stem.split("_")
        made = work / "call.o"
        command = [nvcc(), "-std=c++20", "-O3", "-arch=sm_90", f"-I{ROOT}/include", "-c", source,
                   "-o", made]
        runs = [timed(command) for _ in range(5)]
        row = {"call": call, "library": library,
               "cpu_s": round(statistics.median(cpu for _, cpu, _, _ in runs), 2)}
        if all(well for _, _, well, _ in runs):
            row["object_bytes"] = made.stat().st_size
        else:
            row["failed"] = True
        say(", ".join(f"{key} {value}" for key, value in row.items()))
        rows.append(row)
        yield {"calls": rows}


STAGES = {each.__name__: each for each in (commands, test, test_without_nvcc, changes, calls)}


def builders():
    release = re.search(r"release ([\d.]+)", output_of(nvcc(), "--version")) if nvcc() else None
    return machine() | {"nvcc": release[1] if release else ""}


def stored_results():
    return json.loads(RESULT.read_text()) if RESULT.exists() else {}


def rows_of(result):
    return result.get("stages", result.get("calls", []))


def is_done(stage):
    """Whether this commit's result is stored, all of it, and nothing in it failed."""
    result = stored_results().get(stage, {})
    return (result.get("commit") == commit() and result.get("complete", False)
            and not any(row.get("failed") for row in rows_of(result)))


def store(stage, result, complete=False):
    stored = stored_results()
    stored |= {"schema": 1, "run": builders(),
               stage: {"commit": commit(), "complete": complete, **result}}
    written = RESULT.with_name(RESULT.name + ".part")
    written.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n")
    written.replace(RESULT)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench build", description=__doc__)
    parser.add_argument("--stages", metavar="LIST", default="commands,calls",
                        help=f"of {', '.join(STAGES)}; or all (default: %(default)s)")
    parser.add_argument("--resume", action="store_true",
                        help="leave out stages that are stored whole for this commit")
    parser.add_argument("--work", metavar="FOLDER", type=pathlib.Path,
                        help="where the clones are made and stay; a later run goes on with them")
    options = parser.parse_args()
    given = options.stages
    chosen = list(STAGES) if given == "all" else given.split(",")
    for stage in chosen:
        if stage not in STAGES:
            parser.error(f"there is no stage '{stage}'; there are {', '.join(STAGES)} and all")
    failed = []
    with contextlib.ExitStack() as stack:
        if options.work:
            work = options.work.resolve()
            work.mkdir(parents=True, exist_ok=True)
        else:
            work = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for stage in chosen:
            if options.resume and is_done(stage):
                say(f"{stage}: stored already")
                continue
            say(stage)
            for result in STAGES[stage](work):
                store(stage, result)
            store(stage, result, complete=True)
            if any(row.get("failed") for row in rows_of(result)):
                failed.append(stage)
    say(f"wrote {RESULT}")
    if failed:
        sys.exit(f"bench build: these failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
