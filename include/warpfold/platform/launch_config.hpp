// What a launch is given, on either machine; and what two of their wrappers exchange. Included by
// the machines' parts of platform.hpp, which name WARPFOLD_MACHINE and stream_type before.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpfold::inline WARPFOLD_MACHINE::detail {

/// Two words that one relaxed store writes and one relaxed load reads. Each is seen as a whole, the
/// pair need not be.
struct alignas(16) word_pair {
  std::uint64_t first, second;
};

struct launch_config {
  unsigned grid = 1;
  unsigned block = 1;
  std::size_t shared_bytes = 0;  // dynamic
  unsigned cluster = 1;          // blocks per cluster; more than one needs compute capability 9.0
  stream_type stream = nullptr;
  /// Blocks may start while what is before them in the stream still runs (9.0); the kernel calls
  /// wait_for_primary before it touches memory.
  bool programmatic_launch = false;
  /// Of a multiprocessor's memory that is shared or a cache, how much is shared, about; 0: as the
  /// driver chooses. It waits for all blocks there before it changes that.
  unsigned shared_percent = 0;
};

/// What the library asks of a device.
struct device_properties {
  unsigned multiprocessors;       // that grids are made for: on the CPU machine, few
  unsigned card_multiprocessors;  // that there are
  unsigned capability;            // 90 for 9.0
  unsigned shared_bytes;          // of a block, at most: what a kernel may ask for
};

}  // namespace warpfold::inline WARPFOLD_MACHINE::detail
