// Bars: measured filled, predicted hatched, published figures as marks, ceilings as lines.

const ceiling_of = (rows) => Math.max(0, ...rows.flatMap((m) => m.rows.map((r) => number_of(r.read_ceiling_gbs) || 0)));

/// CUB's row, or that of another reference.
const reference_of = (rows) => rows.find((m) => m.reference && is_run(m) && measured_us(m) > 0);

function marks_of(m, metric) {
  if (metric.key !== "gbs") return [];
  return list_of(m.published).map((p) => ({value: number_of(p.gigabytes_per_second), text: text_of(p.machine)}));
}

function bar_scale(rows, metric) {
  const values = rows.flatMap((m) => [metric.of(m), metric.predicted(m), ...marks_of(m, metric).map((p) => p.value)])
    .filter((v) => v > 0 && Number.isFinite(v));
  const ceiling = metric.key === "gbs" ? ceiling_of(rows) : 0;
  const reference = reference_of(rows);
  const most = Math.max(1e-30, ceiling, ...values), least = Math.min(most, ...values);
  // Times and counts that differ by orders of magnitude would leave but one bar to see.
  const logarithmic = metric.key !== "gbs" && most / least > 200;
  const low = logarithmic ? 10 ** Math.floor(Math.log10(least / 1.01)) : 0;
  const share = (v) => (!(v > 0) ? 0 : logarithmic ? Math.log(v / low) / Math.log(most / low) : v / most);
  return {share, logarithmic, ceiling, reference: reference && metric.of(reference),
    note: logarithmic ? "(log scale)" : ""};
}

function value_text(m, metric) {
  const measured = metric.of(m), predicted = metric.predicted(m);
  if (!Number.isNaN(measured)) return number_text(measured);
  return Number.isNaN(predicted) ? "–" : el("span", {class: "predicted-number"}, predicted_text(predicted));
}

function bar_title(m, metric) {
  const parts = [];
  const measured = metric.of(m), predicted = metric.predicted(m);
  if (!Number.isNaN(measured)) parts.push(`${number_text(measured)} ${metric.unit} ${METRICS.some((k) => k.key === metric.key) ? "measured" : "counted"}`);
  if (!Number.isNaN(predicted)) {
    parts.push(`${predicted_text(predicted)} ${metric.unit} predicted for ${text_of(m.predicted.device)}` +
      `, limited by ${text_of(m.predicted.limiter)}${error_text(m.predicted)}`);
  }
  for (const p of marks_of(m, metric)) parts.push(`${number_text(p.value)} GB/s published for ${p.text}`);
  return `${text_of(m.rung)}: ${parts.join("; ") || "no value"}`;
}

/// ", mean error 13 %": of the ladders' rungs with that limit. Of a user's kernels ", blind mean error
/// 17 %, 9 of 10 within 27 %": of kernels that the model had not seen.
function error_text(predicted) {
  const error = number_of(predicted.error_pct), blind = predicted.blind_error_pct;
  const percent_of = (value) => `${number_text(Math.round(number_of(value)))} %`;
  if (blind) return `, blind mean error ${percent_of(blind.mean)}, 9 of 10 within ${percent_of(blind["9_of_10"])}`;
  return Number.isNaN(error) ? "" : `, mean error ${percent_of(error)}`;
}

const percent = (share) => `${round(100 * Math.min(1, Math.max(0, share)))}%`;

function bar_of(m, metric, scale) {
  const at = (kind, value) => value > 0 && el("span", {class: kind, style: `left:${percent(scale.share(value))}`});
  const bar = (kind, value) => value > 0 && el("span", {class: `bar ${kind}`, style: `width:${percent(scale.share(value))}`});
  return el("div", {class: "bars", title: bar_title(m, metric)},
    bar(m.reference ? "of-reference" : m.backend === "host" ? "of-host" : "measured", metric.of(m)),
    bar("predicted", metric.predicted(m)),
    at("line-ceiling", scale.ceiling), at("line-reference", scale.reference),
    marks_of(m, metric).map((p) => at("published", p.value)));
}

function bar_legend(rows, metric) {
  const scale = bar_scale(rows, metric);
  const timed = METRICS.some((k) => k.key === metric.key);
  const entries = [];
  if (rows.some((m) => m.backend !== "host" && metric.of(m) > 0)) entries.push(["measured", timed ? "measured" : "counted on the CPU machine"]);
  if (rows.some((m) => m.backend === "host" && metric.of(m) > 0)) entries.push(["of-host", "one core of the host"]);
  if (rows.some((m) => metric.predicted(m) > 0)) entries.push(["predicted", `predicted for ${predicted_for(rows)}, not measured`]);
  if (scale.ceiling) entries.push(["line-ceiling", `read ceiling, ${number_text(scale.ceiling)} GB/s`]);
  if (scale.reference > 0) entries.push(["line-reference", text_of(reference_of(rows).rung)]);
  if (rows.some((m) => marks_of(m, metric).length)) entries.push(["published", "published in the documents"]);
  if (columns_of(rows).some((c) => tint_of(c, counted_in(rows)))) {
    entries.push(["worst", "the redder, the nearer to the worst of its column; its better half is white"]);
  }
  return legend_of(entries);
}
