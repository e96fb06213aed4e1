#!/usr/bin/env python3
"""What is kept of a run: summarise.py FILE… leaves, in the JSON of `warpfold bench`, `warpfold ladder`
and the programs warpfold_bench_…, the number and the hash of the samples, whose median and quartiles
stand beside them, and takes out what is empty, said of the whole run, or follows from the rest."""
import hashlib
import json
import sys

OPTIONAL = ("idea", "source", "block", "launches", "finish", "error", "bound", "read_ceiling_gbs",
            "counters", "published")
AS_EXPECTED = "as expected in every run"


def text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def summarised(row, run):
    time = row.get("time", {})
    if "samples_us" in time:
        samples = time.pop("samples_us")
        time["count"] = len(samples)
        time["samples_sha256"] = hashlib.sha256(text(samples).encode()).hexdigest()[:16]
    row.pop("gigabytes_per_second", None)
    if row.get("device") == run.get("device"):
        row.pop("device", None)
    if row.get("result") == row.get("expected") == AS_EXPECTED:
        del row["result"], row["expected"]
    return {key: value for key, value in row.items() if value or key not in OPTIONAL}


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    run = document["run"]
    rows = ",\n".join(text(summarised(row, run)) for row in document["measurements"])
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"schema": %s,\n"run": %s,\n"measurements": [\n%s\n]}\n'
                   % (document["schema"], text(run), rows))
