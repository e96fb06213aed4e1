// Selections in one pass over memory: values that are selected move up to each other, in their
// order; those that are not may go to an output of their own. Blocks take tile after tile
// (striped_tile):
//
//   rank        which values of tile i are selected; the warps' counts
//   -- barrier --
//   pack        the count of tile i is published; its selected values go to shared memory, those
//   that
//               are not behind them; the loads of tile i + 1 begin
//   look_back   waits for the number of selected values before tile i - 1
//   -- barrier --
//   store       tile i - 1, from shared to global memory, neighbours by neighbours
//
// PERF NOTES. A block looks back one tile late: by then the blocks before it have published theirs,
// and it seldom waits. (At once, and with half as many values a tile, 2^28 values take 1.6 times as
// long: what many blocks poll is stored late.)
// Reads each value once and writes it once at most; 16 bytes published a tile; two barriers a tile.
// The output may be the input: a tile is stored when all tiles before it have been loaded, which
// fences see to (block_look_back).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/detail/striped_tile.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/warp/redux.cuh"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A second column that is not there.
struct no_column {};
template <class T>
inline constexpr bool is_column = !std::is_same_v<T, no_column>;

// Tests. `held` is what a thread loads for a tile beside its keys; `bits` has bit k set where
// the k-th key is selected.

/// Keeps the keys for which keep(key) holds.
template <class Keep>
struct kept_by_predicate {
  Keep keep;

  template <class Shape, class K>
  struct held {
    __device__ __forceinline__ void load(const kept_by_predicate&, const striped_tile<Shape>&,
                                         const K*, std::size_t) {}
  };
  template <class Shape, class K>
  __device__ __forceinline__ unsigned bits(const striped_tile<Shape>& tile,
                                           const K (&key)[Shape::items],
                                           const held<Shape, K>&) const {
    unsigned selected = 0;
    tile.for_each([&](unsigned k) { selected |= (keep(key[k]) ? 1U : 0U) << k; });
    return selected;
  }
};

/// The same, and what is written is their indices, in the place of items.
template <class Keep>
struct indices_by_predicate : kept_by_predicate<Keep> {
  static constexpr bool numbers_keys = true;
};
template <class Test>
concept numbers_keys = requires { Test::numbers_keys; };

/// Keeps the keys whose flag is not 0.
template <class Flag>
struct kept_by_flag {
  const Flag* flags;

  template <class Shape, class K>
  struct held {
    Flag flag[Shape::items];
    __device__ __forceinline__ void load(const kept_by_flag& test, const striped_tile<Shape>& tile,
                                         const K*, std::size_t) {
      tile.load(flag, test.flags);
    }
  };
  template <class Shape, class K>
  __device__ __forceinline__ unsigned bits(const striped_tile<Shape>& tile,
                                           const K (&)[Shape::items],
                                           const held<Shape, K>& of) const {
    unsigned selected = 0;
    tile.for_each([&](unsigned k) { selected |= (of.flag[k] != Flag{} ? 1U : 0U) << k; });
    return selected;
  }
};

/// Keeps the first key of each run of equal ones.
template <class Equal>
struct first_of_run {
  Equal equal;

  template <class Shape, class K>
  struct held {
    neighbouring_key<K> side;
    __device__ __forceinline__ void load(const first_of_run&, const striped_tile<Shape>& tile,
                                         const K* keys, std::size_t n) {
      side.load(tile, keys, n);
    }
  };
  template <class Shape, class K>
  __device__ __forceinline__ unsigned bits(const striped_tile<Shape>& tile,
                                           const K (&key)[Shape::items],
                                           const held<Shape, K>& of) const {
    const unsigned lane = threadIdx.x % warp_size;
    unsigned selected = 0;
    K row_before = of.side.key;
#pragma unroll
    for (unsigned k = 0; k < Shape::items; ++k) {
      K before = key[k == 0 ? 0 : k - 1];
      bool is_first_of_all = false;
      if (k % Shape::width == 0) {
        const K last_of_row = key[k + Shape::width - 1];
        before = shuffle_up(last_of_row, 1);
        if (lane == 0) before = row_before;
        is_first_of_all = k == 0 && lane == 0 && !of.side.there;
        row_before = shuffle(last_of_row, warp_size - 1);
      }
      if (tile.there(k) && (is_first_of_all || !equal(before, key[k]))) selected |= 1U << k;
    }
    return selected;
  }
};

/// Keys, and items that go with them; out_items and others may be null.
template <class K, class V, class Test>
struct select_problem {
  using key_type = K;
  using item_type = V;
  const K* keys;
  const V* items;
  value_count count;
  K* out;
  V* out_items;
  std::size_t room;  // of the outputs
  K* others;         // keys that are not selected, or null
  std::size_t other_room;
  std::size_t* selected;  // how many are selected, in the end
  bool in_place;          // an output is its input
  Test test;
};

template <class Shape, class K, class V>
struct select_storage {
  struct stage {
    K key[Shape::values];
    V item[is_column<V> ? Shape::values : 1];
  };
  stage stages[2];
  unsigned warp_kept[Shape::threads / warp_size];
  tile_queue::storage queue;
  typename block_look_back<std::uint64_t, Shape::threads>::storage look_back;
};

template <class Shape, class K, class V, class Test>
struct select_block {
  using problem_type = select_problem<K, V, Test>;
  using tile_type = striped_tile<Shape>;
  using storage = select_storage<Shape, K, V>;
  using look_back_type = block_look_back<std::uint64_t, Shape::threads>;
  static constexpr unsigned items = Shape::items, warps = Shape::threads / warp_size;

  const problem_type& problem;
  storage& shared;
  const tile_queue& queue;
  std::size_t n;
  std::uint32_t epoch = 0;
  unsigned number = 0;  // of the tile in registers

  K key[items];
  V item[is_column<V> ? items : 1];
  typename Test::template held<Shape, K> held;
  unsigned selected;  // of this thread, in bits

  __device__ select_block(const problem_type& p, storage& s, const tile_queue& q, std::size_t count)
      : problem(p), shared(s), queue(q), n(count) {}

  __device__ __forceinline__ bool has_tile() const { return number < queue.tiles; }

  __device__ __forceinline__ void start() {
    if (threadIdx.x == 0) shared.queue.next = queue.acquire(~0U);
    __syncthreads();
    epoch = shared.queue.next.epoch;
    take_next();
    __syncthreads();
  }
  __device__ __forceinline__ void rank() {
    dynamic_id next{};
    if (threadIdx.x == 0) next = queue.acquire(number);
    selected = problem.test.template bits<Shape, K>(tile_type(n, number), key, held);
    const unsigned count = warp_reduce(static_cast<unsigned>(__popc(selected)), plus{}, by_redux{});
    if (threadIdx.x % warp_size == 0) shared.warp_kept[threadIdx.x / warp_size] = count;
    if (threadIdx.x == 0) shared.queue.next = next;
  }
  /// The number of selected values in the tile.
  __device__ __forceinline__ unsigned pack(typename storage::stage& stage) {
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const unsigned counts = scan_lanes<warps>(lane < warps ? shared.warp_kept[lane] : 0, plus{});
    const unsigned before_warp = shuffle(counts, warp == 0 ? 0 : warp - 1);
    const unsigned total = shuffle(counts, warps - 1);
    if (threadIdx.x == 0 && !queue.is_single_tile()) look_back().publish_total(number, total);
    unsigned before_row[Shape::rows];
    count_before_rows<Shape>(selected, before_row);
    const tile_type tile(n, number);
    unsigned before = 0;
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      if (k % Shape::width == 0) {
        before = before_row[k / Shape::width] + (warp == 0 ? 0 : before_warp);
      }
      const bool keep = (selected >> k & 1) != 0;
      const bool moves = keep || (problem.others != nullptr && tile.there(k));
      const unsigned to = keep ? before : total + tile.place(k) - before;
      before += keep ? 1 : 0;
      if (!moves) continue;
      if constexpr (!numbers_keys<Test>) stage.key[to] = key[k];
      if constexpr (is_column<V>) stage.item[to] = item[k];
    }
    take_next();
    return total;
  }
  __device__ __forceinline__ tile_status::peeked<std::uint64_t> peek(unsigned from,
                                                                     unsigned none) const {
    if (queue.is_single_tile() || from == none) return {};
    return look_back().peek(from);
  }
  /// For what is before the tile; a barrier is due before `store`.
  __device__ __forceinline__ void wait(unsigned from,
                                       const tile_status::peeked<std::uint64_t>& seen) const {
    if (!queue.is_single_tile()) look_back().wait(from, seen, plus{});
  }
  __device__ __forceinline__ look_back_type look_back() const {
    return {queue.state, shared.look_back, epoch, problem.in_place};
  }
  __device__ __forceinline__ void store(unsigned from, unsigned total,
                                        const typename storage::stage& stage) const {
    std::size_t before = 0;
    if (!queue.is_single_tile()) before = look_back().prefix(from, std::uint64_t{total}, plus{});
    if (threadIdx.x == 0 && from == queue.tiles - 1) *problem.selected = before + total;
    const tile_type tile(n, from);
    const unsigned end = room(problem.room, before, total);
    const auto store_column = [&](auto* out, const auto* in, const auto* staged) {
      // Values that stay where they are: the next tile's block may be reading the last of them.
      if (out == in && before == tile.base && total == tile.size) return;
      for (unsigned i = threadIdx.x; i < end; i += Shape::threads) out[before + i] = staged[i];
    };
    if constexpr (!numbers_keys<Test>) store_column(problem.out, problem.keys, stage.key);
    if constexpr (is_column<V>) store_column(problem.out_items, problem.items, stage.item);
    if (problem.others == nullptr) return;
    const std::size_t others_before = tile.base - before;
    const unsigned others = room(problem.other_room, others_before, tile.size - total);
    for (unsigned i = threadIdx.x; i < others; i += Shape::threads) {
      problem.others[others_before + i] = stage.key[total + i];
    }
  }

 private:
  static __device__ __forceinline__ unsigned room(std::size_t all, std::size_t before,
                                                  unsigned wanted) {
    if (before >= all) return 0;
    return all - before < wanted ? static_cast<unsigned>(all - before) : wanted;
  }
  __device__ __forceinline__ void take_next() {
    number = shared.queue.next.number;
    if (!has_tile()) return;
    const tile_type next(n, number);
    next.load(key, problem.keys);
    if constexpr (numbers_keys<Test>) {
      next.for_each([&](unsigned k) { item[k] = static_cast<V>(next.base + next.place(k)); });
    } else if constexpr (is_column<V>) {
      next.load(item, problem.items);
    }
    held.load(problem.test, next, problem.keys, n);
  }
};

template <class Shape, class K, class V, class Test>
__global__ void __launch_bounds__(Shape::threads,
                                  blocks_with_registers(Shape::threads,
                                                        Shape::blocks_per_multiprocessor))
    select_kernel(select_problem<K, V, Test> problem, tile_status state) {
  auto& shared = *dynamic_shared<select_storage<Shape, K, V>>();
  wait_for_primary();
  trigger_dependents();
  const std::size_t n = problem.count.load();
  const tile_queue queue{state, shared.queue,
                         n == 0 ? 1 : static_cast<unsigned>((n - 1) / Shape::values + 1)};
  select_block<Shape, K, V, Test> block(problem, shared, queue, n);
  block.start();
  constexpr unsigned none = ~0U;
  unsigned packed = none;  // the tile before, in its stage
  unsigned total = 0;
  for (unsigned i = 0; block.has_tile() || packed != none; ++i) {
    const unsigned now = block.has_tile() ? block.number : none, was = packed;
    const auto was_total = total;
    if (now != none) block.rank();
    if (now != none || i > 1) __syncthreads();
    const auto seen = block.peek(was, none);
    if (now != none) total = block.pack(shared.stages[i % 2]);
    if (was != none) block.wait(was, seen);
    if (was != none || block.has_tile()) __syncthreads();
    if (was != none) block.store(was, was_total, shared.stages[(i + 1) % 2]);
    packed = now;
  }
  queue.leave(block.epoch);
}

template <class K, class V>
using select_shape =
    tuning::select_shape<sizeof(K) + (is_column<V> ? sizeof(V) : 0),
                         (is_column<V> && sizeof(V) > sizeof(K) ? sizeof(V) : sizeof(K))>;

template <class K, class V>
struct select_storage_of {
  template <class Shape>
  using type = select_storage<Shape, K, V>;
};

template <class K, class V, class Test>
status select(const work_place& where, const select_problem<K, V, Test>& problem) {
  return launch_striped<select_shape<K, V>, std::uint64_t, select_storage_of<K, V>::template type>(
      where, problem.count.n, "the workspace is smaller than select_workspace_bytes<T>(n)", problem,
      []<class Shape>(Shape) { return select_kernel<Shape, K, V, Test>; });
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
