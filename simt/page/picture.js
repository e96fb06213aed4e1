// A step as a picture: the arrays before it, the threads, the arrays after it. Everything keeps its
// place from step to step.

const LABEL_WIDTH = 118, ARRAY_GAP = 10, LINE_GAP = 62, PER_ROW = 32;

/// The characters of the longest cell that is ever shown. A step hands on the arrays that it does not
/// change, so each is looked at once.
function widest_cell(walk) {
  let widest = 2;
  const seen = new Set();
  for (const [a, cells] of walk.frames.flatMap((frame) => [...frame.entries()])) {
    if (seen.has(cells)) continue;
    seen.add(cells);
    for (const cell of cells.slice(0, walk.extents[a])) widest = Math.max(widest, cell_text(cell).length);
  }
  return widest;
}

/// Where things are; the same at every position.
function layout_of(walk) {
  const values = walk.extents[0] || 1;
  const widest = widest_cell(walk);
  const per_row = values > PER_ROW && walk.block <= PER_ROW ? Math.max(walk.block, 16) : PER_ROW;
  const spread = Math.max(1, Math.floor(Math.min(values, per_row) / walk.block));
  const columns = Math.max(Math.min(walk.block * spread, per_row), ...walk.extents.map((n) => Math.min(n, per_row)));
  const roomy = columns <= 8 ? 52 : columns <= 16 ? 42 : 2 * SIZES.lane_radius + 8;
  const pitch = Math.max(roomy, 8 * widest + 12);
  const layout = {per_row, spread, pitch, lanes_per_row: Math.max(1, Math.floor(per_row / spread)),
    left: SIZES.margin + LABEL_WIDTH, above: new Map(), below: new Map()};
  const place = (arrays, to, y) => {
    for (const array of arrays) {
      to.set(array, y);
      y += SIZES.cell_height * Math.ceil(walk.extents[array] / per_row) + ARRAY_GAP;
    }
    return y;
  };
  const top = place(walk.reads, layout.above, 4) - ARRAY_GAP;
  layout.lanes_y = top + LINE_GAP + SIZES.lane_radius;
  const lane_rows = Math.ceil(walk.block / layout.lanes_per_row);
  layout.lanes_end = layout.lanes_y + (lane_rows - 1) * (2 * SIZES.lane_radius + 6) + SIZES.lane_radius;
  layout.height = place(walk.writes, layout.below, layout.lanes_end + LINE_GAP) - ARRAY_GAP + 6;
  layout.width = layout.left + columns * pitch + SIZES.margin;
  return layout;
}

const cell_x = (layout, index) => layout.left + (index % layout.per_row + 0.5) * layout.pitch;
const lane_x = (layout, t) => layout.left + (t % layout.lanes_per_row + 0.5) * layout.spread * layout.pitch;
const lane_y = (layout, t) => layout.lanes_y + Math.floor(t / layout.lanes_per_row) * (2 * SIZES.lane_radius + 6);
const cell_y = (layout, rows, [array, index]) => rows.get(array) + SIZES.cell_height * Math.floor(index / layout.per_row);

function draw_array(walk, layout, array, y, cells, {written = null, bad = null, dim = false} = {}) {
  const nodes = [svg("text", {x: layout.left - 10, y: y + 18, class: "label", "text-anchor": "end"},
    shortened(walk.arrays[array].name, 18))];
  for (let i = 0; i < walk.extents[array]; ++i) {
    const key = cell_key([array, i]);
    const warp = written?.get(key);
    const x = cell_x(layout, i) - layout.pitch / 2, row = y + SIZES.cell_height * Math.floor(i / layout.per_row);
    nodes.push(svg("rect", {x: round(x), y: row, width: round(layout.pitch), height: SIZES.cell_height,
      class: `cell${warp === undefined ? "" : ` t${warp}`}`}));
    nodes.push(svg("text", {x: round(x + layout.pitch / 2), y: row + 18, "text-anchor": "middle",
      class: `value${warp === undefined ? "" : " changed"}${cells[i] === null || cells[i] === undefined ? " nothing" : ""}`},
    cell_text(cells[i])));
    if (bad?.has(key)) {
      nodes.push(svg("rect", {x: round(x + 1), y: row + 1, width: round(layout.pitch - 2),
        height: SIZES.cell_height - 2, class: "outline"}));
    }
  }
  return svg("g", {class: dim ? "array aside" : "array", "data-array": walk.arrays[array].name}, ...nodes);
}

function draw_lanes(walk, layout, doing) {
  const nodes = [];
  for (let t = 0; t < walk.block; ++t) {
    const warp = Math.floor(t / 32) % 2;
    const kind = doing.workers.has(t) ? `w${warp}` : doing.movers.has(t) ? `t${warp}` : "idle";
    nodes.push(svg("circle", {cx: round(lane_x(layout, t)), cy: lane_y(layout, t), r: SIZES.lane_radius, class: `lane ${kind}`}),
      svg("text", {x: round(lane_x(layout, t)), y: lane_y(layout, t) + 4, "text-anchor": "middle",
        class: `lane-number on-${kind.slice(0, 1) === "w" ? "color" : kind}`}, t));
  }
  return svg("g", {class: "lanes"}, svg("text", {x: layout.left - 10, y: layout.lanes_y + 5, class: "label", "text-anchor": "end"}, "threads"), ...nodes);
}

/// One outline with a head, as pictures of steps have it.
function arrow(from, to, style, width) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const ux = (to.x - from.x) / length, uy = (to.y - from.y) / length;
  const head = 2.5 + 2.5 * width, half = width / 2, wide = head / 2;
  const neck = {x: to.x - ux * head, y: to.y - uy * head};
  const beside = (p, d) => `${round(p.x - uy * d)},${round(p.y + ux * d)}`;
  return svg("polygon", {class: `arrow ${style}`, points: [beside(from, half), beside(neck, half), beside(neck, wide),
    `${round(to.x)},${round(to.y)}`, beside(neck, -wide), beside(neck, -half), beside(from, -half)].join(" ")});
}

function draw_arrows(walk, layout, doing) {
  const nodes = [];
  for (const move of doing.step ? moves_of(doing.step) : []) {
    const style = (cell) => (doing.bad.has(cell_key(cell)) ? "bad" : `w${Math.floor(move.thread / 32) % 2}`);
    const lane = {x: lane_x(layout, move.thread), y: lane_y(layout, move.thread)};
    for (const cell of move.reads) {
      if (cell[1] >= walk.extents[cell[0]]) continue;
      nodes.push(arrow({x: cell_x(layout, cell[1]), y: cell_y(layout, layout.above, cell) + SIZES.cell_height + 1},
        {x: lane.x, y: lane.y - SIZES.lane_radius}, style(cell), 1.1));
    }
    for (const cell of move.writes) {
      if (cell[1] >= walk.extents[cell[0]]) continue;
      nodes.push(arrow({x: lane.x, y: lane.y + SIZES.lane_radius},
        {x: cell_x(layout, cell[1]), y: cell_y(layout, layout.below, cell) - 1}, style(cell), 1.8));
    }
  }
  return svg("g", {class: "arrows"}, ...nodes);
}

/// What position p is about, in words: for those who can't see it, and above the picture.
function heading_at(walk, p) {
  if (p === 0) return "before the first step";
  const step = walk.steps[Math.min(p, walk.steps.length) - 1];
  return text_of(step.what) || `step ${p}`;
}

function picture_at(walk, layout, p) {
  const doing = doings_at(walk, p);
  const before = walk.frames[Math.max(0, p - 1)], after = walk.frames[p];
  const touched = (what) => new Set(doing.step ? moves_of(doing.step).flatMap((t) => t[what].map(([a]) => a)) : []);
  const read = touched("reads"), written = touched("writes");
  return svg_picture(layout.width, layout.height, `${walk.title}, ${heading_at(walk, p)}`, [
    ...walk.reads.map((a) => draw_array(walk, layout, a, layout.above.get(a), before[a], {bad: doing.bad, dim: p > 0 && !read.has(a)})),
    draw_arrows(walk, layout, doing), draw_lanes(walk, layout, doing),
    ...walk.writes.map((a) => draw_array(walk, layout, a, layout.below.get(a), after[a],
      {written: doing.written, dim: p > 0 && !written.has(a)})),
  ], 560);
}
