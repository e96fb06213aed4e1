#include "warps.hpp"

#include <array>

#include <llvm/IR/Intrinsics.h>

#include "ahead.hpp"
#include "lanes.hpp"
#include "parted.hpp"
#include "rounds.hpp"
#include "simt/abi/kernel_table.hpp"
#include "versions.hpp"

namespace simt::pass {

using namespace llvm;
using detail::warp_meeting;

namespace {

class warp_code {
 public:
  warp_code(block_parts& all, BasicBlock* behind)
      : all_(all), b_(all.b), warp_(all), behind_(behind) {}

  std::uint64_t run() {
    number_ = warp_.state();
    phase_ = warp_.state();
    going_ = warp_.state();
    rounds_ = warp_.state();
    b_.SetInsertPoint(all_.context->end());
    b_.CreateStore(word(rounds_between), rounds_);
    for (std::size_t c = 0; c < all_.kernel.cuts.size(); ++c) {
      if (!all_.kernel.cuts[c].is_of_warp()) continue;
      warp_.cuts.push_back({c, warp_.state(), block("run"), block("together"), block("all_lanes"),
                            block("some_lanes")});
    }
    next_ = block("next");
    next_warp_ = block("next_warp");
    where_ = warp_.state();
    parted_ = block("parted");
    for (std::size_t i = 0; i < all_.regions.size(); ++i) {
      if (!all_.regions[i].warps) continue;
      outcomes_ |= all_.regions[i].outcomes;
      make(i);
    }
    loop_over_parted_lanes(warp_, where_, parted_, next_);
    for (const warp_cut& c : warp_.cuts) come_together(c);
    go_on();
    end_warp();
    for (const warp_cut& c : warp_.cuts) outcomes_ &= ~outcome(c.index);
    return outcomes_;
  }

 private:
  BasicBlock* block(const char* name) { return all_.block(name); }
  const cut& cut_at(const warp_cut& c) const { return warp_.cut_at(c); }
  Value* word(std::uint32_t v) { return b_.getInt32(v); }
  void set_bits(Value* at, Value* more) { b_.CreateStore(b_.CreateOr(warp_.load(at), more), at); }

  void make(std::size_t index) {
    region& r = all_.regions[index];
    const warp_cut* const from = warp_.before(r);
    warp_cut own{};
    if (from == nullptr) {
      own = {0, nullptr, block("run"), nullptr, block("all_lanes"), block("some_lanes")};
      begin(r, own.run);
    }
    const warp_cut& c = from != nullptr ? *from : own;
    b_.SetInsertPoint(c.run);
    Value* const is_whole = b_.CreateICmpEQ(warp_.load(warp_.active), word(warp_parts::whole));
    b_.CreateCondBr(b_.CreateAnd(is_whole, warp_.in_rows), c.all, c.some);
    b_.SetInsertPoint(c.all);
    if (from != nullptr) {
      arrange(cut_at(c));
      fold_values(cut_at(c));
      for (const AllocaInst* const a : cut_at(c).lines) expect_line(a, c.some);
      read_ahead(warp_, r);
    }
    loop(r);
    b_.SetInsertPoint(c.some);
    if (from != nullptr) fold_values(cut_at(c));
    b_.CreateStore(word(static_cast<std::uint32_t>(index)), where_);
    b_.CreateBr(parted_);
  }
  /// What the lanes take is put where they will look for it.
  void arrange(const cut& c) {
    if (c.sources.empty()) return;
    const std::uint64_t all = offsetof(warp_meeting, all);
    Value* const values = warp_.load_vector(all, all_.kernel.meeting.element);
    warp_.store_vector(all, b_.CreateShuffleVector(values, c.sources));
  }

  /// Goes to `other` where the lanes' values are not one after the other.
  void expect_line(const AllocaInst* a, BasicBlock* other) {
    Type* const type = a->getAllocatedType();
    Value* const first = warp_.of_first(a);
    Type* const vector = FixedVectorType::get(type, warp_parts::size);
    SmallVector<Constant*, warp_parts::size> steps;
    for (unsigned lane = 0; lane < warp_parts::size; ++lane) {
      steps.push_back(ConstantInt::get(type, lane));
    }
    Value* const values =
        b_.CreateAlignedLoad(vector, b_.CreatePointerCast(first, vector->getPointerTo()), Align(4));
    Value* const wanted =
        b_.CreateAdd(b_.CreateVectorSplat(warp_parts::size, b_.CreateLoad(type, first)),
                     ConstantVector::get(steps));
    Value* const is =
        b_.CreateICmpEQ(warp_.bits(b_.CreateICmpEQ(values, wanted)), word(warp_parts::whole));
    BasicBlock* const line = block("line");
    b_.CreateStore(word(warp_parts::whole), warp_.active);
    b_.CreateCondBr(is, line, other);
    b_.SetInsertPoint(line);
  }

  void fold_values(const cut& c) {
    for (const fold& i : c.folds) {
      AllocaInst*& made = warp_.folded[i.made];
      if (made == nullptr) made = all_.of_block(i.made->getAllocatedType());
      Value* const all = warp_.in_meeting(offsetof(warp_meeting, all), b_.getInt64Ty(), word(0));
      Value* const values = b_.CreatePointerCast(all, i.f->getArg(0)->getType());
      CallInst* const call = b_.CreateCall(i.f, {values, all_.load(warp_.result)});
      call->setDebugLoc(i.at);
      b_.CreateStore(call, made);
    }
  }

  /// The region is the first that a block's warps come to: all of them, one after the other.
  void begin(region& r, BasicBlock* run) {
    BasicBlock* const start = block("warp");
    b_.SetInsertPoint(r.enter);
    b_.CreateStore(word(static_cast<std::uint32_t>(phases_.size())), phase_);
    b_.CreateStore(word(0), number_);
    b_.CreateStore(word(0), all_.outcomes);
    b_.CreateBr(start);
    phases_.push_back(start);
    b_.SetInsertPoint(start);
    Value* const first = b_.CreateMul(warp_.load(number_), word(warp_parts::size), "", true, true);
    Value* lanes = all_.context->lanes_of(b_, first);
    if (all_.some_end_early) {
      Type* const flags = FixedVectorType::get(b_.getInt8Ty(), warp_parts::size);
      Value* const at = b_.CreatePointerCast(all_.address(all_.alive, b_.getInt8Ty(), 1, first),
                                             flags->getPointerTo());
      if (r.behind < 0) {
        b_.CreateAlignedStore(ConstantInt::get(flags, 1), at, Align(1));
      } else {
        Value* const alive = b_.CreateAlignedLoad(flags, at, Align(1));
        lanes =
            b_.CreateAnd(lanes, warp_.bits(b_.CreateICmpNE(alive, Constant::getNullValue(flags))));
      }
    }
    const three& size = all_.context->size;
    Value* const row = b_.CreateUDiv(first, size[0]);
    b_.CreateStore(first, warp_.first);
    b_.CreateStore(b_.CreateURem(first, size[0]), warp_.index[0]);
    b_.CreateStore(b_.CreateURem(row, size[1]), warp_.index[1]);
    b_.CreateStore(b_.CreateUDiv(row, size[1]), warp_.index[2]);
    for (std::size_t j = 0; j < warp_.joint.size(); ++j) {
      give_all(warp_.joint[j], all_.load(all_.joint[j].of_block));
    }
    b_.CreateStore(lanes, warp_.live);
    b_.CreateStore(lanes, warp_.active);
    b_.CreateStore(word(0), going_);
    b_.CreateStore(word(0), warp_.votes);
    for (const warp_cut& c : warp_.cuts) b_.CreateStore(word(0), c.waiting);
    b_.CreateCondBr(b_.CreateICmpEQ(lanes, word(0)), next_warp_, run);
  }

  void give_all(const kept_value& lanes, Value* v) {
    Type* type = lanes.memory->getAllocatedType();
    if (type->isIntegerTy(1)) {
      type = b_.getInt8Ty();
      v = b_.CreateZExt(v, type);
    }
    const DataLayout& layout = all_.f.getParent()->getDataLayout();
    Value* const to = warp_.address(lanes, word(0));
    if (VectorType::isValidElementType(type) &&
        layout.getTypeSizeInBits(type) == 8 * layout.getTypeAllocSize(type)) {
      Value* const all = b_.CreateVectorSplat(warp_parts::size, v);
      b_.CreateAlignedStore(all, b_.CreatePointerCast(to, all->getType()->getPointerTo()),
                            lanes.memory->getAlign());
      return;
    }
    for (unsigned lane = 0; lane < warp_parts::size; ++lane) {
      b_.CreateStore(v, warp_.address(lanes, word(lane)));
    }
  }

  void loop(const region& r) {
    const lane_outcomes came = loop_over_lanes(warp_, r);
    if (came.votes != nullptr) b_.CreateStore(came.votes, warp_.votes);
    for (std::size_t i = 0; i < came.ways.size(); ++i) note(came.ways[i], came.lanes[i]);
    b_.CreateBr(next_);
  }

  /// So many lanes have come there.
  void note(std::uint64_t way, Value* lanes) {
    if (way == ended) {
      b_.CreateStore(b_.CreateAnd(warp_.load(warp_.live), b_.CreateNot(lanes)), warp_.live);
      return;
    }
    const auto index = static_cast<std::size_t>(trailing_zeros(way)) - 1;
    if (const warp_cut* const c = warp_.find(index); c != nullptr) {
      BasicBlock* const fewer = block("fewer");
      b_.CreateCondBr(b_.CreateICmpEQ(lanes, word(warp_parts::whole)), c->together, fewer);
      b_.SetInsertPoint(fewer);
      set_bits(c->waiting, lanes);
      return;
    }
    BasicBlock* const some = block("some");
    BasicBlock* const rest = block("rest");
    b_.CreateCondBr(b_.CreateICmpNE(lanes, word(0)), some, rest);
    b_.SetInsertPoint(some);
    set_bits(all_.outcomes, word(static_cast<std::uint32_t>(way)));
    Value* const one = b_.CreateBinaryIntrinsic(Intrinsic::cttz, lanes, b_.getTrue());
    for (std::size_t j = 0; j < warp_.joint.size(); ++j) {
      Type* const type = warp_.joint[j].memory->getAllocatedType();
      b_.CreateStore(b_.CreateLoad(type, warp_.address(warp_.joint[j], one)), all_.joint[j].next);
    }
    b_.CreateBr(rest);
    b_.SetInsertPoint(rest);
  }

  /// The whole warp has come to one place.
  void come_together(const warp_cut& at) {
    const cut& c = cut_at(at);
    b_.SetInsertPoint(at.together);
    if (c.kind == cut_kind::round) ask_at_times(b_, rounds_, warp_.load(warp_.first));
    const auto wait = [&] {
      b_.CreateStore(word(warp_parts::whole), at.waiting);
      b_.CreateBr(next_);
    };
    if (c.has_mask() && c.mask && *c.mask != warp_parts::whole) return wait();
    if (c.has_mask() && !c.mask) {
      Value* const masks = warp_.load_vector(offsetof(warp_meeting, masks), all_.word);
      Value* const all_named =
          warp_.bits(b_.CreateICmpEQ(masks, Constant::getAllOnesValue(masks->getType())));
      BasicBlock* const apart = block("masks");
      BasicBlock* const same = block("same");
      b_.CreateCondBr(b_.CreateICmpEQ(all_named, word(warp_parts::whole)), same, apart);
      b_.SetInsertPoint(apart);
      wait();
      b_.SetInsertPoint(same);
    }
    if (c.kind == cut_kind::exchange) {
      Type* const element = all_.kernel.meeting.element;
      warp_.store_vector(offsetof(warp_meeting, all),
                         warp_.load_vector(offsetof(warp_meeting, values), element));
    }
    if (c.kind == cut_kind::ballot) {
      b_.CreateStore(warp_.load(warp_.votes), warp_.result);
    } else if (c.meets() && warp_.result != nullptr) {
      b_.CreateStore(word(warp_parts::whole), warp_.result);
    }
    b_.CreateBr(at.all);
  }

  /// Lets those lanes among `which` run that wait at a cut that `is`.
  template <class Is>
  void let_go(Is is, Value* which) {
    for (const warp_cut& c : warp_.cuts) {
      if (!is(cut_at(c))) continue;
      BasicBlock* const these = block("these");
      BasicBlock* const others = block("others");
      Value* const waiting = warp_.load(c.waiting);
      Value* const lanes = which != nullptr ? b_.CreateAnd(waiting, warp_.load(which)) : waiting;
      b_.CreateCondBr(b_.CreateICmpNE(lanes, word(0)), these, others);
      b_.SetInsertPoint(these);
      b_.CreateStore(b_.CreateXor(waiting, lanes), c.waiting);
      if (which != nullptr) b_.CreateStore(b_.CreateXor(warp_.load(which), lanes), which);
      b_.CreateStore(lanes, warp_.active);
      if (cut_at(c).kind == cut_kind::round) {
        Value* const lane = b_.CreateBinaryIntrinsic(Intrinsic::cttz, lanes, b_.getTrue());
        ask_at_times(b_, rounds_, b_.CreateAdd(warp_.load(warp_.first), lane));
      }
      b_.CreateBr(c.run);
      b_.SetInsertPoint(others);
    }
  }

  /// Some lanes can't go on: others do, until they meet.
  void go_on() {
    b_.SetInsertPoint(next_);
    const auto meets = [](const cut& c) { return c.meets(); };
    let_go(meets, going_);
    let_go([](const cut& c) { return c.kind == cut_kind::round; }, nullptr);
    if (none_of(warp_.cuts, [&](const warp_cut& c) { return meets(cut_at(c)); })) {
      b_.CreateBr(next_warp_);
      return;
    }
    BasicBlock* const wait = block("wait");
    Value* const all = waiting([&](const cut& c) { return c.meets(); });
    b_.CreateCondBr(b_.CreateICmpEQ(all, word(0)), next_warp_, wait);
    b_.SetInsertPoint(wait);
    const auto of_kind = [&](cut_kind k) {
      return waiting([k](const cut& c) { return c.kind == k; });
    };
    Value* const meeting = warp_.in_meeting(0, b_.getInt8Ty(), word(0));
    name_masks(meeting);
    Value* const ballots = of_kind(cut_kind::ballot);
    Type* const element = all_.kernel.meeting.element;
    Value* const lanes = b_.CreateCall(
        function("simt_meet", {meeting->getType(), all_.word, all_.word, all_.word, all_.word,
                               all_.word, all_.word}),
        {meeting, of_kind(cut_kind::warp_barrier), ballots, of_kind(cut_kind::exchange),
         waiting([](const cut& c) { return c.brings_source; }), warp_.load(warp_.live),
         word(element->getIntegerBitWidth() / 8)});
    Value* const vote = b_.CreateAnd(warp_.load(warp_.votes), lanes);
    b_.CreateStore(lanes, going_);
    b_.CreateStore(
        b_.CreateSelect(b_.CreateICmpNE(b_.CreateAnd(lanes, ballots), word(0)), vote, lanes),
        warp_.result);
    BasicBlock* const nobody = block("nobody");
    b_.CreateCondBr(b_.CreateICmpNE(lanes, word(0)), next_, nobody);
    b_.SetInsertPoint(nobody);
    converge();
  }
  template <class Is>
  Value* waiting(Is is) {
    Value* lanes = word(0);
    for (const warp_cut& c : warp_.cuts) {
      if (is(cut_at(c))) lanes = b_.CreateOr(lanes, warp_.load(c.waiting));
    }
    return lanes;
  }
  FunctionCallee function(const char* name, ArrayRef<Type*> of) {
    return all_.f.getParent()->getOrInsertFunction(name, FunctionType::get(all_.word, of, false));
  }
  void name_masks(Value* meeting) {
    for (const warp_cut& c : warp_.cuts) {
      if (!cut_at(c).has_mask() || !cut_at(c).mask) continue;
      b_.CreateCall(function("simt_name_lanes", {meeting->getType(), all_.word, all_.word}),
                    {meeting, warp_.load(c.waiting), word(*cut_at(c).mask)});
    }
  }

  /// Of those that nobody names, the ones at one place: that of the first lane. Those in lockstep
  /// let others go first that may yet come to them.
  void converge() {
    const auto in_step = [](const cut& c) { return c.rank.has_value(); };
    Value* const lanes =
        waiting([&](const cut& c) { return c.kind == cut_kind::converged && !in_step(c); });
    Value* const first = b_.CreateAnd(lanes, b_.CreateNeg(lanes));
    SmallVector<const warp_cut*, 16> ordered;
    for (const warp_cut& c : warp_.cuts) {
      if (cut_at(c).kind == cut_kind::converged) ordered.push_back(&c);
    }
    sort(ordered, [&](const warp_cut* a, const warp_cut* b) {
      return std::pair(cut_at(*a).rank, a->index) < std::pair(cut_at(*b).rank, b->index);
    });
    for (const warp_cut* const c : ordered) {
      BasicBlock* const these = block("these");
      BasicBlock* const others = block("others");
      Value* const here = warp_.load(c->waiting);
      Value* const chosen = in_step(cut_at(*c)) ? here : b_.CreateAnd(here, first);
      b_.CreateCondBr(b_.CreateICmpNE(chosen, word(0)), these, others);
      b_.SetInsertPoint(these);
      b_.CreateStore(here, going_);
      b_.CreateStore(here, warp_.result);
      b_.CreateBr(next_);
      b_.SetInsertPoint(others);
    }
    all_.fail();
  }

  void end_warp() {
    b_.SetInsertPoint(next_warp_);
    BasicBlock* const another = block("another");
    BasicBlock* const done = block("warps_done");
    BasicBlock* const never = block("never");
    Value* const next = b_.CreateAdd(warp_.load(number_), word(1), "", true, true);
    b_.CreateStore(next, number_);
    b_.CreateCondBr(b_.CreateICmpULT(b_.CreateMul(next, word(warp_parts::size)), warp_.threads),
                    another, done);
    b_.SetInsertPoint(another);
    SwitchInst* const which = b_.CreateSwitch(warp_.load(phase_), never);
    for (std::size_t p = 0; p < phases_.size(); ++p) {
      which->addCase(b_.getInt32(static_cast<std::uint32_t>(p)), phases_[p]);
    }
    b_.SetInsertPoint(never);
    b_.CreateUnreachable();
    b_.SetInsertPoint(done);
    for (const joint_value& j : all_.joint) all_.copy(j.of_block, j.next);
    b_.CreateBr(behind_);
  }

  block_parts& all_;
  IRBuilder<>& b_;
  warp_parts warp_;
  BasicBlock *behind_, *next_ = nullptr, *next_warp_ = nullptr, *parted_ = nullptr;
  Value* where_ = nullptr;              // the parted lanes' region
  SmallVector<BasicBlock*, 4> phases_;  // where each begins with a warp
  std::uint64_t outcomes_ = 0;
  Value *number_ = nullptr, *phase_ = nullptr;  // of the running warp
  Value* rounds_ = nullptr;                     // until the machine is asked
  Value* going_ = nullptr;                      // lanes that have met and not yet gone on
};

}  // namespace

std::uint64_t loop_over_warps(block_parts& all, BasicBlock* behind) {
  if (none_of(all.regions, [](const region& r) { return r.warps; })) return 0;
  return warp_code(all, behind).run();
}

}  // namespace simt::pass
