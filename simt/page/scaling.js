// How work, depth and time grow with n, beside the documents' formulas.

/// Rows with the same points are one line: "01, 02, 12".
function alike(rows, value) {
  const drawn = rows.filter((r) => r.points.some((p) => p[value] > 0));
  return [...grouped(drawn, (r) => JSON.stringify([r.textbook, r.points.map((p) => [p.n, p[value]])])).values()];
}

const numbers_of = (rows) => shortened(rows.map((r) => number_in(text_of(r.rung)) ?? r.rung).map((n) => String(n).padStart(2, "0")).join(", "), 46);

function growth_plot(title, rows, value, y_title, formula) {
  const groups = alike(rows, value);
  if (!groups.length) return null;
  const all = groups.flatMap(([r]) => r.points);
  const axes = axes_of(all.map((p) => p.n), all.flatMap((p) => [p[value], formula ? p[formula] : NaN].filter((v) => v > 0)),
    {base_x: 2, base_y: value === "depth" ? 2 : 10, width: 560, height: 340});
  const nodes = draw_axes(axes, "n", y_title, size_text, value === "depth" ? number_text : short_number);
  groups.forEach((group, i) => {
    const [r] = group, points = r.points.filter((p) => p[value] > 0);
    const name = `${numbers_of(group)}: ${value}`;
    if (formula && r.textbook) {
      nodes.push(line_through(axes, points.filter((p) => p[formula] > 0).map((p) => [p.n, p[formula]]), "formula", r.textbook));
    }
    nodes.push(line_through(axes, points.map((p) => [p.n, p[value]]), series_style(i), name));
    for (const p of points) {
      nodes.push(mark_at(axes.x(p.n), axes.y(p[value]), i, series_style(i),
        `${numbers_of(group)}: ${number_text(p[value])} at n = ${size_text(p.n)}${formula && p[formula] ? `; ${r.textbook} = ${number_text(p[formula])}` : ""}`));
    }
  });
  return figure_of_plot(title, svg_picture(axes.width, axes.height, `${title}: ${groups.length} lines`, nodes, 480),
    legend_of([...groups.map((g, i) => [`line-${series_style(i)}`, numbers_of(g) + (formula && g[0].textbook ? `; its formula ${g[0].textbook}` : "")]),
      ...(formula ? [["line-formula", "a document's formula"]] : [])]));
}

/// "reduce: speed by n, i32 sum": a line for each rung, its number at its end.
function speed_plot(title, lines) {
  const all = lines.flatMap((l) => l.points);
  const axes = axes_of(all.map((p) => p.n), all.map((p) => p.gbs), {base_x: 2, height: 420});
  const nodes = draw_axes(axes, "n", "GB/s", size_text), taken = [];
  lines.forEach((l, i) => {
    nodes.push(line_through(axes, l.points.map((p) => [p.n, p.gbs]), series_style(i), l.name));
    l.points.forEach((p) => nodes.push(mark_at(axes.x(p.n), axes.y(p.gbs), i, series_style(i), `${l.name}: ${number_text(p.gbs)} GB/s at n = ${size_text(p.n)}`)));
  });
  for (const l of lines) {
    const end = l.points.at(-1), number = number_in(l.name);
    const text = number === null ? shortened(l.name, 12) : String(number).padStart(2, "0");
    const spot = free_spot(taken, axes.x(end.n), axes.y(end.gbs), text.length, [[7, 4], [7 + 6 * text.length, 4]]);
    if (spot) nodes.push(svg("text", {x: round(spot.x), y: round(spot.y), class: "tiny label"}, text));
  }
  return figure_of_plot(title, svg_picture(axes.width, axes.height, `${title}: ${lines.length} lines`, nodes, 560),
    legend_of(lines.map((l, i) => [`line-${series_style(i)}`, shortened(l.name, 40)])));
}

/// A plot for each type and form of a ladder that was measured at several sizes.
function speed_plots(ladder) {
  const rows = [...ladder.problems.values()].flatMap((p) => p.rows.map((m) => ({...m, gbs: rate_of(m, measured_us(m))})))
    .filter((m) => m.gbs > 0 && m.n > 0 && (m.backend !== "host" || m.call));
  const kind = (m) => [m.type, m.op, m.form, m.call && `${m.call} calls`].map(text_of).filter(Boolean).join(" ");
  return [...grouped(rows, kind)].map(([name, of_kind]) => {
    const lines = [...grouped(of_kind, (m) => text_of(m.rung))]
      .map(([rung, points]) => ({name: rung, points: points.sort((a, b) => a.n - b.n)}))
      .filter((l) => new Set(l.points.map((p) => p.n)).size > 2);
    return lines.length > 0 && speed_plot(`${ladder.name}: speed by n, ${name}`, lines);
  }).filter(Boolean);
}

function growth_table(growth) {
  const rows = [...growth.one_block.map((r) => [r, "one block"]), ...growth.scaling.map((r) => [r, `block ${growth.block}`])];
  return el("details", {}, el("summary", {}, "The numbers"), scroller("Growth in numbers", el("table", {},
    el("thead", {}, el("tr", {}, ["rung", "in", "n", "uses", "formula", "depth"].map((t) => el("th", {scope: "col"}, t)))),
    el("tbody", {}, rows.flatMap(([r, where]) => list_of(r.points).map((p) => el("tr", {},
      el("th", {scope: "row"}, r.rung), el("td", {}, where), ...[p.n, p.uses, p.textbook, p.depth].map((v) =>
        el("td", {class: "number"}, number_text(number_of(v)))))))))));
}

function growth_of(ladder) {
  const plots = speed_plots(ladder), growth = ladder.growth;
  const speed = plots.length > 0 && el("div", {class: "plots"}, plots);
  if (!growth) return speed ? [el("h3", {}, ladder.name), speed] : [];
  const blocks = `blocks of ${growth.block}`;
  return [el("h3", {}, ladder.name), speed, el("div", {class: "plots"},
    growth_plot(`${ladder.name}: work in one block`, growth.one_block, "uses", "uses of the operator", "textbook"),
    growth_plot(`${ladder.name}: depth in one block`, growth.one_block, "depth", "uses one after the other"),
    growth_plot(`${ladder.name}: work in ${blocks}`, growth.scaling, "uses", "uses of the operator", "textbook"),
    growth_plot(`${ladder.name}: depth in ${blocks}`, growth.scaling, "depth", "uses one after the other")), growth_table(growth)];
}

function growth_section(model) {
  const parts = [...model.ladders.values()].flatMap(growth_of).filter(Boolean);
  return parts.length ? section_of("growth", "Growing with n", parts) : null;
}
