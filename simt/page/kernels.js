// Kernels of one's own, from a report: what stands out, what they counted, their sources.

const extent_text = (d) => list_of(d).slice(0, is_list(d) && d[2] > 1 ? 3 : is_list(d) && d[1] > 1 ? 2 : 1).join(" × ");

function remarks_of(kernel) {
  const remarks = list_of(kernel.remarks);
  return remarks.length ? el("ul", {class: "remarks"}, remarks.map((r) => el("li", {},
    el("strong", {}, `${file_name(r.file)}:${r.line}`), ` ${text_of(r.what)} · ${text_of(r.wasted)}`))) : el("p", {class: "dim"}, "Nothing stands out.");
}

function counters_table(kernel) {
  return el("details", {}, el("summary", {}, "All counters"), scroller(`Counters of ${shortened(kernel.name, 60)}`, el("table", {},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "counter"), el("th", {scope: "col"}, "value"), el("th", {scope: "col"}, "nvcc may merge"))),
    el("tbody", {}, Object.entries(kernel.counters ?? {}).map(([name, value]) => el("tr", {}, el("th", {scope: "row"}, name),
      el("td", {class: "number"}, number_text(number_of(value))), el("td", {class: "number"},
        kernel.nvcc_may_merge?.[name] === undefined ? "" : number_text(number_of(kernel.nvcc_may_merge[name])))))))));
}

function kernel_view(report, kernel) {
  const files = files_of_kernels([kernel], list_of(report.sources), list_of(report.findings).filter((f) => same_kernel(f, kernel)));
  return [el("h3", {}, shortened(kernel.name, 160)),
    el("p", {class: "dim"}, `grid ${extent_text(kernel.grid)} · block ${extent_text(kernel.block)} · ` +
      `${number_text(kernel.launches)} ${kernel.launches === 1 ? "launch" : "launches"} · ${number_text(kernel.dynamic_shared_bytes)} bytes of dynamic shared memory`),
    remarks_of(kernel), kernel.predicted?.no_ground && el("p", {class: "dim"}, `No time is predicted: ${text_of(kernel.predicted.no_ground)}.`),
    parts_of(kernel.predicted), files.length > 1 ? tabs_of("Files", files.map((f) => [shortened(file_name(f.file), 40), () => source_view(f)]), 0)
      : files.map(source_view), counters_table(kernel)].flat(2).filter(Boolean);
}

const same_kernel = (finding, kernel) => !finding.kernel || text_of(kernel.name).includes(text_of(finding.kernel).split("<")[0]);

function kernels_section(model) {
  const found = model.reports.flatMap((doc) => list_of(doc.json.kernels).map((kernel) => ({report: doc.json, kernel})));
  const errors = model.reports.flatMap((doc) => list_of(doc.json.errors));
  if (!found.length && !errors.length) return null;
  return section_of("kernels", "Kernels", errors.map((e) => el("pre", {class: "error"}, shortened(e, 4000))),
    found.length > 0 && tabs_of("Kernels", found.map(({report, kernel}) => [kernel_label(kernel), () => kernel_view(report, kernel)]), 0));
}

/// Without its namespaces and parameters.
function kernel_label(kernel) {
  const name = text_of(kernel.name).replace(/\(anonymous namespace\)::/g, "");
  return shortened(name.replace(/\(.*$/s, "").split("::").pop() || name, 40);
}
