#include "simt/src/count/trace.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "simt/src/run/basic_blocks.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

/// Where the running lane logs. The cursor of the guards is the hooks' own.
struct log_state {
  const std::uint32_t* guard_begin = nullptr;
  memory_event* memory_cursor = nullptr;
  memory_event* memory_limit = nullptr;
};
constinit thread_local log_state here [[gnu::tls_model("initial-exec")]];

constexpr std::size_t first_guards = 4096, first_accesses = 1024;
constexpr std::size_t most_events = std::size_t{1} << 20;  // of one lane; then logs are cut

template <class T>
std::span<const T> entries(const log_buffer<T>& b) {
  return {b.begin.get(), b.size()};
}

lane_path path_of(const warp& w, unsigned lane) {
  const lane_log& log = (*w.log)[lane];
  return {w.lanes[lane].carry, entries(log.guards), entries(log.memory)};
}

/// All but the addresses.
bool same(const lane_path& x, const lane_path& y) {
  return x.carry == y.carry && x.blocks.size() == y.blocks.size() &&
         x.accesses.size() == y.accesses.size() &&
         std::memcmp(x.blocks.data(), y.blocks.data(), x.blocks.size_bytes()) == 0 &&
         std::equal(x.accesses.begin(), x.accesses.end(), y.accesses.begin(),
                    [](const memory_event& l, const memory_event& r) {
                      return l.site == r.site && l.after == r.after;
                    });
}

template <class Buffer>
std::uint32_t lanes_with(const warp& w, Buffer lane_log::*buffer) {
  std::uint32_t lanes = 0;
  for (unsigned i = 0; i < warp_size; ++i) {
    if (((*w.log)[i].*buffer).size() != 0) lanes |= 1U << i;
  }
  return lanes;
}

/// Makes room in the logs that are full; false when that would take too much memory.
template <class Buffer>
bool grow(warp& w, Buffer lane_log::*buffer) {
  for (auto& log : *w.log) {
    auto& b = log.*buffer;
    if (b.cursor != b.limit) continue;
    if (b.capacity() >= most_events) return false;
    b.reserve(b.capacity() * 4);
  }
  return true;
}

}  // namespace

template <class Record>
void visit_aligner<Record>::begin_epoch() {
  ++epoch_;
  records_.clear();
  next_.clear();
}

template <class Record>
Record& visit_aligner<Record>::visit(std::uint32_t position) {
  if (position >= cursors_.size()) cursors_.resize(2 * std::size_t{position} + 64);
  cursor& w = cursors_[position];
  if (w.epoch != epoch_) w = {epoch_, 0, none, none};
  std::uint32_t& slot = w.sequence != sequence_ ? w.head : next_[w.last];
  w.sequence = sequence_;
  if (slot == none) {
    slot = static_cast<std::uint32_t>(records_.size());  // before next_ moves
    w.last = slot;
    next_.push_back(none);
    records_.emplace_back();
  } else {
    w.last = slot;
  }
  return records_[w.last];
}

/// Gives `w` an empty log.
void tracer::open(warp& w) {
  if (!spare_.empty()) {
    w.log = std::move(spare_.back());
    spare_.pop_back();
    return;
  }
  w.log = std::make_unique<warp_log>();
  for (auto& log : *w.log) {
    log.guards.reserve(first_guards);
    log.memory.reserve(first_accesses);
  }
}

void tracer::worker_begins(const grid& g) {
  total_ = {};
  path_ = {};
  path_squares_ = 0;
  last_ = {};
  paths_.clear();
  shared_bytes_ = 0;
  traffic_.begin(cold_before_);
  if (costs_.size() != known_blocks() + 1) costs_ = known_costs();
  branches_.forget(known_blocks());
  by_place_ = g.options.count && g.options.lines;
  places_.clear();
}

void tracer::lane_resumes(const lane& next) {
  if (!next.warp->log) open(*next.warp);
  const lane_log& log = (*next.warp->log)[next.index];
  tls.logging = true;
  tls.guard_cursor = log.guards.cursor;
  tls.guard_limit = log.guards.limit;
  here = {log.guards.begin.get(), log.memory.cursor, log.memory.limit};
}

void tracer::lane_leaves(lane& self) {
  if (!self.warp->log) return;
  lane_log& log = (*self.warp->log)[self.index];
  log.guards.cursor = tls.guard_cursor;
  log.memory.cursor = here.memory_cursor;
}

[[gnu::noinline]] static void wait_for_room() { end_slice(SIMT_SAVED_REGISTERS()); }

void tracer::access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
                    std::uintptr_t pc) {
  if (here.memory_cursor == here.memory_limit) [[unlikely]]
    wait_for_room();
  *here.memory_cursor++ = {address, pack_site(pc, kind, where, size_log2),
                           static_cast<std::uint32_t>(tls.guard_cursor - here.guard_begin)};
}

/// The warp of the running lane met the others.
void tracer::end_epoch() {
  lane& self = *tls.current;
  lane_leaves(self);
  {
    const hooks_disabled quiet;
    drain(*self.warp);
  }
  lane_resumes(self);
}

counters tracer::sum() const {
  counters all = total_;
  for (const auto& [position, at] : places_) all += at.counted;
  return all;
}

void tracer::find_groups(const warp& w) {
  groups_.clear();
  with_blocks_ = lanes_with(w, &lane_log::guards);
  with_accesses_ = lanes_with(w, &lane_log::memory);
  for (std::uint32_t rest = with_blocks_ | with_accesses_; rest != 0;) {
    const auto leader = static_cast<unsigned>(std::countr_zero(rest));
    const lane_path path = path_of(w, leader);
    std::uint32_t lanes = 1U << leader;
    for (std::uint32_t others = rest & (rest - 1); others != 0; others &= others - 1) {
      const auto other = static_cast<unsigned>(std::countr_zero(others));
      if (same(path, path_of(w, other))) lanes |= 1U << other;
    }
    groups_.push_back({lanes, leader});
    rest &= ~lanes;
  }
}

void tracer::find_iterations(const warp& w) {
  by_iteration_ =
      groups_.size() > 1 && std::any_of(groups_.begin(), groups_.end(), [&](const auto& g) {
        return iterations_.matter(path_of(w, g.leader).blocks);
      });
  if (!by_iteration_) return;
  iterations_.begin_epoch();
  for (const lane_group& g : groups_) iterations_.learn(path_of(w, g.leader));
  iterations_.find_loops();
  block_iterations_.clear();
  access_iterations_.clear();
}

/// Counts what the lanes of `w` logged and takes the log back. While a lane only yielded, logs that
/// disagree are kept and grown instead, so that late lanes still meet their partners.
void tracer::drain(warp& w) {
  if (!w.log) return;
  find_groups(w);
  if (w.spinning != 0 && groups_.size() > 1 && grow(w, &lane_log::guards) &&
      grow(w, &lane_log::memory)) {
    return;
  }
  follow_path(w);
  find_iterations(w);
  blocks_.begin_epoch();
  accesses_.begin_epoch();
  carried_.clear();
  for (const lane_group& g : groups_) {
    if (by_iteration_) iterations_.follow(path_of(w, g.leader));
    if ((g.lanes & with_accesses_) != 0) drain_accesses(w, g);
    if ((g.lanes & with_blocks_) != 0) drain_blocks(w, g);
  }
  count_records(w);
  for (auto& log : *w.log) {
    log.guards.cursor = log.guards.begin.get();
    log.memory.cursor = log.memory.begin.get();
  }
  spare_.push_back(std::move(w.log));
}

void tracer::went(std::uint32_t from, std::uint32_t to) {
  branch_stat& s = branches_[from];
  if (s.successor == 0) {
    s.successor = to;
  } else if (s.successor != to) {
    s.both_ways = true;
  }
}

void tracer::step(std::uint32_t block, unsigned lanes) {
  ++branches_[block].warp_steps;
  branches_[block].lane_steps += lanes;
}

/// Lanes that part take the longest of their ways.
void tracer::follow_path(const warp& w) {
  critical_path longest;
  for (const lane_group& g : groups_) {
    const critical_path p = path_through(path_of(w, g.leader), costs_, traffic_, recent_);
    if (p.length() > longest.length()) longest = p;
  }
  paths_[w.block].add(w.index, longest);
}

void tracer::bulk_load(const void*, const void* global, std::size_t bytes, std::uintptr_t) {
  traffic_.bulk_load(reinterpret_cast<std::uintptr_t>(global), bytes);
}
void tracer::bulk_store(const void* global, const void*, std::size_t bytes, std::uintptr_t) {
  traffic_.bulk_store(reinterpret_cast<std::uintptr_t>(global), bytes);
}

/// Where the lanes went from the block in which their epoch began.
void tracer::drain_carried(const warp& w, const lane_group& g, std::uint32_t to) {
  const std::uint32_t from = w.lanes[g.leader].carry;
  if (from == 0) return;
  went(from, to);
  const auto known = std::find_if(carried_.begin(), carried_.end(),
                                  [&](const auto& r) { return r.block == from; });
  if (known == carried_.end()) {
    carried_.push_back({from, g.lanes, to, false});
  } else {
    known->divergent |= known->successor != to;
  }
}

/// The whole warp was together: no records needed.
void tracer::count_together(std::span<const std::uint32_t> blocks, unsigned lanes) {
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    went(blocks[i], blocks[i + 1]);
    ++branches_[blocks[i]].visits;
    step(blocks[i], lanes);
  }
  step(blocks.back(), lanes);
  total_.warp_steps += blocks.size();
  total_.lane_steps += blocks.size() * lanes;
}

void tracer::drain_blocks(warp& w, const lane_group& g) {
  const auto blocks = path_of(w, g.leader).blocks;
  drain_carried(w, g, blocks[0]);
  for (std::uint32_t rest = g.lanes; rest != 0; rest &= rest - 1) {
    w.lanes[static_cast<unsigned>(std::countr_zero(rest))].keep_last(blocks.data(),
                                                                     blocks.data() + blocks.size());
  }
  if (g.lanes == with_blocks_) {
    return count_together(blocks, static_cast<unsigned>(std::popcount(g.lanes)));
  }
  blocks_.begin_sequence();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::uint32_t b = blocks[i];
    block_record& r =
        blocks_.visit(by_iteration_ ? block_iterations_(iterations_.of_blocks[i], b) : b);
    r.block = b;
    r.mask |= g.lanes;
    if (i + 1 == blocks.size()) continue;
    const std::uint32_t to = blocks[i + 1];
    went(b, to);
    if (r.successor == 0) {
      r.successor = to;
    } else if (r.successor != to) {
      r.divergent = true;
    }
  }
}

void tracer::drain_accesses(const warp& w, const lane_group& g) {
  const auto accesses = path_of(w, g.leader).accesses;
  const bool together = g.lanes == with_accesses_;
  if (together && by_place_) note_widened(w, g, accesses);
  if (!together) accesses_.begin_sequence();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const std::uint64_t site = accesses[i].site;
    std::array<std::uint64_t, warp_size> own;
    std::uint64_t* addresses = own.data();
    if (!together) {
      const auto position =
          positions_.try_emplace(site, static_cast<std::uint32_t>(positions_.size())).first->second;
      access_record& r = accesses_.visit(
          by_iteration_ ? access_iterations_(iterations_.of_accesses[i], position) : position);
      r.site = site;
      r.mask |= g.lanes;
      r.iteration = by_iteration_ ? iterations_.of_accesses[i] : 0;
      addresses = r.addresses.data();
    }
    for (std::uint32_t rest = g.lanes; rest != 0; rest &= rest - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(rest));
      addresses[l] = (*w.log)[l].memory.begin[i].address;
    }
    if (together) count(w, site, g.lanes, addresses);
  }
}

void tracer::count_records(const warp& w) {
  if (by_place_ && by_iteration_) note_unrolled();
  for (const auto& r : accesses_.records()) {
    count(w, r.site, r.mask, r.addresses.data());
  }
  const auto count_decision = [&](const block_record& r) {
    if (r.successor == 0) return;
    ++branches_[r.block].visits;
    if (r.divergent) ++branches_[r.block].divergent;
  };
  for (const auto& r : carried_) count_decision(r);
  for (const auto& r : blocks_.records()) {
    ++total_.warp_steps;
    const auto size = static_cast<unsigned>(std::popcount(r.mask));
    total_.lane_steps += size;
    step(r.block, size);
    count_decision(r);
  }
}

void tracer::count(const warp& w, std::uint64_t site, std::uint32_t mask,
                   const std::uint64_t* addresses) {
  place_counts* const at = by_place_ ? &places_[position_of(site)] : nullptr;
  if (at != nullptr) at->access_lanes += static_cast<unsigned>(std::popcount(mask));
  counters& into = at != nullptr ? at->counted : total_;
  if (listener_ == nullptr) return count_access(into, site, mask, addresses, &traffic_);
  const auto conflicts = [&] {
    return into.shared_bank_conflicts() + into.shared_atomic.conflicts;
  };
  const std::uint64_t before = conflicts();
  count_access(into, site, mask, addresses, &traffic_);
  listener_->warp_access(w, site, mask, addresses, conflicts() - before);
}

}  // namespace simt::detail
