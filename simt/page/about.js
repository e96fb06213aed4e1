// What made the page, and all of it to take away.

function run_rows(doc) {
  const {run} = doc.json;
  const devices = doc.kind === "measurements" ? [...new Set(doc.json.measurements.filter(is_object).map((m) => m.device ?? run.device).filter(Boolean))] : [];
  const own = doc.kind === "report" && "CPU machine";
  return [["device", run?.device ?? (devices.join(", ") || own)], ["driver", run?.driver], ["toolkit", run?.toolkit], ["commit", run?.commit], ["command", run?.command]]
    .filter(([, value]) => value);
}

const KIND_NAMES = {measurements: "measurements", steps: "steps", growth: "growth", report: "report on kernels"};

function about_section(model) {
  const steps = model.documents.filter((d) => d.kind === "steps");
  const others = model.documents.filter((d) => d.kind !== "steps");
  const made = document.querySelector("meta[name=made]")?.content;
  return section_of("about", "What made it",
    made && el("p", {}, `Made by ${shortened(made, 600)}`),
    others.map((doc) => el("div", {class: "document-about"}, el("h3", {}, shortened(doc.name, 120), el("span", {class: "dim"}, ` · ${KIND_NAMES[doc.kind]}`)),
      facts_of(run_rows(doc).map(([k, v]) => [k, shortened(v, 600)])))),
    steps.length > 0 && el("p", {class: "dim"}, `Steps of ${steps.length} ${steps.length === 1 ? "rung" : "rungs"}, watched on the CPU machine.`),
    el("div", {class: "toolbar"}, button_of("Copy JSON", () => copy_text(json_of(model), "The JSON")), button_of("Copy CSV", () => copy_text(csv_of(model), "The CSV")),
      button_of("Save JSON", () => save_text(json_of(model), "warpfold.json", "application/json")),
      button_of("Save CSV", () => save_text(csv_of(model), "warpfold.csv", "text/csv"))),
    el("textarea", {id: "copied", hidden: true, rows: 8, readonly: true, "aria-label": "Text to copy"}));
}
