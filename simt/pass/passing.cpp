#include "passing.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "names.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

/// Whether the block only returns: an early return leads to it as well.
bool only_returns(const BasicBlock* b) {
  for (unsigned steps = 0; b != nullptr && steps < 8; ++steps) {
    for (const Instruction& i : *b) {
      if (isa<ReturnInst>(i) || isa<UnreachableInst>(i)) return true;
      if (i.isTerminator() || isa<PHINode>(i)) continue;
      if (!i.isLifetimeStartOrEnd() && !i.isDebugOrPseudoInst()) return false;
    }
    b = b->getSingleSuccessor();
  }
  return false;
}

class passing_marker {
 public:
  explicit passing_marker(Function& f)
      : f_(f), before_(f), after_(f), loops_(before_), byte_(Type::getInt8PtrTy(f.getContext())) {}

  void add_for(CallBase& barrier) {
    const SmallVector<BasicBlock*, 4> places = passed_at(*barrier.getParent());
    if (places.empty()) return;
    Module& m = *f_.getParent();
    Type* const type = Type::getInt8Ty(m.getContext());
    auto* const id = new GlobalVariable(m, type, false, GlobalValue::InternalLinkage,
                                        Constant::getNullValue(type), "simt.barrier");
    call("simt_comes_to", *id, barrier);
    for (BasicBlock* const b : places) call("simt_passes", *id, *b->getFirstInsertionPt());
  }

 private:
  /// The first place that every continuing thread reaches, with the barrier or without it; and the
  /// first place after each loop around that.
  SmallVector<BasicBlock*, 4> passed_at(const BasicBlock& barrier) const {
    SmallVector<BasicBlock*, 4> places;
    const auto* node = after_.getNode(&barrier);
    const Loop* inside = nullptr;
    while (node != nullptr && (node = node->getIDom()) != nullptr && node->getBlock() != nullptr) {
      BasicBlock* const at = node->getBlock();
      if (before_.dominates(&barrier, at)) continue;
      if (inside != nullptr && inside->contains(at)) continue;
      if (only_returns(at)) break;
      places.push_back(at);
      inside = loops_.getLoopFor(at);
      if (inside == nullptr) break;
    }
    return places;
  }

  void call(const char* name, GlobalVariable& barrier, Instruction& at) const {
    IRBuilder<> b(&at);
    const FunctionCallee f = f_.getParent()->getOrInsertFunction(name, b.getVoidTy(), byte_);
    b.CreateCall(f, {ConstantExpr::getPointerCast(&barrier, byte_)});
  }

  Function& f_;
  DominatorTree before_;
  PostDominatorTree after_;
  LoopInfo loops_;
  Type* byte_;
};

}  // namespace

void mark_passing(Module& m) {
  for (Function& f : make_early_inc_range(m)) {
    if (f.hasFnAttribute(Attribute::NoSanitizeCoverage)) continue;
    SmallVector<CallBase*, 8> barriers;
    for (Instruction& i : instructions(f)) {
      auto* const call = dyn_cast<CallBase>(&i);
      const StringRef name = call != nullptr ? machine_call(*call) : "";
      if (name == "block_barrier" || name == "block_vote") barriers.push_back(call);
    }
    if (barriers.empty()) continue;
    passing_marker marker(f);
    for (CallBase* const barrier : barriers) marker.add_for(*barrier);
  }
}

}  // namespace simt::pass
