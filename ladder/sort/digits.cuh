// Shared by the radix rungs: the bits that keys are sorted by, the stable split of a tile, and the
// scan of a count over all tiles. A split keeps the order of items with the same bit.
#pragma once

#include "ladder/sort/launching.cuh"
#include "warpfold/block/scan.cuh"
#include "warpfold/order.hpp"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

template <class Less>
inline constexpr bool is_descending = false;
template <class Rung>
inline constexpr bool is_descending<counting_order<descending, Rung>> = true;

/// `Bits` bits of a key, from bit `shift` on: of an unsigned number that grows with the key, or
/// falls where the order is descending.
template <class Less, unsigned Bits, class K>
__device__ __forceinline__ unsigned digit_of(K key, unsigned shift) {
  const auto rank = rank_of(key);
  const auto bits = is_descending<Less> ? ~rank : rank;
  return static_cast<unsigned>(bits >> shift) & ((1U << Bits) - 1);
}

template <class K>
inline constexpr unsigned bits_of_key = 8 * sizeof(K);

/// A tile of four items a thread, split by one bit of each. All threads of the block must make one.
struct tile_split {
  static constexpr unsigned items = 4;
  unsigned zeros_before[items];  // items of the tile before the thread's own that have bit 0
  unsigned zeros;                // in the tile

  /// A warp has 128 items in a row; a lane's own are 32 apart.
  static __device__ __forceinline__ unsigned index(unsigned k) {
    return (threadIdx.x / warp_size * items + k) * warp_size + threadIdx.x % warp_size;
  }

  __device__ __forceinline__ explicit tile_split(const bool (&bit)[items]) {
    const unsigned lane = threadIdx.x % warp_size;
    unsigned in_warp = 0;
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      const unsigned lanes = __ballot_sync(all_lanes, !bit[k]);
      zeros_before[k] = in_warp + static_cast<unsigned>(__popc(lanes & ((1U << lane) - 1)));
      in_warp += static_cast<unsigned>(__popc(lanes));
    }
    const auto warps = block_scan(lane == 0 ? in_warp : 0U, plus{});
#pragma unroll
    for (unsigned k = 0; k < items; ++k) zeros_before[k] += warps.inclusive - in_warp;
    zeros = warps.total;
  }

  /// Where item k goes: zeros first.
  [[nodiscard]] __device__ __forceinline__ unsigned place(unsigned k, bool bit) const {
    return bit ? zeros + index(k) - zeros_before[k] : zeros_before[k];
  }
};

/// Each block replaces a row of `length` counts by their exclusive sums; the row's last word, which
/// is one more, becomes the sum of all. Less stands in the kernel's name, as in all others.
template <class Less>
__global__ void scan_rows_kernel(std::uint64_t* rows, std::size_t length) {
  std::uint64_t* const row = rows + blockIdx.x * (length + 1);
  std::uint64_t before = 0;
  for (std::size_t from = 0; from <= length; from += blockDim.x) {
    const std::size_t i = from + threadIdx.x;
    const auto scan = block_scan(i < length ? row[i] : std::uint64_t{0}, plus{});
    if (i <= length) row[i] = before + scan.exclusive;
    before += scan.total;
    __syncthreads();
  }
}

template <class Less>
void scan_rows(std::uint64_t* rows, unsigned count, std::size_t length, stream_type stream) {
  const auto block = std::clamp<std::size_t>(std::bit_ceil(length + 1), warp_size, 1024);
  launch({.grid = count, .block = static_cast<unsigned>(block), .stream = stream},
         scan_rows_kernel<Less>, rows, length);
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
