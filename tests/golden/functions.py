#!/usr/bin/env python3
"""functions.py check PROBE GOLDEN [--sweep]: does the CPU machine give what the card gave?

PROBE is functions_probe, built for the machine; GOLDEN what it wrote on a card. Of functions that are
rounded correctly all results must be the card's, of others none farther off than CUDA's documentation
allows. With --sweep GOLDEN is of all arguments of functions of one float; that takes hours.

functions.py compare FILE FILE: where what `functions_probe --values NAME` wrote on two machines differs
first.
"""
import csv
import subprocess
import sys

# Undefined in C++, and the card's conversions to 64 bits are alone in what they make of a NaN.
DIFFER_BY_DESIGN = {"(ll) float", "(ull) float", "(ll) double", "(ull) double", "(unsigned) double",
                    "(int) double"}


def rows(lines):
    """Name → number of operands and results."""
    table = {name: (operands, results) for name, operands, results in csv.reader(lines)}
    table.pop("function", None)
    return table


def is_bounded(results):
    return "." in results or "inf" in results


def check(probe, golden, *sweep):
    ran = subprocess.run([probe, *sweep], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        return [f"{probe} ended with {ran.returncode}: {ran.stderr.strip()}"]
    here = rows(ran.stdout.splitlines())
    with open(golden, encoding="ascii") as file:
        card = rows(file)
    wrong = [f"{name}: the card's table has it, the program not" for name in card if name not in here]
    for name, (operands, results) in here.items():
        if is_bounded(results):
            distance, *at = results.split()
            if not float(distance) <= 1:
                wrong.append(f"{name}({', '.join(at)}): {distance} times as far off as allowed")
        elif name not in card:
            wrong.append(f"{name}: not in the card's table: make it anew")
        elif (card[name] != (operands, results)) != (name in DIFFER_BY_DESIGN):
            how = "is the card's" if name in DIFFER_BY_DESIGN else "differs from the card"
            wrong.append(f"{name}: {how}; see functions_probe --values '{name}'")
    return wrong


def compare(one, other):
    with open(one, encoding="ascii") as a, open(other, encoding="ascii") as b:
        for x, y in zip(a, b, strict=True):
            if x != y:
                return [f"{x.strip()} in {one}, {y.strip()} in {other}"]
    return []


def main(arguments):
    sweeps = arguments[3:] == ["--sweep"] and arguments[0] == "check"
    if not (len(arguments) == 3 or sweeps) or arguments[0] not in ("check", "compare"):
        print(__doc__, file=sys.stderr)
        return 2
    wrong = (check if arguments[0] == "check" else compare)(*arguments[1:])
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
