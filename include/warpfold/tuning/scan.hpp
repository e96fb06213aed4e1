// How scans are shaped, by the bytes they read. Found by `./dev bench tune` on an H100.
#pragma once

#include <cstddef>

namespace warpfold::tuning {

/// A block keeps `Stages` tiles in shared memory: one being folded, `Delay` waiting for what lies
/// before them, one being stored, the rest on their way in.
template <unsigned Threads, unsigned Loads, unsigned Stages, unsigned Delay, unsigned Blocks>
struct scan_shape {
  static constexpr unsigned threads = Threads;  // that scan; one warp more fetches and looks back
  static constexpr unsigned loads = Loads;      // of 16 bytes a thread; odd, so no bank is hit twice
  static constexpr unsigned stages = Stages;
  static constexpr unsigned delay = Delay;
  static constexpr unsigned blocks_per_multiprocessor = Blocks;
  static constexpr unsigned tile_bytes = Threads * Loads * 16;
};

struct scan_small : scan_shape<256, 1, 3, 1, 2> {
  static constexpr std::size_t at_most_bytes = std::size_t{256} << 10;
};
struct scan_middle : scan_shape<256, 3, 4, 2, 4> {
  static constexpr std::size_t at_most_bytes = std::size_t{4} << 20;
};
struct scan_large : scan_shape<512, 3, 4, 2, 2> {};

}  // namespace warpfold::tuning
