// What one instruction costs a device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
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
/// is one instruction of theirs, a remainder is left by the division of the same values in its
/// block, which lane a shuffle takes its value from is the shuffle's to reckon, and addresses that
/// are a constant apart are one.
class function_costs {
 public:
  explicit function_costs(std::string_view body);

  void begin_block() { divided_.clear(); }
  /// `loop`: the loop that the instruction's block is.
  cost of(const instruction& i, const unrolled_loop& loop);

 private:
  void find_free(std::string_view body);
  [[nodiscard]] bool is_of_words(std::string_view text) const;
  [[nodiscard]] bool points_to_shared(const instruction& i) const;
  [[nodiscard]] std::string_view without_offsets(std::string_view index) const;
  [[nodiscard]] cost of_next_address(const instruction& i);

  std::unordered_set<std::string_view> inverted_, roots_;  // values
  std::unordered_set<std::string_view> free_;              // that shuffles or addresses alone need
  std::unordered_set<std::string_view> words_;             // of 32 bits, in 64
  std::unordered_set<std::string_view> shared_;            // pointers to shared memory
  std::unordered_map<std::string_view, std::string_view> from_;  // a constant away, or widened
  std::unordered_set<std::string> divided_, addressed_;
};

}  // namespace simt::source_step
