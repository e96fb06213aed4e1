#include "simt/src/count/sum.hpp"

#include <algorithm>

#include "simt/src/count/profile.hpp"
#include "simt/src/run/basic_blocks.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/run/names.hpp"

namespace simt::detail {

void branch_stat::merge(const branch_stat& other) {
  both_ways |=
      other.both_ways || (successor != 0 && other.successor != 0 && successor != other.successor);
  if (successor == 0) successor = other.successor;
  visits += other.visits;
  divergent += other.divergent;
  warp_steps += other.warp_steps;
  lane_steps += other.lane_steps;
}

namespace {

std::map<std::uint32_t, branch_stat> merged_branches(
    std::span<const std::unique_ptr<tracer>> tracers) {
  std::map<std::uint32_t, branch_stat> branches;
  for (const auto& t : tracers) t->branches().merge_into(branches);
  return branches;
}

kernel_counts& entry_of(std::vector<kernel_counts>& all, const grid& g) {
  const launch_config& c = g.config;
  const auto known = std::find_if(all.begin(), all.end(),
                                  [&](const kernel_counts& k) { return k.kernel == g.kernel; });
  if (known == all.end()) {
    all.push_back({.kernel = g.kernel,
                   .name = kernel_name(g.kernel),
                   .grid = c.grid,
                   .block = c.block,
                   .shared_bytes = c.shared_bytes});
    return all.back();
  }
  const auto same = [](const dim3& a, const dim3& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  };
  known->shapes_differ |= !same(known->grid, c.grid) || !same(known->block, c.block) ||
                          known->shared_bytes != c.shared_bytes;
  return *known;
}

void add_places(kernel_counts& to, const std::map<std::uint32_t, branch_stat>& branches,
                std::span<const std::unique_ptr<tracer>> tracers) {
  std::unordered_map<std::uintptr_t, place_counts> all;
  for (const auto& p : to.places) all[p.position] = p;
  for (const auto& t : tracers) {
    for (const auto& [position, counted] : t->places()) all[position] += counted;
  }
  for (const auto& [id, s] : branches) {
    if (s.warp_steps == 0) continue;
    place_counts& at = all[position_of_block(id)];
    at.warp_steps += s.warp_steps;
    at.lane_steps += s.lane_steps;
  }
  to.places.clear();
  for (auto& [position, counted] : all) {
    to.places.push_back(counted);
    to.places.back().position = position;
  }
}

}  // namespace

void enter_counts(const grid& g, counters sum, std::span<const std::unique_ptr<tracer>> tracers,
                  observe& scope) {
  for (const auto& t : tracers) sum += t->sum();
  sum.launches = 1;
  kernel_counts& of_kernel = entry_of(scope.kernels, g);
  if (g.options.count) {
    const std::map<std::uint32_t, branch_stat> branches = merged_branches(tracers);
    for (const auto& [id, s] : branches) {
      if (!s.both_ways) continue;
      sum.branches += s.visits;
      sum.divergent_branches += s.divergent;
    }
    enter_profile(g, sum, branches, tracers, scope);
    if (g.options.lines) add_places(of_kernel, branches, tracers);
  }
  of_kernel.total += sum;
  scope.total += sum;
}

}  // namespace simt::detail
