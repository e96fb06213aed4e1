// What LLVM's versions from 14 on call by other names.
#pragma once

#include <cstdint>

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#if LLVM_VERSION_MAJOR < 16
#include <llvm/ADT/Triple.h>
#else
#include <llvm/TargetParser/Triple.h>
#endif
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace simt::pass {

/// The type of a pointer to bytes.
inline llvm::PointerType* bytes_type(llvm::LLVMContext& context) {
#if LLVM_VERSION_MAJOR < 15
  return llvm::Type::getInt8PtrTy(context);
#else
  return llvm::PointerType::getUnqual(context);
#endif
}

inline unsigned trailing_zeros(std::uint64_t v) {  // of what is not 0
  return llvm::Log2_64(v & (~v + 1));
}

inline llvm::SROAPass sroa() {
#if LLVM_VERSION_MAJOR < 16
  return llvm::SROAPass();
#else
  return llvm::SROAPass(llvm::SROAOptions::ModifyCFG);
#endif
}

inline llvm::LICMPass licm() {
#if LLVM_VERSION_MAJOR < 15
  return llvm::LICMPass();
#else
  return llvm::LICMPass(llvm::LICMOptions());
#endif
}

inline bool is_safe_to_expand(const llvm::SCEV* s, const llvm::Instruction* at,
                              llvm::ScalarEvolution& evolution) {
#if LLVM_VERSION_MAJOR < 16
  return llvm::isSafeToExpandAt(s, at, evolution);
#else
  return llvm::SCEVExpander(evolution, at->getModule()->getDataLayout(), "")
      .isSafeToExpandAt(s, at);
#endif
}

}  // namespace simt::pass
