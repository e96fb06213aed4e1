"""check.py <root> <warpfold-check> <warpfold-judge>: their SARIF is as the schema of 2.1.0 says, with the
places of a race; annotations name the same lines; and the commands of examples/ci/check write both."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from sarif_kit.validate import validation_errors

root, check, judge = (os.path.abspath(path) for path in sys.argv[1:])
PROGRAM = """#include <cassert>
__global__ void mirror(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = values[63 - threadIdx.x];
}
__global__ void last(int* out) { out[0] = threadIdx.x; }
__global__ void refuse(int* out) { assert(out == nullptr); }
int main(int arguments, char**) {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  if (arguments == 1) mirror<<<1, 64>>>(out);
  if (arguments == 2) refuse<<<1, 1>>>(out);
  cudaDeviceSynchronize();
}
"""
STORE, READ, COLUMNS = 4, 5, (23, 22)  # the lines of the race
failed = 0


def expect(what, holds, shown):
    global failed
    if not holds:
        failed += 1
        print(f"wrong: {what}: {shown}")


def run(folder, *words, environment=()):
    clean = {k: v for k, v in os.environ.items() if k not in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")}
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, env=clean | dict(environment))


def run_of(file, tool):
    with open(file) as text:
        log = json.load(text)
    errors = validation_errors(log)
    expect(f"{tool}: the schema", not errors, errors)
    one = log["runs"][0]
    driver = one["tool"]["driver"]
    expect("the driver", driver["name"] == tool and driver["version"], driver)
    for result in one["results"]:
        rule = driver["rules"][result["ruleIndex"]]
        expect("the rule", rule["id"] == result["ruleId"] and rule["shortDescription"]["text"], rule)
        expect("the fingerprint", re.fullmatch("[0-9a-f]{16}:[0-9]+", *result["partialFingerprints"].values()), result)
        expect("the place", "physicalLocation" in result["locations"][0], result)
    return one


def place_of(location):
    physical = location["physicalLocation"]
    artifact, region = physical["artifactLocation"], physical.get("region", {})
    return artifact.get("uriBaseId"), artifact["uri"], region.get("startLine"), region.get("startColumn")


def race_in(one, file, lines):
    """The only result, whose two places are these."""
    [result] = one["results"]
    expect("the kind", (result["ruleId"], result["level"]) == ("race-between-warps", "error"), result)
    places = [place_of(result["locations"][0]), place_of(result["relatedLocations"][0])]
    expect("the places", sorted(p[:3] for p in places) == [("%SRCROOT%", file, line) for line in lines], places)
    if shutil.which("llvm-symbolizer"):  # addr2line knows no columns
        expect("the columns", sorted(p[2:] for p in places) == list(zip(lines, COLUMNS)), places)
    related = result["relatedLocations"][0]["message"]["text"]
    expect("the other access", re.search(r"thread \(\d+,0,0\), warp [01] (reads|writes) it$", related), related)
    rule = one["tool"]["driver"]["rules"][0]
    expect("the help", "__syncthreads()" in rule["help"]["text"], rule)
    return result


def try_check(folder):
    os.mkdir(os.path.join(folder, "a b"))
    source = os.path.join(folder, "a b", "race.cu")
    with open(source, "w") as file:
        file.write(PROGRAM)
    done = run(folder, check, "--annotations", "--report", "r.sarif", "-o", "race", "a b/race.cu")
    expect("the exit code", done.returncode == 1, done)
    annotation = r"^::error file=a b/race\.cu,line=[45],(col=\d+,)?title=race between warps::race between warps: kernel mirror.*%0A"
    expect("the annotation", re.search(annotation, done.stderr, re.M), done.stderr)
    one = run_of(os.path.join(folder, "r.sarif"), "warpfold")
    first = race_in(one, "a%20b/race.cu", [STORE, READ])
    expect("the kernel", first["locations"][0]["logicalLocations"][0]["name"] == "mirror", first)
    expect("the end", one["invocations"] == [{"executionSuccessful": True}], one["invocations"])
    base = one["originalUriBaseIds"]["%SRCROOT%"]["uri"]
    expect("the root", base == f"file://{folder}/", base)

    # In another folder of the checkout; and outside of it.
    build = os.path.join(folder, "build")
    os.mkdir(build)
    checked = {"SIMT_CHECK": "1", "SIMT_REPORT": "r.sarif"}
    for variable in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        run(build, "../race", environment=checked | {variable: folder})
        race_in(run_of(os.path.join(build, "r.sarif"), "warpfold"), "a%20b/race.cu", [STORE, READ])
    run(build, "../race", environment=checked)
    place = place_of(run_of(os.path.join(build, "r.sarif"), "warpfold")["results"][0]["locations"][0])
    expect("a file elsewhere", place[:2] == (None, f"file://{folder}/a%20b/race.cu"), place)

    # An error of the program has no place.
    done = run(folder, "./race", "refuse", environment=checked)
    one = run_of(os.path.join(folder, "r.sarif"), "warpfold")
    notes = one["invocations"][0]
    expect("the error", not notes["executionSuccessful"] and
           "assert" in notes["toolExecutionNotifications"][0]["message"]["text"].lower(), one)

    # Lines above change no fingerprint.
    with open(source, "w") as file:
        file.write("\n" + PROGRAM)
    run(folder, check, "--report", "r.sarif", "a b/race.cu")
    moved = race_in(run_of(os.path.join(folder, "r.sarif"), "warpfold"), "a%20b/race.cu", [STORE + 1, READ + 1])
    expect("the fingerprint", moved["partialFingerprints"] == first["partialFingerprints"], moved)

    # A note, which fails nothing.
    with open(source, "w") as file:
        file.write(PROGRAM.replace("mirror<<<", "last<<<").replace("= threadIdx.x; }", "= 1; }"))
    done = run(folder, check, "--notes", "--annotations", "--report", "r.sarif", "a b/race.cu")
    results = run_of(os.path.join(folder, "r.sarif"), "warpfold")["results"]
    expect("a note", done.returncode == 0 and [r["level"] for r in results] == ["note"], (done, results))
    expect("its annotation", re.search(r"^::notice file=a b/race\.cu,line=7,", done.stderr, re.M), done.stderr)
    done = run(folder, check, "--report", "r.xml", "a b/race.cu")
    expect("another ending", done.returncode == 1 and ".sarif" in done.stderr, done)


def try_judge(folder):
    source = os.path.join(folder, "my.cu")
    with open(source, "w") as file:
        file.write(run(folder, judge, "--exercise", "race", "--template").stdout)
    done = run(folder, judge, "--exercise", "race", "--sarif", "j.sarif", "--annotations", "my.cu")
    one = run_of(os.path.join(folder, "j.sarif"), "warpfold judge")
    races = [r for r in one["results"] if r["ruleId"] == "race-between-warps"]
    expect("a race of a hand-in", races and place_of(races[0]["locations"][0])[:2] == ("%SRCROOT%", "my.cu"), one)
    expect("its other place", races and place_of(races[0]["relatedLocations"][0])[1] == "my.cu", one)
    expect("its annotation", re.search(r"^::error file=my\.cu,line=\d+,.*title=race between warps::", done.stdout, re.M), done)
    with open(source, "w") as file:
        file.write("int")
    run(folder, judge, "reduce", "--sarif", "j.sarif", "my.cu")
    [result] = run_of(os.path.join(folder, "j.sarif"), "warpfold judge")["results"]
    expect("what is no hand-in", place_of(result["locations"][0])[1:] == ("my.cu", None, None), result)


def try_templates(folder):
    """The commands of examples/ci/check."""
    with open(os.path.join(folder, "race.cu"), "w") as file:
        file.write(PROGRAM)
    with open(os.path.join(folder, "warpfold"), "w") as file:
        file.write(f'#!/bin/sh\nshift\nexec "{check}" "$@"\n')
    os.chmod(os.path.join(folder, "warpfold"), 0o755)
    for template in ("action.yml", "gitlab.yml"):
        with open(os.path.join(root, "examples/ci/check", template)) as file:
            [command] = re.findall(r"^[ -]*(warpfold check .*)$", file.read(), re.M)
        environment = {"SOURCES": "race.cu -O1", "ARGUMENTS": "", "PATH": folder + ":" + os.environ["PATH"]}
        done = run(folder, "bash", "-c", command, environment=environment)
        annotates = "::error file=race.cu,line=" in done.stderr
        expect(template, done.returncode == 1 and annotates == (template == "action.yml"), done)
        race_in(run_of(os.path.join(folder, "check.sarif"), "warpfold"), "race.cu", [STORE, READ])
        os.remove(os.path.join(folder, "check.sarif"))


for attempt in (try_check, try_judge, try_templates):
    with tempfile.TemporaryDirectory() as made:
        attempt(os.path.realpath(made))
sys.exit(1 if failed else 0)
