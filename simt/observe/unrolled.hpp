// What a loop of one block executes once in four iterations, since the device compiler unrolls it:
// its own counting, comparing and branching, and the addresses that follow from its counters. Where
// the counters don't decide when it ends, the device compiler leaves it as it is.
#pragma once

#include <cstdint>

#include <llvm/ADT/ArrayRef.h>

#include "flow.hpp"

namespace simt::observe {

inline constexpr std::uint64_t iterations_unrolled = 4;

class unrolled_loop {
 public:
  unrolled_loop() = default;
  /// Of a block that is a loop by itself; without carried values there is none.
  explicit unrolled_loop(llvm::ArrayRef<flow::carried_value> carried) : is_loop_(!carried.empty()) {
    for (const auto& value : carried) {
      made_.insert(value.now);
      if (value.by_constant) counters_.insert(value.now);
    }
  }

  /// Takes the block's instructions one after another, each with the integer instructions it costs.
  void add(const llvm::Instruction& i, std::uint64_t integers) {
    if (!is_loop_) return;
    const bool is_own = follows_counters(i);
    if (is_own) own_ += integers;
    if (is_own) counters_.insert(&i);
    made_.insert(&i);
    counted_ |= is_own && llvm::isa<llvm::BranchInst>(i);
  }

  /// Whether the value is the same in all iterations.
  [[nodiscard]] bool is_invariant(const llvm::Value* v) const {
    return is_loop_ && !llvm::isa<llvm::Constant>(v) && !made_.contains(v);
  }
  /// So many of the integer instructions that were added are left out in an iteration.
  [[nodiscard]] std::uint64_t saved() const {
    return counted_ ? own_ - (own_ + iterations_unrolled - 1) / iterations_unrolled : 0;
  }

 private:
  /// A linear function of the counters, by constants: what is a constant in each unrolled
  /// iteration.
  [[nodiscard]] bool follows_counters(const llvm::Instruction& i) const {
    using op = llvm::Instruction;
    if (!is(i, op::Add, op::Sub, op::Shl, op::ZExt, op::SExt, op::Trunc, op::GetElementPtr,
            op::BitCast, op::ICmp, op::Br))
      return false;
    bool some = false, all = true;
    for_each_value(i, [&](const llvm::Value* v) {
      const bool counts = counters_.contains(v);
      some |= counts;
      all &= counts || !made_.contains(v);
    });
    return some && all;
  }

  bool is_loop_ = false, counted_ = false;
  std::uint64_t own_ = 0;
  value_set counters_, made_;
};

}  // namespace simt::observe
