// What a block's code knows of its block: read once, before its threads begin.
#pragma once

#include <array>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace simt::pass {

using three = std::array<llvm::Value*, 3>;

/// A thread within its block.
struct thread_values {
  three index;
  llvm::Value* linear;
  llvm::Value* lane = nullptr;  // or what follows from `linear`
};

class block_context {
 public:
  /// Moves allocations to the entry of `f` and what else is there into a block of its own, the
  /// thread's first.
  explicit block_context(llvm::Function& f);

  llvm::BasicBlock* thread = nullptr;
  three size{};
  llvm::Value* state = nullptr;  // a running_block

  [[nodiscard]] llvm::Value* threads(llvm::IRBuilder<>& b) const;
  /// The lanes that a warp begins with, by the number of its first thread.
  llvm::Value* lanes_of(llvm::IRBuilder<>& b, llvm::Value* first) const;
  /// Replaces a call of the machine's by what is known.
  void answer(llvm::CallInst& call, const thread_values& at);
  llvm::Value* field(llvm::IRBuilder<>& b, std::uint64_t offset, llvm::Type* type);
  /// Where more of it can be read.
  [[nodiscard]] llvm::Instruction* end() const { return f_.getEntryBlock().getTerminator(); }

 private:
  llvm::Value* word(llvm::IRBuilder<>& b, std::uint64_t offset, unsigned least);

  llvm::Function& f_;
  three index_{}, grid_{};
};

}  // namespace simt::pass
