// A tile's rows, which lie in shared memory in the order of their digits, to global memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/sort/radix_plan.cuh"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Where shared memory has the row of a place. In sorted keys the digits of neighbours begin at
/// places that are a multiple of 32 words apart, so their rows would meet in one bank; here the
/// bank also depends on which 32 words they are in. Where keys are smaller, many share a bank
/// either way, and a random sort takes 4 % longer with this.
template <std::size_t Bytes>
__device__ __forceinline__ unsigned slot_of(unsigned place) {
  if constexpr (Bytes == 4 || Bytes == 8 || Bytes == 16) {
    constexpr unsigned in_row = 128 / Bytes;
    const unsigned row = place / in_row;
    return place ^ (row ^ row / 8) % in_row;
  }
  return place;
}

/// A row's key, and where it goes.
template <class Encoded>
struct radix_row {
  Encoded key;
  std::size_t index;
};

/// Threads side by side store rows side by side. `read` makes a row of its place; `store` takes
/// both, and how many lanes of the warp have a row to store: here, all that call.
template <unsigned Items, unsigned Threads, class Read, class Store>
__device__ __forceinline__ void store_by_rows(unsigned count, Read read, Store store) {
  if (count == Threads * Items) {
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) {
      const unsigned place = threadIdx.x + k * Threads;
      store(place, read(place), warp_size);
    }
  } else {
    for (unsigned i = threadIdx.x; i < count; i += Threads) store(i, read(i), warp_size);
  }
}

/// A warp stores its part of the tile from begin to end, by as many rows at a time as end with a
/// sector, so that no two stores write one. All lanes call `store`.
template <unsigned Items, unsigned InSector, class Read, class Store>
__device__ __forceinline__ void store_by_sectors(unsigned count, Read read, Store store) {
  constexpr unsigned part = warp_size * Items;
  const unsigned lane = threadIdx.x % warp_size;
  unsigned begin = threadIdx.x / warp_size * part;
  const unsigned end = begin + part < count ? begin + part : count;
  while (begin < end) {
    const unsigned left = end - begin, place = begin + (lane < left ? lane : 0);
    const auto row = read(place);
    const auto beyond = __shfl_sync(all_lanes, static_cast<unsigned>(row.index) + 1, warp_size - 1);
    const unsigned some = left <= warp_size ? left : warp_size - beyond % InSector;
    store(place, row, some);
    begin += some;
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
