// What a step asks of memory: the 32 banks of shared memory, in which conflicts stack up, and the
// sectors of global memory.

const BANKS = 32, BANK_WIDTH = 22, WORD_HEIGHT = 16, SECTOR_BYTES = 32;
const BYTES_OF = {u8: 1, u32: 4, i32: 4, f32: 4, u64: 8, i64: 8, f64: 8};

const bytes_of = (walk, array) => BYTES_OF[walk.arrays[array].type] ?? 4;
const address_of = (walk, array, index) => number_of(walk.arrays[array].offset ?? 0) + index * bytes_of(walk, array);

const requests_of = (step, space) => list_of(step?.requests).filter((r) => r.space === space && r.block === 0);

/// The passes over the banks that a request takes: a list of groups of lanes that go together, each
/// a list of banks with the different words that they are asked for: word → lanes.
function bank_groups(walk, request) {
  const lanes = grouped(request.cells, ([lane]) => lane);
  const bytes = Math.max(...[...lanes.values()].map((cells) => sum(cells.map(([, array]) => bytes_of(walk, array)))));
  const together = bytes <= 4 ? 32 : (32 * 4) / bytes;
  const groups = new Map();
  for (const [lane, cells] of lanes) {
    const group = Math.floor(lane / together);
    if (!groups.has(group)) groups.set(group, Array.from({length: BANKS}, () => new Map()));
    for (const [, array, index] of cells) {
      const begin = address_of(walk, array, index);
      for (let at = begin; at < begin + bytes_of(walk, array); at += 4) {
        const word = Math.floor(at / 4), bank = groups.get(group)[word % BANKS];
        bank.set(word, [...(bank.get(word) ?? []), lane]);
      }
    }
  }
  return [...groups.values()];
}

const depth_of = (banks) => Math.max(...banks.map((words) => words.size));
const passes_of = (walk, request) => sum(bank_groups(walk, request).map(depth_of));
const conflicts_of = (walk, request) => passes_of(walk, request) - bank_groups(walk, request).length;

/// The most passes that the requests of one step have together: the grid keeps its height.
const bank_rows = once_a_walk((walk) =>
  Math.max(0, ...walk.steps.map((s) => sum(requests_of(s, "shared").map((r) => passes_of(walk, r) + 1)))));

function banks_at(walk, p) {
  const rows = bank_rows(walk);
  if (!rows) return null;
  const requests = requests_of(walk.steps[p - 1], "shared");
  const left = SIZES.margin + LABEL_WIDTH, nodes = [];
  for (let b = 0; b < BANKS; ++b) {
    nodes.push(svg("text", {x: left + (b + 0.5) * BANK_WIDTH, y: 12, class: "axis", "text-anchor": "middle"}, b));
    nodes.push(svg("rect", {x: left + b * BANK_WIDTH, y: 18, width: BANK_WIDTH - 2, height: rows * WORD_HEIGHT, class: "bank"}));
  }
  nodes.push(svg("text", {x: left - 10, y: 12, class: "label", "text-anchor": "end"}, "bank"));
  let y = 18;
  for (const request of requests) {
    const passes = passes_of(walk, request), conflicts = conflicts_of(walk, request);
    nodes.push(svg("text", {x: left - 10, y: y + 12, class: `label${conflicts ? " bad" : ""}`, "text-anchor": "end"},
      `${request.what} · ${passes} ${passes === 1 ? "pass" : "passes"}`));
    for (const banks of bank_groups(walk, request)) {
      banks.forEach((words, bank) => [...words.values()].forEach((lanes, at) => nodes.push(
        svg("rect", {x: left + bank * BANK_WIDTH, y: y + at * WORD_HEIGHT, width: BANK_WIDTH - 2, height: WORD_HEIGHT - 2,
          class: `word ${at > 0 ? "bad" : `w${request.warp % 2}`}`}),
        svg("text", {x: left + (bank + 0.5) * BANK_WIDTH - 1, y: y + at * WORD_HEIGHT + 11, "text-anchor": "middle", class: "on-color tiny"},
          lanes.length > 1 ? `${lanes.length}×` : lanes[0]))));
      y += depth_of(banks) * WORD_HEIGHT;
    }
    y += WORD_HEIGHT;
  }
  const total = sum(requests.map((r) => conflicts_of(walk, r)));
  return svg_picture(left + BANKS * BANK_WIDTH + SIZES.margin, 20 + rows * WORD_HEIGHT,
    `Banks of shared memory: ${requests.length} requests, ${total} conflicts; numbers are lanes`, nodes, 560);
}

// --- global memory ----------------------------------------------------------------------------------

const global_arrays = once_a_walk((walk) => walk.arrays.map((a, i) => i).filter((i) => walk.arrays[i].space === "global" &&
  walk.extents[i] > 0 && walk.steps.some((s) => requests_of(s, "global").some((r) => r.cells.some(([, a]) => a === i)))));

const sector_of = (walk, array, index) => Math.floor(address_of(walk, array, index) / SECTOR_BYTES);

/// Of each request: its sectors, and how many of their bytes somebody asked for.
function sector_use(walk, request) {
  const cells = new Map(request.cells.map(([, array, index]) => [cell_key([array, index]), [array, index]]));
  const sectors = new Set([...cells.values()].map(([array, index]) => `${array}:${sector_of(walk, array, index)}`));
  return {sectors, used: sum([...cells.values()].map(([array]) => bytes_of(walk, array)))};
}

function sectors_at(walk, p) {
  const arrays = global_arrays(walk);
  if (!arrays.length) return null;
  const requests = requests_of(walk.steps[p - 1], "global");
  const lit = new Map();
  for (const r of requests) for (const s of sector_use(walk, r).sectors) lit.set(s, r.what);
  const left = SIZES.margin + LABEL_WIDTH, width = BANKS * BANK_WIDTH, nodes = [];
  let y = 2;
  for (const array of arrays) {
    const first = sector_of(walk, array, 0), count = sector_of(walk, array, walk.extents[array] - 1) - first + 1;
    const each = Math.min(88, width / count);
    nodes.push(svg("text", {x: left - 10, y: y + 15, class: "label", "text-anchor": "end"}, `${shortened(walk.arrays[array].name, 9)}: sectors`));
    for (let s = 0; s < count; ++s) {
      const what = lit.get(`${array}:${first + s}`);
      nodes.push(svg("rect", {x: round(left + s * each), y, width: round(each - 2), height: 20,
        class: `sector${what ? (what === "load" ? " w0" : " w1") : ""}`}));
    }
    y += 28;
  }
  const uses = requests.map((r) => ({r, ...sector_use(walk, r)}));
  const said = uses.map(({r, sectors, used}) =>
    `${r.what}: ${new Set(r.cells.map(([lane]) => lane)).size} lanes, ${sectors.size} ${sectors.size === 1 ? "sector" : "sectors"}, ${used} of ${32 * sectors.size} bytes used`);
  const label = said.length ? said.slice(0, 3).join("; ") + (said.length > 3 ? `; and ${said.length - 3} more` : "") : "no access to global memory";
  nodes.push(svg("text", {x: left, y: y + 12, class: "note"}, label));
  return svg_picture(left + width + SIZES.margin, y + 20, `Sectors of global memory: ${label}`, nodes, 560);
}
