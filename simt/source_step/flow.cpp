#include "flow.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "control_flow.hpp"
#include "polling.hpp"
#include "varying.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;
using names = value_names;

/// An edge has a block of its own where it starts among several and ends among several.
bool is_edge(const basic_block& b) { return b.code.size() == 1 && b.successors.size() == 1; }
bool ends(const basic_block& b) { return b.code[0].opcode == "ret"; }
bool forks(const basic_block& b) {
  return b.successors.size() == 2 && b.code.back().opcode == "br";
}

class function_flow {
 public:
  function_flow(view body, names arguments) : graph_(body), private_(std::move(arguments)) {
    find_private();
  }

  std::vector<flow> flows() {
    std::vector<flow> all;
    std::unordered_map<std::size_t, names> loaded;
    for (const basic_block& b : blocks_) {
      if (!loaded.contains(b.loop)) loaded[b.loop] = loaded_in(b.loop);
      if (b.number == npos) continue;
      all.resize(std::max(all.size(), b.number + 1));
      // The device compiler unrolls no loop that asks memory anew each time.
      const bool asks_anew = b.loop != 0 && std::ranges::any_of(b.code, may_poll);
      all[b.number].waits = asks_anew || waits(b, loaded[b.loop]);
      if (!asks_anew) all[b.number].carried = carried(b);
      all[b.number].goes_round = goes_round(b);
      all[b.number].moves = moves(b);
      count_accesses(b, all[b.number]);
    }
    const varying_values varying = varying_ones();
    for (const basic_block& guard : blocks_) {
      find_body(guard, all);
      if (guard.number != npos) all[guard.number].parts_lanes = parts_lanes(guard, varying);
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (const instruction& i : blocks_[b].code) {
        if (blocks_[b].loop != 0 && may_poll(i)) mark(polling_loop(graph_, b, i), all);
      }
    }
    return all;
  }

 private:
  void find_private() {
    for (const basic_block& b : blocks_) {
      for (const instruction& i : b.code) {
        const bool points_there =
            i.is({"bitcast", "getelementptr"}) && has_any_of(i.rest, private_);
        if (points_there || i.opcode == "alloca") private_.insert(i.to);
      }
    }
  }

  /// What depends on a load in this part of the function.
  [[nodiscard]] names loaded_in(std::size_t loop) const {
    names loaded;
    for (std::size_t before = npos; before != loaded.size();) {
      before = loaded.size();
      for (const basic_block& b : blocks_) {
        if (b.loop != loop) continue;
        for (const instruction& i : b.code) {
          const bool depends = i.opcode == "load"
                                   ? !has_any_of(pointer_of(i), private_)
                                   : i.opcode == "atomicrmw" || has_any_of(i.rest, loaded);
          if (depends && !i.to.empty()) loaded.insert(i.to);
        }
      }
    }
    return loaded;
  }

  /// What its own visit loads counts for where it leads, and not for the address of another load:
  /// that is the block's depth.
  [[nodiscard]] static bool waits(const basic_block& b, const names& loaded) {
    names own, earlier;
    for (const instruction& i : b.code) {
      const auto is_from_earlier = [&](view text) {
        bool found = false;
        for_each_value(text, [&](view name) {
          found |= earlier.contains(name) || (loaded.contains(name) && !own.contains(name));
        });
        return found;
      };
      if (i.opcode == "load" && is_from_earlier(pointer_of(i))) return true;
      if (i.is({"br", "switch"}) && has_any_of(i.rest, loaded)) return true;
      const bool carried = i.opcode == "phi" ? has_any_of(i.rest, loaded) : is_from_earlier(i.rest);
      if (carried && i.opcode != "load") earlier.insert(i.to);
      own.insert(i.to);
    }
    return false;
  }

  /// What `phi` is if `from` leads there: phi i32 [ %next, %from ], [ 0, %other ].
  static view coming_from(const basic_block& from, const instruction& phi) {
    const auto at = phi.rest.find(", %" + std::string(from.label) + " ]");
    const auto open = phi.rest.rfind('[', at);
    if (at == npos || open == npos) return {};
    return phi.rest.substr(open + 2, at - open - 2);
  }

  /// Edges have blocks of their own.
  [[nodiscard]] std::vector<flow::carried_value> carried(const basic_block& b) const {
    std::vector<flow::carried_value> all;
    for (const std::size_t edge : b.successors) {
      const basic_block& back = blocks_[edge];
      if (&back != &b && !(is_edge(back) && &blocks_[back.successors[0]] == &b)) continue;
      for (const instruction& i : b.code) {
        if (i.opcode != "phi") continue;
        const view next = coming_from(back, i);
        if (next.empty()) continue;
        const bool by_same = steps(b, i.to, next);
        all.push_back({i.to, next, by_same && is_of(made_.at(next).by->rest, i.to), by_same});
      }
    }
    return all;
  }

  /// Whether `next` is as far from `now` in each iteration.
  [[nodiscard]] bool steps(const basic_block& b, view now, view next) const {
    const auto known = made_.find(next);
    if (known == made_.end() || !known->second.by->is({"add", "getelementptr"})) return false;
    bool same = true;
    for_each_value(known->second.by->rest, [&](view name) {
      const auto made = made_.find(name);
      same &= name == now || made == made_.end() || &blocks_[made->second.block] != &b;
    });
    return same;
  }
  static bool is_of(view text, view value) {
    bool only = true;
    for_each_value(text, [&](view name) { only &= name == value; });
    return only;
  }

  void count_accesses(const basic_block& b, flow& of) const {
    bool loads = false, stores = false;
    for (const instruction& i : b.code) {
      if (!i.is({"load", "store"})) continue;
      const view pointer = pointer_of(i);
      if (has_any_of(pointer, private_)) continue;
      names seen;
      ++of.accesses;
      if (!is_from_argument(pointer, seen)) {
        ++of.shared_accesses;
      } else {
        (i.opcode == "load" ? loads : stores) = true;
      }
    }
    of.is_through_memory = loads && stores;
  }

  /// Whether a pointer, or what it is reckoned from, was loaded or is a parameter.
  [[nodiscard]] bool is_from_argument(view text, names& seen) const {
    bool found = false;
    for_each_value(text, [&](view name) {
      const auto known = made_.find(name);
      if (!seen.insert(name).second) return;
      if (known == made_.end()) {
        const bool is_type = name.starts_with("%struct.") || name.starts_with("%class.") ||
                             name.starts_with("%union.") || name.starts_with("%\"");
        found |= !is_type;
        return;
      }
      const instruction& i = *known->second.by;
      if (i.is({"bitcast", "getelementptr", "phi", "select"})) {
        found |= is_from_argument(i.rest, seen);
      } else {
        found |= i.opcode == "load";
      }
    });
    return found;
  }

  /// Where a block leads to two, one of which leads to the other and can't be come to from
  /// elsewhere. The edge past it may be a block of its own.
  void find_body(const basic_block& guard, std::vector<flow>& all) const {
    if (guard.number == npos || !forks(guard)) return;
    for (const std::size_t side : {0U, 1U}) {
      const std::size_t at = guard.successors[side];
      const basic_block& body = blocks_[at];
      const basic_block& past = blocks_[guard.successors[1 - side]];
      if (body.number == npos || body.successors.size() != 1 || body.code.size() < 2) continue;
      const std::size_t join = body.successors[0];
      const bool meets = !ends(blocks_[join]) &&
                         (&blocks_[join] == &past || (is_edge(past) && past.successors[0] == join));
      const bool calls = std::any_of(body.code.begin(), body.code.end(), [](const instruction& i) {
        return i.is({"call", "invoke"}) && !i.has("@__sanitizer") && !i.has("@simt_") &&
               !i.has("@llvm.");
      });
      if (meets && body.ways_there == 1 && !calls) all[body.number].guard = guard.number;
    }
  }

  [[nodiscard]] varying_values varying_ones() const {
    std::vector<instruction> code;
    for (const basic_block& b : blocks_) code.insert(code.end(), b.code.begin(), b.code.end());
    return varying_values(code);
  }
  [[nodiscard]] const basic_block& past_edge(std::size_t to) const {
    return blocks_[is_edge(blocks_[to]) ? blocks_[to].successors[0] : to];
  }
  [[nodiscard]] bool is_back(const basic_block& b, std::size_t to) const {
    const basic_block& side = past_edge(to);
    return &side < &b && b.loop != 0 && side.loop == b.loop;
  }
  [[nodiscard]] bool goes_round(const basic_block& b) const {
    return !is_edge(b) &&
           std::ranges::any_of(b.successors, [&](std::size_t to) { return is_back(b, to); });
  }
  /// Values that change places need one place more.
  [[nodiscard]] std::uint64_t moves(const basic_block& b) const {
    std::uint64_t count = 0;
    for (const std::size_t to : b.successors) {
      if (is_edge(b) || !is_back(b, to)) continue;
      const basic_block& from = is_edge(blocks_[to]) ? blocks_[to] : b;
      names now;
      for (const instruction& i : past_edge(to).code) {
        if (i.opcode == "phi") now.insert(i.to);
      }
      std::unordered_map<view, view> next;
      for (const instruction& i : past_edge(to).code) {
        if (!now.contains(i.to)) continue;
        const view other = coming_from(from, i);
        if (other != i.to && now.contains(other)) next[i.to] = other;
      }
      count += next.size();
      while (!next.empty()) {
        const view first = next.begin()->first;
        view at = first;
        for (auto known = next.find(at); known != next.end(); known = next.find(at)) {
          at = known->second;
          next.erase(known);
        }
        count += at == first ? 1 : 0;
      }
    }
    return count;
  }
  /// Not where a loop goes round or ends.
  [[nodiscard]] bool parts_lanes(const basic_block& b, const varying_values& varying) const {
    if (!forks(b) || !varying.any_in(b.code.back().rest)) return false;
    return std::ranges::none_of(b.successors, [&](std::size_t to) {
      const basic_block& side = past_edge(to);
      return &side <= &b || (b.loop != 0 && side.loop != b.loop) || ends(side);
    });
  }

  /// The loop, and what leads there, past blocks that lead nowhere else: whoever comes by it finds
  /// the word written or waits.
  void mark(std::vector<bool> loop, std::vector<flow>& all) const {
    if (loop.empty()) return;
    for (bool more = true; more;) {
      more = false;
      for (std::size_t k = 0; k < blocks_.size(); ++k) {
        const auto& next = blocks_[k].successors;
        if (loop[k] || next.size() != 1 || !loop[next[0]]) continue;
        loop[k] = more = true;
      }
    }
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const auto& next = blocks_[k].successors;
      const bool leads = std::any_of(next.begin(), next.end(), [&](auto s) { return loop[s]; });
      if ((leads || loop[k]) && blocks_[k].number != npos) all[blocks_[k].number].polls = true;
    }
  }

  const control_flow graph_;
  const std::vector<basic_block>& blocks_ = graph_.blocks;
  const std::unordered_map<view, control_flow::maker>& made_ = graph_.made;
  names private_;  // pointers to a kernel's arguments and to a thread's own memory
};

}  // namespace

std::vector<flow> flows_of(view body, const value_names& arguments) {
  return function_flow(body, arguments).flows();
}

}  // namespace simt::source_step
