// How exact sums on a device are shaped. A thread's bins take `bins * 8` bytes of shared memory.
// Found by `warpfold_bench_exact --sweep` on an H100.
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"

namespace warpfold::tuning {

template <unsigned Threads, unsigned Loads, unsigned Blocks>
struct exact_shape {
  static constexpr unsigned threads = Threads;
  static constexpr unsigned loads = Loads;  // of 16 bytes, in flight a thread
  static constexpr unsigned blocks_per_multiprocessor = Blocks;
  static constexpr unsigned most_adds = 1U << 31;  // to a bin before it is emptied; the bins' own
};

template <class T>
struct exact_small;  // up to at_most_bytes
template <class T>
struct exact_large;

template <>
struct exact_small<float> : exact_shape<256, 4, 4> {
  static constexpr std::size_t at_most_bytes = std::size_t{2} << 20;
};
template <>
struct exact_large<float> : exact_shape<512, 8, 1> {};
template <>
struct exact_small<double> : exact_shape<256, 8, 1> {
  static constexpr std::size_t at_most_bytes = std::size_t{512} << 10;
};
template <>
struct exact_large<double> : exact_shape<384, 8, 1> {};

/// Of dot products; loads of one value each.
template <class T>
struct exact_products;
template <>
struct exact_products<float> : exact_shape<384, 8, 1> {};
template <>
struct exact_products<double> : exact_shape<192, 8, 1> {};

/// Where a block has too little shared memory for these: as many threads as 48 KiB hold bins of,
/// which every device has.
template <unsigned Bins>
inline constexpr unsigned least_threads = (48U << 10) / (Bins * 8) / 32 * 32;
template <unsigned Bins>
struct exact_least : exact_shape<least_threads<Bins>, 8, (least_threads<Bins> <= 64 ? 4 : 1)> {
  static_assert(exact_least::threads > 0);
};

/// Blocks of one launch, at most: each hands over all its digits.
inline constexpr unsigned exact_blocks = 512;

}  // namespace warpfold::tuning
