// Documents become ladders of rungs. A rung's time may come from one run and its counters from
// another, as long as both had the same problem.

function problem_of(m) {
  return [m.n, m.type, m.op, m.form, m.call].map(text_of).join("|");
}

function problem_text(m) {
  return [`${size_text(m.n)} ${text_of(m.type)}`, m.op, m.form, m.call && `${m.call} calls`]
    .filter(Boolean).join(" · ");
}

const is_run = (m) => !m.skipped;
const counters_in = (m) => Object.keys(m.counters ?? {}).length;

/// Of rows for one rung and one problem: the time, preferably of a GPU; the counters; a prediction.
function merged_row(rows) {
  const run = rows.filter(is_run);
  const best = (list, score) => list.reduce((a, b) => (a && score(a) >= score(b) ? a : b), null);
  const timed = best(run.filter((m) => measured_us(m) > 0), (m) => (m.backend === "cuda" ? 1 : 0));
  const counted = best(run, (m) => counters_in(m));
  const any = timed ?? counted ?? rows[0];
  return {
    ...any,
    counters: {...timed?.counters, ...counted?.counters},
    launches: counted?.launches || any.launches,
    predicted: run.find((m) => m.predicted)?.predicted,
    wrong: run.find((m) => m.right === false),
    rows,
  };
}

function number_in(label) {
  const found = /^(\d+) /.exec(label);
  return found ? Number(found[1]) : null;
}

function empty_ladder(name) {
  return {name, problems: new Map(), about: new Map(), kernels: [], sources: [], findings: [],
    steps: new Map(), growth: null, timelines: [], speeds: null};
}

/// One problem of one ladder: its rows in their order, rungs by number and then what they are
/// compared with.
function problem_rows(measurements) {
  const rows = [...grouped(measurements, (m) => text_of(m.rung)).values()].map(merged_row);
  const order = (m) => (m.reference ? 1e6 : number_in(text_of(m.rung)) ?? 1e5);
  return rows.sort((a, b) => order(a) - order(b));
}

function add_measurements(model, doc) {
  const ladders = new Set();
  for (const raw of doc.json.measurements) {
    if (!is_object(raw)) continue;
    const m = {device: doc.json.run.device, ...raw};
    const ladder = model.ladder(text_of(m.ladder));
    ladders.add(ladder);
    const key = problem_of(m);
    if (!ladder.problems.has(key)) {
      ladder.problems.set(key, {key, text: problem_text(m), measurements: []});
    }
    ladder.problems.get(key).measurements.push(m);
  }
  const ladder = [...ladders][0];
  if (!ladder) return;
  for (const about of list_of(doc.json.rungs)) ladder.about.set(text_of(about.rung), about);
  ladder.timelines.push(...list_of(doc.json.timelines));
  ladder.speeds = doc.json.speeds ?? ladder.speeds;
  const report = doc.json.report;
  if (!is_object(report)) return;
  ladder.kernels.push(...list_of(report.kernels));
  ladder.sources.push(...list_of(report.sources));
  ladder.findings.push(...list_of(report.findings));
}

/// A rung may be there on several sets of values: "strided", "strided, 64 values".
function add_steps(steps, j) {
  const rung = text_of(j.rung);
  const key = steps.has(rung) ? `${rung}, ${list_of(j.arrays[0]?.cells).length} values` : rung;
  steps.set(key, j);
}

function model_of(documents) {
  const ladders = new Map();
  const model = {
    documents, ladders, reports: [],
    ladder(name) {
      if (!ladders.has(name)) ladders.set(name, empty_ladder(name));
      return ladders.get(name);
    },
  };
  const named = documents.flatMap(({json: j}) => [j.ladder, ...list_of(j.measurements).map((m) => m?.ladder)]).map(text_of);
  for (const name of ["reduce", "scan", "sort", "histogram", "select", "streams"]) if (named.includes(name)) model.ladder(name);
  for (const doc of documents) {
    const j = doc.json;
    if (doc.kind === "measurements") add_measurements(model, doc);
    if (doc.kind === "steps") add_steps(model.ladder(text_of(j.ladder)).steps, j);
    if (doc.kind === "growth") model.ladder(text_of(j.ladder)).growth = j;
    if (doc.kind === "report") model.reports.push(doc);
  }
  for (const ladder of ladders.values()) {
    for (const problem of ladder.problems.values()) problem.rows = problem_rows(problem.measurements);
  }
  return model;
}

/// "sequential" of "12 sequential".
const name_in = (label) => label.replace(/^\d+ /, "");

/// The row that a rung is held against: that which it names, else the kernel before it.
function baseline_of(ladder, rows, row) {
  const about = ladder.about.get(row.rung);
  // A hand-in has no number, and names its rung.
  const number = number_in(text_of(row.rung)) ?? (about?.compared_with ? Infinity : null);
  if (number === null) return null;
  const earlier = rows.filter((m) => !m.reference && m.backend !== "host" && is_run(m) &&
    number_in(text_of(m.rung)) !== null && number_in(text_of(m.rung)) < number);
  if (about?.compared_with) {
    return earlier.find((m) => number_in(m.rung) === about.compared_with) ?? null;
  }
  return about?.begins_series ? null : earlier.pop() ?? null;
}
