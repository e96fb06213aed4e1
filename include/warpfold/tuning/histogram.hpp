// How histograms are shaped.
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"

namespace warpfold::tuning {

/// A thread has `Loads` of 16 bytes in flight; `Runs`: it adds equal values that come one after
/// another in a register.
template <unsigned Threads, unsigned Loads, unsigned Blocks, bool Runs>
struct histogram_shape {
  static constexpr unsigned threads = Threads;
  static constexpr unsigned loads = Loads;
  static constexpr unsigned blocks_per_multiprocessor = Blocks;
  static constexpr bool runs = Runs;
};

/// With the counts of a block in its shared memory, as long as they are few.
using histogram_few = histogram_shape<512, 4, 2, false>;
/// They fit in it so many times.
inline constexpr unsigned histogram_few_copies = 4;
/// The same for more bins: one block a multiprocessor, so that it has all of the shared memory.
using histogram_many = histogram_shape<1024, 4, 1, true>;
/// With all counts in global memory.
using histogram_most = histogram_shape<512, 4, 3, true>;

/// A block that counts in shared memory has as many bins at most for each of its values.
inline constexpr std::size_t histogram_bins_per_value = 2;
/// Values that one block counts alone, at most.
inline constexpr std::size_t histogram_one_block = 4096;

}  // namespace warpfold::tuning
