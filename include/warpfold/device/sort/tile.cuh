// Sorts tiles, one block each: a thread sorts a few rows in registers, then runs merge in pairs in
// shared memory until one is left; up to a warp's rows without a barrier of the block.
// Reads and writes each row once; three barriers a merge. Stable; any strict weak order.
#pragma once

#include "warpfold/device/sort/merge.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Sorts this thread's rows [0, count) by exchanges of neighbours, which keeps the order of equals.
template <unsigned Items, class Order, class Encoded, class V>
__device__ __forceinline__ void sort_in_thread(Encoded (&key)[Items], V (&value)[Items],
                                               unsigned count, const Order& order) {
#pragma unroll
  for (unsigned round = 0; round < Items; ++round) {
#pragma unroll
    for (unsigned k = round % 2; k + 1 < Items; k += 2) {
      if (k + 1 < count && order.before(key[k + 1], key[k])) {
        const Encoded greater = key[k];
        key[k] = key[k + 1];
        key[k + 1] = greater;
        const V with_it = value[k];
        value[k] = value[k + 1];
        value[k + 1] = with_it;
      }
    }
  }
}

template <class Tile, class V, class Order>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    tile_sort_kernel(key_value_view<typename Order::key, V> in,
                     key_value_view<typename Order::key, V> out, std::size_t n, Order order) {
  using encoded = typename Order::encoded;
  constexpr unsigned items = Tile::items, threads = Tile::threads;
  const auto shared = rows_in<encoded, V>(dynamic_shared<char>(), Tile::rows);
  const std::size_t base = std::size_t{blockIdx.x} * Tile::rows;
  const auto count = n - base < Tile::rows ? static_cast<unsigned>(n - base) : Tile::rows;
  wait_for_primary();
  trigger_dependents();
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    const unsigned i = threadIdx.x + k * threads;
    if (i < count) shared.put(i, order.encode(in.keys[base + i]), in.value(base + i));
  }
  __syncthreads();
  const unsigned first = threadIdx.x * items < count ? threadIdx.x * items : count;
  encoded key[items];
  V value[items];
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    if (first + k >= count) continue;
    key[k] = shared.keys[first + k];
    value[k] = shared.value(first + k);
  }
  sort_in_thread(key, value, count - first, order);

  for (unsigned run = 1; run < threads && run * items < count; run *= 2) {  // in threads' rows
    const auto sync = [run] {
      if (run < warp_size) {
        __syncwarp();
      } else {
        __syncthreads();
      }
    };
    sync();
    put_rows(shared, key, value, first, count);
    sync();
    const auto within = [=](unsigned thread) { return ::min(thread * items, count); };
    const unsigned pair = threadIdx.x & ~(2 * run - 1);
    const unsigned a = within(pair), b = within(pair + run), end = within(pair + 2 * run);
    unsigned place[items];
    const shared_runs runs = runs_from(shared.keys, a, b, end, first - a, order);
    merge_serially(shared.keys, runs, order, key, place);
    take_values(shared, place, value, first, count);
  }
  store_tile<threads>(shared, key, value, first, count, out.from(base), order);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
