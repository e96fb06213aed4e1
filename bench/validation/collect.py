#!/usr/bin/env python3
"""What predictions of time are made of, of many rungs: collect.py OUT FILE… takes the profiles out of
what `warpfold ladder … --backend simt --json` wrote, for bench/results/prediction_profiles.json."""
import json
import sys


def text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


rows = {}
commits = set()
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    commits.add(document["run"]["commit"])
    for m in document["measurements"]:
        if not m.get("profiles"):
            continue
        if not m["right"]:
            sys.exit(f"{path}: the result of {m['rung']} is wrong")
        row = {key: m[key] for key in ("ladder", "rung", "n", "block", "type")}
        row["profiles"] = m["profiles"]
        rows[tuple(str(row[key]).rjust(12) for key in ("ladder", "type", "n", "block", "rung"))] = row
run = {"device": "CPU machine, shaped like an h100", "commit": ", ".join(sorted(commits)),
       "command": "warpfold ladder {reduce,scan,sort} --backend simt --n N --block B --type T --json"}
with open(sys.argv[1], "w", encoding="utf-8") as file:
    body = ",\n".join(text(rows[key]) for key in sorted(rows))
    file.write('{"schema": 1,\n"run": %s,\n"rows": [\n%s\n]}\n' % (text(run), body))
