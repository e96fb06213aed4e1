#include "meetings.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

#include "names.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

constexpr unsigned warp_size = 32, all_bytes = warp_size * 8;

std::optional<cut_kind> kind_of(StringRef name) {
  return StringSwitch<std::optional<cut_kind>>(name)
      .Case("warp_barrier", cut_kind::warp_barrier)
      .Case("warp_ballot", cut_kind::ballot)
      .Cases("warp_shuffle", "warp_gather", cut_kind::exchange)
      .Cases("converged_lanes", "in_lockstep", cut_kind::converged)
      .Default(std::nullopt);
}

bool is_narrow(const Value& v) {
  if (isa<ConstantInt>(v)) return cast<ConstantInt>(v).getValue().isIntN(32);
  const auto* const cast = dyn_cast<ZExtInst>(&v);
  return cast != nullptr && cast->getSrcTy()->getScalarSizeInBits() <= 32;
}

/// What `v` is for this lane, where nothing else decides it.
Constant* known_for(Value& v, unsigned lane, const DataLayout& layout, unsigned depth = 0) {
  if (auto* const known = dyn_cast<Constant>(&v)) return known;
  auto* const i = dyn_cast<Instruction>(&v);
  if (i == nullptr || depth > 8) return nullptr;
  if (const auto* const call = dyn_cast<CallInst>(i); call != nullptr) {
    return machine_call(*call) == "lane_index" ? ConstantInt::get(i->getType(), lane) : nullptr;
  }
  if (!isa<BinaryOperator>(i) && !isa<CmpInst>(i) && !isa<SelectInst>(i) && !isa<CastInst>(i)) {
    return nullptr;
  }
  SmallVector<Constant*, 3> of;
  for (Use& u : i->operands()) {
    Constant* const known = known_for(*u, lane, layout, depth + 1);
    if (known == nullptr) return nullptr;
    of.push_back(known);
  }
  if (const auto* const compare = dyn_cast<CmpInst>(i)) {
    return ConstantFoldCompareInstOperands(compare->getPredicate(), of[0], of[1], layout);
  }
  return ConstantFoldInstOperands(i, of, layout);
}

SmallVector<int, warp_size> known_sources(Value& source, const DataLayout& layout) {
  SmallVector<int, warp_size> all;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const auto* const known = dyn_cast_or_null<ConstantInt>(known_for(source, lane, layout));
    if (known == nullptr || known->getZExtValue() >= warp_size) return {};
    all.push_back(static_cast<int>(known->getZExtValue()));
  }
  return all;
}

}  // namespace

bool is_meeting(StringRef name) { return kind_of(name).has_value(); }

meetings::meetings(Function& f, cut_kernel& kernel, ArrayRef<CallInst*> calls)
    : f_(f), kernel_(kernel) {
  bool any = false, narrow = true;
  for (const CallInst* const call : calls) {
    const StringRef name = machine_call(*call);
    any = any || is_meeting(name);
    if (name == "warp_gather") narrow = false;
    if (name == "warp_shuffle" && !is_narrow(*call->getArgOperand(call->arg_size() - 2))) {
      narrow = false;
    }
  }
  if (!any) return;
  IRBuilder<> b(&f.getEntryBlock().front());
  meeting_memory& m = kernel.meeting;
  m.element = narrow ? b.getInt32Ty() : b.getInt64Ty();
  m.mask = b.CreateAlloca(b.getInt32Ty());
  m.source = b.CreateAlloca(b.getInt32Ty());
  m.value = b.CreateAlloca(m.element);
  m.all = b.CreateAlloca(ArrayType::get(m.element, warp_size));
  m.result = b.CreateAlloca(b.getInt32Ty());
}

void meetings::cut_at(CallInst& call) {
  const meeting_memory& m = kernel_.meeting;
  const StringRef name = machine_call(call);
  cut c;
  c.kind = *kind_of(name);
  BasicBlock* const before = call.getParent();
  c.at = before->splitBasicBlock(&call, "meet");
  BasicBlock* const start = c.at->splitBasicBlock(call.getNextNode(), "met");
  c.starts.push_back(start);
  IRBuilder<> b(before->getTerminator());
  const unsigned last = call.arg_size() - 1;
  if (c.has_mask()) {
    const unsigned mask = last - (name == "warp_barrier" ? 0 : name == "warp_ballot" ? 1 : 2);
    if (const auto* const known = dyn_cast<ConstantInt>(call.getArgOperand(mask))) {
      c.mask = static_cast<std::uint32_t>(known->getZExtValue());
    } else {
      b.CreateStore(call.getArgOperand(mask), m.mask);
    }
  }
  if (c.kind == cut_kind::ballot) {
    c.brought = IRBuilder<>(&f_.getEntryBlock().front()).CreateAlloca(b.getInt32Ty());
    b.CreateStore(b.CreateZExt(call.getArgOperand(last), b.getInt32Ty()), c.brought);
  }
  if (c.kind == cut_kind::exchange) {
    b.CreateStore(narrow(call.getArgOperand(last - 1), b), m.value);
  }
  IRBuilder<> after(&start->front());
  Value* result = nullptr;
  if (name == "warp_shuffle") {
    Value* const source = call.getArgOperand(last);
    c.sources = known_sources(*source, f_.getParent()->getDataLayout());
    c.brings_source = c.sources.empty() || !c.mask || *c.mask != ~0U;
    if (c.brings_source) b.CreateStore(source, m.source);
    c.taken = IRBuilder<>(&f_.getEntryBlock().front()).CreateAlloca(m.element);
    result = after.CreateZExt(after.CreateLoad(m.element, c.taken), call.getType());
  } else if (name == "in_lockstep") {
    c.rank = static_cast<unsigned>(cast<ConstantInt>(call.getArgOperand(last))->getZExtValue());
  } else if (c.kind != cut_kind::warp_barrier) {
    result = after.CreateLoad(b.getInt32Ty(), m.result);
  }
  if (name == "warp_gather") {
    Value* const to = call.getArgOperand(last);
    auto* const array = dyn_cast<AllocaInst>(getUnderlyingObject(to, 0));
    gatherings_.push_back(
        {array, c.at, result, after.CreateMemCpy(to, Align(8), m.all, Align(8), all_bytes)});
  }
  if (result != nullptr) call.replaceAllUsesWith(result);
  for (Use& u : call.args()) u.set(UndefValue::get(u->getType()));
  kernel_.cuts.push_back(c);
}

Value* meetings::narrow(Value* v, IRBuilder<>& b) const {
  if (const auto* const cast = dyn_cast<ZExtInst>(v)) {
    return b.CreateZExtOrTrunc(cast->getOperand(0), kernel_.meeting.element);
  }
  return b.CreateTrunc(v, kernel_.meeting.element);
}

/// The operation whose values it folds, if all that have met would get the same.
const meetings::gathering* meetings::folded_by(const CallInst& call,
                                               const AllocaInst& array) const {
  if (machine_call(call) != "fold_lanes" || call.arg_size() != 2) return nullptr;
  std::int64_t offset = 0;
  const Value* const from = GetPointerBaseWithConstantOffset(call.getArgOperand(0), offset,
                                                             f_.getParent()->getDataLayout());
  if (from != &array || offset != 0) return nullptr;
  const auto* const known = find_if(gatherings_, [&](const gathering& g) {
    return g.to == &array && g.came == call.getArgOperand(1);
  });
  return known != gatherings_.end() ? known : nullptr;
}

void meetings::fold_once(CallInst& call, const gathering& g) {
  fold once{callee_of(call), call.getDebugLoc(),
            IRBuilder<>(&f_.getEntryBlock().front()).CreateAlloca(call.getType())};
  IRBuilder<> b(&call);
  call.replaceAllUsesWith(b.CreateLoad(call.getType(), once.made));
  call.eraseFromParent();
  find_if(kernel_.cuts, [&](const cut& c) { return c.at == g.at; })->folds.push_back(once);
}

bool meetings::takes(AllocaInst& array) {
  SmallPtrSet<const BasicBlock*, 4> own;
  SmallVector<Instruction*, 4> copies;
  for (const gathering& g : gatherings_) {
    if (g.to != &array) continue;
    own.insert(g.at);
    copies.push_back(g.copy);
  }
  const DataLayout& layout = f_.getParent()->getDataLayout();
  if (own.empty() || layout.getTypeAllocSize(array.getAllocatedType()) != all_bytes) return false;
  SmallPtrSet<const BasicBlock*, 8> readers;
  SmallVector<Instruction*, 8> next{&array}, marks;
  SmallVector<std::pair<CallInst*, const gathering*>, 1> folds;
  while (!next.empty()) {
    for (User* const u : next.pop_back_val()->users()) {
      auto* const i = cast<Instruction>(u);
      auto* const call = dyn_cast<CallInst>(i);
      const gathering* const of = call != nullptr ? folded_by(*call, array) : nullptr;
      if (of != nullptr || isa<LoadInst>(i)) {
        readers.insert(i->getParent());
        if (of != nullptr) folds.push_back({call, of});
      } else if (isa<BitCastInst>(i) || isa<GetElementPtrInst>(i)) {
        next.push_back(i);
      } else if (i->isLifetimeStartOrEnd()) {
        marks.push_back(i);
      } else if (!is_contained(copies, i)) {
        return false;
      }
    }
  }
  for (const Instruction* const i : copies) {
    std::int64_t offset = 0;
    const Value* const to = cast<MemCpyInst>(i)->getDest();
    if (GetPointerBaseWithConstantOffset(to, offset, layout) != &array || offset != 0) return false;
  }
  // Others meet meanwhile: then it is no longer what it was.
  for (const cut& c : kernel_.cuts) {
    if (own.contains(c.at)) continue;
    SmallPtrSet<const BasicBlock*, 32> seen;
    SmallVector<const BasicBlock*, 32> behind(c.starts.begin(), c.starts.end());
    while (!behind.empty()) {
      const BasicBlock* const b = behind.pop_back_val();
      if (own.contains(b) || !seen.insert(b).second) continue;
      if (readers.contains(b)) return false;
      append_range(behind, successors(b));
    }
  }
  for (const auto& [call, of] : folds) fold_once(*call, *of);
  for (Instruction* const i : copies) i->eraseFromParent();
  for (Instruction* const i : marks) i->eraseFromParent();
  kernel_.meeting.gathered.push_back(&array);
  return true;
}

}  // namespace simt::pass
