// Which way a device sorts n rows: by one cluster where it holds them; by CUB's radix sort where
// they are many and their order is that of the keys' bits; else by sorted runs and merges.
// Keys of more than 32 bytes are sorted by their indices, values of more than 8 bytes follow
// theirs: they are moved once, and back.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "warpfold/bitwise_order.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/sort/cluster.cuh"
#include "warpfold/device/sort/tile.cuh"
#include "warpfold/environment.hpp"

#if defined(__CUDACC__) && !defined(__SIMT__)
#include "warpfold/device/sort/radix_cub.cuh"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class K>
inline constexpr bool moves_key = sizeof(K) <= 32;
template <class V>
inline constexpr bool moves_value = bytes_of<V> <= 8;

/// Parts of one piece of memory, each aligned for anything.
class memory_parts {
 public:
  constexpr explicit memory_parts(void* memory = nullptr) : memory_(memory) {}
  template <class T>
  constexpr T* take(std::size_t count) {
    const std::size_t at = bytes_;
    bytes_ += (count * bytes_of<T> + 255) / 256 * 256;
    return memory_ == nullptr ? nullptr : reinterpret_cast<T*>(static_cast<char*>(memory_) + at);
  }
  [[nodiscard]] constexpr std::size_t bytes() const { return bytes_; }

 private:
  void* memory_;
  std::size_t bytes_ = 0;
};

/// The first shape that holds n rows on a device of this capability that takes clusters of
/// `most_blocks`, else the largest there is.
template <class K, class V>
constexpr tuning::cluster_shape cluster_shape_for(std::size_t n, unsigned capability,
                                                  unsigned most_blocks = tuning::portable_cluster) {
  tuning::cluster_shape best{1, 64};
  for (const auto shape : tuning::cluster_shapes<sizeof(K)>) {
    const bool fits = capability >= 90
                          ? shape.cluster <= most_blocks &&
                                cluster_shared_bytes<K, V>(shape) <= tuning::cluster_shared_bytes
                          : shape.cluster == 1 && cluster_shared_bytes<K, V>(shape) <= 48 << 10;
    if (!fits || shape.rows() <= best.rows()) continue;
    best = shape;
    if (best.rows() >= n) break;
  }
  return best;
}

/// What a sort of n rows that are moved works in.
template <class K, class V>
struct sort_storage {
  key_value_view<K, V> spare{};
  std::size_t* partitions{};  // or the radix sort's memory
  std::size_t partitions_bytes{};
  std::size_t bytes = 256;

  constexpr explicit sort_storage(std::size_t n, void* memory = nullptr) {
    if (n <= cluster_shape_for<K, V>(n, 0).rows()) return;
    memory_parts parts(memory);
    spare.keys = parts.take<K>(n);
    if constexpr (bytes_of<V> != 0) spare.values = parts.take<V>(n);
    const std::size_t before = parts.bytes();
    constexpr auto& plan = tuning::large_merges<sizeof(K) + bytes_of<V>>;
    constexpr std::size_t rows = std::remove_cvref_t<decltype(plan)>::tile::rows;
    partitions = parts.take<std::size_t>(n / rows + 1);
    partitions_bytes = parts.bytes() - before;
    if constexpr (std::is_arithmetic_v<K> && sizeof(K) <= 8) {
      if (n > tuning::sort_plan::merged_to<sizeof(K), sizeof(K) + bytes_of<V>>) {
        // CUB asks for less beside the two buffers; it goes by portions of 2^28 rows.
        partitions_bytes =
            std::max(partitions_bytes, (std::size_t{4} << 20) + std::min(n, std::size_t{1} << 28));
      }
    }
    bytes = before + partitions_bytes;
  }
};

/// Places of rows and what is moved by them.
template <class K, class V>
struct indirect_storage {
  using narrow = std::uint32_t;
  std::size_t bytes;

  template <class Index>
  static constexpr std::size_t inner(std::size_t n) {
    if constexpr (moves_key<K>) {
      return sort_storage<K, Index>(n).bytes;
    } else {
      return sort_storage<Index, keys_only>(n).bytes;
    }
  }
  constexpr explicit indirect_storage(std::size_t n) {
    memory_parts parts;
    const bool few = n <= std::numeric_limits<narrow>::max();
    parts.take<char>(n * (few ? 4 : 8));
    parts.take<char>(few ? inner<narrow>(n) : inner<std::uint64_t>(n));
    parts.take<char>(n * std::max(bytes_of<V>, moves_key<K> ? 0 : sizeof(K)));
    bytes = parts.bytes();
  }
};

template <class K, class V>
constexpr std::size_t sort_bytes(std::size_t n) {
  if constexpr (moves_key<K> && moves_value<V>) {
    return sort_storage<K, V>(n).bytes;
  } else {
    return indirect_storage<K, V>(n).bytes;
  }
}

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

/// How many blocks a cluster has on the current device, at most.
template <class V, class Order>
unsigned most_blocks() {
  static launch_fits known;
  constexpr tuning::cluster_shape largest{16, 512};
  if (current_device().capability < 90) return 1;
  const auto config = cluster_launch<V, Order>(largest.rows(), largest.rows(), largest, 1, {});
  if (config.shared_bytes > tuning::cluster_shared_bytes) return tuning::portable_cluster;
  return fits(config, cluster_sort_kernel<16, 1, V, Order>, known) ? 16 : tuning::portable_cluster;
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
  return {.grid = static_cast<unsigned>((n + Tile::rows - 1) / Tile::rows),
          .block = Tile::threads,
          .shared_bytes = bytes_of_rows<Encoded, V>(Tile::rows),
          .stream = stream,
          .programmatic_launch = programmatic_launch};
}

template <class Plan, class K, class V, class Order>
status sort_by_merges(key_value_view<K, V> rows, std::size_t n, const sort_storage<K, V>& memory,
                      const Order& order, const Plan& plan, stream_type stream) {
  using encoded = typename Order::encoded;
  using tile = typename Plan::tile;
  using run_tile = typename Plan::run_tile;
  static_assert(run_tile::rows % tile::rows == 0);
  const unsigned chunk = plan.runs.rows() / tile::rows * tile::rows;
  std::size_t run = chunk > 0 ? chunk : run_tile::rows;
  const auto passes = static_cast<unsigned>(std::bit_width((n - 1) / run));
  auto from = rows, to = memory.spare;
  if (passes % 2 == 1) std::swap(from, to);  // the last pass shall end in `rows`
  status state =
      chunk > 0 ? sort_by_clusters(rows, from, n, chunk, plan.runs, order, stream)
                : try_launch(tile_launch<run_tile, encoded, V>(n, stream, plan.programmatic_launch),
                             tile_sort_kernel<run_tile, V, Order>, rows, from, n, order);
  const auto config = tile_launch<tile, encoded, V>(n, stream, plan.programmatic_launch);
  for (; state.ok() && run < n; run *= 2) {
    std::size_t* const partitions = plan.separate_partition_pass ? memory.partitions : nullptr;
    if (partitions != nullptr) {
      state = try_launch({.grid = (config.grid + 127) / 128,
                          .block = 128,
                          .stream = stream,
                          .programmatic_launch = plan.programmatic_launch},
                         partition_kernel<tile, K, Order>, from.keys, n, run, partitions, order);
      if (!state.ok()) break;
    }
    state = try_launch(config, merge_kernel<tile, V, Order>, from, to, n, run, partitions, order);
    std::swap(from, to);
  }
  return state;
}

/// Rows that are moved; `Bits` is void unless the order is one of bits.
template <class Bits, class K, class V, class Order>
status sort_moving(const work_place& where, key_value_view<K, V> rows, std::size_t n,
                   const Order& order) {
  using encoded = typename Order::encoded;
  const stream_type stream = where.stream;
  const unsigned most = most_blocks<V, Order>();
  const auto shape = cluster_shape_for<encoded, V>(n, current_device().capability, most);
  if (n <= shape.rows()) return sort_by_clusters(rows, rows, n, shape.rows(), shape, order, stream);
  const std::size_t bytes = sort_storage<K, V>(n).bytes;
  const scratch memory(where, bytes, bytes, false);
  if (!memory.state().ok()) return memory.state();
  const sort_storage<K, V> parts(n, memory.data());
#if defined(__CUDACC__) && !defined(__SIMT__)
  if constexpr (!std::is_void_v<Bits>) {
    if (n > tuning::sort_plan::merged_to<sizeof(K), sizeof(K) + bytes_of<V>>) {
      return radix_sort<Bits>(rows, parts.spare, n, parts.partitions, parts.partitions_bytes,
                              stream);
    }
  }
#endif
  constexpr std::size_t row_bytes = sizeof(encoded) + bytes_of<V>;
  if (n <= tuning::sort_plan::quick_merges_to) {
    auto plan = tuning::quick_merges<row_bytes>;
    constexpr auto runs = tuning::sort_plan::cluster_runs;
    if (n <= tuning::sort_plan::cluster_runs_to<sizeof(encoded)> && most >= runs.cluster) {
      plan.runs = runs;
    }
    return sort_by_merges(rows, n, parts, order, plan, stream);
  }
  auto plan = tuning::large_merges<row_bytes>;
  plan.separate_partition_pass = n > tuning::sort_plan::separate_partition_pass_from;
  plan.programmatic_launch = !plan.separate_partition_pass;
  return sort_by_merges(rows, n, parts, order, plan, stream);
}

template <class Index>
__global__ void __launch_bounds__(256) number_kernel(Index* indices, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) indices[i] = static_cast<Index>(i);
}
template <class Index, class T>
__global__ void __launch_bounds__(256)
    gather_kernel(const Index* indices, const T* from, T* to, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[indices[i]];
}

/// Rows too large to be moved with their keys, or with too large keys.
template <class Index, class Bits, class K, class V, class Less>
status sort_indirect(const work_place& where, key_value_view<K, V> rows, std::size_t n,
                     const Less& less) {
  const stream_type stream = where.stream;
  const std::size_t bytes = indirect_storage<K, V>(n).bytes;
  const scratch memory(where, bytes, bytes, false);
  if (!memory.state().ok()) return memory.state();
  memory_parts parts(memory.data());
  auto* const indices = parts.take<Index>(n);
  const std::size_t inner_bytes = indirect_storage<K, V>::template inner<Index>(n);
  const work_place inner{stream, parts.take<char>(inner_bytes), inner_bytes};
  void* const moved = parts.take<char>(n * std::max(bytes_of<V>, moves_key<K> ? 0 : sizeof(K)));
  const launch_config config{
      .grid = static_cast<unsigned>((n + 255) / 256), .block = 256, .stream = stream};
  status state = try_launch(config, number_kernel<Index>, indices, n);
  if (!state.ok()) return state;
  const auto gather = [&]<class T>(T* values) {
    status s =
        try_launch(config, gather_kernel<Index, T>, indices, values, static_cast<T*>(moved), n);
    return s.ok() ? copy_async(values, moved, n * sizeof(T), stream) : s;
  };
  if constexpr (!moves_key<K>) {
    using order = indirect_order<K, Index, Less>;
    state = sort_moving<void>(inner, key_value_view<Index, keys_only>{indices, nullptr}, n,
                              order{rows.keys, less});
    if (state.ok()) state = gather(rows.keys);
  } else if constexpr (std::is_void_v<Bits>) {
    state = sort_moving<void>(inner, key_value_view<K, Index>{rows.keys, indices}, n,
                              comparator_order<K, Less>{less});
  } else {
    state = sort_moving<Bits>(inner, key_value_view<K, Index>{rows.keys, indices}, n,
                              radix_order<K, Bits>{});
  }
  if constexpr (bytes_of<V> != 0) {
    if (state.ok()) state = gather(rows.values);
  }
  return state;
}

template <class K, class V, class Less>
status sort(const work_place& where, key_value_view<K, V> rows, std::size_t n, const Less& less) {
  using bits = decltype(bitwise_order<Less, K>());
  if (n == 0) return {};
  if (const status s = refuse_memory(where, sort_bytes<K, V>(n)); !s.ok()) return s;
  if constexpr (!moves_key<K> || !moves_value<V>) {
    if (n <= std::numeric_limits<std::uint32_t>::max()) {
      return sort_indirect<std::uint32_t, bits>(where, rows, n, less);
    }
    return sort_indirect<std::uint64_t, bits>(where, rows, n, less);
  } else if constexpr (std::is_void_v<bits>) {
    return sort_moving<void>(where, rows, n, comparator_order<K, Less>{less});
  } else {
    return sort_moving<bits>(where, rows, n, radix_order<K, bits>{});
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
