#!/usr/bin/env python3
"""Trims what `warpfold ladder … --json` wrote to what a hand-in is held against.

warpfold ladder reduce --n 2^20 --json - | cli/judge/trim.py >data/ladders/reduce.json
warpfold ladder scan   --n 2^20 --json - | cli/judge/trim.py >data/ladders/scan.json
warpfold ladder sort   --n 2^16 --json - | cli/judge/trim.py >data/ladders/sort.json
warpfold ladder histogram --n 2^20 --json - | cli/judge/trim.py >data/ladders/histogram.json
warpfold ladder select --n 2^20 --json - | cli/judge/trim.py >data/ladders/select.json
"""
import json
import sys

whole = json.load(sys.stdin)
rows = [m for m in whole["measurements"] if m.get("profiles")]
for row in rows:
    for key in ("predicted", "time", "published", "idea", "source", "error", "bound"):
        row.pop(key, None)
rungs = [{k: v for k, v in r.items() if k not in ("text", "source", "corrections")}
         for r in whole["rungs"]]
run = {"command": whole["run"]["command"]}
lines = ",\n".join(json.dumps(r, separators=(",", ":"), ensure_ascii=False) for r in rows)
print('{"schema":2,"run":%s,\n"measurements":[\n%s],\n"rungs":%s}' % (
    json.dumps(run), lines, json.dumps(rungs, ensure_ascii=False)))
