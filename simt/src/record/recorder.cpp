#include "simt/src/record/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "simt/src/count/trace.hpp"
#include "simt/src/run/cluster.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t most_accesses = std::size_t{1} << 18;  // warp-wide ones, of a launch

/// Which object of whose shared memory this is.
watched_cell place_in_shared(const block& mine, std::uintptr_t address) {
  const cluster& c = *mine.cluster;
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(c.memory);
  const block& owner = c.blocks[offset / shared_stride];
  watched_cell cell{.address = offset % shared_stride, .block = number_of(owner)};
  for (std::size_t i = 0; i < owner.storage.size(); ++i) {
    const auto& object = owner.storage[i];
    if (cell.address < object.begin || cell.address >= object.end) continue;
    cell.address -= object.begin;
    cell.object = static_cast<unsigned>(i) + 1;
    break;
  }
  return cell;
}

/// Where that is now. Blocks that ended may have given their memory to others.
const std::byte* memory_of(const watched_access& a, const watched_cell& cell, const cluster& c) {
  if (a.space == memory_space::global) return reinterpret_cast<const std::byte*>(cell.address);
  for (const block& b : c.blocks) {
    if (number_of(b) != cell.block) continue;
    return b.shared + cell.address + (cell.object > 0 ? b.storage[cell.object - 1].begin : 0);
  }
  return nullptr;
}

void count_conflicts(watched_access& a, const cluster& c) {
  if (a.space != memory_space::shared) return;
  std::array<std::uint64_t, warp_size> addresses{};
  for (std::uint32_t rest = a.lanes; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(rest));
    addresses[l] = reinterpret_cast<std::uintptr_t>(memory_of(a, a.cell[l], c));
  }
  counters counted;
  count_access(counted,
               pack_site(0, access_kind(a.what), space::shared,
                         static_cast<unsigned>(std::countr_zero(a.bytes))),
               a.lanes, addresses.data());
  a.conflicts = counted.shared_load.conflicts + counted.shared_store.conflicts +
                counted.shared_atomic.conflicts;
}

}  // namespace

recorder::recorder(observe& scope, const void* kernel)
    : steps_(scope.steps),
      launch_(static_cast<unsigned>(scope.total.launches)),
      kernel_(kernel_name(kernel)) {}

recorder::part& recorder::part_of(const warp& w) {
  auto& parts = parts_[w.block];
  if (parts.empty()) parts.resize(w.block->warps.size());
  return parts[w.index];
}

void recorder::note(lane& self, std::uintptr_t address, access_kind kind, space where,
                    unsigned size_log2, std::uintptr_t pc) {
  part& part = part_of(*self.warp);
  const std::uint64_t site = pack_site(pc, kind, where, size_log2);
  const unsigned visit = part.visits[{site, self.index}]++;
  const auto [known, is_new] =
      part.index.try_emplace({site, visit}, static_cast<std::size_t>(part.accesses.size()));
  if (is_new) {
    part.accesses.push_back({.what = access_type(kind),
                             .space = memory_space(where),
                             .warp = self.warp->index,
                             .bytes = 1U << size_log2});
    ++kept_;
  }
  watched_access& a = part.accesses[known->second];
  watched_cell& cell = a.cell[self.index];
  cell = where == space::global ? watched_cell{.address = address}
                                : place_in_shared(*self.warp->block, address);
  a.lanes |= 1U << self.index;
  if (kind == access_kind::load) {
    std::memcpy(cell.value.data(), reinterpret_cast<const void*>(address), a.bytes);
  }
}

/// The operators applied since the last call were applied by the running lane.
void recorder::attribute(const lane& self) {
  const std::uint64_t now = detail::applications;
  if (now == applications_) return;
  part_of(*self.warp).applications[self.index] += static_cast<std::uint32_t>(now - applications_);
  applications_ = now;
}

/// Moves what a warp did into the step.
void recorder::move_into(watched_step& step, part& from, unsigned warp, const cluster& c) {
  for (watched_access& a : from.accesses) {
    for (std::uint32_t rest = a.lanes; rest != 0 && a.what != access_type::read; rest &= rest - 1) {
      watched_cell& cell = a.cell[static_cast<std::size_t>(std::countr_zero(rest))];
      const std::byte* const at = memory_of(a, cell, c);
      if (at != nullptr) std::memcpy(cell.value.data(), at, a.bytes);
    }
    count_conflicts(a, c);
    step.accesses.push_back(a);
  }
  const std::size_t first = std::size_t{warp} * warp_size;
  for (std::size_t l = 0; l < warp_size && first + l < step.applications.size(); ++l) {
    step.applications[first + l] = from.applications[l];
  }
  from = {};
}

watched_step recorder::begin_step(const block& b, step_end why) const {
  return {.launch = launch_,
          .kernel = kernel_,
          .block = number_of(b),
          .threads = b.threads,
          .shared_bytes = grid_of(b).config.shared_bytes,
          .ended_by = why,
          .applications = std::vector<std::uint32_t>(b.threads)};
}

void recorder::close_block(const block& b, step_end why, const char* intrinsic) {
  watched_step step = begin_step(b, why);
  step.word = intrinsic;
  auto& parts = parts_[&b];
  for (std::size_t w = 0; w < parts.size(); ++w) {
    move_into(step, parts[w], static_cast<unsigned>(w), *b.cluster);
  }
  steps_.push_back(std::move(step));
}

void recorder::access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
                      std::uintptr_t pc) {
  lane& self = *tls.current;
  {
    const hooks_disabled quiet;
    note(self, address, kind, where, size_log2, pc);
  }
  if (kept_ > most_accesses) {
    fail(self, "has too many accesses to record; record a launch of fewer values");
  }
}

void recorder::bulk_load(const void* shared, const void* global, std::size_t bytes,
                         std::uintptr_t pc) {
  for (std::size_t i = 0; i < bytes; i += 16) {
    access(reinterpret_cast<std::uintptr_t>(global) + i, access_kind::load, space::global, 4, pc);
    access(reinterpret_cast<std::uintptr_t>(shared) + i, access_kind::store, space::shared, 4, pc);
  }
}

void recorder::lane_leaves(lane& self) {
  const hooks_disabled quiet;
  attribute(self);
}

void recorder::block_barrier(const block& b) {
  const lane& last = *tls.current;
  const hooks_disabled quiet;
  attribute(last);
  close_block(b, step_end::block_barrier, name_of(b.barrier.what));
}

void recorder::cluster_barrier(const cluster& c) {
  const lane& last = *tls.current;
  const hooks_disabled quiet;
  attribute(last);
  const char* const word = name_of(intrinsic::cluster_sync);
  for (const block& b : c.blocks) close_block(b, step_end::cluster_barrier, word);
}

void recorder::warp_operation(const warp& w, const collective& c, bool exchanges) {
  const lane& last = *tls.current;
  const hooks_disabled quiet;
  attribute(last);
  watched_step step = begin_step(*w.block, step_end::warp_operation);
  move_into(step, part_of(w), w.index, *w.block->cluster);
  const auto first = static_cast<std::size_t>(std::countr_zero(c.arrived));
  step.word = name_of(w.lanes[first].at.what);
  step.warp = w.index;
  step.lanes = c.arrived;
  step.exchanges = exchanges;
  step.handed = c.values;
  step.source = c.sources;
  steps_.push_back(std::move(step));
}

void recorder::block_ends(const lane& last) {
  const block& b = block_of(last);
  const hooks_disabled quiet;
  attribute(last);
  close_block(b, step_end::block_end, "");
  parts_.erase(&b);
}

}  // namespace simt::detail
