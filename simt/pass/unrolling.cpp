#include "unrolling.hpp"

#include <algorithm>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>

#include "meetings.hpp"
#include "names.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

bool is_meeting_call(const Instruction& i) {
  const auto* const call = dyn_cast<CallInst>(&i);
  return call != nullptr && is_meeting(machine_call(*call));
}

/// Whether its rounds are of use apart: each has another element of an array.
bool goes_through_array(const Loop& l, const LoopInfo& loops) {
  for (const BasicBlock* const b : l.blocks()) {
    if (loops.getLoopFor(b) != &l) continue;
    for (const Instruction& i : *b) {
      const auto* const at = dyn_cast<GetElementPtrInst>(&i);
      if (at != nullptr && !at->hasAllConstantIndices() &&
          isa<AllocaInst>(getUnderlyingObject(at, 0))) {
        return true;
      }
    }
  }
  return false;
}

void set_unrolled(Loop& l, ArrayRef<StringRef> without, ArrayRef<MDNode*> with) {
  LLVMContext& context = l.getHeader()->getContext();
  l.setLoopID(makePostTransformationMetadata(context, l.getLoopID(), without, with));
}

}  // namespace

void keep_meetings_rolled(Function& f, const LoopInfo& loops) {
  MDNode* const never =
      MDNode::get(f.getContext(), {MDString::get(f.getContext(), "llvm.loop.unroll.disable")});
  SmallPtrSet<Loop*, 8> seen;
  for (Instruction& i : instructions(f)) {
    Loop* l = is_meeting_call(i) ? loops.getLoopFor(i.getParent()) : nullptr;
    for (; l != nullptr; l = l->getParentLoop()) {
      if (seen.insert(l).second && !goes_through_array(*l, loops)) {
        set_unrolled(*l, {"llvm.loop.unroll."}, {never});
      }
    }
  }
}

void let_meetings_unroll(Function& f, const LoopInfo& loops, ScalarEvolution& evolution,
                         unsigned most) {
  SmallPtrSet<Loop*, 8> around;
  unsigned all = 0;
  for (Instruction& i : instructions(f)) {
    if (!is_meeting_call(i)) continue;
    unsigned rounds = 1;
    Loop* l = loops.getLoopFor(i.getParent());
    if (l != nullptr && l->getLoopID() != nullptr) around.insert(l);
    for (; l != nullptr; l = l->getParentLoop()) {
      rounds *= std::max(1U, evolution.getSmallConstantTripCount(l));
    }
    all += rounds;
  }
  if (all > most) return;
  for (Loop* const l : around) set_unrolled(*l, {"llvm.loop.unroll.disable"}, {});
}

}  // namespace simt::pass
