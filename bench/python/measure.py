#!/usr/bin/env python3
"""warpfold's host calls and file commands beside NumPy, Polars, DuckDB and PyArrow (and PyTorch,
where this environment has it), in one run and in turns; each result is checked. Stored in
bench/results/python_<cores>core.json. The defaults take about 20 minutes on two quiet cores, 16 GB
of memory and 30 GB in --folder."""
import argparse
import json
import os
import pathlib
import platform
import shlex
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from machine import RESULTS, commit, machine, output_of  # noqa: E402

PARTS = ("files", "calls")  # in this order: the calls leave libraries with memory of theirs
LIBRARIES = ("numpy", "polars", "duckdb", "pyarrow", "torch")


def number(text):
    base, _, power = text.partition("^")
    if not base.isdecimal() or not (power or "1").isdecimal() or int(base) == 0:
        raise argparse.ArgumentTypeError(f"'{text}': a number, 1 at least, as 1000 or 2^20")
    return int(base) ** int(power or 1)


def parts(text):
    chosen = text.split(",")
    for each in chosen:
        if each not in PARTS:
            raise argparse.ArgumentTypeError(f"there is no '{each}'; there are files and calls")
    return chosen


def numbers(text):
    found = [number(each) for each in text.split(",")]
    if max(found) > 2**31:
        raise argparse.ArgumentTypeError(f"'{text}': 2^31 values at most")
    return found


def options():
    parser = argparse.ArgumentParser(prog="./dev bench python", description=__doc__,
                                     allow_abbrev=False)
    parser.add_argument("--parts", metavar="LIST", type=parts, default=",".join(PARTS),
                        help="what is measured and stored anew (default: %(default)s)")
    parser.add_argument("--sizes", metavar="LIST", type=numbers, default="2^24,2^27",
                        help="how many values the calls are given (default: %(default)s)")
    parser.add_argument("--file", metavar="N", type=number, default="2^29",
                        help="how many f64 values the file has (default: %(default)s, 4 GiB)")
    parser.add_argument("--memory", metavar="MIB", type=number, default="1024",
                        help="what each program on the file is limited to (default: %(default)s)")
    parser.add_argument("--seconds", metavar="S", type=float, default=3,
                        help="after so much a program is not asked again for the same job "
                             "(default: %(default)s)")
    parser.add_argument("--most", metavar="N", type=number, default="15",
                        help="runs of a program for a job, at most (default: %(default)s)")
    parser.add_argument("--folder", metavar="FOLDER", type=pathlib.Path,
                        help="where the files are made, and what does not fit in memory goes "
                             "(default: the system's for temporary files)")
    parser.add_argument("--outputs", metavar="FOLDER", type=pathlib.Path,
                        help="where results go, as /dev/shm (default: as --folder)")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path,
                        default=RESULTS / f"python_{os.cpu_count()}core.json",
                        help="where the result goes (default: in bench/results, as above)")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def command():
    """How the result was made; not where it went."""
    kept, words = ["./dev", "bench", "python"], iter(sys.argv[1:])
    for word in words:
        name, given, _ = word.partition("=")
        if name not in ("--bin", "--folder", "--json", "--outputs"):
            kept.append(word)
        elif not given:
            next(words, None)
    return shlex.join(kept)


def versions():
    from importlib import metadata

    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
    return found


def say(row):
    came = row.get("no") or (f"{row['median_us'] / 1000:.2f} ms ({row['q1_us'] / 1000:.2f} to "
                             f"{row['q3_us'] / 1000:.2f}) of {row['count']}")
    if "peak_bytes" in row:
        came += f", {row['peak_bytes'] >> 20} MiB"
    print(f"{row['job']}, {row['n']} {row['type']}: {row['who']}: {came}"
          + (f", WRONG: {row['wrong']}" if "wrong" in row else ""), file=sys.stderr, flush=True)


def told(rows):
    result = []
    for of_job in rows:
        for row in of_job:
            say(row)
            result.append(row)
    return result


def store(path, part, run, rows):
    """Beside what is there of the other part; a row a line."""
    stored = json.loads(path.read_text()) if path.exists() else {}
    stored[part] = {"run": run, "rows": rows}

    def text(value):
        return json.dumps(value, ensure_ascii=False)

    parts = (f'"{name}": {{"run": {text(stored[name]["run"])},\n"rows": [\n'
             + ",\n".join(map(text, stored[name]["rows"])) + "\n]}" for name in PARTS
             if name in stored)
    path.write_text('{"schema": 1,\n' + ",\n".join(parts) + "}\n")


def measure(part, asked):
    if part == "calls":
        import calls

        return told(calls.measure(asked.bin, asked.sizes, asked.most, asked.seconds)), {}
    import files

    with tempfile.TemporaryDirectory(dir=asked.folder) as folder, tempfile.TemporaryDirectory(
            dir=asked.outputs or asked.folder) as outputs:
        places = files.Places(asked.bin / "warpfold", pathlib.Path(folder), pathlib.Path(outputs))
        rows = told(files.measure(places, asked.file, asked.memory, asked.most, asked.seconds))
        return rows, {"outputs": output_of("stat", "-f", "-c", "%T", outputs)}


def main():
    asked = options()
    # Choices of a machine's owner for OpenBLAS, which no call here needs.
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        os.environ.pop(name, None)
    run = machine() | {"commit": commit(), "versions": versions(), "command": command()}
    wrong = False
    for part in asked.parts:
        rows, more = measure(part, asked)
        store(asked.json, part, run | more, rows)
        wrong = wrong or any("wrong" in row for row in rows)
    print(f"bench python: wrote {asked.json}", file=sys.stderr)
    if wrong:
        sys.exit("bench python: a result is wrong")


if __name__ == "__main__":
    main()
