#include "flow.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <llvm/ADT/STLExtras.h>

#include "polling.hpp"
#include "varying.hpp"

namespace simt::observe {

using namespace llvm;

namespace {

/// An edge has a block of its own where it starts among several and ends among several.
bool is_edge(const basic_block& b) { return b.code.size() == 1 && b.successors.size() == 1; }
bool ends(const basic_block& b) { return isa<ReturnInst>(b.code[0]); }
bool forks(const basic_block& b) {
  return b.successors.size() == 2 && isa<BranchInst>(b.code.back());
}
/// What `phi` is if `from` leads there.
const Value* coming_from(const basic_block& from, const PHINode& phi) {
  const int at = phi.getBasicBlockIndex(from.at);
  return at >= 0 ? phi.getIncomingValue(static_cast<unsigned>(at)) : nullptr;
}

class function_flow {
 public:
  function_flow(const control_flow& graph, value_set arguments)
      : graph_(graph), private_(std::move(arguments)) {
    find_private();
  }

  std::vector<flow> flows() {
    std::vector<flow> all(blocks_.size());
    std::map<const Loop*, value_set> loaded;
    const value_set varying = varying_values(graph_);
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const basic_block& b = blocks_[k];
      if (loaded.find(b.loop) == loaded.end()) loaded[b.loop] = loaded_in(b.loop);
      if (!b.watched) continue;
      // The device compiler unrolls no loop that asks memory anew each time.
      const bool asks_anew =
          b.loop != nullptr && any_of(b.code, [](auto* i) { return may_poll(*i); });
      all[k].waits = asks_anew || waits(b, loaded[b.loop]);
      if (!asks_anew) all[k].carried = carried(b);
      all[k].goes_round = goes_round(b);
      all[k].moves = moves(b);
      all[k].parts_lanes = parts_lanes(b, varying);
      count_accesses(b, all[k]);
      find_body(b, k, all);
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (const Instruction* const i : blocks_[b].code) {
        if (blocks_[b].loop != nullptr && may_poll(*i)) mark(polling_loop(graph_, b, *i), all);
      }
    }
    return all;
  }

 private:
  void find_private() {
    for (const basic_block& b : blocks_) {
      for (const Instruction* const i : b.code) {
        const bool points_there =
            is(*i, Instruction::BitCast, Instruction::GetElementPtr) && has_any_of(*i, private_);
        if (points_there || isa<AllocaInst>(i)) private_.insert(i);
      }
    }
  }

  /// What depends on a load in this part of the function.
  [[nodiscard]] value_set loaded_in(const Loop* loop) const {
    value_set loaded;
    const auto depends = [&](const Instruction& i) {
      const auto* const load = dyn_cast<LoadInst>(&i);
      return load != nullptr ? !private_.contains(load->getPointerOperand())
                             : isa<AtomicRMWInst>(i) || has_any_of(i, loaded);
    };
    for (std::size_t before = npos; before != loaded.size();) {
      before = loaded.size();
      for (const basic_block& b : blocks_) {
        if (b.loop != loop) continue;
        for (const Instruction* const i : b.code) {
          if (depends(*i)) loaded.insert(i);
        }
      }
    }
    return loaded;
  }

  /// What its own visit loads counts for where it leads, and not for the address of another load:
  /// that is the block's depth.
  [[nodiscard]] static bool waits(const basic_block& b, const value_set& loaded) {
    value_set own, earlier;
    const auto is_earlier = [&](const Value* v) {
      return earlier.contains(v) || (loaded.contains(v) && !own.contains(v));
    };
    for (const Instruction* const i : b.code) {
      const auto* const load = dyn_cast<LoadInst>(i);
      if (load != nullptr && is_earlier(load->getPointerOperand())) return true;
      if (is_decision(*i) && has_any_of(*i, loaded)) return true;
      bool carried = isa<PHINode>(i) && has_any_of(*i, loaded);
      if (!isa<PHINode>(i)) for_each_value(*i, [&](const Value* v) { carried |= is_earlier(v); });
      if (carried && load == nullptr) earlier.insert(i);
      own.insert(i);
    }
    return false;
  }

  /// Edges have blocks of their own.
  [[nodiscard]] std::vector<flow::carried_value> carried(const basic_block& b) const {
    std::vector<flow::carried_value> all;
    for (const std::size_t edge : b.successors) {
      const basic_block& back = blocks_[edge];
      if (&back != &b && !(is_edge(back) && &blocks_[back.successors[0]] == &b)) continue;
      for (const PHINode& phi : b.at->phis()) {
        const Value* const next = coming_from(back, phi);
        if (next == nullptr) continue;
        const bool by_same = steps(b, phi, *next);
        all.push_back({&phi, next, by_same && is_of(cast<User>(*next), phi), by_same});
      }
    }
    return all;
  }

  /// Whether `next` is as far from `now` in each iteration.
  [[nodiscard]] static bool steps(const basic_block& b, const Value& now, const Value& next) {
    const auto* const i = dyn_cast<Instruction>(&next);
    if (i == nullptr || !is(*i, Instruction::Add, Instruction::GetElementPtr)) return false;
    bool same = true;
    for_each_value(*i, [&](const Value* v) {
      const auto* const made = dyn_cast<Instruction>(v);
      same &= v == &now || made == nullptr || made->getParent() != b.at;
    });
    return same;
  }
  static bool is_of(const User& i, const Value& value) {
    bool only = true;
    for_each_value(i, [&](const Value* v) { only &= v == &value; });
    return only;
  }

  void count_accesses(const basic_block& b, flow& of) const {
    bool loads = false, stores = false;
    for (const Instruction* const i : b.code) {
      if (!is(*i, Instruction::Load, Instruction::Store)) continue;
      const Value* const pointer = getLoadStorePointerOperand(i);
      if (private_.contains(pointer)) continue;
      value_set seen;
      ++of.accesses;
      if (!is_from_argument(pointer, seen)) {
        ++of.shared_accesses;
      } else {
        (isa<LoadInst>(i) ? loads : stores) = true;
      }
    }
    of.is_through_memory = loads && stores;
  }

  /// Whether a pointer, or what it is reckoned from, was loaded or is a parameter.
  [[nodiscard]] static bool is_from_argument(const Value* v, value_set& seen) {
    if (!seen.insert(v).second || isa<Constant>(v)) return false;
    if (isa<Argument>(v) || isa<LoadInst>(v)) return true;
    bool found = false;
    const auto& i = *cast<Instruction>(v);
    if (is(i, Instruction::BitCast, Instruction::GetElementPtr, Instruction::PHI,
           Instruction::Select))
      for_each_value(i, [&](const Value* of) { found |= is_from_argument(of, seen); });
    return found;
  }

  /// Where a block leads to two, one of which leads to the other and can't be come to from
  /// elsewhere. The edge past it may be a block of its own.
  void find_body(const basic_block& guard, std::size_t number, std::vector<flow>& all) const {
    if (!forks(guard)) return;
    for (const std::size_t side : {0U, 1U}) {
      const std::size_t at = guard.successors[side];
      const basic_block& body = blocks_[at];
      const basic_block& past = blocks_[guard.successors[1 - side]];
      if (!body.watched || body.successors.size() != 1 || body.code.size() < 2) continue;
      const std::size_t join = body.successors[0];
      const bool meets = !ends(blocks_[join]) &&
                         (&blocks_[join] == &past || (is_edge(past) && past.successors[0] == join));
      const bool calls = any_of(body.code, [](const Instruction* i) {
        const StringRef name = callee_name(*i);
        return is_call(*i) && !begins(name, "__sanitizer") && !begins(name, "simt_") &&
               !begins(name, "llvm.");
      });
      if (meets && body.ways_there == 1 && !calls) all[at].guard = number;
    }
  }

  [[nodiscard]] const basic_block& past_edge(std::size_t to) const {
    return blocks_[is_edge(blocks_[to]) ? blocks_[to].successors[0] : to];
  }
  [[nodiscard]] bool is_back(const basic_block& b, std::size_t to) const {
    const basic_block& side = past_edge(to);
    return &side < &b && b.loop != nullptr && side.loop == b.loop;
  }
  [[nodiscard]] bool goes_round(const basic_block& b) const {
    return !is_edge(b) && any_of(b.successors, [&](std::size_t to) { return is_back(b, to); });
  }
  /// Values that change places need one place more.
  [[nodiscard]] std::uint64_t moves(const basic_block& b) const {
    std::uint64_t count = 0;
    for (const std::size_t to : b.successors) {
      if (is_edge(b) || !is_back(b, to)) continue;
      const basic_block& from = is_edge(blocks_[to]) ? blocks_[to] : b;
      const BasicBlock* const header = past_edge(to).at;
      std::map<const Value*, const Value*> next;
      for (const PHINode& phi : header->phis()) {
        const auto* const other = dyn_cast_or_null<PHINode>(coming_from(from, phi));
        if (other != nullptr && other != &phi && other->getParent() == header) next[&phi] = other;
      }
      count += next.size();
      while (!next.empty()) {
        const Value* const first = next.begin()->first;
        const Value* at = first;
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
  [[nodiscard]] bool parts_lanes(const basic_block& b, const value_set& varying) const {
    if (!forks(b) || !has_any_of(*b.code.back(), varying)) return false;
    return none_of(b.successors, [&](std::size_t to) {
      const basic_block& side = past_edge(to);
      return &side <= &b || (b.loop != nullptr && side.loop != b.loop) || ends(side);
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
      const bool leads = any_of(blocks_[k].successors, [&](std::size_t s) { return loop[s]; });
      if (leads || loop[k]) all[k].polls = true;
    }
  }

  const control_flow& graph_;
  const std::vector<basic_block>& blocks_ = graph_.blocks;
  value_set private_;  // pointers to a kernel's arguments and to a thread's own memory
};

}  // namespace

std::vector<flow> flows_of(const control_flow& f, const value_set& arguments) {
  return function_flow(f, arguments).flows();
}

}  // namespace simt::observe
