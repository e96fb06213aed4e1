#include "trace.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "state.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t first_guards = 4096, first_accesses = 1024;
constexpr std::size_t most_events = std::size_t{1} << 20;  // of one lane; then logs are cut

/// Calls `f(mask, leader)` once for every set of lanes whose logs are equal.
template <class Same, class F>
void for_each_group(std::uint32_t lanes, Same same, F f) {
  while (lanes != 0) {
    const auto leader = static_cast<unsigned>(std::countr_zero(lanes));
    std::uint32_t group = 1U << leader;
    for (std::uint32_t rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {
      const auto other = static_cast<unsigned>(std::countr_zero(rest));
      if (same(leader, other)) group |= 1U << other;
    }
    f(group, leader);
    lanes &= ~group;
  }
}

bool same_blocks(const warp& w, unsigned a, unsigned b) {
  const auto& x = (*w.log)[a].guards;
  const auto& y = (*w.log)[b].guards;
  return x.size() == y.size() && w.lanes[a].carry == w.lanes[b].carry &&
         std::memcmp(x.begin.get(), y.begin.get(), x.size() * sizeof(std::uint32_t)) == 0;
}

bool same_sites(const warp& w, unsigned a, unsigned b) {
  const auto& x = (*w.log)[a].memory;
  const auto& y = (*w.log)[b].memory;
  return x.size() == y.size() &&
         std::equal(x.begin.get(), x.cursor, y.begin.get(),
                    [](const memory_event& l, const memory_event& r) { return l.site == r.site; });
}

template <class Buffer>
std::uint32_t lanes_with(const warp& w, Buffer lane_log::*buffer) {
  std::uint32_t lanes = 0;
  for (unsigned i = 0; i < warp_size; ++i) {
    if (((*w.log)[i].*buffer).size() != 0) lanes |= 1U << i;
  }
  return lanes;
}

bool agree(const warp& w) {
  unsigned groups = 0;
  const auto count = [&](std::uint32_t, unsigned) { ++groups; };
  for_each_group(
      lanes_with(w, &lane_log::guards),
      [&](unsigned a, unsigned b) { return same_blocks(w, a, b) && same_sites(w, a, b); }, count);
  return groups <= 1;
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

void tracer::drain(warp& w) {
  if (!w.log) return;
  if (w.spinning != 0 && !agree(w) && grow(w, &lane_log::guards) && grow(w, &lane_log::memory)) {
    return;
  }
  drain_accesses(w);
  drain_blocks(w);
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

void tracer::drain_blocks(warp& w) {
  const std::uint32_t lanes = lanes_with(w, &lane_log::guards);
  blocks_.begin_epoch();
  // How lanes left the block in which they entered this epoch: (block, successor, divergent).
  carried_.clear();
  for_each_group(
      lanes, [&](unsigned a, unsigned b) { return same_blocks(w, a, b); },
      [&](std::uint32_t group, unsigned leader) {
        const auto& log = (*w.log)[leader].guards;
        const std::uint32_t* const end = log.cursor;
        if (const std::uint32_t from = w.lanes[leader].carry; from != 0) {
          const std::uint32_t to = log.begin[0];
          went(from, to);
          const auto known = std::find_if(carried_.begin(), carried_.end(),
                                          [&](const auto& r) { return r.block == from; });
          if (known == carried_.end()) {
            carried_.push_back({from, group, to, false});
          } else {
            known->divergent |= known->successor != to;
          }
        }
        if (group == lanes) {  // the whole warp together: no records needed
          for (const std::uint32_t* p = log.begin.get(); p + 1 < end; ++p) {
            went(p[0], p[1]);
            ++branches[p[0]].visits;
          }
          total.warp_steps += log.size();
          const auto size = static_cast<unsigned>(std::popcount(group));
          total.lane_steps += log.size() * size;
          if (by_place) {
            for (const std::uint32_t* p = log.begin.get(); p != end; ++p) step(*p, size);
          }
        } else {
          blocks_.begin_sequence();
          for (const std::uint32_t* p = log.begin.get(); p != end; ++p) {
            block_record& r = blocks_.visit(*p);
            r.block = *p;
            r.mask |= group;
            if (p + 1 == end) continue;
            went(p[0], p[1]);
            if (r.successor == 0) {
              r.successor = p[1];
            } else if (r.successor != p[1]) {
              r.divergent = true;
            }
          }
        }
        for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
          keep_last(w.lanes[static_cast<unsigned>(std::countr_zero(rest))], log.begin.get(), end);
        }
      });
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

void tracer::drain_accesses(warp& w) {
  const std::uint32_t lanes = lanes_with(w, &lane_log::memory);
  accesses_.begin_epoch();
  for_each_group(
      lanes, [&](unsigned a, unsigned b) { return same_sites(w, a, b); },
      [&](std::uint32_t group, unsigned leader) {
        const auto& log = (*w.log)[leader].memory;
        const bool together = group == lanes;
        if (!together) accesses_.begin_sequence();
        for (std::size_t i = 0; i < log.size(); ++i) {
          const std::uint64_t site = log.begin[i].site;
          std::array<std::uint64_t, warp_size> here;
          std::uint64_t* addresses = here.data();
          if (!together) {
            const auto position =
                positions_.try_emplace(site, static_cast<std::uint32_t>(positions_.size()))
                    .first->second;
            access_record& r = accesses_.visit(position);
            r.site = site;
            r.mask |= group;
            addresses = r.addresses.data();
          }
          for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
            const auto l = static_cast<unsigned>(std::countr_zero(rest));
            addresses[l] = (*w.log)[l].memory.begin[i].address;
          }
          if (together) count(w, site, group, addresses);
        }
      });
  for (const auto& r : accesses_.records()) {
    count(w, r.site, r.mask, r.addresses.data());
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
