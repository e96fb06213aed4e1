// Findings of a checked run: both places in the source, who was there, and the mend.

const at_text = (d) => `(${list_of(d).join(", ")})`;

/// The line with its neighbours; nothing where the source is not known.
function excerpt_of(side, sources) {
  const source = sources.find((s) => s.file === side.file);
  if (!source || !side.line) return null;
  const lines = text_of(source.text).split("\n");
  const from = Math.max(0, side.line - 3), to = Math.min(lines.length, side.line + 2);
  return el("table", {class: "source excerpt"}, el("tbody", {}, lines.slice(from, to).map((text, i) =>
    el("tr", {class: from + i + 1 === side.line ? "found" : null}, el("td", {class: "line-number"}, from + i + 1), el("td", {class: "code"}, code_of(text))))));
}

function side_view(title, side, sources) {
  if (!side?.line && !side?.file) return null;
  const where = `${shortened(file_name(side.file), 80)}${side.line ? `:${side.line}` : ""}`;
  return el("div", {class: "side"}, el("h4", {}, title), el("p", {}, el("strong", {}, where),
    ` · block ${at_text(side.block)}, thread ${at_text(side.thread)}, warp ${text_of(side.warp)}`),
  scroller(`${title}: ${where}`, excerpt_of(side, sources)));
}

function finding_view(finding, sources, from) {
  return el("article", {class: "finding"}, el("h3", {}, shortened(text_of(finding.kind), 80), el("span", {class: "dim"},
    ` · ${shortened(text_of(finding.kernel), 80)}${finding.count > 1 ? ` · ${number_text(finding.count)} times` : ""}${from ? ` · ${from}` : ""}`)),
  finding.object && el("p", {}, `${shortened(text_of(finding.object), 200)}${finding.bytes ? `: ${finding.bytes} bytes at offset ${finding.offset} of ${finding.size}` : ""}`),
  el("div", {class: "beside"}, side_view("Here", finding.here, sources), side_view("And here", finding.other, sources)),
  finding.mend && el("p", {class: "mend"}, el("strong", {}, "Fix: "), shortened(finding.mend, 2000)),
  el("details", {}, el("summary", {}, "All of it as text"), scroller("The finding as text", el("pre", {}, shortened(text_of(finding.text), 20000)))));
}

function findings_section(model) {
  const of_reports = model.reports.map((doc) => ({from: doc.name, findings: list_of(doc.json.findings), sources: list_of(doc.json.sources)}));
  const of_ladders = [...model.ladders.values()].map((l) => ({from: l.name, findings: l.findings, sources: l.sources}));
  const groups = [...of_reports, ...of_ladders].filter((g) => g.findings.length);
  const asked = model.documents.some((doc) => / --(check|schedules?)\b|^warpfold judge /.test(text_of(doc.json.run?.command)));
  const checked = model.reports.length > 0 || groups.length > 0 || asked;
  if (!checked) return null;
  const count = sum(groups.map((g) => g.findings.length));
  return section_of("findings", "Findings", el("p", {}, count ? `${count} ${count === 1 ? "finding" : "findings"}.` : "No finding: no race, no wrong access was seen."),
    groups.map((g) => g.findings.map((f) => finding_view(f, g.sources, groups.length > 1 ? shortened(g.from, 40) : ""))));
}
