#include "polling.hpp"

#include <algorithm>
#include <optional>

namespace simt::source_step {

namespace {

using view = std::string_view;
using marks = std::vector<bool>;

/// The blocks in which what decides a value is made, but for arithmetic.
void add_origins(const control_flow& f, view text, marks& origins, value_names& seen) {
  for_each_value(text, [&](view name) {
    const auto known = f.made.find(name);
    if (known == f.made.end() || !seen.insert(name).second) return;
    const auto& [block, i] = known->second;
    if (i->is({"phi", "load", "call", "invoke", "cmpxchg", "atomicrmw"})) {
      origins[block] = !i->has("_index") && !i->has("lane");
    } else {
      add_origins(f, i->rest, origins, seen);
    }
  });
}

/// What some values lead to inside of one loop, and whether that decides when it is left.
class influence {
 public:
  influence(const control_flow& f, const marks& loop, view value)
      : f_(f), loop_(loop), known_{value}, joins_(f.blocks.size(), false) {}

  /// With `ways`, what is chosen by the way that was taken counts, too.
  bool decides(bool ways) {
    for (std::size_t before = 0; before != known_.size();) {
      before = known_.size();
      for (std::size_t k = 0; k < f_.blocks.size(); ++k) {
        if (!loop_[k]) continue;
        for (const instruction& i : f_.blocks[k].code) {
          if (joins_[k] && i.opcode == "phi" && chooses(i)) known_.insert(i.to);
          if (!has_any_of(i.rest, known_)) continue;
          if (!i.to.empty()) known_.insert(i.to);
          if (!i.is({"br", "switch"})) continue;
          const auto& next = f_.blocks[k].successors;
          if (std::any_of(next.begin(), next.end(), [&](auto s) { return !loop_[s]; })) return true;
          if (ways) add_joins(k);
        }
      }
    }
    return false;
  }

 private:
  /// Not `[ %x, %a ], [ %x, %b ]`.
  static bool chooses(const instruction& phi) {
    std::optional<view> first;
    for (auto at = phi.rest.find("[ "); at != npos; at = phi.rest.find("[ ", at + 1)) {
      const view value = phi.rest.substr(at + 2, phi.rest.find(',', at) - at - 2);
      if (value != first.value_or(value)) return true;
      first = value;
    }
    return false;
  }

  /// Where ways meet that part at the end of this block: by which of them a block is come to is
  /// known until then.
  void add_joins(std::size_t fork) {
    std::vector<std::size_t> come_by(f_.blocks.size(), npos);
    for (const std::size_t s : f_.blocks[fork].successors) {
      if (loop_[s]) come_by[s] = come_by[s] == npos ? s : come_by[s];
    }
    for (bool more = true; more;) {
      more = false;
      for (std::size_t k = 0; k < f_.blocks.size(); ++k) {
        if (come_by[k] == npos || k == fork) continue;
        for (const std::size_t to : f_.blocks[k].successors) {
          if (!loop_[to] || come_by[to] == to || come_by[to] == come_by[k]) continue;
          come_by[to] = come_by[to] == npos ? come_by[k] : to;
          joins_[to] = joins_[to] || come_by[to] == to;
          more = true;
        }
      }
    }
  }

  const control_flow& f_;
  const marks& loop_;
  value_names known_;
  marks joins_;
};

}  // namespace

bool may_poll(const instruction& i) {
  return i.opcode == "load" && (i.has(" atomic ") || i.has(" volatile "));
}

marks polling_loop(const control_flow& f, std::size_t b, const instruction& read) {
  const std::size_t n = f.blocks.size();
  marks origins(n, false), from(n, false), to(n, false);
  value_names seen;
  add_origins(f, pointer_of(read), origins, seen);
  if (origins[b]) return {};
  std::vector<std::size_t> open{b};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (const std::size_t next : f.blocks[at].successors) {
      if (from[next] || origins[next]) continue;
      from[next] = true;
      open.push_back(next);
    }
  }
  if (!from[b]) return {};
  to[b] = true;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = 0; k < n; ++k) {
      const auto& next = f.blocks[k].successors;
      const bool leads = std::any_of(next.begin(), next.end(), [&](auto s) { return to[s]; });
      if (!from[k] || to[k] || !leads) continue;
      to[k] = more = true;
    }
  }
  return influence(f, to, read.to).decides(false) ? to : marks();
}

bool decides_loop(const control_flow& f, std::size_t b, const instruction& read) {
  const std::size_t loop = f.blocks[b].loop;
  if (loop == 0) return false;
  marks in_loop;
  for (const basic_block& each : f.blocks) in_loop.push_back(each.loop == loop);
  return influence(f, in_loop, read.to).decides(true);
}

}  // namespace simt::source_step
