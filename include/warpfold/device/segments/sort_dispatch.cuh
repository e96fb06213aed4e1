// The launches of a sort of segments, and the memory that it works in: rows are moved, or, where
// they are too large, their indices are sorted and each column is gathered.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/segments/sort.cuh"
#include "warpfold/device/sort/dispatch.cuh"
#include "warpfold/device/sort/temp_storage.cuh"
#include "warpfold/ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// What a sort of segments works in.
template <class K, class V, class Tile>
struct segment_sort_storage {
  segment_marks marks{};
  key_value_view<K, V> spare{};
  std::size_t tiles, cleared, bytes;

  constexpr explicit segment_sort_storage(std::size_t n, void* memory = nullptr)
      : tiles(n == 0 ? 1 : (n - 1) / tile_rows_of_segments<Tile> + 1) {
    memory_layout layout(memory);
    marks.summary = layout.take<segment_summary>(1);
    marks.heads =
        layout.take<std::uint32_t>(tiles * (tile_rows_of_segments<Tile> / bits_of_word) + 1);
    cleared = layout.bytes();
    marks.crossing = layout.take<crossing_segment>(tiles + 1);
    marks.crossed_tiles = layout.take<unsigned>(tiles);
    spare.keys = layout.take<K>(n);
    if constexpr (bytes_of<V> != 0) spare.values = layout.take<V>(n);
    bytes = layout.bytes();
  }
};

template <class Encoded, class V>
struct segment_tiles {
  static constexpr std::size_t row_bytes = sizeof(Encoded) + bytes_of<V>;
  using large = tuning::segment_sort_tile<row_bytes>;
  using small = tuning::segment_sort_small_tile<row_bytes>;

  template <class K>
  static constexpr std::size_t bytes(std::size_t n) {
    return std::max(segment_sort_storage<K, V, large>(n).bytes,
                    segment_sort_storage<K, V, small>(n).bytes);
  }
};

/// Bytes of memory for a sort of rows that are moved, the most of any order.
template <class K, class V>
constexpr std::size_t moved_segment_bytes(std::size_t n) {
  using any = segment_order<comparator_order<K, ascending>>;
  std::size_t bytes = segment_tiles<typename any::encoded, V>::template bytes<K>(n);
  if constexpr (arithmetic_key<K>) {
    using bits = segment_order<radix_order<K, ascending>>;
    bytes = std::max(bytes, segment_tiles<typename bits::encoded, V>::template bytes<K>(n));
  }
  return bytes;
}

/// What a sort of segments that finds indices works in: keys, where they are moved, then the sort's
/// own memory.
template <class K, class Index>
struct segment_argsort_storage {
  K* keys{};
  void* inner;
  std::size_t bytes;

  constexpr explicit segment_argsort_storage(std::size_t n, void* memory = nullptr) {
    memory_layout layout(memory);
    std::size_t inner_bytes = 0;
    if constexpr (moves_key<K>) {
      keys = layout.take<K>(n);
      inner_bytes = moved_segment_bytes<K, Index>(n);
    } else {
      inner_bytes = moved_segment_bytes<Index, keys_only>(n);
    }
    inner = layout.take<char>(inner_bytes);
    bytes = layout.bytes();
  }
};

/// What a sort of rows that are not moved works in: indices, the memory of their argsort, and one
/// column, while it is gathered.
template <class K, class V, class Index>
struct indirect_segment_storage {
  Index* indices;
  void *inner, *moved;
  std::size_t bytes;

  constexpr explicit indirect_segment_storage(std::size_t n, void* memory = nullptr) {
    memory_layout layout(memory);
    indices = layout.take<Index>(n);
    inner = layout.take<char>(segment_argsort_storage<K, Index>(n).bytes);
    moved = layout.take<char>(n * std::max(bytes_of<V>, sizeof(K)));
    bytes = layout.bytes();
  }
};

template <class K, class V>
constexpr std::size_t segment_sort_bytes(std::size_t n) {
  if constexpr (moves_key<K> && moves_value<V>) {
    return moved_segment_bytes<K, V>(n);
  } else {
    return n <= most_indexed<std::uint32_t>
               ? indirect_segment_storage<K, V, std::uint32_t>(n).bytes
               : indirect_segment_storage<K, V, std::uint64_t>(n).bytes;
  }
}

/// The offsets of a call's segments, and where it counts those that are refused.
template <class Offset>
struct given_segments {
  const Offset* offsets;
  value_count count;
  std::size_t* refused;
};

/// Sorts the rows of segments into `out`, in place or not.
template <class Tile, class K, class V, class In, class Offset, class Order>
status sort_in_tiles(stream_type stream, const In& in, key_value_view<K, V> out, std::size_t n,
                     const given_segments<Offset>& segments,
                     const segment_sort_storage<K, V, Tile>& storage, const Order& order) {
  const auto tiles = static_cast<unsigned>(storage.tiles);
  status s = zero_async(storage.marks.summary, storage.cleared, stream);
  if (!s.ok()) return s;
  const std::size_t threads =
      std::max((segments.count.n + marks_a_thread - 1) / marks_a_thread, storage.tiles + 1);
  s = try_launch({.grid = static_cast<unsigned>((threads - 1) / mark_threads + 1),
                  .block = mark_threads,
                  .stream = stream},
                 mark_segments_kernel<Tile, Offset>, segments.offsets, segments.count, n,
                 storage.tiles, storage.marks);
  if (!s.ok()) return s;
  launch_config config{
      .grid = tiles,
      .block = Tile::threads,
      .shared_bytes = std::max(bytes_of_rows<typename segment_order<Order>::encoded, V>(Tile::rows),
                               window_rows<Tile, V, Order>::bytes),
      .stream = stream,
      .programmatic_launch = true};
  s = try_launch(config, sort_segments_kernel<Tile, V, In, Order>, in, out, storage.spare, n,
                 storage.marks, segments.refused, order);
  if (!s.ok() || tiles == 1) return s;
  config.shared_bytes = bytes_of_rows<typename Order::encoded, V>(Tile::rows);
  config.grid = std::min(tiles, current_device().multiprocessors * Tile::blocks);
  if (tiles <= tuning::segment_merges_at_once) {
    return try_launch(config, merge_all_segments_kernel<Tile, V, Order>, out, storage.spare,
                      storage.marks, order);
  }
  const auto levels = static_cast<unsigned>(std::bit_width(tiles - 1));
  for (unsigned level = 0; s.ok() && level < levels; ++level) {
    s = try_launch(config, merge_segments_kernel<Tile, V, Order>, out, storage.spare, level,
                   storage.marks, order);
  }
  return s;
}

/// Rows that are moved, in the memory that there is for them.
template <class In, class K, class V, class Offset, class Order>
status sort_moved_segments(stream_type stream, void* memory, const In& in, key_value_view<K, V> out,
                           std::size_t n, const given_segments<Offset>& segments,
                           const Order& order) {
  using tiles = segment_tiles<typename segment_order<Order>::encoded, V>;
  const auto with = [&]<class Tile>(Tile) {
    return sort_in_tiles(stream, in, out, n, segments, segment_sort_storage<K, V, Tile>(n, memory),
                         order);
  };
  const std::size_t few = std::size_t{current_device().card_multiprocessors} *
                          tuning::segment_sort_small_tiles * tiles::large::rows;
  return n < few ? with(typename tiles::small{}) : with(typename tiles::large{});
}

/// Indices of the keys, in the order of their segments. Keys that are moved are moved along.
template <class K, class Index, class Offset, class Less>
status argsort_segments(stream_type stream, void* memory, const K* keys, Index* indices,
                        std::size_t n, const given_segments<Offset>& segments, const Less& less) {
  const segment_argsort_storage<K, Index> storage(n, memory);
  if constexpr (moves_key<K>) {
    return sort_moved_segments(stream, storage.inner, numbered_keys<K, Index>{keys, 0},
                               key_value_view<K, Index>{storage.keys, indices}, n, segments,
                               order_of_keys<K>(less));
  } else {
    const status s = number_rows(indices, n, stream);
    if (!s.ok()) return s;
    const key_value_view<Index, keys_only> rows{indices, nullptr};
    return sort_moved_segments(stream, storage.inner, rows, rows, n, segments,
                               indirect_order<K, Index, Less>{keys, less});
  }
}

/// Rows that are not moved: their indices are sorted, then each column is gathered.
template <class Index, class K, class V, class Offset, class Less>
status sort_segments_by_index(stream_type stream, void* memory, const sort_buffers<K, V>& rows,
                              std::size_t n, const given_segments<Offset>& segments,
                              const Less& less) {
  const indirect_segment_storage<K, V, Index> storage(n, memory);
  status s =
      argsort_segments(stream, storage.inner, rows.in.keys, storage.indices, n, segments, less);
  const auto move = [&](const auto* from, auto* to) {
    if (!s.ok() || n == 0) return;
    s = move_column(from, to, storage.moved, n, stream,
                    [&](auto* place) { return gather(storage.indices, from, place, n, stream); });
  };
  if constexpr (bytes_of<V> != 0) move(rows.in.values, rows.out.values);
  move(rows.in.keys, rows.out.keys);
  return s;
}

template <class K, class V, class Offset, class Less>
status sort_segments(const work_place& where, const sort_buffers<K, V>& rows, std::size_t n,
                     const given_segments<Offset>& segments, const Less& less) {
  if (const status s = refuse_bits<K>(less); !s.ok()) return s;
  const std::size_t bytes = segment_sort_bytes<K, V>(n);
  const scratch memory(
      where, {bytes, "the temp_storage is smaller than segmented_sort_temp_storage_bytes<K, V>(n)"},
      bytes, false);
  if (!memory.state().ok()) return memory.state();
  if constexpr (moves_key<K> && moves_value<V>) {
    return sort_moved_segments(where.stream, memory.data(), rows.in, rows.out, n, segments,
                               order_of_keys<K>(less));
  } else if (n <= most_indexed<std::uint32_t>) {
    return sort_segments_by_index<std::uint32_t>(where.stream, memory.data(), rows, n, segments,
                                                 less);
  } else {
    return sort_segments_by_index<std::uint64_t>(where.stream, memory.data(), rows, n, segments,
                                                 less);
  }
}

template <class K, class Index, class Offset, class Less>
status argsort_segments(const work_place& where, const K* keys, Index* indices, std::size_t n,
                        const given_segments<Offset>& segments, const Less& less) {
  if (const status s = refuse_bits<K>(less); !s.ok()) return s;
  const std::size_t bytes = segment_argsort_storage<K, Index>(n).bytes;
  const scratch memory(
      where,
      {bytes, "the temp_storage is smaller than segmented_argsort_temp_storage_bytes<K, Index>(n)"},
      bytes, false);
  return memory.state().ok()
             ? argsort_segments(where.stream, memory.data(), keys, indices, n, segments, less)
             : memory.state();
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
