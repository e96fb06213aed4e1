#include "loops.hpp"

#include <array>

#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "names.hpp"
#include "regions.hpp"
#include "rounds.hpp"
#include "simt/abi/kernel_table.hpp"
#include "warps.hpp"

namespace simt::pass {

using namespace llvm;
using detail::running_block;

namespace {

class block_code {
 public:
  block_code(Function& f, const cut_kernel& kernel) : all_(f, kernel), b_(all_.b) {}

  std::optional<block_loops> run(unsigned most_of_warps) {
    if (!all_.find_regions(most_of_warps)) return std::nullopt;
    all_.prepare();
    barriers_ = all_.of_block(b_.getInt64Ty(), b_.getInt64(0));
    SmallVector<BasicBlock*, 64> old;
    for (BasicBlock& b : all_.f) {
      if (&b != &all_.f.getEntryBlock()) old.push_back(&b);
    }
    for (region& r : all_.regions) r.enter = all_.block("enter");
    done_ = all_.block("done");
    finish();
    for (const cut& c : all_.kernel.cuts) {
      cuts_.push_back(c.is_of_warp() ? nullptr : all_.block("cut"));
    }
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      if (cuts_[c] != nullptr) pass(c);
    }
    BasicBlock* const behind = all_.block("behind");
    const std::uint64_t outcomes = loop_over_warps(all_, behind);
    b_.SetInsertPoint(behind);
    dispatch(outcomes);
    for (region& r : all_.regions) {
      if (!r.warps) loop(r);
    }
    all_.context->end()->setSuccessor(0, all_.regions.front().enter);
    DeleteDeadBlocks(old);
    if (pred_empty(behind)) DeleteDeadBlock(behind);
    for (const kept_value& v : all_.own) {
      if (v.memory->use_empty()) v.memory->eraseFromParent();
    }
    all_.mark_accesses();
    return block_loops{all_.frame, all_.of_warps};
  }

 private:
  void finish() {
    b_.SetInsertPoint(done_);
    Type* const wide = b_.getInt64Ty();
    const auto add = [&](std::uint64_t offset, AllocaInst* more) {
      Value* const sum = all_.context->field(b_, offset, wide);
      b_.CreateStore(b_.CreateAdd(b_.CreateLoad(wide, sum), all_.load(more)), sum);
    };
    add(offsetof(running_block, barriers), barriers_);
    add(offsetof(running_block, applications), all_.applications);
    b_.CreateRetVoid();
  }

  /// What is done once when all threads have come.
  void pass(std::size_t index) {
    const cut& c = all_.kernel.cuts[index];
    b_.SetInsertPoint(cuts_[index]);
    const auto enter = [&](std::size_t way) {
      const auto known =
          find_if(all_.regions, [&](const region& r) { return r.start == c.starts[way]; });
      return known->enter;
    };
    if (c.kind == cut_kind::branch) {
      b_.CreateCondBr(all_.load(all_.joint_of(c.brought).of_block), enter(0), enter(1));
      return;
    }
    // A thread meets its block's before the block waits for the others, and behind.
    Value* const passed = b_.CreateAdd(all_.load(barriers_), b_.getInt64(c.of_grid ? 2 : 1));
    b_.CreateStore(passed, barriers_);
    c.of_grid ? wait_for_grid(*c.at) : ask_at_times(b_, passed);
    if (c.taken != nullptr) {
      all_.copy(all_.joint_of(c.taken).of_block, all_.votes);
      b_.CreateStore(b_.getInt32(0), all_.votes);
    }
    b_.CreateBr(enter(0));
  }

  /// With the threads' arguments, which name the place.
  void wait_for_grid(BasicBlock& at) {
    ValueToValueMapTy values;
    for (Instruction& i : at) {
      if (i.isTerminator()) break;
      Instruction* const copy = b_.Insert(i.clone());
      values[&i] = copy;
      RemapInstruction(copy, values, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      auto* const call = dyn_cast<CallInst>(copy);
      if (call == nullptr || machine_call(*call) != "grid_barrier") continue;
      call->setCalledFunction(
          all_.f.getParent()->getOrInsertFunction("simt_grid_barrier", call->getFunctionType()));
    }
  }

  void loop(region& r) {
    std::array<BasicBlock*, 3> heads{all_.block("x"), all_.block("y"), all_.block("z")};
    std::array<BasicBlock*, 3> latches{all_.block("next_x"), all_.block("next_y"),
                                       all_.block("next_z")};
    BasicBlock* const behind = all_.block("behind");
    thread_values at{};
    // The joint values as all threads find them.
    b_.SetInsertPoint(r.enter);
    SmallVector<Value*, 16> found;
    for (const joint_value& j : all_.joint) found.push_back(all_.load(j.of_block));
    if (several(r.outcomes)) b_.CreateStore(b_.getInt32(0), all_.outcomes);
    b_.CreateBr(heads[2]);
    BranchInst* again = nullptr;
    const three& size = all_.context->size;
    for (unsigned axis = 3; axis-- > 0;) {
      b_.SetInsertPoint(heads[axis]);
      PHINode* const phi = b_.CreatePHI(all_.word, 2);
      at.index[axis] = phi;
      if (axis != 0) b_.CreateBr(heads[axis - 1]);
      b_.SetInsertPoint(latches[axis]);
      Value* const next = b_.CreateAdd(phi, b_.getInt32(1), "", true, true);
      again = b_.CreateCondBr(b_.CreateICmpULT(next, size[axis]), heads[axis],
                              axis == 2 ? behind : latches[axis + 1]);
      phi->addIncoming(b_.getInt32(0), axis == 2 ? r.enter : heads[axis + 1]);
      phi->addIncoming(next, latches[axis]);
    }
    b_.SetInsertPoint(heads[0]);
    Value* const row = b_.CreateAdd(b_.CreateMul(at.index[2], size[1], "", true, true), at.index[1],
                                    "", true, true);
    at.linear =
        b_.CreateAdd(b_.CreateMul(row, size[0], "", true, true), at.index[0], "", true, true);
    for (std::size_t j = 0; j < found.size(); ++j) {
      b_.CreateStore(found[j], all_.joint[j].of_thread);
    }
    thread(r, at, heads[0], latches[0]);
    MDNode* const id = MDNode::getDistinct(b_.getContext(), {nullptr, all_.parallel()});
    id->replaceOperandWith(0, id);
    again->setMetadata(LLVMContext::MD_loop, id);
    b_.SetInsertPoint(behind);
    dispatch(r.outcomes);
  }

  /// The region's code, from where `head` ends to `latch`.
  void thread(region& r, const thread_values& at, BasicBlock* head, BasicBlock* latch) {
    ValueToValueMapTy values;
    b_.SetInsertPoint(head);
    for (const auto& [memory, place] : all_.own) {
      if (!r.uses(memory)) continue;
      values[memory] =
          all_.address(place, memory->getAllocatedType(), memory->getAlign().value(), at.linear);
    }
    Value* const alive =
        all_.some_end_early ? all_.address(all_.alive, b_.getInt8Ty(), 1, at.linear) : nullptr;
    const SmallVector<BasicBlock*, 16> copies = all_.clone(r, values);
    auto* const start = cast<BasicBlock>(&*values[r.start]);
    b_.SetInsertPoint(head);
    if (alive == nullptr) {
      b_.CreateBr(start);
    } else if (r.behind < 0) {
      b_.CreateStore(b_.getInt8(1), alive);
      b_.CreateBr(start);
    } else {
      Value* const lives = b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), alive), b_.getInt8(0));
      b_.CreateCondBr(lives, start, latch);
    }
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      if ((r.outcomes & outcome(c)) != 0) values[all_.kernel.cuts[c].at] = arrive(r, c, latch);
    }
    remapInstructionsInBlocks(copies, values);
    for (BasicBlock* const b : copies) {
      if (!isa<ReturnInst>(b->getTerminator())) continue;
      b->getTerminator()->eraseFromParent();
      b_.SetInsertPoint(b);
      if (alive != nullptr) b_.CreateStore(b_.getInt8(0), alive);
      b_.CreateBr(latch);
    }
    for (BasicBlock* const b : copies) all_.settle(*b, at);
  }

  /// A thread comes to a cut.
  BasicBlock* arrive(const region& r, std::size_t index, BasicBlock* latch) {
    BasicBlock* const here = all_.block("arrive");
    b_.SetInsertPoint(here);
    for (const joint_value& j : all_.joint) all_.copy(j.of_block, j.of_thread);
    all_.count_vote(all_.kernel.cuts[index]);
    if (several(r.outcomes)) {
      Value* const came = b_.getInt32(static_cast<std::uint32_t>(outcome(index)));
      b_.CreateStore(b_.CreateOr(all_.load(all_.outcomes), came), all_.outcomes);
    }
    b_.CreateBr(latch);
    return here;
  }

  /// To the cut that all have come to.
  void dispatch(std::uint64_t outcomes) {
    if (!several(outcomes)) {
      for (std::size_t c = 0; c < cuts_.size(); ++c) {
        if (outcomes == outcome(c)) {
          b_.CreateBr(cuts_[c]);
          return;
        }
      }
      b_.CreateBr(done_);
      return;
    }
    BasicBlock* const apart = all_.block("apart");
    SwitchInst* const where = b_.CreateSwitch(all_.load(all_.outcomes), apart);
    where->addCase(b_.getInt32(0), done_);
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      if ((outcomes & outcome(c)) == 0) continue;
      where->addCase(b_.getInt32(static_cast<std::uint32_t>(outcome(c))), cuts_[c]);
    }
    b_.SetInsertPoint(apart);
    all_.fail();
  }

  block_parts all_;
  IRBuilder<>& b_;
  SmallVector<BasicBlock*, 16> cuts_;
  AllocaInst* barriers_ = nullptr;
  BasicBlock* done_ = nullptr;
};

}  // namespace

std::optional<block_loops> loop_over_threads(Function& f, const cut_kernel& kernel,
                                             unsigned most_of_warps) {
  return block_code(f, kernel).run(most_of_warps);
}

}  // namespace simt::pass
