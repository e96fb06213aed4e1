#include "polling.hpp"

#include <algorithm>

#include <llvm/ADT/STLExtras.h>

namespace simt::observe {

using namespace llvm;

namespace {

using marks = std::vector<bool>;

/// The blocks in which what decides a value is made, but for arithmetic.
void add_origins(const control_flow& f, const Value* v, marks& origins, value_set& seen) {
  const auto* const i = dyn_cast<Instruction>(v);
  if (i == nullptr || !seen.insert(i).second) return;
  if (isa<PHINode>(i) || isa<LoadInst>(i) || isa<CallBase>(i) || isa<AtomicCmpXchgInst>(i) ||
      isa<AtomicRMWInst>(i)) {
    const StringRef name = callee_name(*i);
    origins[f.maker_of(i)] = !name.contains("_index") && !name.contains("lane");
  } else {
    for_each_value(*i, [&](const Value* operand) { add_origins(f, operand, origins, seen); });
  }
}

/// What some values lead to inside of one loop, and whether that decides when it is left.
class influence {
 public:
  influence(const control_flow& f, const marks& loop, const Value& value)
      : f_(f), loop_(loop), joins_(f.blocks.size(), false) {
    known_.insert(&value);
  }

  /// With `ways`, what is chosen by the way that was taken counts, too.
  bool decides(bool ways) {
    for (std::size_t before = 0; before != known_.size();) {
      before = known_.size();
      for (std::size_t k = 0; k < f_.blocks.size(); ++k) {
        if (!loop_[k]) continue;
        for (const Instruction* const i : f_.blocks[k].code) {
          const auto* const phi = dyn_cast<PHINode>(i);
          if (joins_[k] && phi != nullptr && chooses(*phi)) known_.insert(phi);
          if (!has_any_of(*i, known_)) continue;
          known_.insert(i);
          if (!is_decision(*i)) continue;
          if (any_of(f_.blocks[k].successors, [&](std::size_t s) { return !loop_[s]; }))
            return true;
          if (ways) add_joins(k);
        }
      }
    }
    return false;
  }

 private:
  static bool chooses(const PHINode& phi) {
    return any_of(phi.incoming_values(),
                  [&](const Use& u) { return u.get() != phi.getIncomingValue(0); });
  }

  /// Where ways meet that part at the end of this block: by which of them a block is come to is
  /// known until then.
  void add_joins(std::size_t fork) {
    std::vector<std::size_t> come_by(f_.blocks.size(), npos);
    for (const std::size_t s : f_.blocks[fork].successors) {
      if (loop_[s]) come_by[s] = s;
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
  value_set known_;
  marks joins_;
};

}  // namespace

bool may_poll(const Instruction& i) {
  const auto* const load = dyn_cast<LoadInst>(&i);
  return load != nullptr && (load->isAtomic() || load->isVolatile());
}

marks polling_loop(const control_flow& f, std::size_t b, const Instruction& read) {
  const std::size_t n = f.blocks.size();
  marks origins(n, false), from(n, false), to(n, false);
  value_set seen;
  add_origins(f, getLoadStorePointerOperand(&read), origins, seen);
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
      const bool leads = any_of(f.blocks[k].successors, [&](std::size_t s) { return to[s]; });
      if (!from[k] || to[k] || !leads) continue;
      to[k] = more = true;
    }
  }
  return influence(f, to, read).decides(false) ? to : marks();
}

bool decides_loop(const control_flow& f, std::size_t b, const Instruction& read) {
  const Loop* const loop = f.blocks[b].loop;
  if (loop == nullptr) return false;
  marks in_loop;
  for (const basic_block& each : f.blocks) in_loop.push_back(each.loop == loop);
  return influence(f, in_loop, read).decides(true);
}

}  // namespace simt::observe
