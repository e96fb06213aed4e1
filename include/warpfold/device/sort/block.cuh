// A block's sort of as many rows as it has registers for, by the bitonic network. A key moves with
// the number of its row. The number breaks ties, so the sort is stable; rows are gathered once, by
// their numbers. Steps within a thread need no traffic. Steps within a warp are shuffles. The
// others go through shared memory without bank conflicts, with one barrier each. log2(n)^2 / 2
// steps; two buffers of keys and numbers. Any strict weak order.
#pragma once

#include "warpfold/device/sort/key_values.cuh"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Encoded>
struct numbered_key {
  Encoded key;
  unsigned number;
};

/// Keys in their order, equals by their numbers; numbers from `count` on are of rows that are not
/// there, and come last.
template <class Order>
struct numbered_order {
  using encoded = typename Order::encoded;
  const Order& order;
  unsigned count;

  __device__ __forceinline__ static encoded no_key() {
    if constexpr (Order::is_radix) {
      return static_cast<encoded>(~encoded{0});
    } else {
      return {};
    }
  }
  __device__ __forceinline__ bool before(const numbered_key<encoded>& a,
                                         const numbered_key<encoded>& b) const {
    if constexpr (Order::is_radix && sizeof(encoded) <= 4) {
      return (std::uint64_t{a.key} << 32 | a.number) < (std::uint64_t{b.key} << 32 | b.number);
    } else if constexpr (Order::is_radix) {
      return a.key < b.key || (a.key == b.key && a.number < b.number);
    } else {
      const bool earlier = a.number < b.number;
      if (a.number >= count || b.number >= count) return earlier;
      return earlier ? !order.before(b.key, a.key) : order.before(a.key, b.key);
    }
  }
};

/// The shared memory of a sort of `capacity` rows.
template <class Encoded>
__host__ __device__ constexpr std::size_t sort_block_bytes(std::size_t capacity) {
  return 2 * bytes_of_rows<Encoded, unsigned>(capacity);
}

/// Sorts the block's rows: afterwards thread t has rows t * Items to t * Items + Items - 1. Before,
/// rows are in any order, all of them among the first `limit`. All threads must call; `memory` is
/// free again after the next barrier.
template <unsigned Items, class Order, class Encoded>
__device__ __forceinline__ void sort_in_block(numbered_key<Encoded> (&row)[Items], unsigned limit,
                                              void* memory, const numbered_order<Order>& order) {
  const unsigned thread = threadIdx.x, threads = blockDim.x;
  auto buffer = rows_in<Encoded, unsigned>(memory, Items * threads);
  auto other_buffer = rows_in<Encoded, unsigned>(
      static_cast<char*>(memory) + bytes_of_rows<Encoded, unsigned>(Items * threads),
      Items * threads);
  for (unsigned size = 2; size / 2 < limit; size *= 2) {
    for (unsigned stride = size / 2; stride >= Items; stride /= 2) {
      const unsigned mask = stride / Items;
      const bool ascends = (thread * Items & size) == 0;
      const bool takes_less = ascends == ((thread & mask) == 0);
      numbered_key<Encoded> other[Items];
      if (mask < warp_size) {
#pragma unroll
        for (unsigned k = 0; k < Items; ++k) {
          other[k] = {shuffle_xor(row[k].key, mask), shuffle_xor(row[k].number, mask)};
        }
      } else {
#pragma unroll
        for (unsigned k = 0; k < Items; ++k) {
          buffer.put(k * threads + thread, row[k].key, row[k].number);
        }
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < Items; ++k) {
          const unsigned at = k * threads + (thread ^ mask);
          other[k] = {buffer.keys[at], buffer.values[at]};
        }
        const auto written = buffer;
        buffer = other_buffer;
        other_buffer = written;
      }
#pragma unroll
      for (unsigned k = 0; k < Items; ++k) {
        if (order.before(other[k], row[k]) == takes_less) row[k] = other[k];
      }
    }
#pragma unroll
    for (unsigned stride = Items / 2; stride > 0; stride /= 2) {
      if (stride >= size) continue;
#pragma unroll
      for (unsigned k = 0; k < Items; ++k) {
        if ((k & stride) != 0) continue;
        const bool ascends = ((thread * Items + k) & size) == 0;
        if (order.before(row[k + stride], row[k]) == ascends) {
          const auto moved = row[k];
          row[k] = row[k + stride];
          row[k + stride] = moved;
        }
      }
    }
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
