#include "loops.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "context.hpp"
#include "names.hpp"
#include "record.hpp"
#include "rounds.hpp"

namespace simt::pass {

using namespace llvm;
using detail::running_block;

namespace {

constexpr unsigned most_threads = 1024, most_cuts = 31, most_instructions = 40000;
constexpr unsigned ended = 1;  // of the outcomes of a region: bit 0, then a bit for each cut

/// What threads run from one start to the cuts that they come to.
struct region {
  BasicBlock* start = nullptr;
  SmallVector<BasicBlock*, 16> blocks;
  std::uint32_t outcomes = 0;
  BasicBlock* enter = nullptr;  // once for the block
};

/// Memory of a value that all threads have in common: what it is for the block at a cut, before
/// any thread goes on, and what the running thread makes of it.
struct joint_value {
  AllocaInst *of_thread, *of_block;
};

class block_code {
 public:
  block_code(Function& f, const cut_kernel& kernel)
      : f_(f), kernel_(kernel), b_(f.getContext()), word_(b_.getInt32Ty()) {}

  Optional<std::uint64_t> run() {
    if (!find_regions()) return None;
    context_ = std::make_unique<block_context>(f_);
    if (regions_.front().start != context_->thread) regions_.front().start = context_->thread;
    find_blocks();
    prepare();
    SmallVector<BasicBlock*, 64> old;
    for (BasicBlock& b : f_) {
      if (&b != &f_.getEntryBlock()) old.push_back(&b);
    }
    for (region& r : regions_) r.enter = block("enter");
    done_ = block("done");
    finish();
    for (std::size_t c = 0; c < kernel_.cuts.size(); ++c) cuts_.push_back(block("cut"));
    for (std::size_t c = 0; c < kernel_.cuts.size(); ++c) pass(c);
    for (region& r : regions_) loop(r);
    f_.getEntryBlock().getTerminator()->setSuccessor(0, regions_.front().enter);
    DeleteDeadBlocks(old);
    for (AllocaInst* const a : kernel_.own) {
      if (a->use_empty()) a->eraseFromParent();
    }
    return frame_;
  }

 private:
  BasicBlock* block(const char* name) { return BasicBlock::Create(b_.getContext(), name, &f_); }

  bool find_regions() {
    if (kernel_.cuts.size() > most_cuts) return false;
    regions_.push_back({&f_.getEntryBlock(), {}, 0, nullptr});
    for (const cut& c : kernel_.cuts) {
      for (BasicBlock* const start : c.starts) regions_.push_back({start, {}, 0, nullptr});
    }
    find_blocks();
    unsigned size = 0;
    for (const region& r : regions_) {
      for (const BasicBlock* const b : r.blocks) size += static_cast<unsigned>(b->size());
    }
    return size <= most_instructions;
  }

  void find_blocks() {
    for (region& r : regions_) {
      r.blocks.clear();
      r.outcomes = 0;
      SmallPtrSet<BasicBlock*, 32> seen;
      SmallVector<BasicBlock*, 32> next{r.start};
      while (!next.empty()) {
        BasicBlock* const b = next.pop_back_val();
        if (!seen.insert(b).second) continue;
        if (const int c = cut_of(b); c >= 0) {
          r.outcomes |= outcome(static_cast<std::size_t>(c));
          continue;
        }
        r.blocks.push_back(b);
        if (isa<ReturnInst>(b->getTerminator())) r.outcomes |= ended;
        append_range(next, successors(b));
      }
    }
  }

  int cut_of(const BasicBlock* b) const {
    for (std::size_t c = 0; c < kernel_.cuts.size(); ++c) {
      if (kernel_.cuts[c].at == b) return static_cast<int>(c);
    }
    return -1;
  }
  static std::uint32_t outcome(std::size_t cut) { return 2U << cut; }
  static bool several(std::uint32_t outcomes) { return (outcomes & (outcomes - 1)) != 0; }

  AllocaInst* of_block(Type* type, Value* first = nullptr) {
    IRBuilder<> b(&f_.getEntryBlock().front());
    AllocaInst* const a = b.CreateAlloca(type);
    if (first != nullptr) {
      b.SetInsertPoint(context_->end());
      b.CreateStore(first, a);
    }
    return a;
  }

  void prepare() {
    for (AllocaInst* const a : kernel_.joint) {
      joint_.push_back({a, of_block(a->getAllocatedType())});
    }
    outcome_ = of_block(word_);
    votes_ = of_block(word_, b_.getInt32(0));
    barriers_ = of_block(b_.getInt64Ty(), b_.getInt64(0));
    applications_ = of_block(b_.getInt64Ty(), b_.getInt64(0));
    for (const region& r : regions_) {
      if ((r.outcomes & ended) != 0 && several(r.outcomes)) some_end_early_ = true;
    }
    b_.SetInsertPoint(context_->end());
    frame_base_ = b_.CreateLoad(
        b_.getInt8PtrTy(), context_->field(b_, offsetof(running_block, frame), b_.getInt8PtrTy()));
    for (AllocaInst* const a : kernel_.own) own_.push_back({a, place(a->getAllocatedType(), a)});
    if (some_end_early_) alive_ = place(b_.getInt8Ty(), nullptr);
  }

  /// For one of each thread; arrays begin at other places of their cache's sets.
  std::uint64_t place(Type* type, const AllocaInst* like) {
    const DataLayout& layout = f_.getParent()->getDataLayout();
    const std::uint64_t align = like != nullptr ? like->getAlign().value() : 1;
    const std::uint64_t at = (frame_ + 127) / 64 * 64;
    frame_ = at + alignTo(layout.getTypeAllocSize(type), align) * most_threads;
    return at;
  }
  Value* address(std::uint64_t place, Type* type, std::uint64_t align, Value* linear) {
    const std::uint64_t size =
        alignTo(f_.getParent()->getDataLayout().getTypeAllocSize(type), align);
    Value* const offset = b_.CreateAdd(
        b_.CreateMul(b_.CreateZExt(linear, b_.getInt64Ty()), b_.getInt64(size), "", true, true),
        b_.getInt64(place), "", true, true);
    return b_.CreatePointerCast(b_.CreateInBoundsGEP(b_.getInt8Ty(), frame_base_, offset),
                                type->getPointerTo());
  }

  void copy(AllocaInst* to, AllocaInst* from) {
    b_.CreateStore(b_.CreateLoad(from->getAllocatedType(), from), to);
  }

  void finish() {
    b_.SetInsertPoint(done_);
    Type* const wide = b_.getInt64Ty();
    Value* const barriers = context_->field(b_, offsetof(running_block, barriers), wide);
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(wide, barriers), b_.CreateLoad(wide, barriers_)),
                   barriers);
    Value* const applied = context_->field(b_, offsetof(running_block, applications), wide);
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(wide, applied), b_.CreateLoad(wide, applications_)),
                   applied);
    b_.CreateRetVoid();
  }

  /// What is done once when all threads have come.
  void pass(std::size_t index) {
    const cut& c = kernel_.cuts[index];
    b_.SetInsertPoint(cuts_[index]);
    const auto enter = [&](std::size_t way) {
      const auto known =
          find_if(regions_, [&](const region& r) { return r.start == c.starts[way]; });
      return known->enter;
    };
    if (c.barrier == nullptr) {
      b_.CreateCondBr(b_.CreateLoad(b_.getInt1Ty(), joint_of(c.brought).of_block), enter(0),
                      enter(1));
      return;
    }
    Type* const wide = b_.getInt64Ty();
    Value* const passed = b_.CreateAdd(b_.CreateLoad(wide, barriers_), b_.getInt64(1));
    b_.CreateStore(passed, barriers_);
    ask_at_times(b_, passed);
    if (c.taken != nullptr) {
      copy(joint_of(c.taken).of_block, votes_);
      b_.CreateStore(b_.getInt32(0), votes_);
    }
    b_.CreateBr(enter(0));
  }
  const joint_value& joint_of(const AllocaInst* a) const {
    return *find_if(joint_, [&](const joint_value& j) { return j.of_thread == a; });
  }

  void loop(region& r) {
    std::array<BasicBlock*, 3> heads{block("x"), block("y"), block("z")};
    std::array<BasicBlock*, 3> latches{block("next_x"), block("next_y"), block("next_z")};
    BasicBlock* const behind = block("behind");
    thread_values at{};
    // The joint values as all threads find them.
    b_.SetInsertPoint(r.enter);
    SmallVector<Value*, 16> found;
    for (const joint_value& j : joint_) {
      found.push_back(b_.CreateLoad(j.of_block->getAllocatedType(), j.of_block));
    }
    if (several(r.outcomes)) b_.CreateStore(b_.getInt32(0), outcome_);
    b_.CreateBr(heads[2]);
    BranchInst* again = nullptr;
    for (unsigned axis = 3; axis-- > 0;) {
      b_.SetInsertPoint(heads[axis]);
      PHINode* const phi = b_.CreatePHI(word_, 2);
      at.index[axis] = phi;
      if (axis != 0) b_.CreateBr(heads[axis - 1]);
      b_.SetInsertPoint(latches[axis]);
      Value* const next = b_.CreateAdd(phi, b_.getInt32(1), "", true, true);
      again = b_.CreateCondBr(b_.CreateICmpULT(next, context_->size[axis]), heads[axis],
                              axis == 2 ? behind : latches[axis + 1]);
      phi->addIncoming(b_.getInt32(0), axis == 2 ? r.enter : heads[axis + 1]);
      phi->addIncoming(next, latches[axis]);
    }
    b_.SetInsertPoint(heads[0]);
    Value* const row = b_.CreateAdd(b_.CreateMul(at.index[2], context_->size[1], "", true, true),
                                    at.index[1], "", true, true);
    at.linear = b_.CreateAdd(b_.CreateMul(row, context_->size[0], "", true, true), at.index[0], "",
                             true, true);
    for (std::size_t j = 0; j < joint_.size(); ++j) b_.CreateStore(found[j], joint_[j].of_thread);
    thread(r, at, heads[0], latches[0]);
    mark_parallel(*again);
    dispatch(r, behind);
  }

  /// The region's code, from where `head` ends to `latch`.
  void thread(region& r, const thread_values& at, BasicBlock* head, BasicBlock* latch) {
    ValueToValueMapTy values;
    for (const auto& [memory, place] : own_) {
      values[memory] =
          address(place, memory->getAllocatedType(), memory->getAlign().value(), at.linear);
    }
    Value* const alive = some_end_early_ ? address(alive_, b_.getInt8Ty(), 1, at.linear) : nullptr;
    SmallVector<BasicBlock*, 16> copies;
    const SmallPtrSet<BasicBlock*, 32> own(r.blocks.begin(), r.blocks.end());
    for (BasicBlock* const b : r.blocks) {
      BasicBlock* const copied = CloneBasicBlock(b, values, "", &f_);
      values[b] = copied;
      copies.push_back(copied);
      for (PHINode& phi : copied->phis()) {
        for (unsigned i = phi.getNumIncomingValues(); i-- > 0;) {
          if (!own.contains(phi.getIncomingBlock(i))) phi.removeIncomingValue(i, false);
        }
      }
    }
    auto* const start = cast<BasicBlock>(&*values[r.start]);
    b_.SetInsertPoint(head);
    if (alive == nullptr) {
      b_.CreateBr(start);
    } else if (&r == &regions_.front()) {
      b_.CreateStore(b_.getInt8(1), alive);
      b_.CreateBr(start);
    } else {
      Value* const lives = b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), alive), b_.getInt8(0));
      b_.CreateCondBr(lives, start, latch);
    }
    for (std::size_t c = 0; c < kernel_.cuts.size(); ++c) {
      if ((r.outcomes & outcome(c)) != 0) values[kernel_.cuts[c].at] = arrive(r, c, latch);
    }
    remapInstructionsInBlocks(copies, values);
    for (BasicBlock* const b : copies) {
      if (!isa<ReturnInst>(b->getTerminator())) continue;
      b->getTerminator()->eraseFromParent();
      b_.SetInsertPoint(b);
      if (alive != nullptr) b_.CreateStore(b_.getInt8(0), alive);
      b_.CreateBr(latch);
    }
    for (BasicBlock* const b : copies) settle(*b, at);
  }

  /// A thread comes to a cut.
  BasicBlock* arrive(const region& r, std::size_t index, BasicBlock* latch) {
    const cut& c = kernel_.cuts[index];
    BasicBlock* const here = block("arrive");
    b_.SetInsertPoint(here);
    for (const joint_value& j : joint_) copy(j.of_block, j.of_thread);
    if (c.taken != nullptr) {
      b_.CreateStore(b_.CreateAdd(b_.CreateLoad(word_, votes_), b_.CreateLoad(word_, c.brought)),
                     votes_);
    }
    if (several(r.outcomes)) {
      b_.CreateStore(b_.CreateOr(b_.CreateLoad(word_, outcome_), b_.getInt32(outcome(index))),
                     outcome_);
    }
    b_.CreateBr(latch);
    return here;
  }

  void settle(BasicBlock& b, const thread_values& at) {
    for (Instruction& i : make_early_inc_range(b)) {
      if (auto* const call = dyn_cast<CallInst>(&i)) {
        context_->answer(*call, at);
      } else if (auto* const add = dyn_cast<AtomicRMWInst>(&i); add != nullptr && applies(*add)) {
        b_.SetInsertPoint(add);
        Type* const wide = b_.getInt64Ty();
        b_.CreateStore(b_.CreateAdd(b_.CreateLoad(wide, applications_), add->getValOperand()),
                       applications_);
        add->eraseFromParent();
      }
    }
  }
  static bool applies(const AtomicRMWInst& add) {
    return add.use_empty() && add.getOperation() == AtomicRMWInst::Add &&
           add.getPointerOperand()->getName() == "_ZN4simt6detail12applicationsE";
  }

  void dispatch(const region& r, BasicBlock* behind) {
    b_.SetInsertPoint(behind);
    if (!several(r.outcomes)) {
      for (std::size_t c = 0; c < cuts_.size(); ++c) {
        if (r.outcomes == outcome(c)) {
          b_.CreateBr(cuts_[c]);
          return;
        }
      }
      b_.CreateBr(done_);
      return;
    }
    BasicBlock* const apart = block("apart");
    SwitchInst* const where = b_.CreateSwitch(b_.CreateLoad(word_, outcome_), apart);
    where->addCase(b_.getInt32(0), done_);
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      if ((r.outcomes & outcome(c)) != 0) where->addCase(b_.getInt32(outcome(c)), cuts_[c]);
    }
    b_.SetInsertPoint(apart);
    CallInst* const fail =
        b_.CreateCall(f_.getParent()->getOrInsertFunction("simt_threads_part", b_.getVoidTy()));
    fail->setDoesNotReturn();
    b_.CreateUnreachable();
  }

  /// CUDA promises no order of what threads do between barriers, so the vectoriser needs none.
  void mark_parallel(BranchInst& again) {
    if (group_ == nullptr) group_ = MDNode::getDistinct(b_.getContext(), {});
    MDNode* const parallel = MDNode::get(
        b_.getContext(), {MDString::get(b_.getContext(), "llvm.loop.parallel_accesses"), group_});
    MDNode* const loop = MDNode::getDistinct(b_.getContext(), {nullptr, parallel});
    loop->replaceOperandWith(0, loop);
    again.setMetadata(LLVMContext::MD_loop, loop);
  }

 public:
  void mark_accesses() {
    for (Instruction& i : instructions(f_)) {
      const bool plain =
          (isa<LoadInst>(i) || isa<StoreInst>(i)) && !i.isAtomic() && !i.isVolatile();
      if (plain && !isa<AllocaInst>(getUnderlyingObject(getLoadStorePointerOperand(&i), 0))) {
        i.setMetadata(LLVMContext::MD_access_group, group_);
      }
    }
  }

 private:
  Function& f_;
  const cut_kernel& kernel_;
  IRBuilder<> b_;
  Type* word_;
  std::unique_ptr<block_context> context_;
  SmallVector<region, 16> regions_;
  SmallVector<BasicBlock*, 16> cuts_;
  SmallVector<joint_value, 16> joint_;
  SmallVector<std::pair<AllocaInst*, std::uint64_t>, 16> own_;
  AllocaInst *outcome_ = nullptr, *votes_ = nullptr, *barriers_ = nullptr, *applications_ = nullptr;
  Value* frame_base_ = nullptr;
  BasicBlock* done_ = nullptr;
  MDNode* group_ = nullptr;
  std::uint64_t frame_ = 0, alive_ = 0;
  bool some_end_early_ = false;
};

}  // namespace

Optional<std::uint64_t> loop_over_threads(Function& f, const cut_kernel& kernel) {
  block_code code(f, kernel);
  const auto frame = code.run();
  if (frame) code.mark_accesses();
  return frame;
}

}  // namespace simt::pass
