// Sorts tiles, one block each: a thread sorts a few rows in registers, then runs merge in pairs in
// shared memory until one is left; up to a warp's rows without a barrier of the block.
// Reads and writes each row once; three barriers a merge. Stable; any strict weak order.
#pragma once

#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/sort/merge.cuh"
#include "warpfold/device/sort/thread.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Loads a tile's rows to shared memory, all that a thread loads at once. A `Full` tile has all of
/// them.
template <bool Full, unsigned Threads, unsigned Items, class In, class Encoded, class V,
          class Order>
__device__ __forceinline__ void load_rows(const In& in, unsigned count,
                                          const key_value_view<Encoded, V>& shared,
                                          const Order& order) {
  Encoded key[Items];
  V value[Items];
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const unsigned i = threadIdx.x + k * Threads;
    if (!Full && i >= count) continue;
    key[k] = order.encode(in.keys[i]);
    value[k] = in.value(i);
  }
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const unsigned i = threadIdx.x + k * Threads;
    if (Full || i < count) shared.put(i, key[k], value[k]);
  }
  __syncthreads();
}

/// Fills up the last tile's rows: a thread that has less than `Items` gets the greatest key among
/// its own as often as it lacks one, so that those stay behind the others when it sorts them.
template <unsigned Items, class Encoded, class V, class Order>
__device__ __forceinline__ void fill_up_tile(unsigned count,
                                             const key_value_view<Encoded, V>& shared,
                                             const Order& order) {
  const unsigned first = threadIdx.x * Items;
  if (first + Items > count) {
    Encoded greatest = shared.keys[first < count ? first : count - 1];
#pragma unroll 1
    for (unsigned i = first; i < first + Items; ++i) {
      if (i >= count) {
        shared.put(i, greatest, V{});
      } else if (!order.before(shared.keys[i], greatest)) {
        greatest = shared.keys[i];
      }
    }
  }
  __syncthreads();  // threads without rows have read another's
}

/// Sorts a tile's rows, which lie in shared memory: a thread has its rows of the result. `count` of
/// them are there; those behind come last.
template <class Tile, class Encoded, class V, class Order>
__device__ __forceinline__ void sort_tile(const key_value_view<Encoded, V>& shared, unsigned count,
                                          Encoded (&key)[Tile::items], V (&value)[Tile::items],
                                          const Order& order) {
  constexpr unsigned items = Tile::items, threads = Tile::threads;
  const auto rows = shared.from(threadIdx.x * items);  // this thread's
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    key[k] = rows.keys[k];
    value[k] = rows.value(k);
  }
  sort_in_thread(rows, key, value, order);

  for (unsigned run = 1; run < threads && run * items < count; run *= 2) {  // in threads' rows
    const auto sync = [run] {
      if (run < warp_size) {
        __syncwarp();
      } else {
        __syncthreads();
      }
    };
    sync();
    put_rows(shared, key, value);
    sync();
    const auto within = [=](unsigned thread) { return ::min(thread * items, count); };
    const unsigned pair = threadIdx.x & ~(2 * run - 1);
    const unsigned a = within(pair), b = within(pair + run), end = within(pair + 2 * run);
    unsigned place[items];
    const shared_runs runs = runs_from(shared.keys, a, b, end, within(threadIdx.x) - a, order);
    merge_serially(shared, runs, order, key, place);
    take_values(shared, place, value, count);
  }
}

template <class Tile, class V, class Order>
__global__ void __launch_bounds__(Tile::threads, blocks_with_registers(Tile::threads, Tile::blocks))
    tile_sort_kernel(key_value_view<typename Order::key, V> in,
                     key_value_view<typename Order::key, V> out, std::size_t n, Order order) {
  using encoded = typename Order::encoded;
  constexpr unsigned items = Tile::items, threads = Tile::threads;
  const auto shared = rows_in<encoded, V>(dynamic_shared<char>(), Tile::rows);
  const std::size_t base = std::size_t{blockIdx.x} * Tile::rows;
  const auto count = n - base < Tile::rows ? static_cast<unsigned>(n - base) : Tile::rows;
  wait_for_primary();
  trigger_dependents();
  if (count == Tile::rows) {
    load_rows<true, threads, items>(in.from(base), count, shared, order);
  } else {
    load_rows<false, threads, items>(in.from(base), count, shared, order);
    fill_up_tile<items>(count, shared, order);
  }
  encoded key[items];
  V value[items];
  sort_tile<Tile>(shared, count, key, value, order);
  store_tile<threads>(shared, key, value, count, out.from(base), order);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
