#include "ladder/steps/model.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>

#include "ladder/steps/arrays.hpp"

namespace warpfold::ladder {

namespace {

using thread_key = std::pair<unsigned, unsigned>;  // block, thread
using warp_key = std::pair<unsigned, unsigned>;    // block, warp

/// A step that is not over yet.
struct phase {
  step so_far;
  std::map<thread_key, step_move> moves;
  std::vector<cell_value> writes;
  std::set<unsigned> blocks;
  bool reads = false;

  [[nodiscard]] bool empty() const { return moves.empty() && writes.empty(); }
  step_move& of(unsigned block, unsigned thread) {
    blocks.insert(block);
    return moves.try_emplace({block, thread}, step_move{.block = block, .thread = thread})
        .first->second;
  }
  void read(step_move& by, step_cell cell) {
    reads = true;
    by.reads.push_back(cell);
  }
  void write(step_move& by, const cell_value& what) {
    by.writes.push_back(what.cell);
    writes.push_back(what);
  }
};

/// Values that were handed over and not used yet.
struct handed_over {
  std::size_t array = 0;  // of registers
  std::uint32_t lanes = 0;
  std::array<std::uint8_t, lanes_of_warp> source{};
  bool all_to_all = false;
};

template <class F>
void for_each_lane(std::uint32_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

class model {
 public:
  model(walkthrough& walk, std::span<const device_array_name> known, const shared_layout& shared)
      : walk_(walk), arrays_(walk, known, shared) {}

  void feed(std::span<const simt::watched_step> watched) {
    for (const auto& w : watched) note_input(w);
    for (const auto& w : watched) add(w);
    flush();
    hide(arrays_.name_all());
  }

 private:
  /// Blocks of a cluster that read none of the input have nothing but identities in registers.
  void note_input(const simt::watched_step& w) {
    for (const auto& a : w.accesses) {
      for_each_lane(a.lanes, [&](unsigned l) {
        for (const auto& v : arrays_.cells_of(a, l, w.shared_bytes)) {
          if (arrays_.is_input(v.cell)) fed_.insert(w.block);
        }
      });
    }
  }

  void add(const simt::watched_step& w) {
    const bool fed = fed_.contains(w.block);
    phase p = phase_of(w, fed);
    const warp_key warp{w.block, w.warp};
    if (fed) take(p, w);
    const bool exchanges = w.exchanges && fed;
    if (p.empty() && !exchanges) return;
    const bool goes_on = exchanges && p.empty() && pending_ && !handed_[warp].empty();
    const bool merges = goes_on || belongs_to_pending(p, w);
    if (!merges) flush();
    if (exchanges) hand_over(p, w, goes_on ? handed_[warp].size() : 0);
    if (merges) {
      merge(std::move(p));
    } else if (!p.empty()) {
      pending_ = std::move(p);
    }
  }

  phase phase_of(const simt::watched_step& w, bool fed) {
    phase p;
    p.so_far.launch = w.launch;
    p.so_far.kernel = w.kernel;
    p.so_far.ended_by = w.word;
    for (const auto& a : w.accesses) {
      if (!fed && a.space == simt::memory_space::shared) continue;
      p.so_far.conflicts += a.conflicts;
      step_request asked = request_of(a, w.block);
      for_each_lane(a.lanes, [&](unsigned l) {
        step_move& m = p.of(w.block, a.warp * lanes_of_warp + l);
        for (const auto& v : arrays_.cells_of(a, l, w.shared_bytes)) {
          asked.cells.emplace_back(l, v.cell);
          if (a.what != simt::access_type::write) p.read(m, v.cell);
          if (a.what != simt::access_type::read) p.write(m, v);
        }
      });
      if (!asked.cells.empty()) p.so_far.requests.push_back(std::move(asked));
      if (a.conflicts > 0) note_conflicts(p.so_far, a, w.shared_bytes);
    }
    for (unsigned t = 0; t < w.applications.size() && fed; ++t) {
      if (w.applications[t] > 0) p.of(w.block, t).applies = true;
    }
    return p;
  }

  static step_request request_of(const simt::watched_access& a, unsigned block) {
    return {
        .block = block,
        .warp = a.warp,
        .what = a.what == simt::access_type::read    ? request_kind::load
                : a.what == simt::access_type::write ? request_kind::store
                                                     : request_kind::atomic,
        .space = a.space == simt::memory_space::global ? step_space::global : step_space::shared,
        .conflicts = a.conflicts,
        .cells = {}};
  }

  /// Which cells had to wait: those of lanes that want different words of one bank together.
  void note_conflicts(step& s, const simt::watched_access& a, std::size_t dynamic_bytes) {
    const unsigned together = a.bytes <= 4 ? lanes_of_warp : lanes_of_warp * 4 / a.bytes;
    const auto bank = [&](unsigned l) { return a.cell[l].address / 4 % 32; };
    for_each_lane(a.lanes, [&](unsigned l) {
      for_each_lane(a.lanes, [&](unsigned other) {
        if (l / together != other / together || bank(l) != bank(other)) return;
        if (a.cell[l].address == a.cell[other].address) return;
        for (const auto& v : arrays_.cells_of(a, l, dynamic_bytes)) s.in_conflict.push_back(v.cell);
      });
    });
  }

  /// The lanes that do something read what they were handed before.
  void take(phase& p, const simt::watched_step& w) {
    const bool of_one_warp = w.ended_by == simt::step_end::warp_operation;
    std::set<unsigned> done;
    for (auto& [thread, by] : p.moves) {
      step_move& move = by;
      const unsigned warp = thread.second / lanes_of_warp;
      const unsigned lane = thread.second % lanes_of_warp;
      if (thread.first != w.block || (of_one_warp && warp != w.warp)) continue;
      done.insert(warp);
      if (!move.applies && move.writes.empty()) continue;
      for (const handed_over& h : handed_[{w.block, warp}]) {
        if ((h.lanes >> lane & 1) == 0) continue;
        p.so_far.taken_by = word_;
        for_each_lane(h.all_to_all ? h.lanes : 1U << h.source[lane], [&](unsigned from) {
          p.read(move, {h.array, from});
        });
        if (move.applies) p.read(move, {h.array, lane});
      }
    }
    for (const unsigned warp : done) handed_[{w.block, warp}].clear();
  }

  /// What lanes hand over stands in their registers. A lane has written it in this step if it
  /// applied the operator, and every lane has where the step only fetched values, though it may
  /// have written what stood there before. Of comparators only those that swapped keys count as
  /// writers.
  void hand_over(phase& p, const simt::watched_step& w, std::size_t index) {
    const warp_key warp{w.block, w.warp};
    const auto of_warp = [&](const auto& move) {
      return move.first.first == w.block && move.first.second / lanes_of_warp == w.warp;
    };
    const auto applies = [&](const auto& move) { return of_warp(move) && move.second.applies; };
    const bool fetched = std::any_of(p.moves.begin(), p.moves.end(), of_warp) &&
                         std::none_of(p.moves.begin(), p.moves.end(), applies);
    const auto has_written = [&](unsigned lane) {
      if (walk_.ladder == ladder_kind::sort) return false;
      const auto own = p.moves.find({w.block, w.warp * lanes_of_warp + lane});
      return fetched || (own != p.moves.end() && own->second.applies);
    };
    const std::size_t array = arrays_.registers_of(w.block, w.warp, index);
    if (index == 0) handed_[warp].clear();
    handed_[warp].push_back({.array = array,
                             .lanes = w.lanes,
                             .source = w.source,
                             .all_to_all = w.word == "__reduce_sync"});
    word_ = w.word;
    for_each_lane(w.lanes, [&](unsigned l) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &w.handed[l], size_of(walk_.arrays[array].type));
      const step_cells& now = arrays_.now(array);
      if (l < now.size() && now[l] == bits && !has_written(l)) return;
      p.write(p.of(w.block, w.warp * lanes_of_warp + l), {{array, l}, bits});
    });
  }

  /// Reading and writing may lie on both sides of a barrier: one step all the same. So are the
  /// parts of a cluster's blocks.
  [[nodiscard]] bool belongs_to_pending(const phase& p, const simt::watched_step& w) const {
    if (!pending_ || pending_->so_far.launch != w.launch) return false;
    if (w.ended_by == simt::step_end::cluster_barrier && !pending_->blocks.contains(w.block) &&
        pending_->so_far.ended_by == w.word) {
      return true;
    }
    return pending_->writes.empty() && !p.reads;
  }

  void merge(phase more) {
    for (auto& [key, move] : more.moves) {
      step_move& m = pending_->of(key.first, key.second);
      m.applies |= move.applies;
      m.reads.insert(m.reads.end(), move.reads.begin(), move.reads.end());
      m.writes.insert(m.writes.end(), move.writes.begin(), move.writes.end());
    }
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(pending_->writes, more.writes);
    append(pending_->so_far.in_conflict, more.so_far.in_conflict);
    append(pending_->so_far.requests, more.so_far.requests);
    pending_->so_far.conflicts += more.so_far.conflicts;
    pending_->so_far.ended_by = more.so_far.ended_by;
    pending_->reads |= more.reads;
    if (!more.so_far.taken_by.empty()) pending_->so_far.taken_by = more.so_far.taken_by;
  }

  void flush() {
    if (!pending_) return;
    step s = std::move(pending_->so_far);
    std::set<std::size_t> written;
    for (const cell_value& v : pending_->writes) {
      arrays_.store(v);
      written.insert(v.cell.array);
    }
    bool applied = false;
    for (auto& [key, move] : pending_->moves) {
      applied |= move.applies;
      for (auto* cells : {&move.reads, &move.writes}) {
        std::sort(cells->begin(), cells->end());
        cells->erase(std::unique(cells->begin(), cells->end()), cells->end());
      }
      s.moves.push_back(std::move(move));
    }
    if (applied) {
      s.number = ++numbered_;
      // Nothing changed: show what they worked on.
      for (const step_move& m : s.moves) {
        if (!pending_->writes.empty() || !m.applies) continue;
        for (const step_cell& c : m.reads) written.insert(c.array);
      }
    }
    for (const std::size_t array : written) s.after.push_back({array, arrays_.now(array)});
    s.direction = direction_of(s);
    walk_.steps.push_back(std::move(s));
    pending_.reset();
  }

  [[nodiscard]] step_direction direction_of(const step& s) const {
    bool smaller = false, greater = false;
    for (const step_move* m : s.workers()) {
      const auto pair = m->applies ? m->joined() : std::nullopt;
      if (!pair) continue;
      const std::size_t array = pair->first.array;
      if (m->went_elsewhere(array)) return step_direction::unknown;
      const auto value = [&](const step_cell& c) {
        return load_scalar(walk_.arrays[array].type, &*arrays_.now(array).at(c.index));
      };
      const scalar low = value(pair->first), high = value(pair->second);
      smaller |= is_less(low, high);
      greater |= is_less(high, low);
    }
    return smaller && greater ? step_direction::both
           : smaller          ? step_direction::smaller_first
           : greater          ? step_direction::greater_first
                              : step_direction::unknown;
  }

  static bool is_less(const scalar& a, const scalar& b) {
    if (is_floating(a.type)) return a.real < b.real;
    if (a.type == value_type::u64) {
      return static_cast<std::uint64_t>(a.whole) < static_cast<std::uint64_t>(b.whole);
    }
    return a.whole < b.whole;
  }

  void hide(const std::set<std::size_t>& idle) {
    const auto leave_out = [&](auto& list) {
      std::erase_if(list, [&](const auto& x) { return idle.contains(x.array); });
    };
    for (step& s : walk_.steps) {
      leave_out(s.after);
      for (step_move& m : s.moves) {
        leave_out(m.reads);
        leave_out(m.writes);
      }
      std::erase_if(s.moves, [](const step_move& m) {
        return !m.applies && m.reads.empty() && m.writes.empty();
      });
    }
  }

  walkthrough& walk_;
  step_arrays arrays_;
  std::map<warp_key, std::vector<handed_over>> handed_;
  std::set<unsigned> fed_;
  std::string word_;
  std::optional<phase> pending_;
  unsigned numbered_ = 0;
};

}  // namespace

void add_steps(walkthrough& walk, std::span<const simt::watched_step> watched,
               std::span<const device_array_name> known, const shared_layout& shared) {
  model(walk, known, shared).feed(watched);
}

}  // namespace warpfold::ladder
