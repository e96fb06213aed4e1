// The machine's functions as they appear in a kernel's code.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace simt::pass {

/// Of a function of simt::detail its name, of others "".
inline llvm::StringRef machine_name(const llvm::Function& f) {
  llvm::StringRef name = f.getName();
  unsigned length = 0;
  if (!name.consume_front("_ZN4simt6detail") || name.consumeInteger(10, length)) return "";
  return name.take_front(length);
}

inline llvm::Function* callee_of(const llvm::CallBase& call) {
  return llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
}

/// The machine's function that this call is of, or "".
inline llvm::StringRef machine_call(const llvm::CallBase& call) {
  const llvm::Function* const f = callee_of(call);
  return f != nullptr ? machine_name(*f) : "";
}

/// Whether all threads of a block wait there for each other.
inline bool is_block_barrier(llvm::StringRef name) {
  return name == "block_barrier" || name == "block_vote" || name == "grid_barrier";
}

}  // namespace simt::pass
