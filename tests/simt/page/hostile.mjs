// hostile.mjs <folder>: JSON whose names and texts try to be something else.
import {writeFileSync} from "node:fs";

const script = "<script>attacked()</script>", image = "\"><img src=x onerror=attacked()>";
const end = "</script><!--", bad = "BADUTF8";
const side = (line) => ({file: image, line, block: [0, 0, 0], thread: [31, 0, 0], warp: 0});
const report = {
  schema: 1, summary: script, errors: [script, end],
  kernels: [{name: `kernel${script}`, launches: 1, grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0,
    remarks: [{file: script, line: 1, what: image, wasted: end}], counters: {[script]: 1, nan: "nan"},
    lines: [1, 2, 3].map((line) => ({file: image, line, active_lanes: 32, warp_steps: 1, shared_load: {requests: 1, wavefronts: 32, conflicts: 31}}))}],
  findings: [{kind: `race ${bad}`, kernel: `kernel${script}`, count: 2, here: side(1), other: side(3), mend: script, text: end}],
  sources: [{file: image, text: `${script}\n${"x".repeat(10000)}\n'${end}' "quoted" ${bad}\n`}],
};
const row = (rung, extra) => ({ladder: script, rung, idea: image, backend: "simt", n: 100, type: "i32", op: "sum", right: false,
  result: script, expected: "1", useful_bytes: 400, counters: {simt__barriers: 1, "ladder__depth": "inf"}, published: [], ...extra});
const ladder = {
  schema: 2, run: {commit: script, command: end, device: image},
  measurements: [row(`01 ${script}`), row(`02 ${image}`, {right: null, skipped: end}), row("cub", {reference: true}), 7, null],
  rungs: [{rung: `01 ${script}`, idea: script, improves: end, evidence: [{figure: script, least: 0, most: 1}], file: image, text: script}],
};
/// The marks become bytes that are no UTF-8.
const bytes = (j) => Buffer.from(Buffer.from(JSON.stringify(j)).toString("latin1").replaceAll(bad, "\xff\xc0"), "latin1");
writeFileSync(`${process.argv[2]}/hostile_report.json`, bytes(report));
writeFileSync(`${process.argv[2]}/hostile_ladder.json`, bytes(ladder));
