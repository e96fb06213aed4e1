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
  static constexpr std::size_t at_most_bytes = std::size_t{512} << 10;
};
struct scan_middle : scan_shape<256, 3, 7, 3, 2> {
  static constexpr std::size_t at_most_bytes = std::size_t{8} << 20;
};
struct scan_large : scan_shape<512, 3, 4, 2, 2> {};

/// Where there is no copy engine for the job: several blocks hide each other's loads.
struct scan_plain : scan_shape<256, 3, 3, 1, 4> {};

/// For values of more than 16 bytes.
template <std::size_t Bytes>
using scan_bulky = scan_shape<128, static_cast<unsigned>((Bytes + 15) / 16 | 1), 3, 1, 1>;

}  // namespace warpfold::tuning
