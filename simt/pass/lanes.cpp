#include "lanes.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "simt/abi/kernel_table.hpp"
#include "versions.hpp"

namespace simt::pass {

using namespace llvm;
using detail::warp_meeting;

warp_parts::warp_parts(block_parts& of) : all(of), b(of.b) {
  const auto keep = [&](AllocaInst* a) {
    return kept_value{a, all.place(a->getAllocatedType(), a->getAlign().value(), size)};
  };
  for (AllocaInst* const a : all.kernel.of_lane) of_lane.push_back(keep(a));
  for (const joint_value& j : all.joint) joint.push_back(keep(j.of_thread));
  meeting = all.place(b.getInt8Ty(), 1, sizeof(warp_meeting));
  constexpr unsigned most_states = 16;  // besides one of each cut
  states_ = all.place(all.word, 4, static_cast<unsigned>(all.kernel.cuts.size()) + most_states);
  for (Value** const v : {&first, &live, &active, &votes, &index[0], &index[1], &index[2]}) {
    *v = state();
  }
  if (all.kernel.meeting.result != nullptr) result = all.of_block(all.word);
  b.SetInsertPoint(all.context->end());
  const three& block = all.context->size;
  threads = all.context->threads(b);
  Value* const is_row = b.CreateICmpEQ(b.CreateMul(block[1], block[2]), word(1));
  Value* const has_rows = b.CreateICmpEQ(b.CreateAnd(block[0], size - 1), word(0));
  in_rows = b.CreateOr(is_row, has_rows);
}

Value* warp_parts::state() {
  const IRBuilder<>::InsertPointGuard back(b);
  b.SetInsertPoint(all.context->end());
  return all.address(states_, all.word, 4, word(known_states_++));
}

const warp_cut* warp_parts::find(std::size_t cut) const {
  const auto* const known = find_if(cuts, [&](const warp_cut& c) { return c.index == cut; });
  return known != cuts.end() ? known : nullptr;
}

Value* warp_parts::address(const kept_value& v, Value* at) {
  return all.address(v.place, v.memory->getAllocatedType(), v.memory->getAlign().value(), at);
}

Value* warp_parts::of_first(const AllocaInst* memory) {
  const auto is = [&](const kept_value& v) { return v.memory == memory; };
  const auto* const lanes = find_if(of_lane, is);
  if (lanes != of_lane.end()) return address(*lanes, word(0));
  return address(*find_if(all.own, is), load(first));
}

Value* warp_parts::in_meeting(std::uint64_t offset, Type* type, Value* at) {
  const std::uint64_t bytes = all.f.getParent()->getDataLayout().getTypeAllocSize(type);
  return all.address(meeting + offset, type, bytes, at);
}

void warp_parts::find_memory(const region& r, const thread_values& at, ValueToValueMapTy& values) {
  const auto find = [&](ArrayRef<kept_value> kept, Value* at_index) {
    for (const kept_value& v : kept) {
      if (r.uses(v.memory)) values[v.memory] = address(v, at_index);
    }
  };
  find(all.own, at.linear);
  find(of_lane, at.lane);
  find(joint, at.lane);
  const meeting_memory& m = all.kernel.meeting;
  if (m.mask == nullptr) return;
  if (r.uses(m.mask)) values[m.mask] = in_meeting(offsetof(warp_meeting, masks), all.word, at.lane);
  if (r.uses(m.value)) {
    values[m.value] = in_meeting(offsetof(warp_meeting, values), m.element, at.lane);
  }
  values[m.source] = in_meeting(offsetof(warp_meeting, sources), all.word, at.lane);
  Value* const brought = in_meeting(offsetof(warp_meeting, all), m.element, word(0));
  values[m.all] = b.CreatePointerCast(brought, m.all->getType());
  for (AllocaInst* const a : m.gathered) values[a] = b.CreatePointerCast(brought, a->getType());
  values[m.result] = result;
}

Value* warp_parts::taken(const cut& c, Value* source, ValueToValueMapTy& values) {
  const meeting_memory& m = all.kernel.meeting;
  if (c.sources.empty()) {
    source = b.CreateAnd(b.CreateLoad(all.word, values[m.source]), size - 1);
  }
  return in_meeting(offsetof(warp_meeting, all), m.element, source);
}

Value* warp_parts::load_vector(std::uint64_t offset, Type* element) {
  Type* const type = FixedVectorType::get(element, size);
  Value* const at = in_meeting(offset, element, word(0));
  return b.CreateAlignedLoad(type, b.CreatePointerCast(at, type->getPointerTo()), Align(4));
}

void warp_parts::store_vector(std::uint64_t offset, Value* v) {
  Value* const at = in_meeting(offset, v->getType()->getScalarType(), word(0));
  b.CreateAlignedStore(v, b.CreatePointerCast(at, v->getType()->getPointerTo()), Align(4));
}

namespace {

class lane_loop {
 public:
  lane_loop(warp_parts& warp, const region& r)
      : warp_(warp),
        all_(warp.all),
        b_(warp.b),
        r_(r),
        head_(all_.block("lane")),
        latch_(all_.block("next_lane")) {
    for (std::uint64_t rest = r.outcomes; rest != 0; rest &= rest - 1) {
      result_.ways.push_back(rest & -rest);
    }
  }

  lane_outcomes run() {
    BasicBlock* const before = b_.GetInsertBlock();
    if (const warp_cut* const from = warp_.before(r_); from != nullptr) {
      for (AllocaInst* const a : warp_.cut_at(*from).lines) {
        lines_.push_back({a, b_.CreateLoad(a->getAllocatedType(), warp_.of_first(a))});
      }
    }
    Value* const first = warp_.load(warp_.first);
    three from{};
    for (unsigned axis = 0; axis < 3; ++axis) from[axis] = warp_.load(warp_.index[axis]);
    b_.CreateBr(head_);
    b_.SetInsertPoint(head_);
    PHINode* const turn = b_.CreatePHI(all_.word, 2);
    turn->addIncoming(word(0), before);
    const bool parts = several(r_.outcomes), ballots = have_ballots();
    SmallVector<PHINode*, 8> came;
    for (std::size_t i = parts ? result_.ways.size() : 0; i-- > 0;) came.push_back(sum(before));
    PHINode* const votes = ballots ? sum(before) : nullptr;
    at_ = {{b_.CreateAdd(from[0], turn, "", true, true), from[1], from[2]},
           b_.CreateAdd(first, turn, "", true, true),
           turn};
    BasicBlock* const begins = b_.GetInsertBlock();
    b_.SetInsertPoint(latch_);
    if (parts) way_ = b_.CreatePHI(all_.word, 4);
    if (ballots) vote_ = b_.CreatePHI(all_.word, 4);
    Value* const bit = b_.CreateShl(word(1), at_.lane);
    for (std::size_t i = 0; i < result_.ways.size(); ++i) {
      result_.lanes.push_back(
          parts ? add(came[i], b_.CreateICmpEQ(way_, word(static_cast<std::uint32_t>(i))), bit)
                : word(warp_parts::whole));
    }
    if (ballots) result_.votes = add(votes, b_.CreateICmpNE(vote_, word(0)), bit);
    Value* const next = b_.CreateAdd(turn, word(1), "", true, true);
    turn->addIncoming(next, latch_);
    BasicBlock* const behind = all_.block("lanes_done");
    Value* const goes_on = b_.CreateICmpNE(next, word(warp_parts::size));
    mark(*b_.CreateCondBr(goes_on, head_, behind));
    lane(begins);
    b_.SetInsertPoint(behind);
    return std::move(result_);
  }

 private:
  Value* word(std::uint32_t v) { return b_.getInt32(v); }

  bool have_ballots() const {
    return any_of(warp_.cuts, [&](const warp_cut& c) {
      return warp_.cut_at(c).kind == cut_kind::ballot && (r_.outcomes & outcome(c.index)) != 0;
    });
  }

  PHINode* sum(BasicBlock* before) {
    PHINode* const phi = b_.CreatePHI(all_.word, 2);
    phi->addIncoming(word(0), before);
    return phi;
  }
  Value* add(PHINode* to, Value* is, Value* bit) {
    Value* const now = b_.CreateOr(to, b_.CreateSelect(is, bit, word(0)));
    to->addIncoming(now, latch_);
    return now;
  }

  void mark(BranchInst& again) {
    LLVMContext& context = b_.getContext();
    const auto name = [&](const char* text) { return MDString::get(context, text); };
    MDNode* const one = MDNode::get(
        context, {name("llvm.loop.interleave.count"), ConstantAsMetadata::get(b_.getInt32(1))});
    MDNode* const id = MDNode::getDistinct(
        context,
        {nullptr, all_.parallel(), one, MDNode::get(context, {name("llvm.loop.unroll.disable")})});
    id->replaceOperandWith(0, id);
    again.setMetadata(LLVMContext::MD_loop, id);
  }

  /// The region's code for one lane.
  void lane(BasicBlock* begins) {
    ValueToValueMapTy values;
    b_.SetInsertPoint(begins);
    warp_.find_memory(r_, at_, values);
    take(values);
    Value* const alive =
        all_.some_end_early ? all_.address(all_.alive, b_.getInt8Ty(), 1, at_.linear) : nullptr;
    const SmallVector<BasicBlock*, 16> copies = all_.clone(r_, values);
    b_.CreateBr(cast<BasicBlock>(&*values[r_.start]));
    for (std::size_t i = 0; i < result_.ways.size(); ++i) {
      if (result_.ways[i] == ended) continue;
      const cut& c = all_.kernel.cuts[trailing_zeros(result_.ways[i]) - 1];
      values[c.at] = arrive(i, c);
    }
    remapInstructionsInBlocks(copies, values);
    for (BasicBlock* const i : copies) {
      if (!isa<ReturnInst>(i->getTerminator())) continue;
      i->getTerminator()->eraseFromParent();
      b_.SetInsertPoint(i);
      if (alive != nullptr) b_.CreateStore(b_.getInt8(0), alive);
      leave(0, nullptr);
    }
    for (BasicBlock* const i : copies) all_.settle(*i, at_);
    for (const auto& [memory, first] : lines_) {
      if (r_.uses(memory)) read_line(*values[memory], first, copies);
    }
  }

  /// In a round a lane reads it before it changes.
  void read_line(Value& at, Value* first, ArrayRef<BasicBlock*> in) {
    b_.SetInsertPoint(cast<Instruction>(&at));
    Value* const line = b_.CreateAdd(first, b_.CreateZExtOrTrunc(at_.lane, first->getType()));
    for (User* const u : make_early_inc_range(at.users())) {
      auto* const load = dyn_cast<LoadInst>(u);
      if (load == nullptr || !is_contained(in, load->getParent())) continue;
      load->replaceAllUsesWith(line);
      load->eraseFromParent();
    }
  }

  /// What the last meeting hands over.
  void take(ValueToValueMapTy& values) {
    const warp_cut* const from = warp_.before(r_);
    if (from == nullptr) return;
    const cut& c = warp_.cut_at(*from);
    for (const fold& i : c.folds) values[i.made] = warp_.folded[i.made];
    if (c.taken != nullptr) values[c.taken] = warp_.taken(c, at_.lane, values);
  }

  /// A lane comes to a cut.
  BasicBlock* arrive(std::size_t way, const cut& c) {
    BasicBlock* const here = all_.block("arrive");
    b_.SetInsertPoint(here);
    all_.count_vote(c);
    leave(way, c.kind == cut_kind::ballot ? all_.load(c.brought) : nullptr);
    return here;
  }
  void leave(std::size_t way, Value* vote) {
    BasicBlock* const from = b_.GetInsertBlock();
    if (way_ != nullptr) way_->addIncoming(word(static_cast<std::uint32_t>(way)), from);
    if (vote_ != nullptr) vote_->addIncoming(vote != nullptr ? vote : word(0), from);
    b_.CreateBr(latch_);
  }

  warp_parts& warp_;
  block_parts& all_;
  IRBuilder<>& b_;
  const region& r_;
  thread_values at_{};
  BasicBlock *head_, *latch_;
  PHINode *way_ = nullptr, *vote_ = nullptr;  // in the latch: which outcome, a ballot's vote
  SmallVector<std::pair<AllocaInst*, Value*>, 2> lines_;  // and what they are for the first lane
  lane_outcomes result_;
};

}  // namespace

lane_outcomes loop_over_lanes(warp_parts& warp, const region& r) {
  return lane_loop(warp, r).run();
}

}  // namespace simt::pass
