// Where a block's threads add: to counters in shared memory, or to the result itself. All are
// integers, so that no order of the additions shows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/histogram/bins.hpp"
#include "warpfold/platform.hpp"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Adds to global memory, as integers wrap.
template <class Count, class W>
__device__ __forceinline__ void add_to(Count* count, W weight) {
  if constexpr (sizeof(Count) == 4) {
    atomicAdd(reinterpret_cast<unsigned*>(count), static_cast<unsigned>(weight));
  } else {
    atomicAdd(reinterpret_cast<unsigned long long*>(count),
              static_cast<unsigned long long>(weight));
  }
}

/// Counters of 4 bytes in shared memory. (Copies for each lane gain nothing on an H200: it adds
/// ones to one address as fast as to 32.)
struct shared_counters {
  unsigned bins;

  static constexpr bool is_shared = true;
  [[nodiscard]] __host__ __device__ std::size_t words() const { return bins; }
  [[nodiscard]] __host__ __device__ unsigned entries() const { return bins; }
  template <class Count, class W>
  __device__ __forceinline__ void add(Count*, unsigned bin, W weight) const {
    atomicAdd(dynamic_shared<unsigned>() + bin, static_cast<unsigned>(weight));
  }
  /// What the block has counted.
  [[nodiscard]] __device__ __forceinline__ unsigned count_of(unsigned bin) const {
    return dynamic_shared<unsigned>()[bin];
  }
};

/// Counters of 2 bytes, two in a word. A counter that reaches `full` gives 2^14 to the result.
///
/// An addition that finds a full counter is taken back and made to the result. At any time, each of
/// 1024 threads has added at most 2^4 that it may yet take back: 2^14 together. So a counter stays
/// below full + 2^14, and when 2^14 are taken from a full one it doesn't fall below 0.
struct halved_counters {
  unsigned bins;

  static constexpr bool is_shared = true;
  static constexpr unsigned full = 1U << 15, part = 1U << 14, most_at_once = 1U << 4;
  [[nodiscard]] __host__ __device__ std::size_t words() const { return bins / 2 + 1; }
  [[nodiscard]] __host__ __device__ unsigned entries() const { return bins; }
  template <class Count, class W>
  __device__ __forceinline__ void add(Count* counts, unsigned bin, W weight) const {
    if (weight > most_at_once) return add_to(counts + bin, weight);
    const unsigned shift = bin % 2 * 16;
    unsigned* const word = dynamic_shared<unsigned>() + bin / 2;
    const unsigned was = atomicAdd(word, weight << shift) >> shift & 0xffff;
    if (was + weight < full) return;
    const unsigned excess = was < full ? part : weight;
    atomicAdd(word, 0U - (excess << shift));
    add_to(counts + bin, excess);
  }
  [[nodiscard]] __device__ __forceinline__ unsigned count_of(unsigned bin) const {
    return dynamic_shared<unsigned>()[bin / 2] >> bin % 2 * 16 & 0xffff;
  }
};

/// Counters of all values of one byte. What bins they are in shows when all are counted.
template <class T, class Samples>
struct byte_counters {
  Samples samples;
  unsigned bins;

  static constexpr bool is_shared = true;
  [[nodiscard]] __host__ __device__ std::size_t words() const { return 256; }
  [[nodiscard]] __host__ __device__ unsigned entries() const { return bins; }
  template <class Count>
  __device__ __forceinline__ void add(Count*, unsigned byte, unsigned weight) const {
    atomicAdd(dynamic_shared<unsigned>() + byte, weight);
  }
  template <class Count>
  __device__ __forceinline__ void merge(Count* counts) const {
    for (unsigned byte = threadIdx.x; byte < 256; byte += blockDim.x) {
      const unsigned count = dynamic_shared<unsigned>()[byte],
                     bin = samples(static_cast<T>(byte), 0);
      if (count != 0 && bin != no_bin) add_to(counts + bin, count);
    }
  }
};

/// None: the result is added to at once.
struct global_counters {
  unsigned bins;

  static constexpr bool is_shared = false;
  [[nodiscard]] __host__ __device__ std::size_t words() const { return 0; }
  [[nodiscard]] __host__ __device__ unsigned entries() const { return bins; }
  template <class Count, class W>
  __device__ __forceinline__ void add(Count* counts, unsigned bin, W weight) const {
    add_to(counts + bin, weight);
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
