// What a loop of one block executes once in four iterations, since the device compiler unrolls it:
// its own counting, comparing and branching, and the addresses that follow from its counters. Where
// the counters don't decide when it ends, the device compiler leaves it as it is.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>

#include "flow.hpp"
#include "instruction.hpp"

namespace simt::source_step {

inline constexpr std::uint64_t iterations_unrolled = 4;

class unrolled_loop {
 public:
  unrolled_loop() = default;
  /// Of a block that is a loop by itself; without carried values there is none.
  explicit unrolled_loop(std::span<const flow::carried_value> carried)
      : is_loop_(!carried.empty()) {
    for (const auto& value : carried) {
      made_.insert(value.now);
      if (value.by_constant) counters_.insert(value.now);
    }
  }

  /// Takes the block's instructions one after another, each with the integer instructions it costs.
  void add(const instruction& i, std::uint64_t integers) {
    if (!is_loop_) return;
    const bool is_own = follows_counters(i);
    if (is_own) own_ += integers;
    if (is_own && !i.to.empty()) counters_.insert(i.to);
    if (!i.to.empty()) made_.insert(i.to);
    counted_ |= is_own && i.opcode == "br";
  }

  /// Whether the value is the same in all iterations.
  [[nodiscard]] bool is_invariant(std::string_view name) const {
    return is_loop_ && name.starts_with("%") && made_.count(name) == 0;
  }
  /// So many of the integer instructions that were added are left out in an iteration.
  [[nodiscard]] std::uint64_t saved() const {
    return counted_ ? own_ - (own_ + iterations_unrolled - 1) / iterations_unrolled : 0;
  }

 private:
  /// A linear function of the counters, by constants: what is a constant in each unrolled
  /// iteration.
  [[nodiscard]] bool follows_counters(const instruction& i) const {
    if (!i.is({"add", "sub", "shl", "zext", "sext", "trunc", "getelementptr", "bitcast", "icmp",
               "br"}))
      return false;
    bool some = false, all = true;
    const std::string_view text = i.rest;
    for (auto at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
      const std::string_view name = name_from(text, at);
      const bool counts = counters_.count(name) != 0;
      some |= counts;
      all &= counts || made_.count(name) == 0;
    }
    return some && all;
  }

  bool is_loop_ = false, counted_ = false;
  std::uint64_t own_ = 0;
  std::unordered_set<std::string_view> counters_, made_;
};

}  // namespace simt::source_step
