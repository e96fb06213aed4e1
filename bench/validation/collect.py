#!/usr/bin/env python3
"""What predictions of time are made of, of many rungs: collect.py OUT FILE… takes the profiles out of
what `warpfold ladder … --backend simt --json` wrote, for bench/results/prediction_profiles.json; a FILE
may be an older OUT, whose rows stay where no later FILE has the same ladder, size, block and type."""
import json
import sys


def text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def group(row):
    return tuple(row[key] for key in ("ladder", "type", "n", "block"))


groups = {}
commits = set()
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    commits |= set(document["run"]["commit"].split(", "))
    found = {}
    for m in document.get("rows") or document["measurements"]:
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
with open(sys.argv[1], "w", encoding="utf-8") as file:
    body = ",\n".join(text(rows[key]) for key in sorted(rows))
    file.write('{"schema": 1,\n"run": %s,\n"rows": [\n%s\n]}\n' % (text(run), body))
