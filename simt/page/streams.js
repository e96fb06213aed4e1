// Streams: who worked when, a row for each engine, with zoom.

const ENGINES = [["copy_in", "in"], ["compute", "sum"], ["copy_out", "out"], ["callback", "calls"], ["host", "host"]];
const GANTT = {left: 64, wide: 880};

const view = {from: 0, to: 1, own_scale: false};

/// By stream, as pictures of timelines have it; the host and the default stream are grey.
function fill_of(span) {
  if (span.engine === "host") return span.what === "works" ? "dim" : "idle";
  return span.stream === 0 ? "dim" : SIZES.stream_fills[(span.stream - 1) % SIZES.stream_fills.length];
}

const end_of = (line) => Math.max(0, ...list_of(line.spans).map((s) => number_of(s.end_us)));

/// Ticks at round numbers of microseconds.
function time_ticks(from, to) {
  const rough = (to - from) / 8, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
  const ticks = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) ticks.push(t);
  return ticks;
}

function gantt_of(line, total) {
  const from = view.from * total, to = view.to * total;
  const x = (us) => GANTT.left + GANTT.wide * (us - from) / (to - from);
  const nodes = [];
  let y = 4;
  for (const [engine, name] of ENGINES) {
    const spans = list_of(line.spans).filter((s) => s.engine === engine);
    if (!spans.length) continue;
    nodes.push(svg("text", {x: GANTT.left - 10, y: y + 15, class: "label", "text-anchor": "end"}, name),
      svg("rect", {x: GANTT.left, y, width: GANTT.wide, height: SIZES.timeline_height, class: "lane-bed"}));
    for (const s of spans) {
      const begin = Math.max(x(s.begin_us), GANTT.left), end = Math.min(x(s.end_us), GANTT.left + GANTT.wide);
      if (end < GANTT.left || begin > GANTT.left + GANTT.wide) continue;
      const width = Math.max(1.5, end - begin);
      const text = engine === "host" ? text_of(s.what) : s.chunk === undefined ? "" : String(s.chunk);
      nodes.push(svg("rect", {x: round(begin), y, width: round(width), height: SIZES.timeline_height, class: `span ${fill_of(s)}`, "data-begin": s.begin_us, "data-end": s.end_us},
        svg("title", {}, `${name} · ${text_of(s.what)}${s.chunk === undefined ? "" : ` · chunk ${s.chunk}`} · stream ${s.stream} · ${number_text(s.begin_us)} to ${number_text(s.end_us)} µs (${number_text(s.end_us - s.begin_us)} µs)`)));
      if (width > 8 * text.length + 4) {
        nodes.push(svg("text", {x: round(begin + width / 2), y: y + 15, "text-anchor": "middle", class: `span-text on-${fill_of(s)}`}, text));
      }
    }
    y += SIZES.timeline_height + SIZES.timeline_gap;
  }
  for (const t of time_ticks(from, to)) {
    nodes.push(svg("line", {x1: round(x(t)), x2: round(x(t)), y1: 2, y2: y, class: "grid"}),
      svg("text", {x: round(x(t)), y: y + 13, class: "axis", "text-anchor": "middle"}, `${number_text(t)} µs`));
  }
  return svg_picture(GANTT.left + GANTT.wide + SIZES.margin, y + 20, `Timeline of ${line.rung}, ${number_text(from)} to ${number_text(to)} µs`, nodes, 560);
}

/// Zooms by a factor around a share of what is shown.
function zoom(by, around = 0.5) {
  const width = Math.min(1, Math.max(1e-3, (view.to - view.from) * by));
  const middle = view.from + (view.to - view.from) * around;
  view.from = Math.max(0, Math.min(1 - width, middle - width * around));
  view.to = view.from + width;
}

function pan(by) {
  const width = view.to - view.from;
  view.from = Math.max(0, Math.min(1 - width, view.from + by * width));
  view.to = view.from + width;
}

function streams_section(model) {
  const ladders = [...model.ladders.values()].filter((l) => l.timelines.length);
  if (!ladders.length) return null;
  const lines = ladders.flatMap((l) => l.timelines);
  const longest = Math.max(...lines.map(end_of));
  const list = el("div", {class: "timelines"});
  const draw = () => list.replaceChildren(...lines.map((line) => el("div", {class: "timeline"},
    el("h3", {}, `${shortened(line.rung, 60)} · ${number_text(end_of(line))} µs`),
    scroller(`Timeline of ${line.rung}`, gantt_of(line, view.own_scale ? end_of(line) : longest)))));
  const act = (change) => () => { change(); draw(); };
  list.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && !e.shiftKey) return;
    const box = e.target.closest("svg")?.getBoundingClientRect();
    if (!box) return;
    e.preventDefault();
    zoom(e.deltaY > 0 ? 1.25 : 0.8, Math.min(1, Math.max(0, (e.clientX - box.left) / box.width)));
    draw();
  }, {passive: false});
  draw();
  return section_of("streams", "Streams",
    el("p", {}, "Who works when: copies to the device, sums, copies back, the host. Colours are streams, grey is the default one, numbers are chunks. Shift and the wheel zoom."),
    el("div", {class: "toolbar", role: "group", "aria-label": "Zoom"}, button_of("Zoom in", act(() => zoom(0.5))), button_of("Zoom out", act(() => zoom(2))),
      button_of("◂", act(() => pan(-0.25)), {"aria-label": "Earlier"}), button_of("▸", act(() => pan(0.25)), {"aria-label": "Later"}),
      button_of("All", act(() => { view.from = 0; view.to = 1; })),
      el("label", {class: "field"}, el("input", {type: "checkbox", change: (e) => { view.own_scale = e.target.checked; draw(); }}), "each rung on its own scale")),
    list);
}
