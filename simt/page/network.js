// A sort as a network: a wire for each key, its comparators as lines between two wires, the keys on
// the wires behind each step.

function network_layout(network) {
  const widest = Math.max(...[network.input, ...network.layers.map((l) => l.keys)].flatMap((keys) =>
    keys.map((k) => cell_text(k).length)));
  const key_width = 8 * widest + 14;
  const width_of = (layer, at) => SIZES.comparator_gap * (layer.columns.length + 1) +
    (at + 1 < network.layers.length ? key_width : 0);
  return {key_width, width_of, left: SIZES.margin + 28,
    width: 2 * SIZES.margin + 28 + 2 * key_width + sum(network.layers.map(width_of)),
    height: SIZES.margin + 44 + SIZES.wire_spacing * network.n};
}

const wire_y = (wire) => SIZES.margin + 32 + SIZES.wire_spacing * wire;

function draw_keys(x, keys, style, only = () => true) {
  return keys.map((key, i) => only(i) && svg("text", {x: round(x), y: wire_y(i) + (style === "moved" ? -4 : 5),
    "text-anchor": "middle", class: style}, cell_text(key)));
}

function network_at(walk, network, p) {
  const layout = network_layout(network);
  const nodes = [];
  const done = network.layers.filter((l) => l.position <= p).length;
  const end = layout.width - SIZES.margin - layout.key_width;
  for (let i = 0; i < network.n; ++i) {
    nodes.push(svg("line", {x1: layout.left + layout.key_width, x2: end, y1: wire_y(i), y2: wire_y(i), class: "wire"}),
      svg("text", {x: SIZES.margin + 16, y: wire_y(i) + 4, class: "axis", "text-anchor": "end"}, i));
  }
  nodes.push(...draw_keys(layout.left + layout.key_width / 2 - 2, network.input, "value"));
  let x = layout.left + layout.key_width, before = network.input;
  network.layers.forEach((layer, at) => {
    const begin = x, reached = at < done, now = at === done - 1 && network.layers[at].position === p;
    const group = [];
    x += SIZES.comparator_gap;
    for (const column of layer.columns) {
      for (const c of column) {
        const style = !reached ? "later" : c.swapped ? "w1" : "w0";
        group.push(svg("line", {x1: x, x2: x, y1: wire_y(c.low), y2: wire_y(c.high), class: `comparator ${style}`}),
          svg("circle", {cx: x, cy: wire_y(c.low), r: 4, class: style}), svg("circle", {cx: x, cy: wire_y(c.high), r: 4, class: style}));
      }
      x += SIZES.comparator_gap;
    }
    if (now) {
      nodes.push(svg("rect", {x: begin + 2, y: SIZES.margin - 2, width: round(x - begin - 4), height: round(layout.height - SIZES.margin - 2), class: "now"}));
    }
    nodes.push(...group, svg("text", {x: round((begin + x) / 2), y: SIZES.margin + 12, class: "axis", "text-anchor": "middle"}, layer.number));
    if (at + 1 < network.layers.length) {
      if (reached) nodes.push(...draw_keys(x + layout.key_width / 2 - 6, layer.keys, "moved", (i) => layer.keys[i] !== before[i]));
      x += layout.key_width;
    }
    before = layer.keys;
  });
  const last = done > 0 ? network.layers[done - 1].keys : network.input;
  nodes.push(...draw_keys(end + layout.key_width / 2, last, done === network.layers.length ? "value changed" : "value nothing"));
  return svg_picture(layout.width, layout.height, `${walk.title} as a network, ${heading_at(walk, p)}: ${last.map(cell_text).join(", ")}`,
    nodes.filter(Boolean), 560);
}
