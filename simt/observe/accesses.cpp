#include "accesses.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "code.hpp"
#include "simt/pass/versions.hpp"

namespace simt::observe {

using namespace llvm;

namespace {

constexpr unsigned widest = 16;

/// Of a load or a store; 0: of anything else.
std::uint64_t alignment_of(Instruction* i) {
  return i != nullptr && is(*i, Instruction::Load, Instruction::Store)
             ? getLoadStoreAlignment(i).value()
             : 0;
}

class access_writer {
 public:
  explicit access_writer(Module& m)
      : m_(m),
        layout_(m.getDataLayout()),
        nothing_(Type::getVoidTy(m.getContext())),
        word_(Type::getInt32Ty(m.getContext())),
        pointer_(pass::bytes_type(m.getContext())) {}

  void write(Instruction& i) const {
    if (auto* const call = dyn_cast<MemIntrinsic>(&i)) return tell_whole(*call);
    if (is(i, Instruction::Load, Instruction::Store)) return tell_odd(i);
    const StringRef name = callee_name(i);
    if (begins(name, "__sanitizer_cov_load") || begins(name, "__sanitizer_cov_store"))
      tell_in_parts(cast<CallInst>(i), name.substr(StringRef("__sanitizer_cov_").size()));
  }

 private:
  [[nodiscard]] Constant* number(std::uint64_t n) const { return ConstantInt::get(word_, n); }

  /// An access of so many bytes that the compiler has no callback for it: three of a bit-field, the
  /// 32 of a vector.
  void tell_odd(Instruction& i) const {
    Type* const type = getLoadStoreType(&i);
    if (type->isAggregateType()) return;
    const std::uint64_t bytes = layout_.getTypeStoreSize(type);
    if (bytes <= widest && (bytes & (bytes - 1)) == 0) return;
    const FunctionCallee hook =
        m_.getOrInsertFunction(isa<StoreInst>(i) ? "simt_store_parts" : "simt_load_parts", nothing_,
                               pointer_, word_, word_);
    IRBuilder<> b(&i);
    b.CreateCall(hook, {b.CreatePointerCast(getLoadStorePointerOperand(&i), pointer_),
                        number(bytes), number(std::min<std::uint64_t>(widest, alignment_of(&i)))});
  }

  /// `what`: load4.
  void tell_in_parts(CallInst& call, StringRef what) const {
    unsigned bytes = 0;
    what.drop_while([](char c) { return c < '0' || c > '9'; }).getAsInteger(10, bytes);
    const std::uint64_t width = alignment_of(call.getNextNode());
    if (width == 0 || width >= bytes) return;
    Value* const pointer = call.getArgOperand(0);
    const FunctionCallee hook = m_.getOrInsertFunction(("simt_" + what + "_parts").str(), nothing_,
                                                       pointer->getType(), word_);
    IRBuilder<> b(&call);
    b.CreateCall(hook, {pointer, number(width)});
    call.eraseFromParent();
  }

  void tell_whole(MemIntrinsic& call) const {
    Value* const bytes = call.getLength();
    if (call.isVolatile() || !bytes->getType()->isIntegerTy(64)) return;
    const auto* const copy = dyn_cast<MemTransferInst>(&call);
    std::uint64_t width = std::min<std::uint64_t>(widest, call.getDestAlign().valueOrOne().value());
    if (copy != nullptr) width = std::min(width, copy->getSourceAlign().valueOrOne().value());
    Value* const second = call.getArgOperand(1);
    const FunctionCallee hook = m_.getOrInsertFunction(copy != nullptr ? "simt_copy" : "simt_fill",
                                                       nothing_, call.getArgOperand(0)->getType(),
                                                       second->getType(), bytes->getType(), word_);
    IRBuilder<> b(&call);
    CallInst* const told =
        b.CreateCall(hook, {call.getArgOperand(0), second, bytes, number(width)});
    told->setTailCallKind(cast<CallInst>(call).getTailCallKind());
    told->setAttributes(
        AttributeList::get(m_.getContext(), call.getAttributes().getFnAttrs(), {}, {}));
    if (copy == nullptr) told->addParamAttr(1, Attribute::ZExt);
    call.eraseFromParent();
  }

  Module& m_;
  const DataLayout& layout_;
  Type *nothing_, *word_;
  PointerType* pointer_;
};

}  // namespace

void add_accesses(Module& m) {
  const access_writer writer(m);
  for (Function& f : m) {
    if (!is_watched(f)) continue;
    std::vector<Instruction*> code;
    for (Instruction& i : instructions(f)) code.push_back(&i);
    for (Instruction* const i : code) writer.write(*i);
  }
}

}  // namespace simt::observe
