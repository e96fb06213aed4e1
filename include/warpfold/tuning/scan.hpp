// How scans are shaped, by the bytes they read. Found by `./dev bench scan --sweep` on an H100.
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"

namespace warpfold::tuning {

/// A block keeps `Stages` tiles in shared memory: one being reduced, `LookbackDistance` waiting for
/// what lies before them, one being stored, the rest on their way in.
template <unsigned Threads, unsigned Loads, unsigned Stages, unsigned LookbackDistance,
          unsigned Blocks, unsigned Totals = 4>
struct scan_shape {
  static constexpr unsigned threads = Threads;  // that scan; one warp more fetches and looks back
  static constexpr unsigned loads = Loads;  // of 16 bytes a thread; odd, so no bank is hit twice
  static constexpr unsigned stages = Stages;
  static constexpr unsigned lookback_distance = LookbackDistance;
  static constexpr unsigned blocks_per_multiprocessor = Blocks;
  static constexpr unsigned totals_per_lane =
      Totals;  // asked for at once, to know what lies before
  static constexpr unsigned tile_bytes = Threads * Loads * 16;
};

/// A block for each tile, all of them at once; no more tiles than threads.
template <unsigned Threads, unsigned Loads, unsigned Blocks>
struct single_wave_shape {
  static constexpr unsigned threads = Threads;
  static constexpr unsigned loads = Loads;  // of 16 bytes a thread, as far as registers go
  static constexpr unsigned blocks_per_multiprocessor = Blocks;
};

/// For values of these many bytes: in one wave of small tiles, or of wide ones; up to
/// `middle_bytes` of input; and more. `plain` where there is no copy engine for the job, and
/// several blocks hide each other's loads.
template <std::size_t ValueBytes>
struct scan_shapes {
  using small_wave = single_wave_shape<512, 2, 4>;
  using wide_wave = single_wave_shape<512, 8, 2>;
  using middle = scan_shape<256, 3, 4, 2, 4>;
  static constexpr std::size_t middle_bytes = std::size_t{64} << 20;
  using large = scan_shape<512, 3, 4, 2, 2>;
  using plain = scan_shape<256, 3, 3, 1, 4>;
};
/// A thread's values must fit its registers, and small values fill as many as large ones.
template <>
struct scan_shapes<1> : scan_shapes<4> {
  using small_wave = single_wave_shape<512, 2, 2>;
  using wide_wave = small_wave;
  using middle = scan_shape<512, 1, 6, 3, 2>;
  using large = scan_shape<384, 3, 8, 4, 1>;
  using plain = scan_shape<256, 1, 3, 1, 4>;
};
template <>
struct scan_shapes<2> : scan_shapes<4> {
  using small_wave = single_wave_shape<512, 2, 3>;
  using middle = scan_shape<384, 3, 5, 2, 2>;
  using large = scan_shape<384, 3, 5, 2, 2>;
  using plain = scan_shape<256, 3, 3, 1, 3>;
};
/// With four blocks of these their registers would spill.
template <>
struct scan_shapes<8> : scan_shapes<4> {
  using plain = scan_shape<256, 3, 3, 1, 3>;
};

/// For values of more than 16 bytes: as many threads as have their stages and prefixes in 60 KiB, a
/// warp at least; and more blocks of fewer.
template <std::size_t Bytes>
inline constexpr unsigned bulky_loads = (Bytes + 15) / 16 | 1;
template <std::size_t Bytes>
inline constexpr unsigned bulky_threads = [] {
  constexpr std::size_t per_thread = bulky_loads<Bytes> * 16 * 3 + 2 * Bytes;
  unsigned threads = 128;
  while (threads > 32 && threads * per_thread > std::size_t{60} << 10) threads /= 2;
  return threads;
}();
template <std::size_t Bytes>
using scan_bulky =
    scan_shape<bulky_threads<Bytes>, bulky_loads<Bytes>, 3, 1, 128 / bulky_threads<Bytes>>;

}  // namespace warpfold::tuning
