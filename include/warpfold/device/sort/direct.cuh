// A sort that moves its rows: by one cluster where it holds them; by a radix sort where they are
// many and their order is that of the keys' bits; else by sorted runs and merges.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "warpfold/bitwise_order.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/sort/cluster.cuh"
#include "warpfold/device/sort/merge.cuh"
#include "warpfold/device/sort/merge_four.cuh"
#include "warpfold/device/sort/radix.cuh"
#include "warpfold/device/sort/temp_storage.cuh"
#include "warpfold/device/sort/tile.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/tuning/sort.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class V, class Order>
launch_config cluster_launch(std::size_t n, unsigned chunk, tuning::cluster_shape shape,
                             unsigned items, stream_type stream) {
  const auto chunks = static_cast<unsigned>((n + chunk - 1) / chunk);
  return {.grid = chunks * shape.cluster,
          .block = shape.block_rows / items,
          .shared_bytes = cluster_shared_bytes<typename Order::encoded, V>(shape),
          .cluster = shape.cluster,
          .stream = stream,
          .programmatic_launch = true};
}

/// Shared memory of a block of a cluster's sort, at most.
inline std::size_t most_cluster_bytes() {
  return std::min<std::size_t>(tuning::cluster_shared_bytes, current_device().shared_bytes);
}

/// How many blocks a cluster has on the current device, at most.
template <class V, class Order>
unsigned most_blocks() {
  using encoded = typename Order::encoded;
  const auto takes = [](unsigned blocks, auto kernel) {
    // The largest shape with so many blocks: all that have more rows than fit are left out.
    const auto shape = cluster_shape_for<encoded, V>(~0U, blocks, most_cluster_bytes());
    return shape.cluster == blocks &&
           fits(cluster_launch<V, Order>(shape.rows(), shape.rows(), shape, 1, {}), kernel);
  };
  if (takes(16, cluster_sort_kernel<16, 1, V, Order>)) return 16;
  return takes(8, cluster_sort_kernel<8, 1, V, Order>) ? 8 : 1;
}

template <class K, class V, class Order>
status sort_by_clusters(key_value_view<K, V> in, key_value_view<K, V> out, std::size_t n,
                        unsigned chunk, tuning::cluster_shape shape, const Order& order,
                        stream_type stream) {
  const auto with = [&](unsigned items, auto kernel) {
    return try_launch(cluster_launch<V, Order>(n, chunk, shape, items, stream), kernel, in, out, n,
                      chunk, order);
  };
  constexpr unsigned items = tuning::cluster_sort_items<sizeof(typename Order::encoded)>;
  switch (shape.cluster) {
    case 1: return with(items, cluster_sort_kernel<1, items, V, Order>);
    case 8: return with(1, cluster_sort_kernel<8, 1, V, Order>);
    default: return with(1, cluster_sort_kernel<16, 1, V, Order>);
  }
}

/// A launch with as much shared memory as a block has rows.
template <class Tile, class Encoded, class V>
launch_config tile_launch(std::size_t n, stream_type stream, bool programmatic_launch) {
  constexpr unsigned percent = tuning::sort_plan::shared_percent<sizeof(Encoded) + bytes_of<V>>;
  return {.grid = static_cast<unsigned>((n + Tile::rows - 1) / Tile::rows),
          .block = Tile::threads,
          .shared_bytes = bytes_of_rows<Encoded, V>(Tile::rows),
          .stream = stream,
          .programmatic_launch = programmatic_launch,
          .shared_percent = programmatic_launch ? percent : 0};
}

/// Sorts runs of rows from `rows` into `to`: by clusters where the plan asks for them, else a tile
/// each.
template <class Plan, class K, class V, class Order>
status sort_runs(key_value_view<K, V> rows, key_value_view<K, V> to, std::size_t n, unsigned chunk,
                 const Order& order, const Plan& plan, stream_type stream) {
  using tile = typename Plan::run_tile;
  if (chunk > 0) return sort_by_clusters(rows, to, n, chunk, plan.runs, order, stream);
  return try_launch(
      tile_launch<tile, typename Order::encoded, V>(n, stream, plan.programmatic_launch),
      tile_sort_kernel<tile, V, Order>, rows, to, n, order);
}

/// Merges runs of `run` rows in pairs, or two_runs, from one buffer to the other; `partitions` is
/// null unless a launch of its own looks for them.
template <class Plan, class K, class V, class Order, class Runs>
status merge_pass(key_value_view<K, V> from, key_value_view<K, V> to, std::size_t n, Runs run,
                  std::size_t* partitions, const Order& order, const Plan& plan,
                  stream_type stream) {
  using tile = typename Plan::tile;
  const auto config =
      tile_launch<tile, typename Order::encoded, V>(n, stream, plan.programmatic_launch);
  if (partitions != nullptr) {
    const status s = try_launch({.grid = (config.grid + 127) / 128,
                                 .block = 128,
                                 .stream = stream,
                                 .programmatic_launch = plan.programmatic_launch},
                                partition_kernel<tile, K, Order, decltype(keys_of(run))>,
                                key_value_view<K, keys_only>{from.keys, nullptr}, n, keys_of(run),
                                partitions, order);
    if (!s.ok()) return s;
  }
  return try_launch(config, merge_kernel<tile, V, Order, Runs>, from, to, n, run, partitions,
                    order);
}

/// Looks for the parts of four runs that make up each of so many tiles, by so many samples of each.
template <unsigned Samples, class Tile, class K, class Order>
status partition_by_fours(const K* keys, std::size_t n, std::size_t run, four_counts* partitions,
                          std::size_t tiles, const Order& order, stream_type stream) {
  constexpr unsigned threads = 128, at_once = threads / (four * Samples);
  const auto grid = static_cast<unsigned>((tiles + at_once - 1) / at_once);
  return try_launch({.grid = grid, .block = threads, .stream = stream},
                    partition_four_kernel<Samples, Tile, K, Order>, keys, n, run, partitions,
                    order);
}

/// Merges runs of `run` rows by fours, from one buffer to the other.
template <class Tile, class K, class V, class Order>
status merge_four_pass(key_value_view<K, V> from, key_value_view<K, V> to, std::size_t n,
                       std::size_t run, four_counts* partitions, const Order& order,
                       stream_type stream) {
  const auto config = tile_launch<Tile, typename Order::encoded, V>(n, stream, false);
  const status s =
      config.grid <= tuning::sort_plan::sampled_more_to
          ? partition_by_fours<8, Tile>(from.keys, n, run, partitions, config.grid, order, stream)
          : partition_by_fours<4, Tile>(from.keys, n, run, partitions, config.grid, order, stream);
  if (!s.ok()) return s;
  return try_launch(config, merge_four_kernel<Tile, V, Order>, from, to, n, run, partitions, order);
}

/// Sorted runs, then passes that merge them, between `out` and the spare rows.
template <class Plan, class K, class V, class Order>
status sort_by_merges(const sort_buffers<K, V>& rows, std::size_t n, void* work, const Order& order,
                      const Plan& plan, stream_type stream) {
  using tile = typename Plan::tile;
  using run_tile = typename Plan::run_tile;
  static_assert(run_tile::rows % tile::rows == 0);
  const unsigned chunk = plan.runs.rows() / tile::rows * tile::rows;
  std::size_t run = chunk > 0 ? chunk : run_tile::rows;
  const auto in_pairs = static_cast<unsigned>(std::bit_width((n - 1) / run));
  const unsigned by_fours = plan.by_fours ? in_pairs / 2 : 0;  // each in place of two passes
  auto from = rows.out, to = rows.spare;
  if ((in_pairs - by_fours) % 2 == 1) std::swap(from, to);  // the last pass shall end in `out`
  auto* const partitions = plan.separate_partition_pass ? static_cast<std::size_t*>(work) : nullptr;
  status state = sort_runs(rows.in, from, n, chunk, order, plan, stream);
  for (unsigned pass = 0; state.ok() && pass < in_pairs - 2 * by_fours; ++pass, run *= 2) {
    state = merge_pass(from, to, n, run, partitions, order, plan, stream);
    std::swap(from, to);
  }
  if constexpr (Plan::can_merge_by_fours) {
    for (unsigned pass = 0; state.ok() && pass < by_fours; ++pass, run *= 4) {
      state =
          merge_four_pass<tile>(from, to, n, run, static_cast<four_counts*>(work), order, stream);
      std::swap(from, to);
    }
  }
  return state;
}

/// The same with the plan for n rows. `most` is how many blocks a cluster has at most.
template <class K, class V, class Order>
status sort_by_planned_merges(const sort_buffers<K, V>& rows, std::size_t n, void* work,
                              const Order& order, unsigned most, stream_type stream) {
  using tuning::sort_plan;
  constexpr std::size_t key_bytes = sizeof(typename Order::encoded);
  constexpr std::size_t row_bytes = key_bytes + bytes_of<V>;
  constexpr std::size_t quick_to = sort_plan::quick_merges_to<key_bytes, row_bytes>;
  constexpr std::size_t middle_to = sort_plan::middle_merges_to<key_bytes, row_bytes>;
  const auto takes = []<class Plan>(const Plan&) {
    return bytes_of_rows<typename Order::encoded, V>(Plan::run_tile::rows) <=
           current_device().shared_bytes;
  };
  if (auto plan = tuning::large_merges<row_bytes>;
      n > std::max(quick_to, middle_to) && takes(plan)) {
    plan.by_fours = n > sort_plan::merges_by_fours_from<row_bytes>;
    plan.separate_partition_pass = plan.by_fours;
    plan.programmatic_launch = !plan.by_fours;
    return sort_by_merges(rows, n, work, order, plan, stream);
  }
  if constexpr (middle_to > quick_to) {
    if (const auto& plan = tuning::middle_merges<row_bytes>; n > quick_to && takes(plan)) {
      return sort_by_merges(rows, n, work, order, plan, stream);
    }
  }
  auto plan = tuning::quick_merges<row_bytes>;
  constexpr auto runs = sort_plan::cluster_runs<key_bytes, row_bytes>;
  if (n <= sort_plan::cluster_runs_to<key_bytes, row_bytes> && most >= runs.cluster &&
      cluster_shared_bytes<typename Order::encoded, V>(runs) <= most_cluster_bytes()) {
    plan.runs = runs;
  }
  return sort_by_merges(rows, n, work, order, plan, stream);
}

/// Whether a block of the current device holds a tile of a radix sort's pass.
template <class Shape, class Order, class V>
bool takes_radix_tile() {
  return sizeof(radix_pass_shared<Shape, radix_rows<Shape, Order, V, as_it_is>>) <=
         current_device().shared_bytes;
}

/// Whether a radix sort takes n rows in the order of the bits in `range`.
template <class Bits, class K, class V>
bool is_by_radix(const sort_buffers<K, V>& rows, std::size_t n, radix_range range) {
  constexpr std::size_t row_bytes = sizeof(K) + bytes_of<V>;
  using order = radix_order<K, Bits>;
  return n > current_device().card_multiprocessors *
                 tuning::sort_plan::merged_a_multiprocessor<sizeof(K), row_bytes> &&
         range.passes() > 0 &&
         takes_radix_tile<tuning::radix_small_tile<sizeof(K), row_bytes>, order, V>() &&
         keeps_keys<order>(rows);
}

/// Many rows in the order of some of the keys' bits.
template <class Bits, class K, class V, class Along = as_it_is>
status sort_by_radix(const sort_buffers<K, V>& rows, std::size_t n,
                     const sort_storage<K, V>& storage, radix_range range, stream_type stream,
                     const Along& along = {}) {
  constexpr std::size_t row_bytes = sizeof(K) + bytes_of<V>;
  using order = radix_order<K, Bits>;
  const auto words = with_keys_as<typename order::key>(rows);
  using finish = tuning::radix_finish<sizeof(K)>;
  const auto with = [&]<class Shape>(Shape) {
    return radix_sort<Shape, finish>(words, n, storage.work, range, order{}, stream, along);
  };
  using small = tuning::radix_small_tile<sizeof(K), row_bytes>;
  using large = tuning::radix_tile<sizeof(K), row_bytes>;
  const bool is_small =
      !takes_radix_tile<large, order, V>() ||
      tuning::small_radix_tiles<small, large>(n, current_device().card_multiprocessors);
  return is_small ? with(small{}) : with(large{});
}

/// The order of keys K that Less is.
template <class K, class Less>
auto order_of_keys(const Less& less) {
  using bits = decltype(bitwise_order<Less, K>());
  if constexpr (std::is_void_v<bits>) {
    return comparator_order<K, Less>{less};
  } else {
    return radix_order<K, bits>{};
  }
}
template <class K, class Less>
radix_range range_of(const Less& less) {
  if constexpr (is_by_bits<Less>) return {less.begin, less.end};
  if constexpr (is_by_members<Less>) return {8 * (sizeof(K) - Less::bytes), 8 * sizeof(K)};
  return {0, 8 * sizeof(K)};
}

/// Rows that are moved; `Bits` is void unless the order is one of the bits in `range`. `most` is
/// how many blocks a cluster has at most.
template <class Bits, class K, class V, class Order>
status sort_direct(const work_place& where, sort_buffers<K, V> rows, std::size_t n,
                   const Order& order, radix_range range, unsigned most) {
  const stream_type stream = where.stream;
  const auto shape = cluster_shape_for<typename Order::encoded, V>(n, most, most_cluster_bytes());
  if (n <= shape.rows()) {
    return sort_by_clusters(rows.in, rows.out, n, shape.rows(), shape, order, stream);
  }
  const bool with_rows = !rows.has_spare();
  const std::size_t bytes = sort_storage<K, V>(n, nullptr, with_rows).bytes;
  const scratch memory(where, bytes, bytes, false);
  if (!memory.state().ok()) return memory.state();
  const sort_storage<K, V> storage(n, memory.data(), with_rows);
  if (with_rows) rows.spare = storage.spare;
  if constexpr (!std::is_void_v<Bits>) {
    if (is_by_radix<Bits>(rows, n, range)) {
      return sort_by_radix<Bits>(rows, n, storage, range, stream);
    }
  }
  return sort_by_planned_merges(rows, n, storage.work, order, most, stream);
}
/// The same by clusters as large as the current context takes. The stream of a green context that
/// is not current may refuse them in the first launch: then without clusters.
template <class Bits, class K, class V, class Order>
status sort_direct(const work_place& where, const sort_buffers<K, V>& rows, std::size_t n,
                   const Order& order, radix_range range = {0, 8 * sizeof(K)}) {
  const unsigned most = most_blocks<V, Order>();
  const status sorted = sort_direct<Bits>(where, rows, n, order, range, most);
  if (most == 1 || !is_cluster_refused(sorted)) return sorted;
  return sort_direct<Bits>(where, rows, n, order, range, 1);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
