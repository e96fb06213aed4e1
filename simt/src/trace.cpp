#include "trace.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "state.hpp"

namespace simt::detail {

namespace {

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

template <class T>
void log_buffer<T>::reserve(std::size_t capacity) {
  const std::size_t used = size();
  std::unique_ptr<T[]> wider(new T[capacity]);
  std::copy_n(begin.get(), used, wider.get());
  begin = std::move(wider);
  cursor = begin.get() + used;
  limit = begin.get() + capacity;
}

template <class Record>
void aligner<Record>::begin_epoch() {
  ++epoch_;
  records_.clear();
  next_.clear();
}

template <class Record>
Record& aligner<Record>::visit(std::uint32_t position) {
  if (position >= walks_.size()) walks_.resize(2 * std::size_t{position} + 64);
  walk& w = walks_[position];
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

void branch_stat::merge(const branch_stat& other) {
  both_ways |=
      other.both_ways || (successor != 0 && other.successor != 0 && successor != other.successor);
  if (successor == 0) successor = other.successor;
  visits += other.visits;
  divergent += other.divergent;
  warp_steps += other.warp_steps;
  lane_steps += other.lane_steps;
}

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

void tracer::find_turns(const warp& w) {
  by_turn_ = groups_.size() > 1 && std::any_of(groups_.begin(), groups_.end(), [&](const auto& g) {
               return turns_.matter(path_of(w, g.leader).blocks);
             });
  if (!by_turn_) return;
  turns_.begin_epoch();
  for (const lane_group& g : groups_) turns_.learn(path_of(w, g.leader));
  turns_.find_loops();
  block_turns_.clear();
  access_turns_.clear();
}

void tracer::drain(warp& w) {
  if (!w.log) return;
  find_groups(w);
  if (w.spinning != 0 && groups_.size() > 1 && grow(w, &lane_log::guards) &&
      grow(w, &lane_log::memory)) {
    return;
  }
  find_turns(w);
  blocks_.begin_epoch();
  accesses_.begin_epoch();
  carried_.clear();
  for (const lane_group& g : groups_) {
    if (by_turn_) turns_.walk(path_of(w, g.leader));
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
  branch_stat& s = branches[from];
  if (s.successor == 0) {
    s.successor = to;
  } else if (s.successor != to) {
    s.both_ways = true;
  }
}

void tracer::step(std::uint32_t block, unsigned lanes) {
  ++branches[block].warp_steps;
  branches[block].lane_steps += lanes;
}

void tracer::drain_blocks(warp& w, const lane_group& g) {
  const auto blocks = path_of(w, g.leader).blocks;
  if (const std::uint32_t from = w.lanes[g.leader].carry; from != 0) {
    const std::uint32_t to = blocks[0];
    went(from, to);
    const auto known = std::find_if(carried_.begin(), carried_.end(),
                                    [&](const auto& r) { return r.block == from; });
    if (known == carried_.end()) {
      carried_.push_back({from, g.lanes, to, false});
    } else {
      known->divergent |= known->successor != to;
    }
  }
  for (std::uint32_t rest = g.lanes; rest != 0; rest &= rest - 1) {
    keep_last(w.lanes[static_cast<unsigned>(std::countr_zero(rest))], blocks.data(),
              blocks.data() + blocks.size());
  }
  if (g.lanes == with_blocks_) {  // the whole warp together: no records needed
    for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
      went(blocks[i], blocks[i + 1]);
      ++branches[blocks[i]].visits;
    }
    total.warp_steps += blocks.size();
    const auto size = static_cast<unsigned>(std::popcount(g.lanes));
    total.lane_steps += blocks.size() * size;
    if (by_place) {
      for (const std::uint32_t b : blocks) step(b, size);
    }
    return;
  }
  blocks_.begin_sequence();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::uint32_t b = blocks[i];
    block_record& r = blocks_.visit(by_turn_ ? block_turns_(turns_.of_blocks[i], b) : b);
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
  if (together && by_place) note_widened(w, g, accesses);
  if (!together) accesses_.begin_sequence();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const std::uint64_t site = accesses[i].site;
    std::array<std::uint64_t, warp_size> here;
    std::uint64_t* addresses = here.data();
    if (!together) {
      const auto position =
          positions_.try_emplace(site, static_cast<std::uint32_t>(positions_.size())).first->second;
      access_record& r =
          accesses_.visit(by_turn_ ? access_turns_(turns_.of_accesses[i], position) : position);
      r.site = site;
      r.mask |= g.lanes;
      r.turn = by_turn_ ? turns_.of_accesses[i] : 0;
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
  if (by_place && by_turn_) note_unrolled();
  for (const auto& r : accesses_.records()) {
    count(w, r.site, r.mask, r.addresses.data());
  }
  const auto count_decision = [&](const block_record& r) {
    if (r.successor == 0) return;
    ++branches[r.block].visits;
    if (r.divergent) ++branches[r.block].divergent;
  };
  for (const auto& r : carried_) count_decision(r);
  for (const auto& r : blocks_.records()) {
    ++total.warp_steps;
    const auto size = static_cast<unsigned>(std::popcount(r.mask));
    total.lane_steps += size;
    if (by_place) step(r.block, size);
    count_decision(r);
  }
}

void tracer::count(const warp& w, std::uint64_t site, std::uint32_t mask,
                   const std::uint64_t* addresses) {
  place_counts* const here = by_place ? &places[position_of(site)] : nullptr;
  if (here != nullptr) here->access_lanes += static_cast<unsigned>(std::popcount(mask));
  counters& into = here != nullptr ? here->counted : total;
  const auto conflicts = [&] {
    return into.shared_bank_conflicts() + into.shared_atomic.conflicts;
  };
  const std::uint64_t before = conflicts();
  count_access(into, site, mask, addresses);
  if (!seeks_conflicts || conflicts() == before) return;
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  report_conflict(w.lanes[first], site, addresses[first], conflicts() - before);
}

}  // namespace simt::detail
