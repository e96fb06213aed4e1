// Documents: what kind each is, and what it says where it is none of ours.

const KINDS = [
  ["measurements", (j) => is_list(j.measurements) && is_object(j.run)],
  ["steps", (j) => is_list(j.steps) && is_list(j.arrays)],
  ["growth", (j) => is_list(j.scaling) && is_list(j.one_block)],
  ["report", (j) => is_list(j.kernels) && is_list(j.findings)],
];

const is_object = (value) => typeof value === "object" && value !== null && !is_list(value);

/// {name, kind, json}; throws an Error with one line for a person.
function document_of(name, text) {
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(`${shortened(name, 60)}: is no JSON`);
  }
  const found = is_object(json) && KINDS.find(([, fits]) => fits(json));
  if (!found) {
    throw new Error(`${shortened(name, 60)}: is no report: expected JSON that a ladder, steps or ` +
      "bench wrote with --json, or the report.json of one's own kernels");
  }
  return {name, kind: found[0], json};
}

function embedded_documents() {
  return [...document.querySelectorAll("script.document")].map((node) =>
    document_of(node.dataset.name, node.textContent));
}

// --- figures of a measurement -----------------------------------------------------------------------

function counter(row, ...names) {
  const values = names.map((name) => number_of(row.counters?.[name])).filter((v) => !Number.isNaN(v));
  return values.length ? sum(values) : NaN;
}

const LOAD = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
const LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const STORE = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
const STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
const CONFLICTS = ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"];

const bytes_moved = (row) => {
  const bulk = counter(row, "simt__bulk_copy_bytes");
  return 32 * counter(row, LOAD_SECTORS, STORE_SECTORS) + (Number.isNaN(bulk) ? 0 : bulk);
};

/// Of the ladders whose rungs differ in them.
const of_atomics = (row, name) => (["histogram", "select"].includes(row?.ladder) ? counter(row, name) : NaN);

/// The columns of the overview, by the names that the rungs' evidence has. `better`: which end is
/// good; the other end is tinted.
const FIGURES = [
  {name: "launches", of: (row) => row.launches || NaN},
  {name: "operator uses", of: (row) => counter(row, "simt__operator_applications")},
  {name: "depth", better: "low", of: (row) => counter(row, "ladder__depth")},
  {name: "load requests", better: "low", of: (row) => counter(row, LOAD)},
  {name: "sectors/request", of: (row) => counter(row, LOAD_SECTORS) / counter(row, LOAD)},
  {name: "% load efficiency", better: "high",
    of: (row) => counter(row, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct")},
  {name: "store requests", better: "low", of: (row) => counter(row, STORE)},
  {name: "shared requests", better: "low",
    of: (row) => counter(row, "simt__shared_load_requests", "simt__shared_store_requests")},
  {name: "bank conflicts", better: "low", of: (row) => counter(row, ...CONFLICTS)},
  {name: "% uniform branches", better: "high", of: (row) => counter(row, "simt__branch_uniformity.pct")},
  {name: "active lanes", better: "high", of: (row) => counter(row, "simt__active_lanes_per_step.ratio")},
  {name: "steps/warp", better: "low", of: (row) => counter(row, "simt__steps_per_warp.ratio")},
  {name: "barriers", better: "low", of: (row) => counter(row, "simt__barriers")},
  {name: "atomics", better: "low",
    of: (row) => counter(row, "simt__global_atomic_requests", "simt__shared_atomic_requests")},
  {name: "atomic sectors", better: "low", of: (row) => of_atomics(row, "simt__global_atomic_sectors")},
  {name: "atomic conflicts", better: "low", of: (row) => of_atomics(row, "simt__shared_atomic_conflicts")},
  {name: "bulk bytes", of: (row) => counter(row, "simt__bulk_copy_bytes")},
  {name: "% occupancy", better: "high", of: (row) => counter(row, "ladder__occupancy.pct")},
  {name: "bytes moved", better: "low", of: bytes_moved},
  {name: "copying, µs", better: "low", of: (row) => counter(row, "ladder__copying_us")},
  {name: "summing, µs", better: "low", of: (row) => counter(row, "ladder__summing_us")},
  {name: "% overlapped", better: "high", of: (row) => counter(row, "ladder__overlap.pct")},
];

const figure_named = (name) => FIGURES.find((f) => f.name === name);

const measured_us = (row) => number_of(row?.time?.median_us);
const predicted_us = (row) => number_of(row?.predicted?.median_us);
/// Useful bytes over a time, in GB/s.
const rate_of = (row, us) => number_of(row.useful_bytes) / us / 1e3;
