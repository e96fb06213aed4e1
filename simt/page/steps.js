// The steps of a rung on a few values, as states: what each array holds after so many steps.

/// {arrays, steps, frames}: frames[p] are the arrays' cells after p steps.
function walk_of(json) {
  const arrays = list_of(json.arrays).map((a) => ({...a, cells: list_of(a.cells)}));
  const steps = list_of(json.steps);
  const frames = [arrays.map((a) => a.cells)];
  for (const step of steps) {
    const next = [...frames.at(-1)];
    for (const after of list_of(step.after)) next[after.array] = list_of(after.cells);
    frames.push(next);
  }
  return {json, arrays, steps, frames, block: json.block, title: `${json.ladder}/${json.rung}`, values: arrays[0].cells.length,
    reads: arrays_in(steps, "reads").sort(far_first(arrays)), writes: arrays_in(steps, "writes").sort(far_first(arrays)).reverse(),
    extents: extents_of(arrays, steps)};
}

/// One block is shown; of a cluster its first.
const moves_of = (step) => list_of(step.threads).filter((t) => t.block === 0);

function arrays_in(steps, what) {
  const used = new Set(steps.flatMap((s) => moves_of(s).flatMap((t) => t[what].map(([array]) => array))));
  return [...used].sort((a, b) => a - b);
}

/// What holds for all positions of a walk is found once, and not at each key.
function once_a_walk(find) {
  const known = new WeakMap();
  return (walk) => {
    if (!known.has(walk)) known.set(walk, find(walk));
    return known.get(walk);
  };
}

/// Shared memory and registers stand next to the threads, device memory farther away.
const far_first = (arrays) => (a, b) => {
  const near = (array) => Number(arrays[array].space !== "global");
  return near(a) - near(b) || a - b;
};

const MOST_CELLS = 256;

/// How many cells of each array are worth showing: up to the last that somebody touched.
function extents_of(arrays, steps) {
  const extents = arrays.map((a) => a.cells.length);
  for (const step of steps) {
    for (const move of moves_of(step)) {
      for (const [array, index] of [...move.reads, ...move.writes]) extents[array] = Math.max(extents[array], index + 1);
    }
  }
  return extents.map((n) => Math.min(n, MOST_CELLS));
}

const cell_key = ([array, index]) => `${array}:${index}`;

/// Of the step that leads to position p: who works, moves and idles, what was written and where.
function doings_at(walk, p) {
  const step = walk.steps[p - 1];
  const doing = {step, workers: new Set(), movers: new Set(), written: new Map(), bad: new Set()};
  if (!step) return doing;
  for (const move of moves_of(step)) {
    (move.applies || !step.number ? doing.workers : doing.movers).add(move.thread);
    for (const cell of move.writes) doing.written.set(cell_key(cell), Math.floor(move.thread / 32) % 2);
  }
  list_of(step.in_conflict).forEach((cell) => doing.bad.add(cell_key(cell)));
  return doing;
}

function cell_text(value) {
  if (value === null || value === undefined) return "·";
  if (typeof value !== "number") return shortened(value, 8);
  const text = String(value);
  return text.length <= 7 ? text : String(Number(value.toPrecision(3)));
}

/// Comparators of a sort, step by step: [{number, columns: [[{low, high, swapped}]], keys}]; null
/// where the steps are no comparators between two places of the keys.
function network_of(walk) {
  if (walk.json.ladder !== "sort") return null;
  const n = walk.arrays[0].cells.length;
  let keys = walk.arrays[0].cells;
  const layers = [];
  for (let p = 1; p <= walk.steps.length; ++p) {
    const step = walk.steps[p - 1];
    if (!step.number) continue;
    const pairs = new Map(), arrays = new Set(), touched = new Set();
    for (const move of list_of(step.threads).filter((t) => t.applies)) {
      const places = joined_by(move);
      if (!places) continue;
      const [array, low, high] = places;
      arrays.add(array);
      if (high >= n || move.writes.some(([, index]) => index !== low && index !== high)) return null;
      move.writes.forEach(([a]) => touched.add(a));
      pairs.set(low, {low, high, swapped: false});
    }
    if (arrays.size > 1) return null;
    for (const after of list_of(step.after)) {
      if (!arrays.has(after.array) && !touched.has(after.array)) continue;
      const now = after.cells.slice(0, n);
      for (const c of pairs.values()) c.swapped = now[c.low] !== keys[c.low];
      keys = now;
    }
    layers.push({number: step.number, position: p, columns: in_columns([...pairs.values()]), keys});
  }
  return layers.length && walk.json.blocks === 1 ? {n, layers, input: walk.arrays[0].cells} : null;
}

/// The array and the two places in it that a thread joined, the lower one first: of those that it
/// read, or else of those that it read or wrote.
function joined_by(move) {
  for (const cells of [move.reads, [...move.reads, ...move.writes]]) {
    const arrays = [...grouped(cells, ([array]) => array)].sort(([a], [b]) => a - b);
    for (const [array, touched] of arrays) {
      const places = [...new Set(touched.map(([, index]) => index))].sort((a, b) => a - b);
      if (places.length > 2) return null;
      if (places.length === 2) return [array, ...places];
    }
  }
  return null;
}

/// Comparators side by side, in as few columns as it takes.
function in_columns(pairs) {
  const columns = [];
  for (const c of pairs.sort((a, b) => a.low - b.low)) {
    const free = columns.find((column) => column.at(-1).high < c.low);
    if (free) free.push(c);
    else columns.push([c]);
  }
  return columns;
}
