#!/usr/bin/env python3
"""Shrinks stored runs: `summarise.py FILE…` rewrites JSON of `warpfold bench`, `warpfold ladder` and the
programs warpfold_bench_…. A measurement keeps the count and the hash of its samples beside median and
quartiles, and six digits of a number. It loses what is empty, what stands in `run`, what follows from
other values, and what an earlier measurement states of the same rung."""
import hashlib
import json
import sys

OPTIONAL = ("idea", "source", "block", "launches", "finish", "error", "bound", "read_ceiling_gbs",
            "counters", "published")
OF_THE_RUNG = ("idea", "source", "published")


def text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(v) for key, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def summarised(row, run, stated):
    time = row.get("time", {})
    if "samples_us" in time:
        samples = time.pop("samples_us")
        time["count"] = len(samples)
        time["samples_sha256"] = hashlib.sha256(text(samples).encode()).hexdigest()[:16]
    row.pop("gigabytes_per_second", None)
    if row.get("device") == run.get("device"):
        row.pop("device", None)
    if row.get("right") and row.get("result") == row.get("expected"):
        row.pop("result", None)
        row.pop("expected", None)
    of_the_rung = {key: row[key] for key in OF_THE_RUNG if row.get(key)}
    if stated.setdefault((row["ladder"], row["rung"]), of_the_rung) is not of_the_rung:
        row = {key: value for key, value in row.items() if key not in OF_THE_RUNG}
    return rounded({key: value for key, value in row.items() if value or key not in OPTIONAL})


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    run, stated = document["run"], {}
    rows = ",\n".join(text(summarised(row, run, stated)) for row in document.pop("measurements"))
    more = "".join(f',\n"{key}": {text(value)}' for key, value in document.items()
                   if key not in ("schema", "run"))
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"schema": %s,\n"run": %s,\n"measurements": [\n%s\n]%s}\n'
                   % (document["schema"], text(run), rows, more))
