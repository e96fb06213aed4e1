// Plots: axes with few ticks, lines and points of series that differ in colour, dash and mark.

const PLOT = {left: 70, right: 40, top: 16, bottom: 46};
const SERIES = 6;  // colours in plots.css; then dashes tell apart

/// Powers of ten, or of two where all values are.
function log_ticks(least, most, base = 10) {
  const log = (v) => Math.log(v) / Math.log(base);
  const first = Math.floor(log(least) + 1e-9), last = Math.ceil(log(most) - 1e-9);
  const every = Math.max(1, Math.ceil((last - first) / 9));
  const ticks = [];
  for (let e = first; e <= last; e += every) ticks.push(base ** e);
  return ticks;
}

/// 1, 2 and 5 of each power of ten that lies within; of many powers only themselves.
function ticks_within(least, most) {
  const ticks = [], digits = most / least > 300 ? [1] : [1, 2, 5];
  for (let e = Math.floor(Math.log10(least)); 10 ** e <= most; ++e) {
    ticks.push(...digits.map((d) => Number(`${d}e${e}`)).filter((v) => v >= least && v <= most));
  }
  return ticks;
}

/// The same for axes that begin and end where the values do.
function fitted_axes(xs, ys, {width = 640, height = 380, pad = 1.4} = {}) {
  const scale = (values, from, to) => {
    const least = Math.min(...values) / pad, most = Math.max(...values) * pad;
    const at = (v) => from + (to - from) * Math.log(v / least) / Math.log(most / least);
    return {at, ticks: ticks_within(least, most), least, most};
  };
  const x = scale(xs, PLOT.left, width - PLOT.right), y = scale(ys, height - PLOT.bottom, PLOT.top);
  return {width, height, x_ticks: x.ticks, y_ticks: y.ticks, x: x.at, y: y.at, x_range: x, y_range: y};
}

/// {x, y, log}: from values to pixels. Both axes are logarithmic.
function axes_of(xs, ys, {width = 640, height = 380, base_x = 10, base_y = 10, pad = 1} = {}) {
  const range = (values, base) => {
    const good = values.filter((v) => v > 0 && Number.isFinite(v));
    const ticks = log_ticks(Math.min(...good) / pad, Math.max(...good) * pad, base);
    if (ticks.length < 2) ticks.push(ticks[0] * base);
    return ticks;
  };
  const x_ticks = range(xs, base_x), y_ticks = range(ys, base_y);
  const scale = (ticks, from, to) => (v) => from + (to - from) *
    (Math.log(v / ticks[0]) / Math.log(ticks.at(-1) / ticks[0]));
  return {width, height, x_ticks, y_ticks, x: scale(x_ticks, PLOT.left, width - PLOT.right),
    y: scale(y_ticks, height - PLOT.bottom, PLOT.top)};
}

function draw_axes(axes, x_title, y_title, x_text = short_number, y_text = short_number) {
  const nodes = [], low = axes.height - PLOT.bottom, right = axes.width - PLOT.right;
  for (const v of axes.x_ticks) {
    nodes.push(svg("line", {x1: round(axes.x(v)), x2: round(axes.x(v)), y1: PLOT.top, y2: low, class: "grid"}),
      svg("text", {x: round(axes.x(v)), y: low + 16, class: "axis", "text-anchor": "middle"}, x_text(v)));
  }
  for (const v of axes.y_ticks) {
    nodes.push(svg("line", {x1: PLOT.left, x2: right, y1: round(axes.y(v)), y2: round(axes.y(v)), class: "grid"}),
      svg("text", {x: PLOT.left - 8, y: round(axes.y(v)) + 4, class: "axis", "text-anchor": "end"}, y_text(v)));
  }
  nodes.push(svg("text", {x: (PLOT.left + right) / 2, y: axes.height - 8, class: "label", "text-anchor": "middle"}, x_title),
    svg("text", {x: 16, y: (PLOT.top + low) / 2, class: "label", "text-anchor": "middle",
      transform: `rotate(-90 16 ${(PLOT.top + low) / 2})`}, y_title));
  return nodes;
}

function line_through(axes, points, style, title) {
  return svg("polyline", {class: `series ${style}`, points: points.map(([x, y]) => `${round(axes.x(x))},${round(axes.y(y))}`).join(" ")},
    title && svg("title", {}, title));
}

/// Circles, squares, diamonds and triangles in turn.
function mark_at(x, y, index, style, title) {
  const shapes = ["M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "M-4,-4h8v8h-8z", "M0,-5l5,5l-5,5l-5,-5z", "M0,-5l5,9h-10z"];
  return svg("path", {d: shapes[index % shapes.length], transform: `translate(${round(x)} ${round(y)})`, class: `mark ${style}`},
    title && svg("title", {}, title));
}

const DASHES = ["", " dashed", " dotted"];
const series_style = (i) => `s${i % SERIES}${DASHES[Math.floor(i / SERIES) % DASHES.length]}`;

/// A figure with its words below it.
function figure_of_plot(title, picture, ...notes) {
  return el("figure", {class: "plot"}, el("figcaption", {}, title), scroller(title, picture), ...notes);
}
