// The memory of the onesweep rung, and the launches before its passes: one clears it, one counts
// the digits of all passes in one read of the keys, one turns the counts into first places.
//
//   a ticket a pass | first places, 257 words a pass | 256 status words a tile | items
#pragma once

#include "ladder/sort/digits.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

inline constexpr unsigned byte_digits = 256;

/// Of shared memory, for a thread's items. A warp's counts of the digits fit in as well.
inline constexpr std::size_t onesweep_bytes_each = 64;
__host__ __device__ constexpr unsigned onesweep_items(std::size_t item_bytes) {
  return static_cast<unsigned>(onesweep_bytes_each / item_bytes);
}

struct onesweep_memory {
  unsigned* tickets;
  unsigned tiles;

  static constexpr unsigned most_passes = 8, row = byte_digits + 1;
  static constexpr std::size_t ticket_words = most_passes * sizeof(unsigned) / 8;
  static __host__ __device__ constexpr std::size_t words(std::size_t tiles) {
    return ticket_words + most_passes * row + tiles * byte_digits;
  }
  static constexpr std::size_t bytes(std::size_t tiles) { return 8 * words(tiles); }

  [[nodiscard]] __host__ __device__ std::uint64_t* first(unsigned pass, unsigned digit) const {
    return reinterpret_cast<std::uint64_t*>(tickets) + ticket_words + pass * row + digit;
  }
  [[nodiscard]] __host__ __device__ std::uint64_t* status(unsigned tile, unsigned digit) const {
    return first(most_passes, 0) + std::size_t{tile} * byte_digits + digit;
  }
  [[nodiscard]] __host__ __device__ std::uint64_t* end() const { return status(tiles, 0); }

  __device__ __forceinline__ void publish(unsigned tile, unsigned digit, std::uint64_t items,
                                          unsigned state) const {
    store_relaxed(status(tile, digit), items * 256 + state);
  }

  /// Readies all that the passes read, with three launches.
  template <class Less, class Pass>
  void count(const Pass& p, unsigned most_blocks) const;
};

template <class Less>
__global__ void onesweep_clear_kernel(onesweep_memory memory) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  auto* const words = reinterpret_cast<std::uint64_t*>(memory.tickets);
  if (i < onesweep_memory::words(memory.tiles)) words[i] = 0;
}

template <class K>
struct digit_counts {
  unsigned of[sizeof(K)][byte_digits];
};

template <class K, class Less>
__global__ void onesweep_count_kernel(const K* keys, std::size_t n, onesweep_memory memory) {
  auto& counts = shared_storage<digit_counts<K>>();
  constexpr unsigned all = sizeof(K) * byte_digits;
  for (unsigned i = threadIdx.x; i < all; i += blockDim.x) {
    counts.of[i / byte_digits][i % byte_digits] = 0;
  }
  __syncthreads();
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const K key = keys[i];
#pragma unroll
    for (unsigned pass = 0; pass < sizeof(K); ++pass) {
      atomicAdd(&counts.of[pass][digit_of<Less, 8>(key, 8 * pass)], 1U);
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < all; i += blockDim.x) {
    const unsigned pass = i / byte_digits, digit = i % byte_digits;
    atomicAdd(reinterpret_cast<unsigned long long*>(memory.first(pass, digit)),
              static_cast<unsigned long long>(counts.of[pass][digit]));
  }
}

template <class Less, class Pass>
void onesweep_memory::count(const Pass& p, unsigned most_blocks) const {
  using key = std::remove_reference_t<decltype(*p.in.keys)>;
  constexpr unsigned block = 256;
  launch({.grid = tiles_of(words(tiles), block), .block = block, .stream = p.stream},
         onesweep_clear_kernel<Less>, *this);
  launch({.grid = std::min(most_blocks, tiles_of(p.n, p.shape.block)),
          .block = p.shape.block,
          .stream = p.stream},
         onesweep_count_kernel<key, Less>, p.in.keys, p.n, *this);
  scan_rows<Less>(first(0, 0), sizeof(key), byte_digits, p.stream);
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
