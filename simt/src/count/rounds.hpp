// How long one thing after another takes that the lanes of a warp do: loads that are under way
// together are one round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simt/source_step/costs.hpp"
#include "simt/src/count/loop_iterations.hpp"
#include "simt/src/count/traffic.hpp"

namespace simt::detail {

/// What comes one after another: additions; loads of global memory; loads of the multiprocessor's
/// own, shared memory or its cache.
struct critical_path {
  std::uint64_t chain = 0, global = 0, shared = 0;

  critical_path& operator+=(const critical_path& o);
  /// Roughly, in cycles: to tell which of two takes longer.
  [[nodiscard]] std::uint64_t length() const { return 5 * chain + 30 * shared + 600 * global; }
};

/// Of what one lane did between two points where its warp met. Loads are under way together from
/// block to block, and in four iterations of a loop, since the device compiler unrolls so much;
/// until something is stored, or an address or the way itself waits for what was loaded
/// (source_step/flow.hpp).
critical_path path_through(const lane_path& p, std::span<const instruction_counts> costs,
                           const traffic& caches);

/// The way through a block: between two barriers that of the warp that takes longest.
class block_path {
 public:
  void add(std::size_t warp, const critical_path& p);
  void barrier();
  [[nodiscard]] const critical_path& sum() const { return sum_; }

 private:
  critical_path sum_;
  std::vector<critical_path> warps_;  // since the last barrier
};

}  // namespace simt::detail
