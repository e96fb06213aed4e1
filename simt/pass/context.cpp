#include "context.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>

#include "names.hpp"
#include "rounds.hpp"
#include "simt/abi/kernel_table.hpp"
#include "versions.hpp"

namespace simt::pass {

using namespace llvm;
using detail::running_block;

namespace {

Value* along(IRBuilder<>& b, const three& values, Value* axis) {
  if (const auto* const known = dyn_cast<ConstantInt>(axis)) return values[known->getZExtValue()];
  Value* const high = b.CreateSelect(b.CreateICmpEQ(axis, b.getInt32(1)), values[1], values[2]);
  return b.CreateSelect(b.CreateICmpEQ(axis, b.getInt32(0)), values[0], high);
}

}  // namespace

block_context::block_context(Function& f) : f_(f) {
  BasicBlock& first = f.getEntryBlock();
  SmallVector<AllocaInst*, 16> locals;
  for (Instruction& i : first) {
    if (auto* const a = dyn_cast<AllocaInst>(&i)) locals.push_back(a);
  }
  for (AllocaInst* const a : reverse(locals)) a->moveBefore(&first.front());
  auto after = first.begin();
  while (isa<AllocaInst>(*after)) ++after;
  thread = first.splitBasicBlock(after, "thread");
  IRBuilder<> b(first.getTerminator());
  state = b.CreateCall(
      f.getParent()->getOrInsertFunction("simt_running_block", bytes_type(b.getContext())));
  for (unsigned axis = 0; axis < 3; ++axis) {
    index_[axis] = word(b, offsetof(running_block, block_index) + 4 * axis, 0);
    size[axis] = word(b, offsetof(running_block, block_size) + 4 * axis, 1);
    grid_[axis] = word(b, offsetof(running_block, grid_size) + 4 * axis, 1);
  }
}

Value* block_context::field(IRBuilder<>& b, std::uint64_t offset, Type* type) {
  Value* const at = b.CreateConstGEP1_64(b.getInt8Ty(), state, offset);
  return b.CreatePointerCast(at, type->getPointerTo());
}

Value* block_context::word(IRBuilder<>& b, std::uint64_t offset, unsigned least) {
  LoadInst* const value = b.CreateLoad(b.getInt32Ty(), field(b, offset, b.getInt32Ty()));
  value->setMetadata(
      LLVMContext::MD_range,
      MDBuilder(b.getContext()).createRange(APInt(32, least), APInt(32, 0x80000000U)));
  return value;
}

Value* block_context::threads(IRBuilder<>& b) const {
  return b.CreateMul(b.CreateMul(size[0], size[1], "", true, true), size[2], "", true, true);
}

Value* block_context::lanes_of(IRBuilder<>& b, Value* first) const {
  Value* const left = b.CreateSub(threads(b), first);
  Value* const some = b.CreateSub(b.CreateShl(b.getInt32(1), b.CreateAnd(left, 31)), b.getInt32(1));
  return b.CreateSelect(b.CreateICmpUGE(left, b.getInt32(32)), b.getInt32(~0U), some);
}

void block_context::answer(CallInst& call, const thread_values& at) {
  if (const Function* const f = callee_of(call); f != nullptr && f->getName() == keeps_running) {
    call.setArgOperand(0, at.linear);
    return;
  }
  IRBuilder<> b(&call);
  const StringRef name = machine_call(call);
  Value* result = nullptr;
  if (name == "thread_index") {
    result = along(b, at.index, call.getArgOperand(0));
  } else if (name == "block_index") {
    result = along(b, index_, call.getArgOperand(0));
  } else if (name == "block_size") {
    result = along(b, size, call.getArgOperand(0));
  } else if (name == "grid_size") {
    result = along(b, grid_, call.getArgOperand(0));
  } else if (name == "lane_index") {
    result = at.lane != nullptr ? at.lane : b.CreateAnd(at.linear, 31);
  } else if (name == "lanes_of_warp") {
    result = lanes_of(b, b.CreateAnd(at.linear, ~31ULL));
  } else if (name == "in_kernel") {
    result = b.getTrue();
  } else if (name == "dynamic_shared") {
    b.SetInsertPoint(end());
    result = b.CreateLoad(call.getType(),
                          field(b, offsetof(running_block, dynamic_shared), call.getType()));
  } else if (name == "dynamic_shared_bytes") {
    b.SetInsertPoint(end());
    result = b.CreateZExt(word(b, offsetof(running_block, dynamic_bytes), 0), call.getType());
  } else if (name == "shared_object") {
    if (!all_of(call.args(), [](const Use& u) { return isa<Constant>(u.get()); })) return;
    for (Instruction& i : f_.getEntryBlock()) {
      auto* const known = dyn_cast<CallInst>(&i);
      if (known == nullptr || known->getCalledOperand() != call.getCalledOperand() ||
          known->getArgOperand(0) != call.getArgOperand(0)) {
        continue;
      }
      call.replaceAllUsesWith(known);
      call.eraseFromParent();
      return;
    }
    call.moveBefore(end());
    return;
  } else if (name == "assertion_failed" || name == "fail_here") {
    b.CreateCall(
        f_.getParent()->getOrInsertFunction("simt_name_thread", b.getVoidTy(), b.getInt32Ty()),
        {at.linear});
    return;
  } else {
    return;
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

}  // namespace simt::pass
