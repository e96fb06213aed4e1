#!/usr/bin/env python3
"""run.py <warpfold-judge> <repository> input|templates|many|page|wrong|cheats|rungs|published|exercises|ci [<name>…]: hand-ins and their first sentences."""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

judge, root, what, *only = sys.argv[1:]
root = os.path.abspath(root)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cheats import CHEATS, LIMITS  # noqa: E402
from published import PUBLISHED, hand_in  # noqa: E402
from wrong import RIGHT, SHUFFLE, WRONG  # noqa: E402
from wrong_counts import HISTOGRAM, SELECT, WRONG_HISTOGRAMS, WRONG_SELECTIONS, LOST_ORDER  # noqa: E402

LADDERS = ("reduce", "scan", "sort", "histogram", "select")
failed = 0


def wrong(text):
    global failed
    failed += 1
    print("wrong:", text)


def run(files, options=(), environment=None, ladder="reduce"):
    """The verdicts by stem, and the exit code."""
    done = subprocess.run([judge, ladder, *files, "--json", "-", *options], capture_output=True, text=True,
                          env=os.environ | (environment or {}))
    if not done.stdout.startswith("{"):
        wrong(f"{files} {options} printed {done.stdout!r} {done.stderr!r}")
        return {}, done.returncode
    hand_ins = json.loads(done.stdout)["hand_ins"]
    return {os.path.basename(h["file"])[:-3]: h for h in hand_ins}, done.returncode


def written(folder, name, text):
    path = os.path.join(folder, name + ".cu")
    with open(path, "w") as file:
        file.write(text)
    return path


def expect(name, verdicts, sentence):
    said = verdicts.get(name, {}).get("sentence", "nothing")
    if not re.match(f"(?:{sentence})", said, re.S):
        wrong(f"{name}: said '{said}', not '{sentence}'")


def try_wrong(folder):
    for ladder, all_wrong in (("reduce", WRONG), ("histogram", WRONG_HISTOGRAMS), ("select", WRONG_SELECTIONS)):
        chosen = [w for w in all_wrong if not only or w[0] in only or ladder in only]
        files = []
        for name, right, here, instead, _ in chosen:
            if here and right.count(here) != 1:
                wrong(f"{name}: '{here}' stands {right.count(here)} times in the right kernel")
            files.append(written(folder, name, right.replace(here, instead) if here else right))
        if not files:
            continue
        verdicts, code = run(files, ["-j2"], ladder=ladder)
        for name, *_, sentence in chosen:
            expect(name, verdicts, sentence)
        if code != 1:
            wrong(f"the exit code is {code}, not 1")


def try_cheats(folder):
    confined = shutil.which("bwrap") and subprocess.run(
        ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True).returncode == 0
    for name, source, sentence, options, needs_bubblewrap in CHEATS + LIMITS:
        if (only and name not in only) or (needs_bubblewrap and not confined):
            continue
        verdicts, _ = run([written(folder, name, source)], options.split())
        expect(name, verdicts, sentence)


REDUCE = """
#include "ladder/reduce/{file}"
namespace ladder = warpfold::ladder;
using rung = ladder::reduce_ladder::{name};
extern "C" void reduce({const}int* in, int* out, size_t n) {{
  if (n == 0) {{
    cudaMemset(out, 0, sizeof(int));
    return;
  }}
  ladder::shape s{{n, 256, 132, sizeof(int)}};
  int *partials[2], *from = const_cast<int*>(in);
  void* scratch;
  cudaMalloc(&partials[0], rung::partials(s) * sizeof(int));
  cudaMalloc(&partials[1], rung::partials(s) * sizeof(int));
  cudaMalloc(&scratch, rung::scratch_bytes(s) + 4);
  cudaMemset(scratch, 0, rung::scratch_bytes(s) + 4);
  for (int k = 0;; k ^= 1) {{
    const size_t left = rung::partials(s);
    int* const to = left == 1 ? out : partials[k];
    rung::run<int, warpfold::plus>({{from, to, s.n, rung::grid(s), s.block, scratch, nullptr}});
    if (left == 1) break;
    s.n = left;
    from = to;
  }}
  cudaFree(scratch);
  cudaFree(partials[1]);
  cudaFree(partials[0]);
}}
"""
ARRAYS = """
#include "ladder/{ladder}/{file}"
#include "warpfold/order.hpp"
namespace ladder = warpfold::ladder;
using namespace ladder::{ladder}_ladder;
using rung = ladder::{ladder}_ladder::{name};
extern "C" void {ladder}(const {type}* in, {type}* out, size_t n) {{
  if (n == 0) return;
  const ladder::shape s{{n, 256, 132, sizeof({type})}};
  void* scratch;
  cudaMalloc(&scratch, rung::scratch_bytes(s) + 4);
  cudaMemset(scratch, 0, rung::scratch_bytes(s) + 4);
  {run}
  cudaFree(scratch);
}}
"""
COUNTS = """
#include "ladder/{ladder}/{file}"
namespace ladder = warpfold::ladder;
using namespace ladder::{ladder}_ladder;
using rung = ladder::{ladder}_ladder::{name};
{c}void {ladder}({parameters}) {{
  {empty}
  if (n == 0) return;
  const ladder::shape s{{n, 256, 132, sizeof *in{bins}}};
  void* scratch;
  cudaMalloc(&scratch, rung::scratch_bytes(s) + 4);
  cudaMemset(scratch, 0, rung::scratch_bytes(s) + 4);
  {run}
  cudaFree(scratch);
}}
"""
PARAMETERS = {"histogram": "const unsigned* in, unsigned* counts, size_t n, unsigned bins",
              "select": "const int* in, int* out, unsigned long long* kept, size_t n"}
EMPTY = {"histogram": "if (n == 0) cudaMemset(counts, 0, bins * sizeof(unsigned));", "select": "if (n == 0) cudaMemset(kept, 0, sizeof *kept);"}
RUN = {
    "histogram": "rung::run(pass<unsigned>{in, counts, n, s, nullptr}, counting_add<rung>{});",
    "select": "rung::run(pass<int>{in, out, kept, n, s, scratch, nullptr}, counting_keep<rung>{});",
    "scan": "rung::run<int, warpfold::plus>({in, out, n, false, s, scratch, nullptr});",
    "sort": "rung::run(pass<unsigned, nothing>{{const_cast<unsigned*>(in)}, {out}, n, s, scratch, nullptr}, warpfold::ascending{});",
    "sort in place": "cudaMemcpy(out, in, n * sizeof(unsigned), cudaMemcpyDeviceToDevice);\n"
                     "  rung::run(pass<unsigned, nothing>{{out}, {out}, n, s, scratch, nullptr}, warpfold::ascending{});",
}
# The library shapes its launches for the CPU machine, and stands in no table of the judge's; odd-even needs n launches, and
# has no row at the size that is counted.
NO_HAND_IN = {"scan": ["09 library"], "sort": ["01 odd-even", "11 library"], "histogram": ["08 library"], "select": ["06 library"]}
LOSE_THE_ORDER = ["select 01 ticket", "select 02 warp-ticket"]
WAITS = ["scan 08 look-back", "sort 10 onesweep", "select 04 look-back", "select 05 wide"]  # for other blocks: no time is predicted, and there is no place

# As a hand-in it counts 19 % more integer operations than in the ladder's program.
WIDER = {"sort 09 local-sort": 0.05}


def rung_as_hand_in(ladder, file):
    with open(os.path.join(root, "ladder", ladder, file)) as source:
        text = source.read()
    name = re.search(r"struct (\w+) :[^{]*\{\s*static constexpr description about", text)
    name = name.group(1) if name else file[3:-4]
    parameters = PARAMETERS.get(ladder)
    if parameters:
        return COUNTS.format(ladder=ladder, file=file, name=name, parameters=parameters, run=RUN[ladder], c="" if ladder == "select" else 'extern "C" ',
                             empty=EMPTY[ladder], bins=", ~0U, bins" if ladder == "histogram" else "")
    in_place = ".in_place = true" in text
    if ladder == "reduce":
        return REDUCE.format(file=file, name=name, const="" if in_place else "const ")
    return ARRAYS.format(ladder=ladder, file=file, name=name, type="unsigned" if ladder == "sort" else "int",
                         run=RUN[ladder + " in place" * in_place])


def try_rungs(folder):
    """A rung, written out as a hand-in, is right and lands beside itself; only: reduce, or scan_03, or all. By default every
    second of the documents' reductions is left out, which differ little from their neighbours."""
    for ladder in LADDERS:
        with open(os.path.join(root, f"data/ladders/{ladder}.json")) as file:
            rungs = json.load(file)["rungs"]
        files, labels = [], {}
        for rung in rungs:
            number = int(rung["rung"][:2])
            stem = f"{ladder}_{number:02}"
            left_out = not {"all", ladder, stem} & set(only) if only else ladder == "reduce" and number < 16 and number % 2
            if left_out or rung["rung"] in NO_HAND_IN.get(ladder, []):
                continue
            labels[stem] = rung["rung"]
            files.append(written(folder, stem, rung_as_hand_in(ladder, rung["file"])))
        if files:
            judge_rungs(ladder, files, labels)


def judge_rungs(ladder, files, labels):
    verdicts, code = run(files, ["-j2", "--limit", "200", "--seed", "1"], {"CPLUS_INCLUDE_PATH": f"{root}:{root}/include"}, ladder)
    for stem, label in labels.items():
        v = verdicts.get(stem, {})
        if f"{ladder} {label}" in LOSE_THE_ORDER:
            expect(stem, verdicts, "wrong at n = " + LOST_ORDER)
            continue
        if v.get("verdict") != "right":
            wrong(f"{ladder} {label}: {v.get('sentence')} {v.get('compiler', '')[:600]}")
            continue
        if ("place" not in v) != (f"{ladder} {label}" in WAITS):
            wrong(f"{ladder} {label}: {v['measurement'].get('predicted')}")
        place = v.get("place")
        if place and (place["like"] != label or abs(place["of_like"] - 1) > WIDER.get(f"{ladder} {label}", 0.02)):
            wrong(f"{ladder} {label}: lands beside {place['like']}, at {place['of_like']:.4f} of its time")
    if code != any(label.startswith(ladder) for label in LOSE_THE_ORDER) and not failed:
        wrong(f"{ladder}: the exit code is {code}")


def try_published(folder):
    """The documents' kernels land beside the rungs made of them; their mistakes are found."""
    chosen = [p for p in PUBLISHED if not only or p[0] in only]
    verdicts, code = run([written(folder, name, hand_in(*parts)) for name, *parts, _, _ in chosen], ["-j2"])
    for name, *_, sentence, rung in chosen:
        expect(name, verdicts, sentence)
        like = verdicts.get(name, {}).get("place", {}).get("like")
        if rung and like != rung:
            wrong(f"{name}: lands beside {like}, not beside {rung}")
    if code != 1 and not only:
        wrong(f"published: the exit code is {code}, not 1")


BAD = [
    ("missing", None, "No such file"),
    ("empty", b" \n\n", "is empty; 'warpfold judge reduce --template'"),
    ("large", b"// " + b"x" * (10 << 20), "has 10.0 MiB; a hand-in has at most 1 MiB"),
    ("latin", RIGHT.encode() + "// Größe".encode("latin-1"), "is not UTF-8 text"),
    ("no_function", RIGHT.replace("reduce", "total").encode(), "has no function reduce; it needs"),
    ("signature", RIGHT.replace("int* out, size_t n) {\n  cudaMemset", "float* out, size_t n) {\n  cudaMemset")
     .replace("(in, out, n);", "(in, (int*)out, n);").encode(), r"line 15: 'extern \"C\" void reduce\(const int\* in, "
     r"float\* out, size_t n\)' is not 'extern \"C\" void reduce\(const int\* in, int\* out, size_t n\)'"),
    ("another_ladder", RIGHT.replace(" reduce(", " scan(").encode(),
     "has a function scan but no reduce; judge it with 'warpfold judge scan'"),
    ("bare_kernel", RIGHT.split("extern")[0].replace("sum_kernel", "reduce").encode(),
     "line 3: reduce is a kernel; state its launch"),
    ("bad_launch", b"// launch: sum_kernel(in, out, n)\n" + RIGHT.encode(), "line 1: the launch is not of the form"),
    ("syntax", RIGHT.replace("int sum", "int int").replace("unsigned tid", "unsigned tid tid").encode(),
     "does not compile: .*syntax.cu:5"),
]


BAD_COUNTS = [
    ("histogram", HISTOGRAM.replace(", size_t n, unsigned bins) {\n  cudaMemset", ", size_t n) {\n  const unsigned bins = 64;\n  cudaMemset"),
     r"line 12: .* is not 'extern \"C\" void histogram\(const unsigned\* in, unsigned\* counts, size_t n, unsigned bins\)'"),
    ("histogram", SELECT, "has a function select but no histogram; judge it with 'warpfold judge select'"),
    ("histogram", "// launch: count(in, counts, n, bins)\n" + HISTOGRAM, r"line 1: .*>>>\(in, counts, n, bins\)'"),
    ("select", SELECT.replace("void select(", "extern \"C\" void select("), "does not compile: .*select.cu:2[0-9]"),
    ("select", SELECT.split("void select(")[0].replace("select_kernel", "select"), r"line 3: select is a kernel; .*\(in, out, kept, n\)'"),
    ("select", "#include <sys/select.h>\n", r"has no function select; it needs 'void select\(const int\* in, int\* out, unsigned long long\* kept, size_t n\)'"),
]


def try_input(folder):
    for ladder, text, sentence in BAD_COUNTS:
        verdicts, code = run([written(folder, ladder, text)], ladder=ladder)
        expect(ladder, verdicts, sentence)
        if code != 4:
            wrong(f"{ladder}: the exit code is {code}, not 4")
    for name, text, sentence in BAD:
        path = os.path.join(folder, name + ".cu")
        if text is not None:
            with open(path, "wb") as file:
                file.write(text)
        verdicts, code = run([path])
        expect(name, verdicts, sentence)
        if code != 4:
            wrong(f"{name}: the exit code is {code}, not 4")
    for words, says in [(["bogus", "x.cu"], "there is no ladder bogus"), (["reduce"], "a hand-in is missing"),
                        (["reduce", "x.cu", "--limit", "0"], "between 0 and 86400 seconds"),
                        ([], "ladder is missing: reduce, scan, sort, histogram or select"), (["--exercise", "conflict"], "there is no exercise conflict; "),
                        (["--exercise", "conflicts"], "a hand-in is missing: warpfold judge --exercise conflicts"),
                        (["--exercise", "conflicts", "--hint", "4"], "--hint 4: must be 1, 2 or 3"),
                        (["reduce", "--hint", "1"], "need --exercise NAME")]:
        done = subprocess.run([judge, *words], capture_output=True, text=True)
        if done.returncode != 2 or says not in done.stderr:
            wrong(f"{words}: {done.returncode} {done.stderr!r}")


def try_templates(folder):
    for ladder in LADDERS:
        for form in ("function", "kernel"):
            text = subprocess.run([judge, ladder, "--template", "--form", form], capture_output=True, text=True).stdout
            path = written(folder, f"{ladder}_{form}", text)
            done = subprocess.run([judge, ladder, path], capture_output=True, text=True)
            if done.returncode != 0 or ": right and clean\n" not in done.stdout or ladder == "sort" and "sort · keys of 65,536 u32" not in done.stdout:
                wrong(f"the template {ladder} {form}: {done.stdout}{done.stderr}")


def try_many(folder):
    """Twelve at once in all formats; one that never ends costs its own limit alone."""
    files = [written(folder, "right", RIGHT), written(folder, "race", RIGHT.replace("  __syncthreads();\n  for", "  for")),
             written(folder, "endless", RIGHT.replace("if (n == 0)", "for (;;) asm volatile(\"\");\n  if (n == 0)"))]
    blocks = [32, 64, 128, 192, 384, 512, 640, 768, 1024]
    files += [written(folder, f"right_{b}", SHUFFLE.replace("[8]", "[32]").replace("< 8", f"< {b // 32}")
                      .replace("d = 4", "d = 16").replace("256, 256>>>", f"256, {b}>>>")) for b in blocks]
    out = {kind: os.path.join(folder, "out." + kind) for kind in ("junit", "sarif", "csv", "json")}
    options = [word for kind, path in out.items() for word in ("--" + kind, path)]
    done = subprocess.run([judge, "reduce", *files, "-j2", "--limit", "40", "--annotations", *options], capture_output=True, text=True)
    if done.returncode != 1:
        wrong(f"many: the exit code is {done.returncode}: {done.stderr}")
    if not re.search(r"^::error file=[^,]*race.cu,line=\d+,(col=\d+,)?title=race between warps::race between warps: ", done.stdout, re.M):
        wrong(f"annotations: {done.stdout}")
    suite = xml.etree.ElementTree.parse(out["junit"]).getroot()
    if [len(case.findall("failure")) for case in suite.iter("testcase")] != [0, 1, 1] + [0] * len(blocks):
        wrong("JUnit does not have failures of the second and the third")
    with open(out["csv"]) as file:
        rows = list(csv.DictReader(file))
    if [row["verdict"] for row in rows][::2] != ["right", "stopped"] + ["right"] * 4:
        wrong(f"CSV: {rows}")
    with open(out["sarif"]) as file:
        log = json.load(file)
    results = log["runs"][0]["results"]
    if "race-between-warps" not in [r["ruleId"] for r in results] or log["version"] != "2.1.0":
        wrong(f"SARIF: {log}")
    seconds = json.load(open(out["json"]))["hand_ins"][2]["seconds"]
    if seconds["run"] < 39:
        wrong(f"the endless one ran for {seconds['run']} s")


def documents_in(page):
    with open(page) as file:
        return [json.loads(t) for t in re.findall(r'class="document" data-name="[^"]*">(.*?)</script>', file.read(), re.S)]


def try_page(folder):
    """A row for each hand-in in the ladder's table, with what it counted, its findings and its source."""
    files = [written(folder, "right", RIGHT), written(folder, "race", RIGHT.replace("  if (tid == 0) atomicAdd", "  values[255] = tid;\n  if (tid == 0) atomicAdd")),
             written(folder, "loses", RIGHT.replace("i < n ? in[i] : 0", "i > 0 && i < n ? in[i] : 0")),
             written(folder, "empty", "\n")]
    page = os.path.join(folder, "page.html")
    verdicts, code = run(files, ["-j2", "--html", page])
    if code != 4:
        wrong(f"page: the exit code is {code}")
    ladder, *steps = documents_in(page)
    rows = {m["rung"]: m for m in ladder["measurements"]}
    about = {r["rung"]: r for r in ladder["rungs"]}
    if len(rows) != 22 + len(files) or any(m["n"] != 2**20 or m["op"] != "sum" for m in rows.values()):
        wrong(f"page: its rows are {list(rows)}")
    for path in files:
        stem = os.path.basename(path)[:-3]
        row, verdict = rows[path], verdicts[stem]
        counted = verdict.get("measurement") or {}
        if row.get("counters") != counted.get("counters", row.get("counters")) or about[path]["idea"] != verdict["sentence"]:
            wrong(f"page: {stem} has {row} {about[path]}")
        if (stem in ("right", "race")) != (row["right"] is True) or ("skipped" in row) == (row["right"] is True):
            wrong(f"page: {stem} has {row}")
    if about[files[0]]["compared_with"] != int(verdicts["right"]["place"]["like"][:2]) or about[files[0]]["text"] != RIGHT:
        wrong(f"page: {about[files[0]]}")
    report = ladder["report"]
    if {k["rung"] for k in report["kernels"]} != set(files[:2]) or not any(
            line["file"] == files[0] for k in report["kernels"] for line in k["lines"]):
        wrong(f"page: its kernels are {report['kernels']}")
    found = [(f["kind"], f["here"]["file"]) for f in report["findings"]]
    if ("race between warps", files[1]) not in found or {s["file"] for s in report["sources"]} != set(files[:3]):
        wrong(f"page: its findings are {found}")
    if not steps or any(not s["steps"] for s in steps):
        wrong("page: no rung's steps are there to play")


def said(*words):
    return subprocess.run([judge, *words], capture_output=True, text=True).stdout


def try_ci(folder):
    """The commands of the templates in examples/ci/judge, on a hand-in with a race."""
    written(folder, "race", RIGHT.replace("  __syncthreads();\n  for", "  for"))
    warpfold = os.path.join(folder, "warpfold")
    with open(warpfold, "w") as file:
        file.write(f'#!/bin/sh\nshift\nexec "{os.path.abspath(judge)}" "$@"\n')
    os.chmod(warpfold, 0o755)
    for template in ("action.yml", "gitlab.yml"):
        with open(os.path.join(root, "examples/ci/judge", template)) as file:
            commands = re.findall(r"^[ -]*(warpfold judge .*)$", file.read(), re.M)
        if len(commands) != 1:
            wrong(f"{template} has the commands {commands}")
            continue
        done = subprocess.run(["bash", "-c", commands[0]], cwd=folder, capture_output=True, text=True,
                              env=os.environ | {"LADDER": "reduce", "FILES": "*.cu", "PATH": folder + ":" + os.environ["PATH"]})
        if done.returncode != 1 or ("::error file=race.cu,line=" in done.stdout) != (template == "action.yml"):
            wrong(f"{template}: {done.returncode} {done.stdout} {done.stderr}")
        for made in ("judge.sarif", "judge.xml"):
            os.remove(os.path.join(folder, made))


def try_exercises(folder):
    """Each starting file fails as its file says, each solution passes."""
    names = [line.split()[0] for line in said("--exercises").splitlines()]
    if len(names) != 26:
        wrong(f"there are {len(names)} exercises")
    for name in [n for n in names if not only or n in only]:
        with open(os.path.join(root, "data/exercises", name + ".txt")) as file:
            says = re.search("^says: (.*)$", file.read(), re.M).group(1)
        files = [written(folder, name, said("--exercise", name, "--template")),
                 written(folder, name + "_solved", said("--exercise", name, "--solution"))]
        done = subprocess.run([judge, "--exercise", name, *files, "-j2", "--json", "-"], capture_output=True, text=True)
        if done.returncode != 1:
            wrong(f"{name}: the exit code is {done.returncode}: {done.stderr}")
            continue
        verdicts = {os.path.basename(h["file"])[:-3]: h for h in json.loads(done.stdout)["hand_ins"]}
        expect(name, verdicts, says)
        with open(files[0]) as file:
            goals = re.findall("; ([^:;]*): (at (?:most|least) [0-9.]+)", re.search("^// The goal: (.*)[.]$", file.read(), re.M).group(1))
        reached = "".join(f"; goal reached: {re.escape(figure)} [0-9,.]+, {bound}" for figure, bound in goals)
        expect(name + "_solved", verdicts, f"right and clean{reached}$")
        hints = [said("--exercise", name, "--hint", str(k)) for k in (1, 2, 3)]
        if len(set(hints)) != 3 or "\n" in "".join(hints).replace("\n", "", 3):
            wrong(f"{name}: its hints are {hints}")


with tempfile.TemporaryDirectory() as folder:
    {"input": try_input, "templates": try_templates, "many": try_many, "page": try_page, "wrong": try_wrong, "cheats": try_cheats, "rungs": try_rungs, "published": try_published,
     "exercises": try_exercises, "ci": try_ci}[what](folder)
sys.exit(1 if failed else 0)
