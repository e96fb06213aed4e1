#include "parted.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace simt::pass {

using namespace llvm;

namespace {

class parted_loop {
 public:
  parted_loop(warp_parts& warp, BasicBlock* behind)
      : warp_(warp), all_(warp.all), b_(warp.b), behind_(behind), latch_(all_.block("next_lane")) {
    SmallPtrSet<BasicBlock*, 32> seen;
    for (const region& r : all_.regions) {
      if (!r.warps) continue;
      every_.outcomes |= r.outcomes;
      for (BasicBlock* const i : r.blocks) {
        if (seen.insert(i).second) every_.blocks.push_back(i);
      }
    }
  }

  void run(Value* where, BasicBlock* enter) {
    BasicBlock* const head = all_.block("lane");
    b_.SetInsertPoint(enter);
    Value* const active = warp_.load(warp_.active);
    where = warp_.load(where);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    PHINode* const turn = b_.CreatePHI(all_.word, 2);
    turn->addIncoming(active, enter);
    place(turn);
    lane(where);
    b_.SetInsertPoint(latch_);
    Value* const next = b_.CreateAnd(turn, b_.CreateSub(turn, word(1)));
    turn->addIncoming(next, latch_);
    mark(*b_.CreateCondBr(b_.CreateICmpNE(next, word(0)), head, behind_));
  }

 private:
  Value* word(std::uint32_t v) { return b_.getInt32(v); }

  /// Which thread it is.
  void place(PHINode* turn) {
    at_.lane = b_.CreateBinaryIntrinsic(Intrinsic::cttz, turn, b_.getTrue());
    bit_ = b_.CreateAnd(turn, b_.CreateNeg(turn));
    at_.linear = b_.CreateAdd(warp_.load(warp_.first), at_.lane, "", true, true);
    three from{};
    for (unsigned axis = 0; axis < 3; ++axis) from[axis] = warp_.load(warp_.index[axis]);
    at_.index = {b_.CreateAdd(from[0], at_.lane), from[1], from[2]};
    BasicBlock* const near = b_.GetInsertBlock();
    BasicBlock* const apart = all_.block("between_rows");
    BasicBlock* const placed = all_.block("placed");
    b_.CreateCondBr(warp_.in_rows, placed, apart);
    b_.SetInsertPoint(apart);
    const three& size = all_.context->size;
    Value* const row = b_.CreateUDiv(at_.linear, size[0]);
    const three divided{b_.CreateURem(at_.linear, size[0]), b_.CreateURem(row, size[1]),
                        b_.CreateUDiv(row, size[1])};
    b_.CreateBr(placed);
    b_.SetInsertPoint(placed);
    for (unsigned axis = 0; axis < 3; ++axis) {
      PHINode* const phi = b_.CreatePHI(all_.word, 2);
      phi->addIncoming(at_.index[axis], near);
      phi->addIncoming(divided[axis], apart);
      at_.index[axis] = phi;
    }
  }

  /// The code of all regions for one lane.
  void lane(Value* where) {
    ValueToValueMapTy values;
    warp_.find_memory(every_, at_, values);
    Value* const alive =
        all_.some_end_early ? all_.address(all_.alive, b_.getInt8Ty(), 1, at_.linear) : nullptr;
    BasicBlock* const begins = b_.GetInsertBlock();
    const SmallVector<BasicBlock*, 16> copies = all_.clone(every_, values);
    begin(begins, where, values);
    for (std::size_t c = 0; c < all_.kernel.cuts.size(); ++c) {
      if ((every_.outcomes & outcome(c)) != 0) values[all_.kernel.cuts[c].at] = arrive(c);
    }
    remapInstructionsInBlocks(copies, values);
    for (BasicBlock* const i : copies) {
      if (!isa<ReturnInst>(i->getTerminator())) continue;
      i->getTerminator()->eraseFromParent();
      b_.SetInsertPoint(i);
      if (alive != nullptr) b_.CreateStore(b_.getInt8(0), alive);
      b_.CreateStore(b_.CreateXor(warp_.load(warp_.live), bit_), warp_.live);
      b_.CreateBr(latch_);
    }
    for (BasicBlock* const i : copies) all_.settle(*i, at_);
  }

  /// From the region where the lane is.
  void begin(BasicBlock* from, Value* where, ValueToValueMapTy& values) {
    BasicBlock* const never = all_.block("never");
    b_.SetInsertPoint(never);
    b_.CreateUnreachable();
    b_.SetInsertPoint(from);
    SwitchInst* const which = b_.CreateSwitch(where, never);
    for (std::size_t i = 0; i < all_.regions.size(); ++i) {
      const region& r = all_.regions[i];
      if (!r.warps) continue;
      BasicBlock* const start = all_.block("take");
      b_.SetInsertPoint(start);
      if (const warp_cut* const c = warp_.before(r)) take(warp_.cut_at(*c), values);
      b_.CreateBr(cast<BasicBlock>(&*values[r.start]));
      which->addCase(b_.getInt32(static_cast<std::uint32_t>(i)), start);
    }
  }

  /// What the last meeting hands over.
  void take(const cut& c, ValueToValueMapTy& values) {
    for (const fold& i : c.folds) values[i.made] = warp_.folded[i.made];
    if (c.taken == nullptr) return;
    values[c.taken] = warp_.taken(c, c.sources.empty() ? nullptr : source_of(c), values);
  }
  /// From a table of the file's.
  Value* source_of(const cut& c) {
    const SmallVector<std::uint8_t, warp_parts::size> table(c.sources.begin(), c.sources.end());
    Constant* const data = ConstantDataArray::get(b_.getContext(), table);
    auto* const all = new GlobalVariable(*all_.f.getParent(), data->getType(), true,
                                         GlobalValue::PrivateLinkage, data, "simt.sources");
    Value* const at = b_.CreateInBoundsGEP(data->getType(), all, {word(0), at_.lane});
    return b_.CreateZExt(b_.CreateLoad(b_.getInt8Ty(), at), all_.word);
  }

  /// A lane comes to a cut.
  BasicBlock* arrive(std::size_t index) {
    const cut& c = all_.kernel.cuts[index];
    BasicBlock* const here = all_.block("arrive");
    b_.SetInsertPoint(here);
    all_.count_vote(c);
    const auto add = [&](Value* to, Value* more) {
      b_.CreateStore(b_.CreateOr(warp_.load(to), more), to);
    };
    if (c.kind == cut_kind::ballot) {
      Value* const others = b_.CreateAnd(warp_.load(warp_.votes), b_.CreateNot(bit_));
      Value* const votes = b_.CreateICmpNE(all_.load(c.brought), word(0));
      b_.CreateStore(b_.CreateOr(others, b_.CreateSelect(votes, bit_, word(0))), warp_.votes);
    }
    if (const warp_cut* const w = warp_.find(index)) {
      add(w->waiting, bit_);
    } else {
      add(all_.outcomes, word(static_cast<std::uint32_t>(outcome(index))));
      for (std::size_t j = 0; j < warp_.joint.size(); ++j) {
        Type* const type = warp_.joint[j].memory->getAllocatedType();
        b_.CreateStore(b_.CreateLoad(type, warp_.address(warp_.joint[j], at_.lane)),
                       all_.joint[j].next);
      }
    }
    b_.CreateBr(latch_);
    return here;
  }

  void mark(BranchInst& again) {
    LLVMContext& context = b_.getContext();
    const auto name = [&](const char* text) { return MDString::get(context, text); };
    MDNode* const no_vectors = MDNode::get(
        context, {name("llvm.loop.vectorize.enable"), ConstantAsMetadata::get(b_.getFalse())});
    MDNode* const id = MDNode::getDistinct(
        context, {nullptr, no_vectors, MDNode::get(context, {name("llvm.loop.unroll.disable")})});
    id->replaceOperandWith(0, id);
    again.setMetadata(LLVMContext::MD_loop, id);
  }

  warp_parts& warp_;
  block_parts& all_;
  IRBuilder<>& b_;
  region every_;
  thread_values at_{};
  Value* bit_ = nullptr;  // the lane's
  BasicBlock *behind_, *latch_;
};

}  // namespace

void loop_over_parted_lanes(warp_parts& warp, Value* where, BasicBlock* enter, BasicBlock* behind) {
  parted_loop(warp, behind).run(where, enter);
}

}  // namespace simt::pass
