// One rung: its idea, what changed against the rung before, its source with what each line cost.

function rungs_in(ladder) {
  const problem = problem_shown(ladder);
  return problem ? problem.rows.filter((m) => !m.skipped || ladder.about.has(m.rung)) : [];
}

function open_rung(ladder, rung) {
  state.ladder = ladder;
  state.rung = {ladder, rung};
  redraw_rung();
  const section = document.getElementById("rung");
  section?.scrollIntoView({block: "start"});
  section?.querySelector("h3")?.focus({preventScroll: true});
  history.replaceState(null, "", `#rung/${encodeURIComponent(ladder)}/${encodeURIComponent(rung)}`);
}

/// The figures of both, those that the rung is about first, then those that changed.
function changes_of(ladder, before, row) {
  const expected = list_of(ladder.about.get(row.rung)?.evidence).map((e) => e.figure);
  const timed = [{name: "time, µs", of: measured_us}, {name: "predicted time, µs", of: predicted_us, text: predicted_text}];
  return [...timed, ...FIGURES].map((figure) => {
    const from = before ? figure.of(before) : NaN, to = figure.of(row);
    const promised = expected.includes(figure.name) || (figure.name === "time, µs" && expected.includes("time"));
    return {name: figure.name, text: figure.text ?? number_text, from, to, promised};
  }).filter((c) => !Number.isNaN(c.to) && (c.promised || !before || c.from !== c.to))
    .sort((a, b) => Number(b.promised) - Number(a.promised));
}

function change_text(from, to) {
  if (Number.isNaN(from)) return "";
  if (from === to) return "=";
  if (from === 0) return "from none";
  if (to === 0) return "to none";
  const ratio = to / from;
  return ratio >= 1 ? `× ${number_text(ratio)}` : `÷ ${number_text(1 / ratio)}`;
}

function changes_table(ladder, before, row) {
  const changes = changes_of(ladder, before, row);
  if (!changes.length) return null;
  return scroller("Figures of the rung", el("table", {class: "changes"},
    el("caption", {}, before ? `Against ${before.rung}${changes.some((c) => c.promised) ? "; bold is what this rung is about" : ""}` : "What was counted"),
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "figure"),
      before && el("th", {scope: "col", class: "number"}, text_of(before.rung)),
      el("th", {scope: "col", class: "number"}, text_of(row.rung)), before && el("th", {scope: "col", class: "number"}, "change"))),
    el("tbody", {}, changes.map((c) => el("tr", {class: c.promised ? "promised" : null},
      el("th", {scope: "row"}, c.name), before && el("td", {class: "number"}, c.text(c.from)),
      el("td", {class: "number"}, c.text(c.to)), before && el("td", {class: "number"}, change_text(c.from, c.to)))))));
}

/// What the source view needs: files of the rung's kernels, its own first.
function files_of_rung(ladder, row) {
  const about = ladder.about.get(row.rung);
  const kernels = ladder.kernels.filter((k) => k.rung === row.rung);
  const files = files_of_kernels(kernels, ladder.sources, ladder.findings);
  if (!about?.text) return files;
  const own = files.find((f) => file_name(f.file) === about.file);
  if (own) return [own, ...files.filter((f) => f !== own)];
  return [{file: about.file, text: about.text, lines: new Map(), findings: new Map()}, ...files];
}

/// "~7.07 µs predicted for h100, limited by latency, mean error 13 %"
function prediction_text(predicted) {
  return `${predicted_text(number_of(predicted.median_us))} µs predicted for ${text_of(predicted.device)}, ` +
    `limited by ${text_of(predicted.limiter)}${error_text(predicted)}`;
}

/// What each limit would take alone, launches apart.
function parts_of(predicted) {
  const parts = Object.entries(predicted?.parts_us ?? {}).filter(([, us]) => number_of(us) > 0);
  if (!parts.length) return null;
  const most = Math.max(...parts.map(([, us]) => us));
  const order = ([name, us]) => (name === "launch" ? -1 : us);
  return [el("table", {class: "changes"}, el("caption", {}, `${prediction_text(predicted)}; what each limit would take alone`),
    el("tbody", {}, parts.sort((a, b) => order(b) - order(a)).map(([name, us]) => el("tr", {},
      el("th", {scope: "row"}, name === "launch" ? "+ launch" : name.replaceAll("_", " ")), el("td", {class: "number"}, `${predicted_text(us)} µs`),
      el("td", {class: "part"}, el("span", {class: "bar predicted", style: `width:${percent(us / most)}`})))))),
  el("p", {class: "dim"}, "The parts overlap: together they take less than their sum. Launches are added to that. " +
    "The limit is what most of the kernels' time goes to, or launches where they take more than half of all.")];
}

function rung_body(ladder, row) {
  const rows = rungs_in(ladder);
  const about = ladder.about.get(row.rung) ?? row;
  const before = baseline_of(ladder, problem_shown(ladder).rows, row);
  const published = list_of(row.published).map((p) => `${number_text(number_of(p.gigabytes_per_second))} GB/s on ${text_of(p.machine)}`);
  const files = files_of_rung(ladder, row);
  const earlier = before && files_of_rung(ladder, before)[0];
  const views = files.map((f, i) => [i === 0 ? "Source" : shortened(file_name(f.file), 40), () => source_view(f)]);
  if (files.length && earlier?.text && files[0].text) {
    views.splice(1, 0, [`Diff to ${before.rung}`, () => diff_view(earlier, files[0])]);
  }
  const at = rows.indexOf(row);
  const step = (by, text) => button_of(text, () => open_rung(ladder.name, rows[at + by].rung), {disabled: !rows[at + by]});
  return [
    el("div", {class: "toolbar"}, step(-1, "◂ before"), step(1, "next ▸"),
      select_of("Rung", rows.map((m) => [m.rung, shortened(m.rung, 40)]), row.rung, (rung) => open_rung(ladder.name, rung)),
      ladder.steps.size > 0 && [...ladder.steps.keys()].includes(name_in(row.rung)) &&
        button_of("Play its steps", () => play_rung(ladder.name, name_in(row.rung)))),
    el("h3", {tabindex: -1}, `${ladder.name}/${shortened(row.rung, 80)}`),
    el("p", {class: "idea"}, shortened(text_of(about.idea), 2000)),
    el("div", {class: "beside"},
      facts_of([["improves", about.improves], ["also", about.also], ["corrected", about.corrections],
        ["published", published.join(", ")], ["source", about.source], ["skipped", row.skipped]]),
      el("div", {}, changes_table(ladder, before, row), parts_of(row.predicted))),
    views.length ? tabs_of("Source of the rung", views, 0) : null,
  ];
}

function redraw_rung() {
  const body = document.getElementById("rung-body");
  if (!body) return;
  const ladder = page.model.ladders.get(state.rung?.ladder);
  const row = ladder && rungs_in(ladder).find((m) => m.rung === state.rung.rung);
  body.replaceChildren(...(row ? rung_body(ladder, row) : []).filter(Boolean));
}

/// The rung that is open first: a hand-in, or one with a kernel and something to be held against.
function first_rung(model) {
  for (const ladder of model.ladders.values()) {
    const rows = rungs_in(ladder);
    if (!rows.length) continue;
    const kernels = rows.filter((m) => m.backend !== "host" && !m.reference);
    const hand_in = rows.find((m) => m.reference && ladder.about.get(m.rung)?.text);
    const row = hand_in ?? kernels[1] ?? kernels[0] ?? rows[0];
    return {ladder: ladder.name, rung: row.rung};
  }
  return null;
}

function rung_section(model) {
  const known = state.rung && model.ladders.get(state.rung.ladder);
  if (!known) state.rung = first_rung(model);
  return state.rung && section_of("rung", "A rung", el("div", {id: "rung-body"}));
}
