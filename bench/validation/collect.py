#!/usr/bin/env python3
"""Collects profiles, from which times are predicted: `collect.py OUT FILE…` takes them from JSON of
`warpfold ladder … --backend simt`, for bench/results/prediction_profiles.json. A FILE may be an older
OUT, whose rows stay unless a later FILE has the same ladder, size, block and type. OUT is a table: a
profile is a list in the order of `columns`, without nulls at its end, and names a kernel by its index
in `kernels`."""
import collections
import json
import sys


def text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def group(row):
    return tuple(row[key] for key in ("ladder", "type", "n", "block"))


def rows_of(document):
    """Measurements, or the rows of an older OUT, whose profiles become objects again."""
    kernels, columns = document.get("kernels"), document.get("columns")
    for row in document.get("rows") or document["measurements"]:
        if kernels:
            profiles = [{k: v for k, v in zip(columns, p) if v is not None} for p in row["profiles"]]
            row["profiles"] = [p | {"kernel": kernels[p["kernel"]]} for p in profiles]
        yield row


def as_lists(rows):
    """`kernels` and `columns`, the most frequent first; replaces the profiles by lists."""
    profiles = [p for row in rows for p in row["profiles"]]
    kernels = sorted({p["kernel"] for p in profiles})
    frequency = collections.Counter(key for p in profiles for key in p)
    columns = [key for key, _ in frequency.most_common()]
    index = {kernel: i for i, kernel in enumerate(kernels)}
    for row in rows:
        cells = [[(p | {"kernel": index[p["kernel"]]}).get(key) for key in columns]
                 for p in row["profiles"]]
        row["profiles"] = [c[:max(i for i, v in enumerate(c) if v is not None) + 1] for c in cells]
    return kernels, columns


groups = {}
commits = set()
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    commits |= set(document["run"]["commit"].split(", "))
    found = {}
    for m in rows_of(document):
        if not m.get("profiles"):
            continue
        if not m.get("right", True):
            sys.exit(f"{path}: the result of {m['rung']} is wrong")
        row = {key: m[key] for key in ("ladder", "rung", "n", "block", "type")}
        row["profiles"] = m["profiles"]
        found.setdefault(group(row), {})[row["rung"]] = row
    groups |= found
rows = {key + (rung,): row for key, of in groups.items() for rung, row in of.items()}
run = {"device": "CPU machine, shaped like an h100", "commit": ", ".join(sorted(commits)),
       "command": "warpfold ladder {reduce,scan,sort} --backend simt --n N --block B --type T --json"}
rows = [rows[key] for key in sorted(rows)]
kernels, columns = as_lists(rows)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write('{"schema": 2,\n"run": %s,\n"columns": %s,\n"kernels": [\n%s\n],\n"rows": [\n%s\n]}\n'
               % (text(run), text(columns), ",\n".join(map(text, kernels)),
                  ",\n".join(map(text, rows))))
