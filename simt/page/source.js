// A source file with what each line cost: a heat strip of requests, sectors, conflicts, lanes, share.

const KINDS_OF_ACCESS = {
  global: ["global_load", "global_store", "global_atomic"],
  shared: ["shared_load", "shared_store", "shared_atomic", "distributed_shared"],
};

function add_counts(to, line) {
  const add = (kinds, key) => sum(kinds.map((k) => number_of(line[k]?.[key]) || 0));
  to.global += add(KINDS_OF_ACCESS.global, "requests");
  to.sectors += add(KINDS_OF_ACCESS.global, "sectors");
  to.shared += add(KINDS_OF_ACCESS.shared, "requests");
  to.wavefronts += add(KINDS_OF_ACCESS.shared, "wavefronts");
  to.conflicts += add(KINDS_OF_ACCESS.shared, "conflicts");
  const steps = number_of(line.warp_steps) || 0;
  const weight = to.weight + Math.max(1, steps);
  to.lanes = (to.lanes * to.weight + number_of(line.active_lanes) * Math.max(1, steps)) / weight;
  to.weight = weight;
  to.steps += steps;
  to.us += number_of(line.predicted_us) || 0;
}

/// Where nothing is predicted. Cycles of a multiprocessor, roughly: it takes four sectors or one pass
/// over the banks at a time, and four warps issue side by side.
const rough_cost = (c) => c.sectors / 4 + Math.max(c.wavefronts, c.shared) + c.steps / 4;

/// Shares out the predicted time, as far as lines cause it, among them.
function share_out(lines) {
  const predicted = lines.some((c) => c.us > 0);
  const cost = (c) => (predicted ? c.us : rough_cost(c));
  const total = sum(lines.map(cost));
  for (const line of lines) line.share = total > 0 ? cost(line) / total : 0;
}

/// [{file, text, lines: number → counts, findings: number → [finding]}], the costliest first.
function files_of_kernels(kernels, sources, findings) {
  const texts = new Map(sources.map((s) => [text_of(s.file), text_of(s.text)]));
  const files = new Map();
  const file_of = (file) => {
    if (!files.has(file)) files.set(file, {file, text: texts.get(file), lines: new Map(), findings: new Map()});
    return files.get(file);
  };
  for (const line of kernels.flatMap((k) => list_of(k.lines)).filter((l) => l.line > 0)) {
    const {lines} = file_of(text_of(line.file));
    if (!lines.has(line.line)) {
      lines.set(line.line, {global: 0, sectors: 0, shared: 0, wavefronts: 0, conflicts: 0, lanes: 0, weight: 0, steps: 0, us: 0});
    }
    add_counts(lines.get(line.line), line);
  }
  for (const f of findings) {
    for (const side of [f.here, f.other]) {
      const file = side?.file && files.get(side.file);
      if (!file || !side.line) continue;
      file.findings.set(side.line, [...(file.findings.get(side.line) ?? []), f]);
    }
  }
  share_out([...files.values()].flatMap((f) => [...f.lines.values()]));
  const cost = (f) => sum([...f.lines.values()].map((c) => c.share));
  return [...files.values()].sort((a, b) => cost(b) - cost(a));
}

const HEAT = [
  {head: "requests", title: "Warp-wide requests of global and shared memory", of: (c) => c.global + c.shared},
  {head: "sectors/ request", title: "Sectors of 32 bytes for each request of global memory; 4 is ideal for 4-byte values",
    of: (c) => (c.global ? c.sectors / c.global : NaN), heat: (v) => Math.min(1, Math.max(0, (v - 4) / 28))},
  {head: "bank conflicts", title: "Passes over the banks beyond the fewest", of: (c) => (c.shared ? c.conflicts : NaN)},
  {head: "lanes active", title: "Lanes of 32 that take part", of: (c) => (c.weight ? c.lanes : NaN),
    heat: (v) => Math.max(0, (32 - v) / 32)},
  {head: "share", title: "The line's share of the predicted time without launches; roughly, where none is predicted"},
];

const WORDS = /(\/\/.*$|"(?:[^"\\]|\\.)*"|\b(?:__\w+__|__syncthreads|template|class|typename|struct|const|constexpr|unsigned|int|float|double|bool|void|auto|if|else|for|while|do|return|using|namespace|static|inline|extern|sizeof|true|false)\b|#\s*\w+|\b\d[\w.]*\b)/g;

function kind_of_word(word) {
  if (word.startsWith("//")) return "comment";
  if (word.startsWith("\"")) return "string";
  if (word.startsWith("#")) return "word";
  if (/^\d/.test(word)) return "literal";
  return word.startsWith("__") ? "cuda" : "word";
}

const MOST_OF_LINE = 2000;

/// The line's text in spans; a longer one than anybody reads is cut.
function code_of(text) {
  const shown = text.length > MOST_OF_LINE ? text.slice(0, MOST_OF_LINE) + " …" : text;
  const code = el("code");
  let at = 0;
  for (const found of shown.matchAll(WORDS)) {
    code.append(shown.slice(at, found.index), el("span", {class: `k-${kind_of_word(found[0])}`}, found[0]));
    at = found.index + found[0].length;
  }
  code.append(shown.slice(at));
  return code;
}

const heat_style = (share) => (share > 0.02 ? `--heat:${Math.round(100 * Math.min(1, share))}%` : null);

function heat_cells(counts, most) {
  if (!counts) return HEAT.map(() => el("td", {class: "heat"}));
  return HEAT.map((h, i) => {
    if (!h.of) {
      return el("td", {class: "heat share"}, el("span", {class: "share-bar", style: `width:${percent(counts.share)}`}),
        el("span", {}, counts.share >= 0.005 ? `${Math.round(100 * counts.share)} %` : ""));
    }
    const value = h.of(counts);
    if (Number.isNaN(value) || (value === 0 && i === 0)) return el("td", {class: "heat"});
    const share = h.heat ? h.heat(value) : most[i] > 0 ? value / most[i] : 0;
    return el("td", {class: `heat ${i === 0 ? "neutral" : ""}`, style: heat_style(share)}, number_text(round(value)));
  });
}

const lines_of = (text) => text.replace(/\n$/, "").split("\n");

/// Of a rung's file the numbers of the lines that are not about its kernel: what the ladder is told
/// about the rung, what it includes, its namespaces. None of other files.
function lines_beside_kernel(lines) {
  const beside = new Set();
  if (!lines.some((line) => /\bdescription about\b/.test(line))) return beside;
  let begun = null;  // of a struct at the margin
  lines.forEach((line, i) => {
    if (/^(struct|class) /.test(line)) begun = i;
    if (/^(#|inline namespace|namespace|\}  \/\/ )/.test(line)) beside.add(i + 1);
    if (begun === null || !/^\};/.test(line)) return;
    if (lines.slice(begun, i).some((l) => /\bdescription about\b/.test(l))) {
      for (let k = begun; k <= i; ++k) beside.add(k + 1);
    }
    begun = null;
  });
  lines.forEach((line, i) => {  // what is empty beside them goes, too
    if (line === "" && (i === 0 || beside.has(i))) beside.add(i + 1);
  });
  return beside;
}

/// A long file is shown around the lines that counted.
function shown_lines(file, lines, beside) {
  const all = lines.map((_, i) => i + 1).filter((n) => !beside.has(n) || file.lines.has(n));
  if (lines.length <= 160) return all;
  const near = [...file.lines.keys(), ...file.findings.keys()];
  return all.filter((n) => near.some((line) => Math.abs(line - n) <= 10));
}

/// "reduce/11_strided.cuh" of a path.
const with_folder = (path) => text_of(path).split("/").slice(-2).join("/");

/// A rung's kernel; the rest of its file at the press of a button.
function source_view(file, whole = false) {
  const label = `Source of ${shortened(file_name(file.file), 60)}`;
  const lines = file.text === undefined ? [] : lines_of(file.text);
  const beside = whole ? new Set() : lines_beside_kernel(lines);
  const numbers = lines.length ? shown_lines(file, lines, beside) : [...file.lines.keys()].sort((a, b) => a - b);
  const counts = [...file.lines.values()];
  const most = HEAT.map((h) => Math.max(0, ...counts.map((c) => (h.of ? h.of(c) : NaN)).filter((v) => !Number.isNaN(v))));
  const rows = [];
  let last = 0;
  for (const n of numbers) {
    if (last && n > last + 1) rows.push(el("tr", {class: "gap"}, el("td", {colspan: HEAT.length + 2}, "…")));
    last = n;
    const found = file.findings.get(n);
    rows.push(el("tr", {"data-line": n, class: found ? "found" : null}, heat_cells(file.lines.get(n), most),
      el("td", {class: "line-number"}, n), el("td", {class: "code"}, code_of(lines[n - 1] ?? ""),
        found && [...new Set(found.map((f) => text_of(f.kind)))].map((kind) => el("a", {href: "#findings", class: "finding-mark"}, kind)))));
  }
  const all = el("div");
  const unfold = beside.size > 0 && el("p", {}, button_of("Show all of the file", () => all.replaceChildren(...source_view(file, true))));
  return [append_to(all, [
    !counts.length && el("p", {class: "dim"}, "What each line cost was not counted in this run (warpfold report does; a ladder with --lines)."),
    !lines.length && el("p", {class: "dim"}, `${shortened(file.file, 200)} could not be read when this was written: lines are only numbered.`),
    scroller(label, el("table", {class: `source${counts.length ? "" : " uncounted"}`}, el("caption", {title: shortened(file.file, 400)}, shortened(with_folder(file.file), 200)),
      el("thead", {}, el("tr", {}, HEAT.map((h) => el("th", {scope: "col", title: h.title}, h.head)),
        el("th", {scope: "col"}, "line"), el("th", {scope: "col", class: "code"}, "code"))),
      el("tbody", {}, rows))), unfold])];
}
