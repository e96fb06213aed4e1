// What is the same for all threads of a block.
#pragma once

#include <cstdint>

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>

namespace simt::pass {

inline constexpr std::uint64_t cache_line = 64;

/// Whether it reads a parameter, which nobody changes.
bool loads_parameter(const llvm::Instruction& i);

/// Whether threads that read one word may find other values there.
enum class words : std::uint8_t { may_change, stay };

class uniformity {
 public:
  uniformity(llvm::Function& f, const llvm::LoopInfo& loops, const llvm::PostDominatorTree& after,
             words loaded = words::may_change);

  /// All threads that come there at the same time have the same value.
  [[nodiscard]] bool is_uniform(const llvm::Value& v) const { return !varying_.contains(&v); }
  /// All threads come there, or none.
  [[nodiscard]] bool is_joint(const llvm::BasicBlock& b) const { return !parted_.contains(&b); }

 private:
  void vary(llvm::Instruction& i);
  void part_at(llvm::Instruction& branch, const llvm::LoopInfo& loops,
               const llvm::PostDominatorTree& after);

  words loaded_;
  llvm::DenseSet<const llvm::Value*> varying_;
  llvm::DenseSet<const llvm::BasicBlock*> parted_;
  llvm::SmallVector<llvm::Instruction*, 64> work_;
};

}  // namespace simt::pass
