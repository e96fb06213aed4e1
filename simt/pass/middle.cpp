#include "middle.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "uniform.hpp"
#include "versions.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

constexpr unsigned most_moved = 400, most_questions = 16;

/// `value` is `start`, one more for each thread.
struct line {
  Instruction* value;
  const SCEV* start;
};

/// A comparison of a line with a bound, and its result for the threads in the middle.
struct question : line {
  CmpInst::Predicate asks;  // less, at most, or equal
  Value* bound;
  bool holds, answer;  // in the middle: what `asks` says, and the comparison itself
};

class middle {
 public:
  middle(Loop& l, ScalarEvolution& evolution, const DominatorTree& dominators)
      : l_(l),
        evolution_(evolution),
        dominators_(dominators),
        b_(l.getHeader()->getContext()),
        wide_(b_.getInt64Ty()),
        before_(l.getLoopPreheader()),
        latch_(l.getLoopLatch()),
        behind_(l.getExitBlock()) {}

  bool split() {
    if (!is_plain_loop()) return false;
    find();
    if (questions_.empty() || questions_.size() + indices_.size() > most_questions) return false;
    const SCEV* const rounds = evolution_.getBackedgeTakenCount(&l_);
    if (isa<SCEVCouldNotCompute, SCEVConstant>(rounds) || !can_expand(rounds)) return false;
    for (const question& q : questions_) {
      if (!can_expand(q.start)) return false;
    }
    for (const line& i : indices_) {
      if (!can_expand(i.start)) return false;
    }
    only_middle_acts_ = only_middle_acts();
    b_.SetInsertPoint(before_->getTerminator());
    SCEVExpander made(evolution_, before_->getModule()->getDataLayout(), "middle");
    const auto expand = [&](const SCEV* s) {
      return made.expandCodeFor(s, s->getType(), before_->getTerminator());
    };
    end_ = b_.CreateAdd(b_.CreateZExt(expand(rounds), wide_), b_.getInt64(1));
    from_ = b_.getInt64(0);
    to_ = end_;
    wraps_ = b_.getFalse();
    for (const question& q : questions_) bound(q, expand(q.start));
    SmallVector<Value*, 8> starts;
    for (const line& i : indices_) {
      Value* const start = expand(i.start);
      starts.push_back(start);
      if (!is_below_bound(i)) stay_in_type(i, start);
    }
    from_ = least(from_, to_);
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      Value* const first = b_.CreateAdd(starts[i], b_.CreateTrunc(from_, starts[i]->getType()));
      const bool is_signed = isa<SExtInst>(indices_[i].value);
      Value* const extended = is_signed ? b_.CreateSExt(first, wide_) : b_.CreateZExt(first, wide_);
      bases_.push_back(b_.CreateSub(extended, from_));
    }
    arrange();
    return true;
  }

 private:
  bool is_plain_loop() {
    if (!l_.isInnermost() || before_ == nullptr || latch_ == nullptr || behind_ == nullptr ||
        l_.getExitingBlock() != latch_ ||
        findOptionMDForLoop(&l_, "llvm.loop.parallel_accesses") == nullptr) {
      return false;
    }
    thread_ = l_.getCanonicalInductionVariable();
    const auto phis = l_.getHeader()->phis();
    if (thread_ == nullptr || std::next(phis.begin()) != phis.end() || !behind_->phis().empty()) {
      return false;
    }
    unsigned size = 0;
    for (BasicBlock* const b : l_.blocks()) {
      size += static_cast<unsigned>(b->size());
      for (Instruction& i : *b) {
        const auto outside = [&](User* u) { return !l_.contains(cast<Instruction>(u)); };
        if (any_of(i.users(), outside)) return false;
      }
    }
    return size <= most_moved;
  }

  bool can_expand(const SCEV* s) {
    return is_safe_to_expand(s, before_->getTerminator(), evolution_);
  }

  const SCEV* start_of(Value* v) {
    if (!v->getType()->isIntegerTy(32) && !v->getType()->isIntegerTy(64)) return nullptr;
    const auto* const r = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(v));
    const bool is_line =
        r != nullptr && r->getLoop() == &l_ && r->isAffine() && r->getOperand(1)->isOne();
    return is_line ? r->getStart() : nullptr;
  }

  void find() {
    auto* const last = cast<BranchInst>(latch_->getTerminator());
    for (BasicBlock* const b : l_.blocks()) {
      for (Instruction& i : *b) {
        if (auto* const compare = dyn_cast<ICmpInst>(&i)) {
          if (last->getCondition() != compare) find(*compare);
        } else if (isa<ZExtInst>(i) || isa<SExtInst>(i)) {
          const SCEV* const start = start_of(i.getOperand(0));
          const bool may_wrap = start != nullptr && !isa<SCEVAddRecExpr>(evolution_.getSCEV(&i));
          if (may_wrap && i.getType() == wide_) indices_.push_back({&i, start});
        }
      }
    }
  }

  void find(ICmpInst& i) {
    CmpInst::Predicate asks = i.getPredicate();
    Value *left = i.getOperand(0), *right = i.getOperand(1);
    if (l_.isLoopInvariant(left)) {
      std::swap(left, right);
      asks = CmpInst::getSwappedPredicate(asks);
    }
    const SCEV* const start = start_of(left);
    if (start == nullptr || !l_.isLoopInvariant(right)) return;
    const bool turned = asks == CmpInst::ICMP_NE || ICmpInst::isGT(asks) || ICmpInst::isGE(asks);
    if (turned) asks = CmpInst::getInversePredicate(asks);
    const bool holds = asks != CmpInst::ICMP_EQ && !skips(i, !turned);
    questions_.push_back({{&i, start}, asks, right, holds, holds != turned});
  }

  /// Whether threads have nothing left to do where `i` is `answer`.
  bool skips(const ICmpInst& i, bool answer) const {
    return !i.use_empty() && all_of(i.users(), [&](const User* u) {
      const auto* const branch = dyn_cast<BranchInst>(u);
      if (branch == nullptr) return false;
      const BasicBlock* const to = branch->getSuccessor(answer ? 0 : 1);
      return to == latch_ || (to->getSingleSuccessor() == latch_ && to->size() == 1);
    });
  }

  Value* least(Value* x, Value* y) { return b_.CreateSelect(b_.CreateICmpULT(x, y), x, y); }
  Value* most(Value* x, Value* y) { return b_.CreateSelect(b_.CreateICmpULT(x, y), y, x); }

  /// The middle goes on from `next` on, or ends at `at`, whichever leaves more.
  void leave_out(Value* at, Value* next) {
    Value* const is_near = b_.CreateICmpULT(at, b_.CreateLShr(end_, 1));
    from_ = b_.CreateSelect(is_near, most(from_, next), from_);
    to_ = b_.CreateSelect(is_near, to_, least(to_, at));
    begins_late_ = true;
  }

  void bound(const question& q, Value* start) {
    Type* const type = start->getType();
    Value* const distance = b_.CreateZExt(b_.CreateSub(q.bound, start), wide_);
    if (q.asks == CmpInst::ICMP_EQ) {
      leave_out(distance, b_.CreateAdd(distance, b_.getInt64(1)));
      return;
    }
    Value* below = distance;
    if (!CmpInst::isStrictPredicate(q.asks)) {
      below = b_.CreateAdd(least(distance, b_.getInt64(1U << 31U)), b_.getInt64(1));
    }
    below = b_.CreateSelect(b_.CreateICmp(q.asks, start, q.bound), below, b_.getInt64(0));
    const unsigned bits = type->getIntegerBitWidth();
    const APInt last =
        CmpInst::isSigned(q.asks) ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    Value* const room = b_.CreateZExt(b_.CreateSub(ConstantInt::get(type, last), start), wide_);
    if (q.holds) {
      to_ = least(to_, below);
      wraps_ = b_.CreateOr(wraps_, b_.CreateICmpULT(room, b_.CreateSub(end_, b_.getInt64(1))));
      return;
    }
    from_ = most(from_, below);
    to_ = least(to_, room);
    begins_late_ = true;
  }

  /// Whether who fails any question does nothing at all.
  bool only_middle_acts() const {
    return all_of(questions_, [&](const question& q) {
      if (!q.holds || !q.value->hasOneUse() || !skips(*cast<ICmpInst>(q.value), !q.answer)) {
        return false;
      }
      const auto* const branch = cast<BranchInst>(q.value->user_back());
      const BasicBlockEdge passed(branch->getParent(), branch->getSuccessor(q.answer ? 0 : 1));
      return all_of(l_.blocks(), [&](const BasicBlock* b) {
        return dominators_.dominates(passed, b) ||
               none_of(*b, [](const Instruction& i) { return i.mayHaveSideEffects(); });
      });
    });
  }

  /// Who is below a bound has not wrapped.
  bool is_below_bound(const line& i) const {
    return any_of(questions_, [&](const question& q) {
      return q.start == i.start && q.holds && q.asks != CmpInst::ICMP_EQ &&
             CmpInst::isSigned(q.asks) == isa<SExtInst>(i.value);
    });
  }

  /// From where the index would wrap it is another line.
  void stay_in_type(const line& i, Value* start) {
    const unsigned bits = start->getType()->getIntegerBitWidth();
    const APInt beyond =
        isa<SExtInst>(i.value) ? APInt::getSignedMinValue(bits) : APInt::getMinValue(bits);
    Value* const at =
        b_.CreateZExt(b_.CreateSub(ConstantInt::get(start->getType(), beyond), start), wide_);
    leave_out(at, at);
  }

  BasicBlock* block(const char* name) {
    return BasicBlock::Create(b_.getContext(), name, latch_->getParent(), behind_);
  }

  /// before ─→ [ middle ] ─→ rest ─→ [ the loop as it was ] ─→ behind, or once more to rest.
  void arrange() {
    BasicBlock* const fast = block("middle");
    BasicBlock* const rest = block("rest");
    BasicBlock* const slow = block("around");
    BasicBlock* const done = begins_late_ ? block("part") : behind_;
    before_->getTerminator()->eraseFromParent();
    b_.SetInsertPoint(before_);
    b_.CreateCondBr(b_.CreateICmpULT(from_, to_), fast, rest);
    copy(fast, rest);

    b_.SetInsertPoint(rest);
    Value *from = to_, *to = end_;
    PHINode* last = nullptr;
    if (begins_late_) {
      last = b_.CreatePHI(b_.getInt1Ty(), 3);
      for (BasicBlock* const p : predecessors(rest)) last->addIncoming(b_.getFalse(), p);
      last->addIncoming(b_.getTrue(), done);
      from = b_.CreateSelect(last, to_, b_.getInt64(0));
      to = b_.CreateSelect(last, end_, from_);
    }
    Value* has_rest = b_.CreateICmpULT(from, to);
    if (last == nullptr && only_middle_acts_) has_rest = b_.CreateAnd(has_rest, wraps_);
    b_.CreateCondBr(has_rest, slow, done);
    b_.SetInsertPoint(slow);
    Value* const first = b_.CreateTrunc(from, thread_->getType());
    b_.CreateBr(l_.getHeader());
    thread_->setIncomingValueForBlock(before_, first);
    thread_->replaceIncomingBlockWith(before_, slow);
    const bool few = all_of(questions_, [&](const question& q) {
      return q.asks == CmpInst::ICMP_EQ || skips(*cast<ICmpInst>(q.value), !q.answer);
    });
    end_at(latch_, thread_, l_.getHeader(), done, to, few);
    if (last == nullptr) return;
    b_.SetInsertPoint(done);
    b_.CreateCondBr(last, behind_, rest);
  }

  /// `few`: its threads are not worth code of their own.
  void end_at(BasicBlock* latch, PHINode* thread, BasicBlock* again, BasicBlock* done, Value* to,
              bool few) {
    auto* const old = cast<BranchInst>(latch->getTerminator());
    b_.SetInsertPoint(old);
    Value* const next = thread->getIncomingValueForBlock(latch);
    Value* const goes_on = b_.CreateICmpULT(next, b_.CreateTrunc(to, next->getType()));
    BranchInst* const branch = b_.CreateCondBr(goes_on, again, done);
    MDNode* const id = old->getMetadata(LLVMContext::MD_loop);
    SmallVector<MDNode*, 2> more;
    if (few) {
      more.push_back(MDNode::get(b_.getContext(),
                                 {MDString::get(b_.getContext(), "llvm.loop.vectorize.enable"),
                                  ConstantAsMetadata::get(b_.getFalse())}));
      more.push_back(MDNode::get(b_.getContext(),
                                 {MDString::get(b_.getContext(), "llvm.loop.unroll.disable")}));
    }
    branch->setMetadata(LLVMContext::MD_loop,
                        makePostTransformationMetadata(b_.getContext(), id, {}, more));
    old->eraseFromParent();
  }

  void copy(BasicBlock* enter, BasicBlock* leave) {
    ValueToValueMapTy values;
    SmallVector<BasicBlock*, 8> copies;
    for (BasicBlock* const b : l_.blocks()) {
      BasicBlock* const copied = CloneBasicBlock(b, values, ".middle", latch_->getParent());
      values[b] = copied;
      copies.push_back(copied);
    }
    remapInstructionsInBlocks(copies, values);
    auto* const header = cast<BasicBlock>(&*values[l_.getHeader()]);
    auto* const thread = cast<PHINode>(&*values[thread_]);
    b_.SetInsertPoint(enter);
    Value* const first = b_.CreateTrunc(from_, thread->getType());
    b_.CreateBr(header);
    thread->setIncomingValueForBlock(before_, first);
    thread->replaceIncomingBlockWith(before_, enter);
    end_at(cast<BasicBlock>(&*values[latch_]), thread, header, leave, to_, false);
    for (const question& q : questions_) {
      values[q.value]->replaceAllUsesWith(ConstantInt::getBool(b_.getContext(), q.answer));
    }
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      auto* const index = cast<Instruction>(&*values[indices_[i].value]);
      b_.SetInsertPoint(index);
      index->replaceAllUsesWith(b_.CreateAdd(bases_[i], b_.CreateZExt(thread, wide_)));
    }
  }

  Loop& l_;
  ScalarEvolution& evolution_;
  const DominatorTree& dominators_;
  IRBuilder<> b_;
  Type* wide_;
  BasicBlock *before_, *latch_, *behind_;
  PHINode* thread_ = nullptr;
  SmallVector<question, 8> questions_;
  SmallVector<line, 8> indices_;  // casts to 64 bits
  SmallVector<Value*, 8> bases_;  // of an index in the middle, less the thread's number
  Value *from_ = nullptr, *to_ = nullptr, *end_ = nullptr;
  Value* wraps_ = nullptr;  // a line, from its type's last value to the first
  bool begins_late_ = false, only_middle_acts_ = false;
};

Value* before_threads(IRBuilder<>& b, Value* address) {
  auto* const i = dyn_cast<Instruction>(address);
  if (i == nullptr || i->getParent() == b.GetInsertBlock()) return address;
  Instruction* const copy = i->clone();
  copy->setOperand(0, before_threads(b, i->getOperand(0)));
  return b.Insert(copy);
}

}  // namespace

void hoist_parameters(Function& f) {
  IRBuilder<> b(f.getEntryBlock().getTerminator());
  const DataLayout& layout = f.getParent()->getDataLayout();
  for (Instruction& i : make_early_inc_range(instructions(f))) {
    auto* const load = dyn_cast<LoadInst>(&i);
    if (load == nullptr || !loads_parameter(*load) || load->getParent() == &f.getEntryBlock()) {
      continue;
    }
    Value* const from = load->getPointerOperand();
    APInt offset(layout.getIndexTypeSizeInBits(from->getType()), 0);
    if (!isa<Argument>(from->stripAndAccumulateConstantOffsets(layout, offset, true))) continue;
    load->dropUnknownNonDebugMetadata();
    load->setOperand(0, before_threads(b, from));
    load->moveBefore(f.getEntryBlock().getTerminator());
  }
}

void split_off_middles(Function& f, FunctionAnalysisManager& analyses) {
  SmallVector<BasicBlock*, 8> headers;
  for (const Loop* const l : analyses.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
    if (l->isInnermost()) headers.push_back(l->getHeader());
  }
  for (BasicBlock* const header : headers) {
    Loop* const l = analyses.getResult<LoopAnalysis>(f).getLoopFor(header);
    if (l == nullptr || l->getHeader() != header) continue;
    auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
    if (middle(*l, evolution, analyses.getResult<DominatorTreeAnalysis>(f)).split()) {
      analyses.invalidate(f, PreservedAnalyses::none());
    }
  }
}

}  // namespace simt::pass
