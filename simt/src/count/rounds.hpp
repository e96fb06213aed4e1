// How long one thing after another takes that the lanes of a warp do: loads that are under way
// together are one round.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "simt/abi/block_costs.hpp"
#include "simt/src/count/loop_iterations.hpp"
#include "simt/src/count/traffic.hpp"

namespace simt::detail {

/// The sectors that one way has come by, the latest of them.
class recent_sectors {
 public:
  void forget() { ++way_; }
  /// Whether it comes there for the first time.
  bool is_new(std::uint64_t address) {
    entry& e = entries_[(address >> 5) % entries_.size()];
    const entry now{address >> 5, way_};
    const bool known = e.sector == now.sector && e.way == now.way;
    e = now;
    return !known;
  }

 private:
  struct entry {
    std::uint64_t sector = 0, way = 0;
  };
  std::array<entry, 64> entries_{};
  std::uint64_t way_ = 0;
};

/// Of what one lane did between two points where its warp met. Loads are under way together from
/// block to block, and in four iterations of a loop, since the device compiler unrolls so much;
/// until something is stored, or an address or the way itself waits for what was loaded
/// (source_step/flow.hpp).
critical_path path_through(const lane_path& p, std::span<const instruction_counts> costs,
                           const traffic& caches, recent_sectors& recent);

/// The way through a block: between two barriers that of the warp that takes longest.
class block_path {
 public:
  void add(std::size_t warp, const critical_path& p);
  void barrier();
  void cluster_barrier();
  /// The warps' last steps end here.
  void end();
  [[nodiscard]] const critical_path& sum() const { return sum_; }

 private:
  critical_path sum_;
  std::vector<critical_path> warps_;  // since the last barrier
};

}  // namespace simt::detail
