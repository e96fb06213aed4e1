// What one instruction costs a device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "costs.hpp"
#include "instruction.hpp"
#include "unrolled.hpp"

namespace simt::source_step {

/// What one instruction costs, and by how many additions the next one waits for it.
struct cost {
  instruction_counts counts;
  std::uint64_t latency = 0;
};

/// Of an address: where an index is no constant, one instruction adds it to the base.
cost of_address(const instruction& i);

/// The costs of a function's instructions, with what devices compute together: a root's reciprocal
/// is one instruction of theirs, and a remainder is left by the division of the same values in its
/// block.
class function_costs {
 public:
  explicit function_costs(std::string_view body);

  void begin_block() { divided_.clear(); }
  /// `loop`: the loop that the instruction's block is.
  cost of(const instruction& i, const unrolled_loop& loop);

 private:
  std::unordered_set<std::string_view> inverted_, roots_;  // values
  std::unordered_set<std::string> divided_;
};

}  // namespace simt::source_step
