// The roofline: uses of the operator for each byte moved against uses per second, with the device's
// ceilings.

/// What an H100 SXM has: the memory's clocks, and 132 multiprocessors of 64 integer lanes at 1.98 GHz.
const H100 = {name: "H100", memory_gbs: 3352, uses_per_second: 132 * 64 * 1.98e9};

function points_of(rows) {
  return rows.filter((m) => is_run(m) && m.backend !== "host").flatMap((m) => {
    const counted = counter(m, "simt__operator_applications");
    const uses = counted > 0 ? counted : number_of(m.n);  // a GPU's own counters do not have it
    const bytes = Math.max(bytes_moved(m) || 0, number_of(m.useful_bytes) || 0);
    if (!(uses > 0) || !(bytes > 0)) return [];
    const intensity = uses / bytes;
    const at = (us, kind) => (us > 0 ? [{m, intensity, rate: uses / us * 1e6, kind}] : []);
    const found = [...at(measured_us(m), "measured"), ...at(predicted_us(m), "predicted")];
    return found.length ? found : [{m, intensity, rate: roof_at(intensity, H100.memory_gbs), kind: "bound"}];
  });
}

const roof_at = (intensity, gbs) => Math.min(intensity * gbs * 1e9, H100.uses_per_second);

const KIND_TEXT = {measured: "measured", predicted: "predicted, not measured",
  bound: "as fast as the roof lets it be: nothing was timed or predicted here"};

/// The roof within the picture, from its left edge to its right one: points of a line, and its words.
function roof_within(axes, gbs, ridge) {
  const {least, most} = axes.x_range;
  const points = [least, ...(least < ridge && ridge < most ? [ridge] : []), most].map((x) => [x, roof_at(x, gbs)]);
  const inside = points.map(([x, y]) => [x, Math.min(y, axes.y_range.most)]);
  if (points.at(-1)[1] > axes.y_range.most) inside[inside.length - 1][0] = axes.y_range.most / (gbs * 1e9);
  return inside;
}

function roofline_of(ladder, rows, width) {
  const points = points_of(rows);
  const measured = ceiling_of(rows);
  const gbs = measured || H100.memory_gbs;
  const ridge = H100.uses_per_second / (gbs * 1e9);
  const rates = points.map((p) => p.rate), intensities = points.map((p) => p.intensity);
  const axes = fitted_axes(intensities, [...rates, roof_at(Math.max(...intensities), gbs)], {width, height: 420});
  const nodes = draw_axes(axes, "uses of the operator per byte moved", "uses of the operator per second");
  const roof = roof_within(axes, gbs, ridge), flat = roof.at(-1)[0] >= ridge;
  const about = `${number_text(gbs)} GB/s${measured ? " measured" : ""}`;
  const end = roof.at(-1);
  nodes.push(line_through(axes, roof, "roof", `${about}, ${short_number(H100.uses_per_second)} uses per second`));
  if (flat) {
    nodes.push(svg("text", {x: round(axes.x(end[0])) - 4, y: round(axes.y(end[1])) - 7, class: "note", "text-anchor": "end"},
      `${short_number(H100.uses_per_second)} integer operations/s (${H100.name})`));
  }
  const taken = points.map((p) => ({x: axes.x(p.intensity) - 5, y: axes.y(p.rate) + 4, width: 10}));
  for (const p of points) {
    const x = axes.x(p.intensity), y = axes.y(p.rate);
    nodes.push(mark_at(x, y, 0, p.kind, `${p.m.rung}: ${number_text(p.intensity)} uses/byte, ${short_number(p.rate)} uses/s, ${KIND_TEXT[p.kind]}`));
    const text = number_in(text_of(p.m.rung)) === null ? text_of(p.m.rung) : text_of(p.m.rung).slice(0, 2);
    const spot = free_spot(taken, x, y, text.length);
    if (spot) nodes.push(svg("text", {x: round(spot.x), y: round(spot.y), class: "tiny label"}, text));
  }
  const kinds = [...new Set(points.map((p) => p.kind))];
  return figure_of_plot(`${ladder.name}: roofline`,
    svg_picture(axes.width, axes.height, `Roofline of ${ladder.name}: ${points.length} rungs below ${number_text(gbs)} GB/s`, nodes, 560),
    legend_of(kinds.map((k) => [`point-${k}`, KIND_TEXT[k]])), el("p", {class: "dim"},
      `The slope is ${about}.${flat ? "" : ` The roof is flat from ${number_text(round(ridge))} uses per byte on, right of this picture.`}`));
}

/// Where a number may stand beside its point; null where others leave no room.
function free_spot(taken, x, y, length, offsets) {
  const width = 7 * length;
  const around = [[7, 4], [-7 - width, 4], [-width / 2, -8], [-width / 2, 16], [7, -9], [7, 17], [-7 - width, -9], [-7 - width, 17],
    [-width / 2, -19], [-width / 2, 27], [10, -19], [10, 27], [-10 - width, -19], [-10 - width, 27], [18, 4], [-18 - width, 4]];
  for (const [dx, dy] of offsets ?? around) {
    const box = {x: x + dx, y: y + dy, width};
    const hits = taken.some((b) => b.x < box.x + box.width && box.x < b.x + b.width && Math.abs(b.y - box.y) < 11);
    if (!hits) { taken.push(box); return box; }
  }
  return null;
}

/// Of the problems that the ladders show now.
function rooflines_of(model) {
  const ladders = [...model.ladders.values()].filter((l) => l.problems.size && points_of(problem_shown(l).rows).length);
  const width = ladders.length > 1 ? 640 : 860;
  return ladders.map((l) => roofline_of(l, problem_shown(l).rows, width));
}

function redraw_rooflines() {
  document.querySelector("#roofline .plots")?.replaceChildren(...rooflines_of(page.model));
}

function roofline_section(model) {
  const plots = rooflines_of(model);
  return plots.length ? section_of("roofline", "Roofline",
    el("p", {}, "A rung under the slope waits for memory, one under the flat roof for arithmetic. Reductions and scans are far to the left: what helps is to move fewer bytes, and to keep the memory busy. Bytes are those that requests ask for: a rung above the slope has some of them from caches."),
    el("div", {class: "plots"}, plots)) : null;
}
