#include "regions.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "meetings.hpp"
#include "names.hpp"
#include "simt/abi/kernel_table.hpp"
#include "versions.hpp"

namespace simt::pass {

using namespace llvm;
using detail::running_block;

namespace {

constexpr unsigned most_threads = 1024, most_cuts_of_block = 30, most_cuts_of_warp = 32;
constexpr unsigned most_of_threads = 40000;
constexpr unsigned around_cut = 50;  // instructions that a cut of warps needs by itself

}  // namespace

unsigned least_of_lanes(const Function& f) {
  const auto cuts = count_if(instructions(f), [](const Instruction& i) {
    const auto* const call = dyn_cast<CallInst>(&i);
    return call != nullptr && is_meeting(machine_call(*call));
  });
  return f.getInstructionCount() + static_cast<unsigned>(cuts) * around_cut;
}

bool region::uses(const AllocaInst* memory) const {
  return any_of(memory->users(), [&](const User* u) {
    const auto* const i = dyn_cast<Instruction>(u);
    return i != nullptr && is_contained(blocks, i->getParent());
  });
}

block_parts::block_parts(Function& in, const cut_kernel& of)
    : f(in), kernel(of), b(in.getContext()), word(b.getInt32Ty()) {}

BasicBlock* block_parts::block(const char* name) {
  return BasicBlock::Create(b.getContext(), name, &f);
}

bool block_parts::find_regions(unsigned most_of_warps) {
  const auto of_block = count_if(kernel.cuts, [](const cut& c) { return !c.is_of_warp(); });
  const auto of_warp = static_cast<std::ptrdiff_t>(kernel.cuts.size()) - of_block;
  if (of_block > most_cuts_of_block || of_warp > most_cuts_of_warp) return false;
  regions.push_back({&f.getEntryBlock()});
  for (std::size_t c = 0; c < kernel.cuts.size(); ++c) {
    for (BasicBlock* const start : kernel.cuts[c].starts) {
      regions.push_back({start, static_cast<int>(c)});
    }
  }
  find_blocks();
  std::size_t of_threads = 0, in_warps = static_cast<std::size_t>(of_warp) * around_cut;
  for (const region& r : regions) {
    for (const BasicBlock* const i : r.blocks) (r.warps ? in_warps : of_threads) += i->size();
  }
  of_warps = of_warp != 0 ? static_cast<unsigned>(in_warps) : 0;
  return of_threads <= most_of_threads && of_warps <= most_of_warps;
}

void block_parts::find_blocks() {
  for (region& r : regions) {
    r.blocks.clear();
    r.outcomes = 0;
    SmallPtrSet<BasicBlock*, 32> seen;
    SmallVector<BasicBlock*, 32> next{r.start};
    while (!next.empty()) {
      BasicBlock* const i = next.pop_back_val();
      if (!seen.insert(i).second) continue;
      if (const int c = cut_of(i); c >= 0) {
        r.outcomes |= outcome(static_cast<std::size_t>(c));
        continue;
      }
      r.blocks.push_back(i);
      if (isa<ReturnInst>(i->getTerminator())) r.outcomes |= ended;
      append_range(next, successors(i));
    }
    r.warps = r.behind >= 0 && kernel.cuts[static_cast<std::size_t>(r.behind)].is_of_warp();
    for (std::size_t c = 0; c < kernel.cuts.size(); ++c) {
      if ((r.outcomes & outcome(c)) != 0 && kernel.cuts[c].is_of_warp()) r.warps = true;
    }
  }
}

int block_parts::cut_of(const BasicBlock* at) const {
  for (std::size_t c = 0; c < kernel.cuts.size(); ++c) {
    if (kernel.cuts[c].at == at) return static_cast<int>(c);
  }
  return -1;
}

const joint_value& block_parts::joint_of(const AllocaInst* a) const {
  return *find_if(joint, [&](const joint_value& j) { return j.of_thread == a; });
}

AllocaInst* block_parts::of_block(Type* type, Value* first) {
  IRBuilder<> at(&f.getEntryBlock().front());
  AllocaInst* const a = at.CreateAlloca(type);
  if (first != nullptr) {
    at.SetInsertPoint(context->end());
    at.CreateStore(first, a);
  }
  return a;
}

void block_parts::prepare() {
  context = std::make_unique<block_context>(f);
  if (regions.front().start != context->thread) regions.front().start = context->thread;
  find_blocks();
  bool warps = false, cuts_block = false;
  for (const cut& c : kernel.cuts) (c.is_of_warp() ? warps : cuts_block) = true;
  for (AllocaInst* const a : kernel.joint) {
    Type* const type = a->getAllocatedType();
    joint.push_back({a, of_block(type), warps ? of_block(type) : nullptr});
  }
  outcomes = of_block(word);
  votes = of_block(word, b.getInt32(0));
  applications = of_block(b.getInt64Ty(), b.getInt64(0));
  for (const region& r : regions) {
    const bool some_go_on = r.warps ? cuts_block : several(r.outcomes);
    if ((r.outcomes & ended) != 0 && some_go_on) some_end_early = true;
  }
  b.SetInsertPoint(context->end());
  frame_base_ =
      b.CreateLoad(bytes_type(b.getContext()),
                   context->field(b, offsetof(running_block, frame), bytes_type(b.getContext())));
  for (AllocaInst* const a : kernel.own) {
    own.push_back({a, place(a->getAllocatedType(), a->getAlign().value(), most_threads)});
  }
  if (some_end_early) alive = place(b.getInt8Ty(), 1, most_threads);
}

/// Arrays begin at other places of their cache's sets.
std::uint64_t block_parts::place(Type* type, std::uint64_t align, unsigned count) {
  const DataLayout& layout = f.getParent()->getDataLayout();
  const std::uint64_t at = (frame + 127) / 64 * 64;
  frame = at + alignTo(layout.getTypeAllocSize(type), align) * count;
  return at;
}

Value* block_parts::address(std::uint64_t place, Type* type, std::uint64_t align, Value* index) {
  const std::uint64_t size = alignTo(f.getParent()->getDataLayout().getTypeAllocSize(type), align);
  Value* const offset = b.CreateAdd(
      b.CreateMul(b.CreateZExt(index, b.getInt64Ty()), b.getInt64(size), "", true, true),
      b.getInt64(place), "", true, true);
  return b.CreatePointerCast(b.CreateInBoundsGEP(b.getInt8Ty(), frame_base_, offset),
                             type->getPointerTo());
}

void block_parts::copy(AllocaInst* to, AllocaInst* from) { b.CreateStore(load(from), to); }

SmallVector<BasicBlock*, 16> block_parts::clone(const region& r, ValueToValueMapTy& values) {
  SmallVector<BasicBlock*, 16> copies;
  const SmallPtrSet<BasicBlock*, 32> own_blocks(r.blocks.begin(), r.blocks.end());
  for (BasicBlock* const i : r.blocks) {
    BasicBlock* const copied = CloneBasicBlock(i, values, "", &f);
    values[i] = copied;
    copies.push_back(copied);
    for (PHINode& phi : copied->phis()) {
      for (unsigned k = phi.getNumIncomingValues(); k-- > 0;) {
        if (!own_blocks.contains(phi.getIncomingBlock(k))) phi.removeIncomingValue(k, false);
      }
    }
  }
  return copies;
}

namespace {

bool applies(const AtomicRMWInst& add) {
  return add.use_empty() && add.getOperation() == AtomicRMWInst::Add &&
         add.getPointerOperand()->getName() == "_ZN4simt6detail12applicationsE";
}

}  // namespace

void block_parts::settle(BasicBlock& in, const thread_values& at) {
  for (Instruction& i : make_early_inc_range(in)) {
    if (auto* const call = dyn_cast<CallInst>(&i)) {
      context->answer(*call, at);
    } else if (auto* const add = dyn_cast<AtomicRMWInst>(&i); add != nullptr && applies(*add)) {
      b.SetInsertPoint(add);
      b.CreateStore(b.CreateAdd(load(applications), add->getValOperand()), applications);
      add->eraseFromParent();
    }
  }
}

void block_parts::count_vote(const cut& c) {
  if (c.kind != cut_kind::barrier || c.taken == nullptr) return;
  b.CreateStore(b.CreateAdd(load(votes), load(c.brought)), votes);
}

void block_parts::fail() {
  CallInst* const call =
      b.CreateCall(f.getParent()->getOrInsertFunction("simt_threads_part", b.getVoidTy()));
  call->setDoesNotReturn();
  b.CreateUnreachable();
}

MDNode* block_parts::parallel() {
  if (group_ == nullptr) group_ = MDNode::getDistinct(b.getContext(), {});
  return MDNode::get(b.getContext(),
                     {MDString::get(b.getContext(), "llvm.loop.parallel_accesses"), group_});
}

void block_parts::mark_accesses() {
  for (Instruction& i : instructions(f)) {
    const bool plain = (isa<LoadInst>(i) || isa<StoreInst>(i)) && !i.isAtomic() && !i.isVolatile();
    if (plain && !isa<AllocaInst>(getUnderlyingObject(getLoadStorePointerOperand(&i), 0))) {
      i.setMetadata(LLVMContext::MD_access_group, group_);
    }
  }
}

}  // namespace simt::pass
