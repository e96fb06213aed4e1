// A merge of two sorted runs. Rows that go through registers take the kernel of the merge sort.
// Larger rows are merged by their places, in this kernel:
//
//   partition   two warps look for the tile's parts of both runs
//   -- barrier --
//   places      each row of the tile looks for its own place in these parts, by its diagonal
//   -- barrier --
//   copy        the block copies rows word by word, neighbours by neighbours
//
// Reads and writes each row once; keys are compared where they lie, log2(rows of a tile) times
// each. No workspace. Stable; any strict weak order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/columns.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/sort/direct.cuh"
#include "warpfold/device/sort/items.cuh"
#include "warpfold/device/sort/merge.cuh"
#include "warpfold/tuning/merge.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Tile>
struct merge_places {
  tile_partition partition;
  unsigned place[Tile::rows];  // in the tile's part of a, or behind it, of b
};

template <class Tile, class K, class V, class Order>
__global__ void __launch_bounds__(Tile::threads)
    merge_by_place_kernel(key_value_view<K, V> a, std::size_t a_count, key_value_view<K, V> b,
                          std::size_t b_count, key_value_view<K, V> out, Order order) {
  auto& shared = shared_storage<merge_places<Tile>>();
  const auto before = [=](const K& x, const K& y) { return order.before(x, y); };
  const std::size_t base = std::size_t{blockIdx.x} * Tile::rows, rest = a_count + b_count - base;
  const auto count = rest < Tile::rows ? static_cast<unsigned>(rest) : Tile::rows;
  wait_for_primary();
  trigger_dependents();
  if (threadIdx.x < 2 * warp_size) {
    const unsigned end = threadIdx.x / warp_size;
    const std::size_t from_a = warp_merge_path(
        [=](std::size_t k) -> const K& { return a.keys[k]; }, a_count,
        [=](std::size_t k) -> const K& { return b.keys[k]; }, b_count, base + end * count, before);
    if (threadIdx.x % warp_size == 0) shared.partition.from_a[end] = from_a;
  }
  __syncthreads();
  const std::size_t from_a = shared.partition.from_a[0];
  const auto own_a = a.from(from_a), own_b = b.from(base - from_a);
  const auto own_count = static_cast<unsigned>(shared.partition.from_a[1] - from_a);
  for (unsigned i = threadIdx.x; i < count; i += Tile::threads) {
    const unsigned taken = merge_path(
        [=](unsigned k) -> const K& { return own_a.keys[k]; }, own_count,
        [=](unsigned k) -> const K& { return own_b.keys[k]; }, count - own_count, i, before);
    const bool is_of_a = taken < own_count && (i - taken >= count - own_count ||
                                               !before(own_b.keys[i - taken], own_a.keys[taken]));
    shared.place[i] = is_of_a ? taken : own_count + (i - taken);
  }
  __syncthreads();
  copy_by_place<Tile::threads>(shared.place, own_a.keys, own_count, own_b.keys, count,
                               out.keys + base);
  if constexpr (bytes_of<V> != 0) {
    copy_by_place<Tile::threads>(shared.place, own_a.values, own_count, own_b.values, count,
                                 out.values + base);
  }
}

/// Rows that go through registers. A first launch searches for the parts of all tiles: in the
/// tile's own block this search takes up to half of its time (H200, 2^28 keys of 4 bytes: 986 us,
/// with a first launch 672; of 8 bytes: 1,683 us, with it 1,130).
template <class K, class V, class Order>
status merge_partitioned(key_value_view<K, V> a, std::size_t a_count, key_value_view<K, V> b,
                         std::size_t n, key_value_view<K, V> out, const Order& order,
                         stream_type stream) {
  const auto& plan = tuning::partitioned_merges<sizeof(typename Order::encoded) + bytes_of<V>>;
  using tile = typename std::decay_t<decltype(plan)>::tile;
  const std::size_t bytes = ((n - 1) / tile::rows + 1) * sizeof(std::size_t);
  const scratch partitions({stream, nullptr, 0}, bytes, bytes, false);
  if (!partitions.state().ok()) return partitions.state();
  return merge_pass(a, out, n, two_runs<key_value_view<K, V>>{a_count, b},
                    static_cast<std::size_t*>(partitions.data()), order, plan, stream);
}

/// Rows that go through registers, with the plan for so many.
template <class K, class V, class Order>
status merge_in_tiles(key_value_view<K, V> a, std::size_t a_count, key_value_view<K, V> b,
                      std::size_t n, key_value_view<K, V> out, const Order& order,
                      stream_type stream) {
  using tuning::sort_plan;
  using encoded = typename Order::encoded;
  constexpr std::size_t key_bytes = sizeof(encoded), row_bytes = key_bytes + bytes_of<V>;
  constexpr std::size_t quick_to = sort_plan::quick_merges_to<key_bytes, row_bytes>;
  constexpr std::size_t middle_to = sort_plan::middle_merges_to<key_bytes, row_bytes>;
  const auto with = [&](auto plan) {
    plan.programmatic_launch = true;
    return merge_pass(a, out, n, two_runs<key_value_view<K, V>>{a_count, b}, nullptr, order, plan,
                      stream);
  };
  const auto takes = []<class Plan>(const Plan&) {
    return bytes_of_rows<encoded, V>(Plan::tile::rows) <= current_device().shared_bytes;
  };
  if (n > tuning::merges_partitioned_from && takes(tuning::partitioned_merges<row_bytes>)) {
    return merge_partitioned(a, a_count, b, n, out, order, stream);
  }
  const auto& large = tuning::large_merges<row_bytes>;
  if (n > std::max(quick_to, middle_to) && takes(large)) return with(large);
  if constexpr (middle_to > quick_to) {
    const auto& middle = tuning::middle_merges<row_bytes>;
    if (n > quick_to && takes(middle)) return with(middle);
  }
  return with(tuning::quick_merges<row_bytes>);
}

/// Merges a and b into `out`; equal keys of a come before those of b.
template <class K, class V, class Less>
status merge_two_runs(key_value_view<K, V> a, std::size_t a_count, key_value_view<K, V> b,
                      std::size_t b_count, key_value_view<K, V> out, const Less& less,
                      stream_type stream) {
  if (const status s = refuse_bits<K>(less); !s.ok()) return s;
  const std::size_t n = a_count + b_count;
  if (n == 0) return {};
  if constexpr (moves_key<K> && moves_value<V>) {
    return merge_in_tiles(a, a_count, b, n, out, order_of_keys<K>(less), stream);
  } else {
    using tile = tuning::merge_place_tile;
    return try_launch({.grid = static_cast<unsigned>((n - 1) / tile::rows + 1),
                       .block = tile::threads,
                       .stream = stream,
                       .programmatic_launch = true},
                      merge_by_place_kernel<tile, K, V, comparator_order<K, Less>>, a, a_count, b,
                      b_count, out, comparator_order<K, Less>{less});
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
