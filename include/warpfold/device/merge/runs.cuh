// Merges of many sorted runs, four or eight at a time: each pass over memory leaves a quarter or an
// eighth as many. The runs lie where offsets in device memory say, so they may have any lengths,
// and the host launches an upper bound of tiles. A group g that begins at row b gets the tiles from
// b / rows + g on; these are at least as many as it needs. A pass is two launches:
//
//   partition   a lane for each run finds what of it comes before a tile (merge_runs_path)
//   load        the block copies its tile's parts of all runs to shared memory
//   -- barrier --
//   merge       neighbouring parts in pairs, then what these came to in pairs, and so on;
//   -- two barriers a round --
//   store       from shared to global memory, neighbours by neighbours
//
// Reads and writes each row once a pass; two or three rounds, three barriers each. Stable; any
// strict weak order. Where an offset is wrong, nothing is written. Runs that are not sorted lead to
// no access outside the ranges, and searches among them end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/detail/striped_tile.cuh"
#include "warpfold/device/merge/partition.cuh"
#include "warpfold/device/sort/items.cuh"
#include "warpfold/device/sort/merge.cuh"
#include "warpfold/operators.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Where runs begin and end: `runs + 1` offsets into n rows, or, where they have been `moved`, into
/// those from the first run on.
template <class Offset>
struct run_offsets {
  static constexpr std::size_t most_seen = warp_size;  // runs that a warp looks at itself

  const Offset* offsets;
  std::size_t runs, n;
  const std::size_t* wrong = nullptr;  // how many runs are wrong, where that has been counted
  bool moved = false;

  [[nodiscard]] __device__ __forceinline__ std::size_t at(std::size_t i) const {
    return given(i < runs ? i : runs) - (moved ? given(0) : 0);
  }
  [[nodiscard]] __device__ __forceinline__ bool is_right(std::size_t run) const {
    const std::size_t begin = given(run), end = given(run + 1);
    return begin <= end && end <= n;
  }
  /// By all lanes of a warp.
  [[nodiscard]] __device__ __forceinline__ bool are_right() const {
    if (wrong != nullptr) return *wrong == 0;
    const unsigned lane = threadIdx.x % warp_size;
    return __all_sync(all_lanes, lane >= runs || is_right(lane)) != 0;
  }

 private:
  [[nodiscard]] __device__ __forceinline__ std::size_t given(std::size_t i) const {
    return static_cast<std::size_t>(offsets[i]);
  }
};

/// `Ways` neighbours of what a pass merges, and the rows that they are.
template <unsigned Ways, class Offset>
struct run_group {
  static constexpr unsigned ways = Ways;
  run_offsets<Offset> all;
  std::size_t first, step;  // the first run, and how many of the call's runs each one is by now
  std::size_t begin, rest;

  static __device__ __forceinline__ run_group of(const run_offsets<Offset>& all, std::size_t group,
                                                 std::size_t step) {
    const std::size_t first = group * ways * step;
    const std::size_t begin = all.at(first);
    return {all, first, step, begin, all.at(first + ways * step) - begin};
  }
  [[nodiscard]] __device__ __forceinline__ std::size_t begin_of(unsigned r) const {
    return all.at(first + r * step);
  }
  [[nodiscard]] __device__ __forceinline__ std::size_t count(unsigned r) const {
    return begin_of(r + 1) - begin_of(r);
  }
};

/// A pass over all runs of a call, each of which is `step` of the call's.
template <unsigned Ways, class Offset>
struct merge_round {
  static constexpr unsigned ways = Ways;
  using group_type = run_group<ways, Offset>;
  run_offsets<Offset> all;
  std::size_t step, groups;

  [[nodiscard]] __host__ __device__ std::size_t tiles(unsigned rows) const {
    return all.n / rows + groups;
  }

  /// The group of a tile, and the tile's first row in it: none if that is not less than `rest`.
  struct place {
    group_type group;
    std::size_t diagonal;
  };
  template <class Tile>
  [[nodiscard]] __device__ __forceinline__ place place_of(std::size_t tile) const {
    std::size_t low = 0, high = groups;  // the last group whose first tile is not behind this one
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      if (all.at(middle * ways * step) / Tile::rows + middle <= tile) {
        low = middle;
      } else {
        high = middle;
      }
    }
    const auto group = group_type::of(all, low, step);
    return {group, (tile - (group.begin / Tile::rows + low)) * Tile::rows};
  }
};

/// For each tile's begin, how many rows of each run of its group come before it.
template <class Tile, class K, class Order, class Round>
__global__ void __launch_bounds__(128)
    partition_runs_kernel(const K* keys, Round round, std::size_t* partitions, Order order) {
  wait_for_primary();
  trigger_dependents();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t tile = i / Round::ways, tiles = round.tiles(Tile::rows);
  if (!round.all.are_right()) return;
  // Lanes without a tile look for the begin of a group.
  const auto [group, diagonal] = round.template place_of<Tile>(tile < tiles ? tile : tiles - 1);
  const bool is_tile = tile < tiles && diagonal < group.rest;
  const std::size_t count = merge_runs_path(keys, group, is_tile ? diagonal : 0, order);
  if (is_tile) partitions[i] = count;
}

/// A tile's parts of all runs of its group: which rows they have in the tile, and where row 0 would
/// be if it were in that part.
template <unsigned Ways>
struct tile_of_runs {
  std::size_t from[Ways];
  std::size_t base;  // of the tile in the output
  unsigned begin[Ways + 1];

  /// By one warp.
  template <class Tile, class Round>
  __device__ __forceinline__ void find(const Round& round, const std::size_t* partitions) {
    const unsigned lane = threadIdx.x % warp_size, r = lane % Ways;
    const std::size_t tile = blockIdx.x;
    if (lane == 0) begin[0] = begin[Ways] = 0;
    __syncwarp();
    if (!round.all.are_right()) return;
    const auto [group, diagonal] = round.template place_of<Tile>(tile);
    if (diagonal >= group.rest) return;
    const std::size_t rest = group.rest - diagonal;
    const auto rows = rest < Tile::rows ? static_cast<unsigned>(rest) : Tile::rows;
    const std::size_t first = partitions[tile * Ways + r];
    const std::size_t last = rows == rest ? group.count(r) : partitions[(tile + 1) * Ways + r];
    // Of runs that are not sorted, `first` may be behind `last`.
    const std::size_t length = first < last ? last - first : 0;
    const auto mine = length < rows ? static_cast<unsigned>(length) : rows;
    const unsigned sum = scan_lanes<Ways>(mine, plus{}), before = sum - mine;
    const unsigned here = before < rows ? before : rows;
    if (lane == 0) base = group.begin - round.all.at(0) + diagonal;
    if (lane < Ways) {
      from[r] = group.begin_of(r) + first - here;
      begin[r + 1] = sum < rows ? sum : rows;
    }
  }
};

/// The rows of a tile, in global memory.
template <unsigned Ways, class Rows>
struct rows_of_runs {
  const tile_of_runs<Ways>& tile;
  Rows in;
  unsigned begin[Ways];  // in registers

  __device__ __forceinline__ rows_of_runs(const tile_of_runs<Ways>& t, Rows rows)
      : tile(t), in(rows) {
#pragma unroll
    for (unsigned r = 0; r < Ways; ++r) begin[r] = t.begin[r];
  }
  [[nodiscard]] __device__ __forceinline__ Rows at(unsigned k) const {
    unsigned run = 0;
#pragma unroll
    for (unsigned r = 1; r < Ways; ++r) run += k >= begin[r] ? 1U : 0U;
    return in.from(tile.from[run] + k);
  }
};

/// Parts of a tile that merge in pairs, `width` runs each, and the first row of this thread.
template <unsigned Ways>
struct pairs_of_parts {
  const unsigned* begin;  // of the runs
  unsigned width, first;

  /// The pair that has a row of the tile.
  [[nodiscard]] __device__ __forceinline__ shared_runs with(unsigned row) const {
    unsigned run = 0;
    for (unsigned r = 2 * width; r < Ways; r += 2 * width) {
      if (row >= begin[r]) run = r;
    }
    return {begin[run], begin[run + width], begin[run + width], begin[run + 2 * width]};
  }
  [[nodiscard]] __device__ __forceinline__ unsigned turn_after(const shared_runs& pair) const {
    return pair.b_end - first;
  }
  [[nodiscard]] __device__ __forceinline__ shared_runs from_turn(unsigned k, unsigned& turn) const {
    const shared_runs pair = with(first + k);
    turn = turn_after(pair);
    return pair;
  }
};

template <class Tile, class V, class Order, class Round>
__global__ void __launch_bounds__(Tile::threads, blocks_with_registers(Tile::threads, Tile::blocks))
    merge_runs_kernel(key_value_view<typename Order::key, V> in,
                      key_value_view<typename Order::key, V> out, Round round,
                      const std::size_t* partitions, Order order) {
  using encoded = typename Order::encoded;
  constexpr unsigned items = Tile::items, threads = Tile::threads, ways = Round::ways;
  auto& tile = shared_storage<tile_of_runs<ways>>();
  const auto shared = rows_in<encoded, V>(dynamic_shared<char>(), Tile::rows);
  wait_for_primary();
  trigger_dependents();
  if (threadIdx.x < warp_size) tile.template find<Tile>(round, partitions);
  __syncthreads();
  const unsigned count = tile.begin[ways];
  if (count == 0) return;

  encoded key[items];
  V value[items];
  load_tile<threads>(rows_of_runs<ways, key_value_view<typename Order::key, V>>(tile, in), count,
                     shared, key, value, order);
  __syncthreads();
  const unsigned first = threadIdx.x * items < count ? threadIdx.x * items : count;
  for (unsigned width = 1;; width *= 2) {
    const pairs_of_parts<ways> pairs{tile.begin, width, first};
    const shared_runs pair = pairs.with(first);
    unsigned place[items];
    merge_serially(shared,
                   runs_from(shared.keys, pair.i, pair.j, pair.b_end, first - pair.i, order), order,
                   key, place, pairs.turn_after(pair), pairs);
    take_values(shared, place, value, count);
    if (2 * width == ways) break;
    __syncthreads();
    put_rows(shared, key, value);
    __syncthreads();
  }
  store_tile<threads>(shared, key, value, count, out.from(tile.base), order);
}

/// Adds 1 for each run whose offsets are wrong.
template <class Offset>
__global__ void __launch_bounds__(256)
    count_wrong_runs_kernel(run_offsets<Offset> all, std::size_t* wrong) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= all.runs || all.is_right(i)) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(wrong), 1ULL);
}

/// to[i] = from[indices[i]] for all rows that runs have. A thread copies a word.
template <class Offset, class Index, class T>
__global__ void __launch_bounds__(256)
    gather_merged_kernel(run_offsets<Offset> all, const Index* indices, const T* from, T* to) {
  using word = word_of_item<T>;
  constexpr unsigned words = words_of_item<T>;
  const std::size_t w = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (!all.are_right() || w >= (all.at(all.runs) - all.at(0)) * words) return;
  const auto* const source = reinterpret_cast<const word*>(from + indices[w / words]);
  reinterpret_cast<word*>(to)[w] = source[w % words];
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
