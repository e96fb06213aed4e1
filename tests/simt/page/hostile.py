"""hostile.py <folder>: JSON whose names and texts try to be something else."""
import json
import sys
from pathlib import Path

SCRIPT = "<script>attacked()</script>"
IMAGE = "\"><img src=x onerror=attacked()>"
END = "</script><!--"
BAD = "BADUTF8"  # becomes bytes that are no UTF-8


def side(line):
    return {"file": IMAGE, "line": line, "block": [0, 0, 0], "thread": [31, 0, 0], "warp": 0}


def cost(line):
    return {"file": IMAGE, "line": line, "active_lanes": 32, "warp_steps": 1,
            "shared_load": {"requests": 1, "wavefronts": 32, "conflicts": 31}}


def row(rung, **extra):
    return {"ladder": SCRIPT, "rung": rung, "idea": IMAGE, "backend": "simt", "n": 100,
            "type": "i32", "op": "sum", "right": False, "result": SCRIPT, "expected": "1",
            "useful_bytes": 400, "counters": {"simt__barriers": 1, "ladder__depth": "inf"},
            "published": [], **extra}


REPORT = {
    "schema": 1, "summary": SCRIPT, "errors": [SCRIPT, END],
    "kernels": [{"name": f"kernel{SCRIPT}", "launches": 1, "grid": [1, 1, 1], "block": [32, 1, 1],
                 "dynamic_shared_bytes": 0,
                 "remarks": [{"file": SCRIPT, "line": 1, "what": IMAGE, "wasted": END}],
                 "counters": {SCRIPT: 1, "nan": "nan"}, "lines": [cost(1), cost(2), cost(3)]}],
    "findings": [{"kind": f"race {BAD}", "kernel": f"kernel{SCRIPT}", "count": 2, "here": side(1),
                  "other": side(3), "mend": SCRIPT, "text": END}],
    "sources": [{"file": IMAGE, "text": f"{SCRIPT}\n{'x' * 10000}\n'{END}' \"quoted\" {BAD}\n"}],
}
LADDER = {
    "schema": 2, "run": {"commit": SCRIPT, "command": END, "device": IMAGE},
    "measurements": [row(f"01 {SCRIPT}"), row(f"02 {IMAGE}", right=None, skipped=END),
                     row("cub", reference=True), 7, None],
    "rungs": [{"rung": f"01 {SCRIPT}", "idea": SCRIPT, "improves": END,
               "evidence": [{"figure": SCRIPT, "least": 0, "most": 1}], "file": IMAGE,
               "text": SCRIPT}],
}

for name, content in (("report", REPORT), ("ladder", LADDER)):
    Path(sys.argv[1], f"hostile_{name}.json").write_bytes(
        json.dumps(content).encode().replace(BAD.encode(), b"\xff\xc0"))
