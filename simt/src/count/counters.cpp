#include "simt/counters.hpp"

#include "simt/kernel_counts.hpp"

namespace simt {

namespace {

double ratio(std::uint64_t part, std::uint64_t whole, double scale = 1) {
  return whole == 0 ? 0 : scale * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double counters::memory::efficiency() const { return ratio(bytes, sectors * 32, 100); }

counters& counters::operator+=(const counters& o) {
  const auto add = [](memory& to, const memory& from) {
    to.requests += from.requests;
    to.sectors += from.sectors;
    to.wavefronts += from.wavefronts;
    to.conflicts += from.conflicts;
    to.bytes += from.bytes;
  };
  add(global_load, o.global_load);
  add(global_store, o.global_store);
  add(shared_load, o.shared_load);
  add(shared_store, o.shared_store);
  add(remote_shared, o.remote_shared);
  add(global_atomic, o.global_atomic);
  add(shared_atomic, o.shared_atomic);
  bulk_bytes += o.bulk_bytes;
  barriers += o.barriers;
  branches += o.branches;
  divergent_branches += o.divergent_branches;
  warp_steps += o.warp_steps;
  lane_steps += o.lane_steps;
  warps += o.warps;
  launches += o.launches;
  operator_applications += o.operator_applications;
  return *this;
}

place_counts& place_counts::operator+=(const place_counts& o) {
  counted += o.counted;
  access_lanes += o.access_lanes;
  warp_steps += o.warp_steps;
  lane_steps += o.lane_steps;
  requests_if_unrolled += o.requests_if_unrolled;
  wavefronts_if_widened += o.wavefronts_if_widened;
  return *this;
}

std::vector<std::pair<std::string_view, double>> counters::named() const {
  const auto number = [](std::uint64_t v) { return static_cast<double>(v); };
  std::vector<std::pair<std::string_view, double>> all{
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", number(global_load.requests)},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", number(global_load.sectors)},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", number(global_store.requests)},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", number(global_store.sectors)},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", number(shared_load.conflicts)},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", number(shared_store.conflicts)},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", number(shared_load.wavefronts)},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", number(shared_store.wavefronts)},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", global_load.efficiency()},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", global_store.efficiency()},
      {"simt__shared_load_requests", number(shared_load.requests)},
      {"simt__shared_store_requests", number(shared_store.requests)},
      {"simt__distributed_shared_requests", number(remote_shared.requests)},
      {"simt__global_atomic_requests", number(global_atomic.requests)},
      {"simt__global_atomic_sectors", number(global_atomic.sectors)},
      {"simt__shared_atomic_requests", number(shared_atomic.requests)},
      {"simt__shared_atomic_conflicts", number(shared_atomic.conflicts)},
      {"simt__bulk_copy_bytes", number(bulk_bytes)},
      {"simt__barriers", number(barriers)},
      {"simt__branch_uniformity.pct",
       branches == 0 ? 100 : ratio(branches - divergent_branches, branches, 100)},
      {"simt__active_lanes_per_step.ratio", ratio(lane_steps, warp_steps)},
      {"simt__steps_per_warp.ratio", ratio(warp_steps, warps)},
      {"simt__launches", number(launches)},
  };
  if (operator_applications != 0) {
    all.emplace_back("simt__operator_applications", number(operator_applications));
  }
  return all;
}

}  // namespace simt
