// What one instruction costs a device.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "simt/abi/block_costs.hpp"
#include "unrolled.hpp"

namespace simt::observe {

/// What one instruction costs, and by how many additions the next one waits for it.
struct cost {
  instruction_counts counts;
  std::uint64_t latency = 0;
};

/// Of an address: where an index is no constant, one instruction adds it to the base.
cost of_address(const llvm::GetElementPtrInst& i);

/// The costs of a function's instructions, with what devices compute together: a root's reciprocal
/// is one instruction of theirs, a remainder is left by the division of the same values in its
/// block, which lane a shuffle takes its value from is the shuffle's to reckon, and addresses that
/// are a constant apart are one.
class function_costs {
 public:
  explicit function_costs(const llvm::Function& f);

  void begin_block() { divided_.clear(); }
  /// `loop`: the loop that the instruction's block is.
  cost of(const llvm::Instruction& i, const unrolled_loop& loop);

 private:
  using key = std::vector<const void*>;

  void find_free(const llvm::Function& f);
  [[nodiscard]] bool points_to_shared(const llvm::Instruction& i) const;
  [[nodiscard]] cost of_next_address(const llvm::GetElementPtrInst& i);

  value_set inverted_, roots_;
  value_set free_;    // that shuffles or addresses alone need
  value_set shared_;  // pointers to shared memory
  std::set<key> divided_, addressed_;
};

}  // namespace simt::observe
