#include "lockstep.hpp"

#include <algorithm>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "volatiles.hpp"

namespace simt::observe {

using namespace llvm;

namespace {

/// Ranks of a function's blocks that rise along each way but back to a header. What lies behind a
/// loop has higher ranks than all of the loop.
class block_order {
 public:
  explicit block_order(const control_flow& f)
      : ranks(f.blocks.size(), 0), f_(f), seen_(f.blocks.size(), false), left_(f.blocks.size()) {
    visit(0);
  }

  std::vector<std::size_t> ranks;

 private:
  void visit(std::size_t block) {
    seen_[block] = true;
    const Loop* const inner = f_.loops.getLoopFor(f_.blocks[block].at);
    for (const bool outside : {true, false}) {
      for (const std::size_t to : f_.blocks[block].successors) {
        const bool leaves = inner != nullptr && !inner->contains(f_.blocks[to].at);
        if (!seen_[to] && leaves == outside) visit(to);
      }
    }
    ranks[block] = --left_;
  }

  const control_flow& f_;
  std::vector<bool> seen_;
  std::size_t left_;
};

/// Whether a round may go past `block`.
bool goes_past(const control_flow& f, const Loop& l, std::size_t block) {
  const std::size_t header = f.numbers.lookup(l.getHeader());
  std::vector<bool> seen(f.blocks.size(), false);
  std::vector<std::size_t> next{header};
  if (block == header) return false;
  while (!next.empty()) {
    const std::size_t b = next.back();
    next.pop_back();
    for (const std::size_t to : f.blocks[b].successors) {
      if (to == header) return true;
      if (to == block || !l.contains(f.blocks[to].at) || seen[to]) continue;
      seen[to] = true;
      next.push_back(to);
    }
  }
  return false;
}

/// Whether the next volatile access of the block's comes before anything that must find what all
/// lanes have done.
bool meets_soon(const noted_access& a) {
  for (const Instruction* i = a.access->getNextNode(); i != nullptr; i = i->getNextNode()) {
    const StringRef name = callee_name(*i);
    if (name == volatile_hook || name == polled_hook) return true;
    const bool accesses = isa<StoreInst>(i) || (isa<LoadInst>(i) && isa<StoreInst>(a.access));
    const bool calls = is_call(*i) && !begins(name, "__sanitizer_cov_") && !begins(name, "llvm.");
    if (accesses || calls || is(*i, Instruction::AtomicRMW, Instruction::AtomicCmpXchg))
      return false;
  }
  return false;
}

class meeting_writer {
 public:
  explicit meeting_writer(PointerType* pointer, Module& m)
      : pointer_(pointer),
        hook_(m.getOrInsertFunction("_ZN4simt6detail11in_lockstepEPVKvj",
                                    Type::getVoidTy(m.getContext()), pointer,
                                    Type::getInt32Ty(m.getContext()))) {}

  void add(Instruction* at, Value* pointer, std::size_t rank) const {
    IRBuilder<> b(at);
    b.SetCurrentDebugLocation({});
    if (pointer == nullptr) pointer = ConstantPointerNull::get(pointer_);
    b.CreateCall(hook_, {pointer, b.getInt32(static_cast<std::uint32_t>(rank))});
  }

 private:
  PointerType* pointer_;
  FunctionCallee hook_;
};

}  // namespace

void add_meetings(const control_flow& f, const std::vector<noted_access>& all,
                  const std::vector<std::size_t>& polls) {
  if (none_of(all, [](const noted_access& a) { return isa<StoreInst>(a.access); })) return;
  const block_order order(f);
  const auto loops = f.loops.getLoopsInPreorder();
  const std::size_t most = 2 * all.size() + loops.size() + 1;  // ranks of a block
  std::vector<bool> soon;
  for (const noted_access& a : all) soon.push_back(meets_soon(a));
  const meeting_writer writer(cast<PointerType>(all[0].note->getArgOperand(0)->getType()),
                              *all[0].note->getModule());
  std::size_t known = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const noted_access& a = all[k];
    const auto meet = [&](Instruction* at) {
      writer.add(at, a.note->getArgOperand(0), most * order.ranks[a.block] + known++);
    };
    meet(a.note);
    if (!soon[k]) meet(a.access->getNextNode());
  }
  for (Loop* const l : loops) {
    const auto passes_by = [&](const noted_access& a) {
      return l->contains(f.blocks[a.block].at) && goes_past(f, *l, a.block);
    };
    const auto waits = [&](std::size_t block) { return l->contains(f.blocks[block].at); };
    if (none_of(all, passes_by) || any_of(polls, waits)) continue;
    std::size_t last = 0;
    for (const BasicBlock* const b : l->blocks()) {
      last = std::max(last, order.ranks[f.numbers.lookup(b)]);
    }
    Instruction* first = l->getHeader()->getFirstNonPHI();
    if (is_guard(*first)) first = first->getNextNode();
    writer.add(first, nullptr, most * last + most - l->getLoopDepth());
  }
}

}  // namespace simt::observe
