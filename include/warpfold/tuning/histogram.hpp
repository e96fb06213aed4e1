// How histograms are shaped.
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"

namespace warpfold::tuning {

/// A thread has `Loads` of 16 bytes in flight; `Runs`: while all values of a load are in one bin,
/// it adds them in a register.
template <unsigned Threads, unsigned Loads, unsigned Blocks, bool Runs>
struct histogram_shape {
  static constexpr unsigned threads = Threads;
  static constexpr unsigned loads = Loads;
  static constexpr unsigned blocks_per_multiprocessor = Blocks;
  static constexpr bool runs = Runs;
};

/// With counts of 4 bytes in shared memory. More threads have too few registers for their loads
/// (2^28 values in 256 bins: 245 us, with 1024 threads 248, with 2048 570).
using histogram_few = histogram_shape<512, 4, 2, false>;
/// Of values of one byte: a load has 16 of them.
using histogram_bytes = histogram_shape<512, 2, 3, false>;
/// For more bins: one block a multiprocessor, so that it has all of the shared memory.
using histogram_many = histogram_shape<1024, 4, 1, false>;
/// With counts of 2 bytes there: each addition waits for what it finds.
using histogram_halved = histogram_shape<1024, 4, 1, true>;
/// With all counts in global memory.
using histogram_most = histogram_shape<512, 4, 2, true>;

/// Of exact sums.
using histogram_sums = histogram_shape<512, 2, 1, false>;

/// A block that counts in shared memory has as many bins at most for each of its values.
inline constexpr std::size_t histogram_bins_per_value = 2;
/// Values that one block counts alone, at most: of few threads, and of many.
inline constexpr std::size_t histogram_short = 4096, histogram_one_block = 16'384;
/// As long as there are no more bins.
inline constexpr unsigned histogram_bins_alone = 8192;

}  // namespace warpfold::tuning
