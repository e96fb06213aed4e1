#include "uniform.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "names.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

/// Its value is a thread's own, whatever it is made of.
bool begins_to_vary(const Instruction& i, words loaded) {
  if (i.getType()->isVoidTy()) return false;
  if (isa<AllocaInst>(i) || i.isAtomic()) return true;
  if (isa<LoadInst>(i)) return loaded == words::may_change && !loads_parameter(i);
  const auto* const call = dyn_cast<CallBase>(&i);
  if (call == nullptr) return false;
  const StringRef name = machine_call(*call);
  if (name == "thread_index" || name == "lane_index") return true;
  const bool of_block = name == "block_index" || name == "block_size" || name == "grid_size" ||
                        name == "dynamic_shared" || name == "dynamic_shared_bytes" ||
                        name == "shared_object" || name == "block_vote";
  return !of_block && !call->doesNotAccessMemory();
}

}  // namespace

bool loads_parameter(const Instruction& i) {
  const auto* const load = dyn_cast<LoadInst>(&i);
  if (load == nullptr || !load->isSimple()) return false;
  const auto* const from = dyn_cast<Argument>(getUnderlyingObject(load->getPointerOperand(), 0));
  return from != nullptr &&
         (from->hasByValAttr() || (from->hasNoAliasAttr() && from->onlyReadsMemory()));
}

uniformity::uniformity(Function& f, const LoopInfo& loops, const PostDominatorTree& after,
                       words loaded)
    : loaded_(loaded) {
  for (Instruction& i : instructions(f)) {
    if (begins_to_vary(i, loaded)) vary(i);
  }
  while (!work_.empty()) {
    Instruction& i = *work_.pop_back_val();
    for (User* const user : i.users()) {
      auto* const other = cast<Instruction>(user);
      if (other->isTerminator()) {
        if (other->getNumSuccessors() > 1) part_at(*other, loops, after);
        continue;
      }
      const auto* const call = dyn_cast<CallBase>(other);
      if (call != nullptr && machine_call(*call) == "block_vote") continue;
      if (!other->getType()->isVoidTy()) vary(*other);
    }
  }
}

void uniformity::vary(Instruction& i) {
  if (varying_.insert(&i).second) work_.push_back(&i);
}

/// Threads go different ways at `branch`, until all meet again.
void uniformity::part_at(Instruction& branch, const LoopInfo& loops,
                         const PostDominatorTree& after) {
  BasicBlock* const from = branch.getParent();
  const auto* const node = after.getNode(from);
  BasicBlock* const meet =
      node != nullptr && node->getIDom() != nullptr ? node->getIDom()->getBlock() : nullptr;
  // Who leaves is not waited for.
  const bool leaves = meet == nullptr || isa<ReturnInst>(meet->getTerminator());
  if (leaves && loaded_ == words::stay) return;
  SmallPtrSet<BasicBlock*, 32> seen;
  SmallVector<BasicBlock*, 32> next(successors(from));
  while (!next.empty()) {
    BasicBlock* const b = next.pop_back_val();
    if (b == meet || !seen.insert(b).second) continue;
    parted_.insert(b);
    append_range(next, successors(b));
  }
  if (meet != nullptr) seen.insert(meet);
  for (BasicBlock* const b : seen) {
    for (PHINode& phi : b->phis()) vary(phi);
  }
  // Whoever leaves a loop early takes other values with him.
  for (const Loop* l = loops.getLoopFor(from); l != nullptr; l = l->getParentLoop()) {
    if (meet != nullptr && l->contains(meet)) break;
    for (BasicBlock* const b : l->blocks()) {
      for (Instruction& i : *b) {
        const auto outside = [&](const User* u) {
          return !l->contains(cast<Instruction>(u)->getParent());
        };
        if (any_of(i.users(), outside)) vary(i);
      }
    }
  }
}

}  // namespace simt::pass
