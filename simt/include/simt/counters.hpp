// What the CPU machine counts, exactly, over the whole grid of a launch.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace simt {

/// The counters that `named` lists under an ncu metric equal what ncu reads on an H100, as far as
/// addresses decide: under load, shared accesses there also conflict with other traffic of the L1.
/// Those that start with `simt__` have no equal on a device, or not a single one.
struct counters {
  struct memory {
    std::uint64_t requests = 0;    // warp-wide instructions
    std::uint64_t sectors = 0;     // global: of 32 bytes
    std::uint64_t bytes = 0;       // global: different bytes within each request
    std::uint64_t wavefronts = 0;  // shared loads and stores: passes over the banks
    std::uint64_t conflicts = 0;   // shared: passes beyond the fewest for an access of this width

    /// Global: percent of the sectors' bytes that somebody asked for.
    [[nodiscard]] double efficiency() const;
  };
  memory global_load, global_store, shared_load, shared_store;
  memory remote_shared;  // of another block in the cluster: loads, stores and atomics
  /// Sectors as ncu counts them for `red` and `atom` together. The device compiler may sum a warp
  /// first where it sees that all lanes add to one address; here each lane counts.
  memory global_atomic;
  /// Conflicts as for the device's own instructions on 4 bytes; floating-point and 8-byte atomics
  /// are loops there.
  memory shared_atomic;
  std::uint64_t bulk_bytes = 0;  // moved by asynchronous bulk copies
  std::uint64_t barriers = 0;    // block-wide barriers completed
  std::uint64_t branches = 0;    // warp-wide decisions at branches that go both ways in this launch
  std::uint64_t divergent_branches = 0;  // those at which the lanes of one warp parted
  std::uint64_t warp_steps = 0;          // basic blocks entered, once per warp
  std::uint64_t lane_steps = 0;          // basic blocks entered, once per lane
  std::uint64_t warps = 0;
  std::uint64_t launches = 0;
  std::uint64_t operator_applications = 0;  // that the kernel noted; 0 where it does not

  counters& operator+=(const counters& other);

  /// Of loads and stores.
  [[nodiscard]] std::uint64_t shared_bank_conflicts() const {
    return shared_load.conflicts + shared_store.conflicts;
  }

  /// Every counter under its public name, derived ratios included.
  [[nodiscard]] std::vector<std::pair<std::string_view, double>> named() const;
};

}  // namespace simt
