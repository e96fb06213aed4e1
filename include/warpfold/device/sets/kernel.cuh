// Set operations on two sorted ranges, in one pass over memory. Blocks take tiles of the merge of
// both, in their order (tile_queue):
//
//   partition   two warps look for the tile's parts of both ranges, or a launch before did
//   -- barrier --
//   load        the parts go to shared memory
//   -- barrier --
//   merge       each thread merges its rows (merge_serially), and looks for the pair of each
//   -- barrier --
//   pack        rows that are kept move up to each other; the tile's number of them is published
//   look_back   waits for the number of rows that are kept before the tile
//   -- barrier --
//   store       from shared to global memory, neighbours by neighbours; items go from their places
//               in global memory, which shared memory has beside the keys
//
// Let a key be the r-th of its equals in its range. Before a key of a, the merge has those keys of
// b that are less; the partner is the r-th key of b behind them, if it is equal. Before a key of b,
// the merge has those keys of a that are not greater; the partner is found from their end. Reads
// each key once, and a neighbour for each pair that lies in another tile; a thread searches for r
// once in each range. Reads the items of rows that are kept. Stable; any strict weak order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/detail/striped_tile.cuh"
#include "warpfold/device/sort/direct.cuh"
#include "warpfold/device/sort/items.cuh"
#include "warpfold/device/sort/merge.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/set_operations.hpp"
#include "warpfold/tuning/merge.hpp"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Where b's rows are never kept, it has no items.
template <class K, class V>
struct set_problem {
  key_value_view<K, V> a;
  std::size_t a_count;
  key_value_view<K, V> b;
  std::size_t b_count;
  key_value_view<K, V> out;
  std::size_t room;
  std::size_t* selected;
  const std::size_t* partitions = nullptr;  // of partition_kernel

  [[nodiscard]] __host__ __device__ std::size_t rows() const { return a_count + b_count; }
};

template <unsigned Threads>
struct set_storage {
  tile_partition partition;
  unsigned warp_selected[Threads / warp_size];
  tile_queue::storage queue;
  typename block_look_back<std::uint64_t, Threads>::storage look_back;
};

/// A range's keys, of which a tile has rows `from` to `to` in shared memory.
template <class Order>
struct set_range {
  using encoded = typename Order::encoded;
  const typename Order::key* keys;
  std::size_t count, from, to;
  const encoded* tile;  // row `from`
  Order order;

  [[nodiscard]] __device__ __forceinline__ encoded at(std::size_t i) const {
    return i >= from && i < to ? tile[i - from] : order.encode(keys[i]);
  }
  /// How many keys before row i equal it: looks twice as far each time, then halves.
  [[nodiscard]] __device__ std::size_t equals_before(std::size_t i, const encoded& key) const {
    std::size_t reach = 1;
    while (reach <= i && !order.before(at(i - reach), key)) reach *= 2;
    std::size_t low = reach > i ? 0 : i - reach + 1, high = i - reach / 2;
    while (low < high) {  // the first that equals it
      const std::size_t middle = low + (high - low) / 2;
      if (order.before(at(middle), key)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return i - low;
  }
};

/// The last row of a range that a thread has seen, in the tile, and the number of its equals
/// before.
struct equal_keys {
  unsigned row = ~0U;
  std::size_t number = 0;

  template <class Range, class Encoded>
  __device__ __forceinline__ std::size_t next(const Range& range, unsigned i, const Encoded& key) {
    const std::size_t at = range.from + i;
    const bool goes_on = at > 0 && !range.order.before(range.at(at - 1), key);
    number = !goes_on ? 0 : i > 0 && i - 1 == row ? number + 1 : range.equals_before(at, key);
    row = i;
    return number;
  }
};

/// Bit k: whether row k of this thread is kept. `first` is its first row in the tile. The first of
/// a row's equals has its pair, if any, next to it in the other range.
template <class Operation, unsigned Items, class Range, class Encoded>
__device__ __forceinline__ unsigned selected_of_sets(const Range& a, const Range& b, unsigned first,
                                                     unsigned rows, const Encoded (&key)[Items],
                                                     const unsigned (&place)[Items]) {
  constexpr bool takes_b = Operation::others_of_b;
  const auto a_part = static_cast<unsigned>(a.to - a.from);
  const auto b_part = static_cast<unsigned>(b.to - b.from);
  equal_keys in_a, in_b;
  unsigned selected = 0;
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    if (k >= rows) break;
    const bool is_of_a = place[k] < a_part;
    if (!is_of_a && !takes_b) continue;
    if (is_of_a && Operation::pairs_of_a == Operation::others_of_a) {
      selected |= (Operation::pairs_of_a ? 1U : 0U) << k;
      continue;
    }
    const Range &own = is_of_a ? a : b, &other = is_of_a ? b : a;
    // Rows of its range and of the other one in front of it, in the tile.
    const unsigned i = is_of_a ? place[k] : place[k] - a_part, passed = first + k - i;
    const bool is_first = i > 0 && own.order.before(own.tile[i - 1], key[k]);
    if (is_first) (is_of_a ? in_a : in_b) = {i, 0};
    bool has_pair = false;
    if (is_first && (is_of_a ? passed < b_part : passed > 0)) {
      const Encoded pair = other.tile[is_of_a ? passed : passed - 1];
      has_pair = is_of_a ? !own.order.before(key[k], pair) : !own.order.before(pair, key[k]);
    } else if (is_of_a) {
      const std::size_t pair = b.from + passed + in_a.next(a, i, key[k]);
      has_pair = pair < b.count && !a.order.before(key[k], b.at(pair));
    } else {
      const std::size_t before = a.from + passed, number = in_b.next(b, i, key[k]);
      has_pair = number < before && !a.order.before(a.at(before - 1 - number), key[k]);
    }
    const bool keeps =
        !has_pair ? !is_of_a || Operation::others_of_a : is_of_a && Operation::pairs_of_a;
    selected |= (keeps ? 1U : 0U) << k;
  }
  return selected;
}

/// What a row in shared memory has of its item: the row's index in the tile.
template <class V>
using item_place = std::conditional_t<bytes_of<V> == 0, keys_only, std::uint16_t>;

template <class Operation, class Tile, class Order, class V>
struct set_block {
  using key_type = typename Order::key;
  using encoded = typename Order::encoded;
  using storage = set_storage<Tile::threads>;
  using look_back_type = block_look_back<std::uint64_t, Tile::threads>;
  static constexpr unsigned items = Tile::items, threads = Tile::threads;
  static constexpr unsigned warps = threads / warp_size;
  using place_type = item_place<V>;
  static_assert(Tile::rows <= 1U << 16);

  const set_problem<key_type, V>& problem;
  storage& shared;
  key_value_view<encoded, place_type> tile;  // in shared memory
  const tile_queue& queue;
  Order order;
  std::uint32_t epoch;

  /// The tile's part of a begins at from_a[0] and ends at from_a[1]. A barrier is due.
  __device__ __forceinline__ void partition(unsigned number, std::size_t base, unsigned count) {
    const auto& p = problem;
    find_partition(shared.partition, p.a.keys, p.a_count, p.b.keys, p.b_count, base, count, order,
                   p.partitions != nullptr,
                   [&](unsigned end) { return p.partitions[number + end]; });
  }
  /// This thread's rows of the merge, and their places in the tile; in bits, which of them are
  /// kept. A barrier is within.
  __device__ __forceinline__ unsigned merge(std::size_t base, unsigned count, encoded (&key)[items],
                                            unsigned (&place)[items]) const {
    using view = key_value_view<key_type, keys_only>;
    const key_value_view<encoded, keys_only> keys{tile.keys, nullptr};
    const std::size_t from_a = shared.partition.from_a[0], to_a = shared.partition.from_a[1];
    const std::size_t from_b = base - from_a, to_b = base + count - to_a;
    const auto a_part = static_cast<unsigned>(to_a - from_a);
    keys_only none[items];
    load_tile<threads>(
        tile_parts<view>{
            {problem.a.keys + from_a, nullptr}, {problem.b.keys + from_b, nullptr}, a_part},
        count, keys, key, none, order);
    __syncthreads();
    const unsigned first = threadIdx.x * items < count ? threadIdx.x * items : count;
    merge_serially(keys, runs_from(tile.keys, 0, a_part, count, first, order), order, key, place);
    const set_range<Order> a{problem.a.keys, problem.a_count, from_a, to_a, tile.keys, order};
    const set_range<Order> b{problem.b.keys, problem.b_count,    from_b,
                             to_b,           tile.keys + a_part, order};
    return selected_of_sets<Operation>(a, b, first, count - first, key, place);
  }
  /// The number of rows that are kept, which move up to each other. A barrier is within, behind
  /// which no thread reads the tile as it was.
  __device__ __forceinline__ unsigned pack(unsigned number, unsigned selected,
                                           const encoded (&key)[items],
                                           const unsigned (&place)[items]) {
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const auto mine = static_cast<unsigned>(__popc(selected));
    const unsigned up_to = warp_inclusive_scan(mine, plus{});
    if (lane == warp_size - 1) shared.warp_selected[warp] = up_to;
    __syncthreads();
    const unsigned counts =
        scan_lanes<warps>(lane < warps ? shared.warp_selected[lane] : 0, plus{});
    const unsigned before_warp = shuffle(counts, warp == 0 ? 0 : warp - 1);
    const unsigned total = shuffle(counts, warps - 1);
    if (threadIdx.x == 0 && !queue.is_single_tile()) look_back().publish_total(number, total);
    unsigned to = up_to - mine + (warp == 0 ? 0 : before_warp);
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      if ((selected >> k & 1) != 0) tile.put(to++, key[k], place_of_item(place[k]));
    }
    return total;
  }
  /// A barrier is within.
  __device__ __forceinline__ void store(unsigned number, unsigned total) {
    std::size_t before = 0;
    if (!queue.is_single_tile()) {
      look_back().wait(number, look_back().peek(number), plus{});
    }
    __syncthreads();
    if (!queue.is_single_tile()) {
      before = look_back().prefix(number, std::uint64_t{total}, plus{});
    }
    if (threadIdx.x == 0 && number == queue.tiles - 1) *problem.selected = before + total;
    for (unsigned i = threadIdx.x; i < total && before + i < problem.room; i += threads) {
      problem.out.keys[before + i] = order.decode(tile.keys[i]);
    }
    if constexpr (bytes_of<V> != 0) store_items(std::size_t{number} * Tile::rows, before, total);
  }

 private:
  static __device__ __forceinline__ place_type place_of_item(unsigned place) {
    if constexpr (bytes_of<V> == 0) {
      return {};
    } else {
      return static_cast<place_type>(place);
    }
  }
  /// Of the tile from row `base` of the merge on; `before` rows are kept before it.
  __device__ __forceinline__ void store_items(std::size_t base, std::size_t before,
                                              unsigned total) const {
    const set_problem<key_type, V>& p = problem;
    if (before >= p.room) return;
    const std::size_t from_a = shared.partition.from_a[0], room = p.room - before;
    const V* b = nullptr;
    if constexpr (Operation::others_of_b) b = p.b.values + (base - from_a);
    copy_by_place<threads>(tile.values, p.a.values + from_a,
                           static_cast<unsigned>(shared.partition.from_a[1] - from_a), b,
                           total < room ? total : static_cast<unsigned>(room),
                           p.out.values + before);
  }
  __device__ __forceinline__ look_back_type look_back() const {
    return {queue.state, shared.look_back, epoch, false};
  }
};

template <class Operation, class Tile, class Order, class V>
__global__ void __launch_bounds__(Tile::threads, blocks_with_registers(Tile::threads, Tile::blocks))
    set_kernel(set_problem<typename Order::key, V> problem, tile_status state, Order order) {
  using encoded = typename Order::encoded;
  auto& shared = shared_storage<set_storage<Tile::threads>>();
  wait_for_primary();
  trigger_dependents();
  const std::size_t n = problem.rows();
  const tile_queue queue{state, shared.queue,
                         n == 0 ? 1 : static_cast<unsigned>((n - 1) / Tile::rows + 1)};
  if (threadIdx.x == 0) shared.queue.next = queue.acquire(~0U);
  __syncthreads();
  dynamic_id now = shared.queue.next;
  set_block<Operation, Tile, Order, V> block{
      problem, shared, rows_in<encoded, item_place<V>>(dynamic_shared<char>(), Tile::rows),
      queue,   order,  now.epoch};
  while (now.number < queue.tiles) {
    const std::size_t base = std::size_t{now.number} * Tile::rows;
    const auto count = n - base < Tile::rows ? static_cast<unsigned>(n - base) : Tile::rows;
    __syncthreads();  // all have read what the queue said, and stored the tile before
    if (threadIdx.x == 0) shared.queue.next = queue.acquire(now.number);
    block.partition(now.number, base, count);
    __syncthreads();
    encoded key[Tile::items];
    unsigned place[Tile::items];
    const unsigned selected = block.merge(base, count, key, place);
    const unsigned total = block.pack(now.number, selected, key, place);
    block.store(now.number, total);
    now = shared.queue.next;
  }
  queue.leave(now.epoch);
}

/// What the tiles of n keys publish.
template <class Encoded>
constexpr std::size_t set_operation_bytes(std::size_t n) {
  using tile = tuning::set_small_tile<sizeof(Encoded)>;
  return tile_status::bytes<std::uint64_t>(
      block_look_back<std::uint64_t, tile::threads>::slots(n / tile::rows + 1));
}

/// In tiles of one shape; a launch of its own `searches_first` for the parts of all.
template <class Operation, class Tile, class K, class V, class Order>
status set_in_tiles(const work_place& where, set_problem<K, V> p, const Order& order,
                    bool searches_first) {
  using encoded = typename Order::encoded;
  const std::size_t n = p.rows(), tiles = n == 0 ? 1 : (n - 1) / Tile::rows + 1;
  const std::size_t slots = block_look_back<std::uint64_t, Tile::threads>::slots(tiles);
  const memory_size needed{set_operation_bytes<encoded>(n),
                           "the workspace is smaller than set_workspace_bytes<K>(n)"};
  const scratch memory(where, needed, tiles == 1 ? 0 : tile_status::bytes<std::uint64_t>(slots));
  if (!memory.state().ok()) return memory.state();
  const std::size_t bytes = searches_first ? tiles * sizeof(std::size_t) : 0;
  const scratch partitions({where.stream, nullptr, 0}, bytes, bytes, false);
  if (!partitions.state().ok()) return partitions.state();
  if (searches_first) {
    using view = key_value_view<K, keys_only>;
    const two_runs<view> runs{p.a_count, {p.b.keys, nullptr}};
    auto* const found = static_cast<std::size_t*>(partitions.data());
    const status s = try_launch({.grid = static_cast<unsigned>((tiles + 127) / 128),
                                 .block = 128,
                                 .stream = where.stream,
                                 .programmatic_launch = true},
                                partition_kernel<Tile, K, Order, two_runs<view>>,
                                view{p.a.keys, nullptr}, n, runs, found, order);
    if (!s.ok()) return s;
    p.partitions = found;
  }
  auto config = tile_launch<Tile, encoded, item_place<V>>(1, where.stream, true);
  const std::size_t most = std::size_t{current_device().multiprocessors} * Tile::blocks;
  config.grid = static_cast<unsigned>(tiles < most ? tiles : most);
  return try_launch(config, set_kernel<Operation, Tile, Order, V>, p,
                    tiles == 1 ? tile_status{} : memory.status_words(), order);
}

/// Keeps what Operation keeps of a and b.
template <class Operation, class K, class V, class Less>
status set_operate(const work_place& where, const set_problem<K, V>& p, const Less& less) {
  if (const status s = refuse_bits<K>(less); !s.ok()) return s;
  const auto order = order_of_keys<K>(less);
  using encoded = typename decltype(order_of_keys<K>(less))::encoded;
  using small = tuning::set_small_tile<sizeof(encoded)>;
  using large = tuning::set_large_tile<sizeof(encoded)>;
  const std::size_t n = p.rows(), bytes = bytes_of_rows<encoded, item_place<V>>(large::rows);
  if (n > tuning::sets_small_to && bytes <= current_device().shared_bytes) {
    return set_in_tiles<Operation, large>(where, p, order, n > tuning::merges_partitioned_from);
  }
  return set_in_tiles<Operation, small>(where, p, order, false);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
