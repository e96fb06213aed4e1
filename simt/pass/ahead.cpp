#include "ahead.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Intrinsics.h>

#include "uniform.hpp"
#include "versions.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

constexpr unsigned rounds_ahead = 8, most_reads = 8, deepest = 12;
constexpr std::uint64_t most_bytes = 256;

class reader {
 public:
  reader(warp_parts& warp, const region& r) : warp_(warp), b_(warp.b), r_(r) {}

  void run() {
    const warp_cut* const from = warp_.before(r_);
    if (from == nullptr || warp_.cut_at(*from).kind != cut_kind::round) return;
    for (AllocaInst* const a : warp_.cut_at(*from).lines) {
      Type* const type = a->getAllocatedType();
      AllocaInst* const last = warp_.all.of_block(type, Constant::getNullValue(type));
      Value* const first = b_.CreateLoad(type, warp_.of_first(a));
      Value* const step = b_.CreateSub(first, warp_.all.load(last));
      b_.CreateStore(first, last);
      later_[a] = b_.CreateAdd(first, b_.CreateMul(step, ConstantInt::get(type, rounds_ahead)));
    }
    SmallPtrSet<const Value*, 8> seen;
    for (BasicBlock* const i : r_.blocks) {
      for (Instruction& read : *i) {
        if (!isa<LoadInst>(read) || seen.size() == most_reads) continue;
        Value* const at = getLoadStorePointerOperand(&read);
        if (isa<AllocaInst>(at) || !follows(*at) || !seen.insert(at).second) continue;
        ask_for(made(*at), read.getType());
      }
    }
  }

 private:
  bool is_line(const Value& v) const {
    const auto* const load = dyn_cast<LoadInst>(&v);
    const auto* const of =
        load != nullptr ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
    return of != nullptr && later_.count(of) != 0;
  }

  /// Whether `v` is made of a line and of what is the same in all rounds.
  bool follows(const Value& v) const {
    bool any = false;
    return is_known(v, any, 0) && any;
  }
  bool is_known(const Value& v, bool& any, unsigned depth) const {
    if (isa<Constant>(v) || isa<Argument>(v)) return true;
    const auto* const i = dyn_cast<Instruction>(&v);
    if (i == nullptr || depth > deepest) return false;
    if (is_line(v)) return any = true;
    const bool is_simple = isa<BinaryOperator>(i) || isa<CastInst>(i) || isa<GetElementPtrInst>(i);
    if (i->isIntDivRem() || (!is_simple && !loads_parameter(*i))) return false;
    return all_of(i->operands(), [&](const Use& u) { return is_known(*u, any, depth + 1); });
  }
  Value* made(Value& v) {
    auto* const i = dyn_cast<Instruction>(&v);
    if (i == nullptr) return &v;
    if (is_line(v)) {
      return later_.lookup(cast<AllocaInst>(cast<LoadInst>(i)->getPointerOperand()));
    }
    Instruction* const copy = i->clone();
    copy->dropPoisonGeneratingFlags();
    for (Use& u : copy->operands()) u.set(made(*u));
    return b_.Insert(copy);
  }

  void ask_for(Value* at, Type* type) {
    const DataLayout& layout = warp_.all.f.getParent()->getDataLayout();
    const std::uint64_t bytes = layout.getTypeAllocSize(type) * warp_parts::size;
    Value* const bytes_at = b_.CreatePointerCast(at, bytes_type(b_.getContext()));
    for (std::uint64_t i = 0; i < std::min(bytes, most_bytes); i += cache_line) {
      b_.CreateIntrinsic(Intrinsic::prefetch, {bytes_type(b_.getContext())},
                         {b_.CreateConstGEP1_64(b_.getInt8Ty(), bytes_at, i), b_.getInt32(0),
                          b_.getInt32(3), b_.getInt32(1)});
    }
  }

  warp_parts& warp_;
  IRBuilder<>& b_;
  const region& r_;
  DenseMap<const AllocaInst*, Value*> later_;  // lines' values of the first lane
};

}  // namespace

void read_ahead(warp_parts& warp, const region& r) { reader(warp, r).run(); }

}  // namespace simt::pass
