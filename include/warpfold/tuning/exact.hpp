// How exact sums on a device are shaped. A thread's bins take `bins * 8` bytes of shared memory.
#pragma once

#include <cstddef>

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
struct exact_small<float> : exact_shape<128, 4, 4> {
  static constexpr std::size_t at_most_bytes = std::size_t{1} << 20;
};
template <>
struct exact_large<float> : exact_shape<512, 4, 3> {};
template <>
struct exact_small<double> : exact_shape<128, 4, 3> {
  static constexpr std::size_t at_most_bytes = std::size_t{1} << 20;
};
template <>
struct exact_large<double> : exact_shape<416, 8, 1> {};

/// Blocks of one launch, at most: each hands over all its digits.
inline constexpr unsigned exact_blocks = 1024;

}  // namespace warpfold::tuning
