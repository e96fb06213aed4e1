// Operations of a warp's lanes as cuts: each brings what it has, and takes what it gets when all
// have come.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "cuts.hpp"

namespace simt::pass {

/// Whether it is the name of an operation that lanes of a warp meet in.
bool is_meeting(llvm::StringRef name);

class meetings {
 public:
  /// Of `kernel`, which calls `calls`.
  meetings(llvm::Function& f, cut_kernel& kernel, llvm::ArrayRef<llvm::CallInst*> calls);

  void cut_at(llvm::CallInst& call);
  /// Whether an array of each lane's that takes all values is no more needed: they are read where
  /// they are. When all cuts have been made.
  bool takes(llvm::AllocaInst& array);

 private:
  struct gathering {
    llvm::AllocaInst* to;
    llvm::BasicBlock* at;
    llvm::Value* came;
    llvm::Instruction* copy;
  };

  const gathering* folded_by(const llvm::CallInst& call, const llvm::AllocaInst& array) const;
  void fold_once(llvm::CallInst& call, const gathering& g);
  llvm::Value* narrow(llvm::Value* v, llvm::IRBuilder<>& b) const;

  llvm::Function& f_;
  cut_kernel& kernel_;
  llvm::SmallVector<gathering, 4> gatherings_;
};

}  // namespace simt::pass
