// The ladder at a glance: a row for each rung, its bar, its counters with the worst tinted.

const state = {ladder: null, problem: null, metric: null, sort: null, descending: false, filter: "",
  rung: null};

const METRICS = [
  {key: "gbs", text: "GB/s", unit: "GB/s", better: "high",
    of: (m) => rate_of(m, measured_us(m)), predicted: (m) => rate_of(m, predicted_us(m))},
  {key: "time", text: "time", unit: "µs", better: "low", of: measured_us, predicted: predicted_us},
  {key: "speedup", text: "speedup", unit: "×", better: "high"},
];

/// Speedup over the first rung that has a time of that kind, the host's not among them.
function speedups(rows) {
  const of = (time_of) => {
    const first = rows.find((m) => m.backend !== "host" && !m.reference && time_of(m) > 0);
    return (m) => (first ? time_of(first) / time_of(m) : NaN);
  };
  return {of: of(measured_us), predicted: of(predicted_us)};
}

/// A host's time says nothing beside predictions for a device: it is shown where devices were timed.
function metrics_of(rows) {
  const devices = rows.filter((m) => m.backend !== "host");
  const timed = devices.some((m) => measured_us(m) > 0);
  const times = METRICS.map((m) => (m.key === "speedup" ? {...m, ...speedups(rows)} : m))
    .filter((m) => devices.some((row) => m.of(row) > 0 || m.predicted(row) > 0))
    .map((m) => (timed ? m : {...m, of: () => NaN}));
  const counted = FIGURES.filter((f) => rows.some((m) => f.of(m) > 0))
    .map((f) => ({key: f.name, text: f.name, unit: "", better: f.better, of: f.of, predicted: () => NaN}));
  // Without a time, bytes say most about kernels that wait for memory.
  counted.sort((a, b) => Number(b.key === "bytes moved") - Number(a.key === "bytes moved"));
  return [...times, ...counted];
}

/// Figures that differ between rungs, or at least are there.
function columns_of(rows) {
  return FIGURES.filter((f) => rows.some((m) => !Number.isNaN(f.of(m))));
}

/// From its better half, which stays white, to its worst value; null where they are no factor of 4
/// apart, or no end is good.
function tint_of(figure, rows) {
  if (!figure.better) return null;
  const value = (m) => (figure.better === "low" ? figure.of(m) : 1 / figure.of(m));
  const values = rows.map(value).filter((v) => Number.isFinite(v)).sort((a, b) => a - b);
  const middle = values[Math.floor((values.length - 1) / 2)], worst = values.at(-1);
  const white = middle > 0 ? middle : worst / 4;
  return worst >= 4 * white && worst > 0 ? {value, white, worst} : null;
}

/// 0 to 1 for the worst of a column, on a logarithmic scale.
function badness(figure, rows) {
  const tint = tint_of(figure, rows);
  if (!tint) return () => 0;
  return (m) => {
    const v = tint.value(m);
    return v > tint.white ? Math.log(v / tint.white) / Math.log(tint.worst / tint.white) : 0;
  };
}

function sorted_rows(rows, metric, columns) {
  if (!state.sort) return rows;
  const figure = state.sort === "value" ? {of: (m) => first_number(metric.of(m), metric.predicted(m))}
    : columns.find((c) => c.name === state.sort);
  if (!figure) return rows;
  const sign = state.descending ? -1 : 1;
  const key = (m) => (Number.isNaN(figure.of(m)) ? Infinity : sign * figure.of(m));
  return [...rows].sort((a, b) => key(a) - key(b) || 0);
}

const first_number = (...values) => values.find((v) => !Number.isNaN(v)) ?? NaN;

function header_cell(text, key, refresh) {
  const active = (state.sort ?? "") === key;
  const turn = () => {
    if (!active) { state.sort = key || null; state.descending = true; }
    else if (state.descending) state.descending = false;
    else state.sort = null;
    refresh();
  };
  return el("th", {scope: "col", "aria-sort": active && key ? (state.descending ? "descending" : "ascending") : null},
    button_of([text.replace("/", "/\u200b"), el("span", {"aria-hidden": "true"}, active && key ? (state.descending ? " ▾" : " ▴") : "")], turn));
}

function status_cell(m) {
  if (m.skipped) return el("td", {class: "dim"}, shortened(m.skipped, 40));
  if (m.wrong) return el("td", {class: "bad"}, `✗ ${shortened(m.wrong.result, 24)}`);
  return el("td", {class: "good", title: `result ${text_of(m.result)}`}, "✓");
}

function rung_row(ladder, m, metric, columns, scale, bad, texts) {
  const label = text_of(m.rung);
  const open = button_of(shortened(label, 40), () => open_rung(ladder.name, label), {class: "link", title: label});
  const cells = columns.map((figure, i) => {
    const share = bad[i](m);
    const tint = share > 0.05 ? `background:color-mix(in srgb,var(--bad) ${Math.round(30 * share)}%,transparent)` : null;
    return el("td", {class: "number", style: tint, "data-figure": figure.name}, texts[i](figure.of(m)));
  });
  const open_too = (e) => { if (!e.target.closest("button")) open_rung(ladder.name, label); };
  return el("tr", {"data-rung": label, class: m.reference ? "reference" : null, click: open_too},
    el("th", {scope: "row", title: shortened(text_of(m.idea), 300)}, open),
    el("td", {class: "number value"}, value_text(m, metric)),
    el("td", {class: "bar-cell"}, bar_of(m, metric, scale)), status_cell(m), cells);
}

const counted_in = (rows) => rows.filter((m) => m.backend !== "host" && !m.skipped);

function ladder_table(ladder, rows, metric, refresh) {
  const columns = columns_of(rows).filter((c) => c.name !== metric.key);
  const scale = bar_scale(rows, metric);
  const counted = counted_in(rows);
  const bad = columns.map((c) => badness(c, counted));
  const texts = columns.map((c) => column_text(counted.map(c.of)));
  const wanted = state.filter.toLowerCase();
  const shown = sorted_rows(rows, metric, columns).filter((m) =>
    `${m.rung} ${text_of(m.idea)}`.toLowerCase().includes(wanted));
  const head = el("tr", {}, header_cell("rung", "", refresh), header_cell(metric.unit || metric.text, "value", refresh),
    el("th", {scope: "col", class: "bar-head"}, "as a bar", scale.note && el("span", {class: "dim"}, ` ${scale.note}`)),
    el("th", {scope: "col"}, "result"), columns.map((c) => header_cell(c.name, c.name, refresh)));
  return el("table", {class: "ladder", "aria-label": `${ladder.name} · ${metric.text}`},
    el("thead", {}, head),
    el("tbody", {}, shown.map((m) => rung_row(ladder, m, metric, columns, scale, bad, texts))));
}

/// The problem that is shown: the chosen one, else the largest of those that most rungs have.
function problem_shown(ladder) {
  const all = [...ladder.problems.values()];
  const most = Math.max(...all.map((p) => p.rows.length));
  const n_of = (p) => number_of(p.rows[0].n) || 0;
  return all.find((p) => p.key === state.problem) ??
    all.filter((p) => p.rows.length === most).reduce((a, b) => (a && n_of(a) >= n_of(b) ? a : b), null);
}

function ladder_section(model) {
  const ladders = [...model.ladders.values()].filter((l) => l.problems.size);
  if (!ladders.length) return null;
  const ladder_view = (ladder) => {
    const problem = problem_shown(ladder);
    const metrics = metrics_of(problem.rows);
    if (!metrics.length) return el("p", {}, "Nothing was timed or counted here.");
    const metric = metrics.find((m) => m.key === state.metric) ?? metrics[0];
    const table = el("div");
    const refresh = () => table.replaceChildren(
      scroller(`Rungs of ${ladder.name}`, ladder_table(ladder, problem.rows, metric, refresh)),
      bar_legend(problem.rows, metric));
    refresh();
    const again = () => panel.replaceChildren(...ladder_view(ladder).childNodes);
    const filter = el("input", {type: "search", value: state.filter, placeholder: "name or idea"});
    filter.addEventListener("input", () => { state.filter = filter.value; refresh(); });
    const panel = el("div", {},
      el("div", {class: "toolbar"},
        ladder.problems.size > 1 && select_of("Problem", [...ladder.problems.values()].map((p) => [p.key, p.text]),
          problem.key, (key) => { state.problem = key; again(); redraw_rung(); redraw_rooflines(); }),
        select_of("Bars", metrics.map((m) => [m.key, m.text]), metric.key, (key) => { state.metric = key; again(); }),
        el("label", {class: "field"}, "Filter", filter)),
      el("p", {class: "dim"}, `${problem.text} · ${devices_text(problem.rows)}`), table);
    return panel;
  };
  const index = Math.max(0, ladders.findIndex((l) => l.name === state.ladder));
  const tabs = tabs_of("Ladders", ladders.map((l) => [l.name, () => ladder_view(l)]), index,
    (i) => { state.ladder = ladders[i].name; });
  return section_of("ladder", "The ladder at a glance", tabs);
}

const predicted_for = (rows) => [...new Set(rows.map((m) => text_of(m.predicted?.device)).filter(Boolean))].join(", ");

/// "times predicted for h100, not measured; counted on CPU machine, 2 threads"
function devices_text(rows) {
  const devices = [...new Set(rows.filter((m) => m.backend !== "host").flatMap((m) => m.rows.map((r) => text_of(r.device))))]
    .filter(Boolean).join(", ");
  const timed = rows.some((m) => m.backend !== "host" && measured_us(m) > 0);
  return predicted_for(rows) && !timed ? `times predicted for ${predicted_for(rows)}, not measured; counted on ${devices}` : devices;
}
