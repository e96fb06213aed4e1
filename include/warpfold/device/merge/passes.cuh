// The passes of a merge of many runs: how many runs each one takes at a time, in which tiles, and
// the memory that lies between them. Rows that go through registers are merged as they are; of
// others, numbers are merged along with the keys, or instead of them, and each column is gathered
// once.
//
//   moved rows  spare keys | spare items | the tiles' partitions | how many runs are wrong
//   by number   numbers | merged numbers | memory of the merge that moves them | the same
//
// There are spare rows for two passes or more, that is, of more than eight runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "warpfold/columns.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/merge/runs.cuh"
#include "warpfold/device/sort/direct.cuh"
#include "warpfold/device/sort/indirect.cuh"
#include "warpfold/tuning/merge.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// How many passes leave one of so many runs, and how many each one merges at a time.
struct runs_plan {
  unsigned ways = 4, passes = 1;

  constexpr explicit runs_plan(std::size_t runs) {
    unsigned by_eights = 1;
    for (std::size_t left = (runs + 7) / 8; left > 1; left = (left + 7) / 8) ++by_eights;
    for (std::size_t left = (runs + 3) / 4; left > 1; left = (left + 3) / 4) ++passes;
    if (passes > by_eights) ways = 8, passes = by_eights;
  }
};

/// What a merge of runs with n rows works in.
template <class K, class V>
struct runs_storage {
  key_value_view<K, V> spare{};
  std::size_t *partitions, *wrong;
  std::size_t bytes;

  constexpr runs_storage(std::size_t n, std::size_t runs, void* memory = nullptr) {
    const runs_plan plan(runs);
    memory_layout layout(memory);
    if (plan.passes > 1) {
      spare.keys = layout.take<K>(n);
      if constexpr (bytes_of<V> != 0) spare.values = layout.take<V>(n);
    }
    using tile = tuning::quick_tile<sizeof(K) + bytes_of<V>>;  // the smallest
    const std::size_t tiles = n / tile::rows + (runs + plan.ways - 1) / plan.ways;
    partitions = layout.take<std::size_t>(tiles * plan.ways);
    wrong = layout.take<std::size_t>(1);
    bytes = layout.bytes();
  }
};

/// What a merge by numbers works in.
template <class K, class V>
struct numbered_runs_storage {
  void *numbers, *merged, *inner;
  std::size_t* wrong;
  std::size_t inner_bytes, bytes;

  constexpr numbered_runs_storage(std::size_t n, std::size_t runs, void* memory = nullptr) {
    const bool is_narrow = n <= std::numeric_limits<std::uint32_t>::max();
    memory_layout layout(memory);
    numbers = layout.take<char>(n * (is_narrow ? 4 : 8));
    merged = layout.take<char>(n * (is_narrow ? 4 : 8));
    inner_bytes = is_narrow ? inner_of<std::uint32_t>(n, runs) : inner_of<std::uint64_t>(n, runs);
    inner = layout.take<char>(inner_bytes);
    wrong = layout.take<std::size_t>(1);
    bytes = layout.bytes();
  }
  template <class Index>
  static constexpr std::size_t inner_of(std::size_t n, std::size_t runs) {
    if constexpr (moves_key<K>) {
      return runs_storage<K, Index>(n, runs).bytes;
    } else {
      return runs_storage<Index, keys_only>(n, runs).bytes;
    }
  }
};

template <class K, class V>
constexpr std::size_t merge_runs_bytes(std::size_t n, std::size_t runs) {
  if constexpr (moves_key<K> && moves_value<V>) {
    return runs_storage<K, V>(n, runs).bytes;
  } else {
    return numbered_runs_storage<K, V>(n, runs).bytes;
  }
}

/// Counts the runs whose offsets are wrong.
template <class Offset>
status count_wrong_runs(run_offsets<Offset>& all, std::size_t* wrong, stream_type stream) {
  const status s = zero_async(wrong, sizeof *wrong, stream);
  all.wrong = wrong;
  if (!s.ok() || all.runs == 0) return s;
  return try_launch(
      {.grid = static_cast<unsigned>((all.runs - 1) / 256 + 1), .block = 256, .stream = stream},
      count_wrong_runs_kernel<Offset>, all, wrong);
}
/// The same, where that has not been done and warps do not look at all of them themselves.
template <class Offset>
status count_if_many(run_offsets<Offset>& all, std::size_t* wrong, stream_type stream) {
  const bool is_counted = all.wrong != nullptr || all.runs <= run_offsets<Offset>::most_seen;
  return is_counted ? status{} : count_wrong_runs(all, wrong, stream);
}

template <class Tile, class K, class V, class Order, class Round>
status merge_runs_pass(key_value_view<K, V> from, key_value_view<K, V> to, const Round& round,
                       std::size_t* partitions, const Order& order, stream_type stream) {
  constexpr unsigned threads = 128, at_once = threads / Round::ways;
  auto config = tile_launch<Tile, typename Order::encoded, V>(1, stream, true);
  config.grid = static_cast<unsigned>(round.tiles(Tile::rows));
  const status s =
      try_launch({.grid = (config.grid - 1) / at_once + 1,
                  .block = threads,
                  .stream = stream,
                  .programmatic_launch = true},
                 partition_runs_kernel<Tile, K, Order, Round>, from.keys, round, partitions, order);
  if (!s.ok()) return s;
  return try_launch(config, merge_runs_kernel<Tile, V, Order, Round>, from, to, round, partitions,
                    order);
}

/// All passes, between `out` and the spare rows.
template <unsigned Ways, class Tile, class K, class V, class Order, class Offset>
status merge_in_passes(const sort_buffers<K, V>& rows, run_offsets<Offset> all,
                       std::size_t* partitions, const Order& order, stream_type stream) {
  auto from = rows.in, to = rows.out, next = rows.spare;
  const unsigned passes = runs_plan(all.runs).passes;
  if (passes % 2 == 0) std::swap(to, next);  // the last pass shall end in `out`
  status state;
  std::size_t step = 1, groups = all.runs;
  for (unsigned pass = 0; state.ok() && pass < passes; ++pass, step *= Ways) {
    groups = (groups - 1) / Ways + 1;
    const merge_round<Ways, Offset> round{all, step, groups};
    state = merge_runs_pass<Tile>(from, to, round, partitions, order, stream);
    from = to;
    std::swap(to, next);
    all.moved = true;
  }
  return state;
}

/// Rows that go through registers, from `rows.in` to `rows.out`.
template <class K, class V, class Order, class Offset>
status merge_moved_runs(const work_place& where, const sort_buffers<K, V>& rows,
                        run_offsets<Offset> all, const Order& order) {
  using encoded = typename Order::encoded;
  constexpr std::size_t row_bytes = sizeof(encoded) + bytes_of<V>;
  using large = typename std::decay_t<decltype(tuning::large_merges<row_bytes>)>::tile;
  using quick = tuning::quick_tile<row_bytes>;
  const memory_size needed{runs_storage<K, V>(all.n, all.runs).bytes,
                           "the temp_storage is smaller than "
                           "merge_runs_temp_storage_bytes<K, V>(n, runs)"};
  const scratch memory(where, needed, needed.bytes, false);
  if (!memory.state().ok()) return memory.state();
  const runs_storage<K, V> storage(all.n, all.runs, memory.data());
  if (const status s = count_if_many(all, storage.wrong, where.stream); !s.ok()) return s;
  const sort_buffers<K, V> with_spare{rows.in, rows.out, storage.spare};
  const bool is_large = all.n > tuning::merged_runs_quick_to &&
                        bytes_of_rows<encoded, V>(large::rows) <= current_device().shared_bytes;
  const auto by = [&]<class Tile>(Tile) {
    return runs_plan(all.runs).ways == 4
               ? merge_in_passes<4, Tile>(with_spare, all, storage.partitions, order, where.stream)
               : merge_in_passes<8, Tile>(with_spare, all, storage.partitions, order, where.stream);
  };
  return is_large ? by(large{}) : by(quick{});
}

/// Other rows.
template <class Index, class K, class V, class Less, class Offset>
status merge_numbered_runs(const work_place& where, key_value_view<K, V> in,
                           key_value_view<K, V> out, run_offsets<Offset> all, const Less& less) {
  const stream_type stream = where.stream;
  const std::size_t n = all.n;
  const memory_size needed{numbered_runs_storage<K, V>(n, all.runs).bytes,
                           "the temp_storage is smaller than "
                           "merge_runs_temp_storage_bytes<K, V>(n, runs)"};
  const scratch memory(where, needed, needed.bytes, false);
  if (!memory.state().ok()) return memory.state();
  const numbered_runs_storage<K, V> storage(n, all.runs, memory.data());
  auto *const numbers = static_cast<Index*>(storage.numbers), *const merged = static_cast<Index*>(
                                                                  storage.merged);
  const work_place inner{stream, storage.inner, storage.inner_bytes};
  status state = count_if_many(all, storage.wrong, stream);
  if (state.ok()) state = number_rows(numbers, n, stream);
  if (!state.ok()) return state;
  const auto gather_column = [&](const auto* from, auto* to) {
    using T = std::remove_pointer_t<decltype(to)>;
    const std::size_t blocks = (n * words_of_item<T> + 255) / 256;
    return try_launch({.grid = static_cast<unsigned>(blocks), .block = 256, .stream = stream},
                      gather_merged_kernel<Offset, Index, T>, all,
                      static_cast<const Index*>(merged), from, to);
  };
  if constexpr (moves_key<K>) {
    state = merge_moved_runs(inner, sort_buffers<K, Index>{{in.keys, numbers}, {out.keys, merged}},
                             all, order_of_keys<K>(less));
  } else {
    using view = key_value_view<Index, keys_only>;
    state = merge_moved_runs(
        inner, sort_buffers<Index, keys_only>{view{numbers, nullptr}, view{merged, nullptr}}, all,
        indirect_order<K, Index, Less>{in.keys, less});
    if (state.ok()) state = gather_column(static_cast<const K*>(in.keys), out.keys);
  }
  if constexpr (bytes_of<V> != 0) {
    if (state.ok()) state = gather_column(static_cast<const V*>(in.values), out.values);
  }
  return state;
}

/// Merges the runs of `in` into `out`; equal keys of a run come before those of later ones.
template <class K, class V, class Less, class Offset>
status merge_runs(const work_place& where, key_value_view<K, V> in, key_value_view<K, V> out,
                  run_offsets<Offset> all, const Less& less, std::size_t* refused) {
  status state = refuse_bits<K>(less);
  if (state.ok() && refused != nullptr) state = count_wrong_runs(all, refused, where.stream);
  if (!state.ok() || all.n == 0 || all.runs == 0) return state;
  if constexpr (moves_key<K> && moves_value<V>) {
    return merge_moved_runs(where, sort_buffers<K, V>{in, out}, all, order_of_keys<K>(less));
  } else if (all.n <= std::numeric_limits<std::uint32_t>::max()) {
    return merge_numbered_runs<std::uint32_t>(where, in, out, all, less);
  } else {
    return merge_numbered_runs<std::uint64_t>(where, in, out, all, less);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
