// Merges of sorted runs in pairs. The merge path gives the places in both runs at which the rows of
// each tile, and of each thread of a tile, begin, so tiles and threads are independent.
//
//        1   4   5   8  b    A step right takes from b, a step down from a: 1 2 3 4 5 6 7 8.
//      o---o   .   .   x     x: diagonal 4, on which 4 rows have been taken. The path crosses it
//    2 .   o   .   x   .     where 2 come from a and 2 from b: a partition begins there.
//    3 .   o---x---o   .     A search along the diagonal finds it: one comparison halves what is
//    6 .   x   .   o   .     left, or, with a warp's lanes, leaves a 33rd.
//    7 x   .   .   o---o
//    a
//
// A pass reads and writes each row once, through shared memory; five barriers a tile. Stable; any
// strict weak order. Source: Green, McColl and Bader 2012.
#pragma once

#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/sort/key_values.cuh"
#include "warpfold/tuning/sort.hpp"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Two runs that may lie apart: how many rows the first has, and where the second is.
template <class Rows>
struct two_runs {
  std::size_t first_count;
  Rows second;
};

/// Two runs that merge into `a_count + b_count` rows from `begin` on; b follows a.
struct run_pair {
  std::size_t begin, a_count, b_count;

  /// The pair of runs of `run` rows that row `i` of n belongs to.
  static __device__ __forceinline__ run_pair of(std::size_t i, std::size_t run, std::size_t n) {
    const std::size_t begin = i / (2 * run) * (2 * run);
    const std::size_t a = n - begin < run ? n - begin : run;
    const std::size_t rest = n - begin - a;
    return {begin, a, rest < run ? rest : run};
  }
  /// The one pair that all n rows are.
  template <class Rows>
  static __device__ __forceinline__ run_pair of(std::size_t, two_runs<Rows> runs, std::size_t n) {
    return {0, runs.first_count, n - runs.first_count};
  }

  /// Where the second run of the pair is, of which the first is at `a`.
  template <class Rows>
  [[nodiscard]] __device__ __forceinline__ Rows second(Rows a, std::size_t) const {
    return a.from(a_count);
  }
  template <class Rows>
  [[nodiscard]] __device__ __forceinline__ Rows second(Rows, two_runs<Rows> runs) const {
    return runs.second;
  }
};

/// The keys of runs, alone.
inline std::size_t keys_of(std::size_t run) { return run; }
template <class K, class V>
two_runs<key_value_view<K, keys_only>> keys_of(const two_runs<key_value_view<K, V>>& runs) {
  return {runs.first_count, {runs.second.keys, nullptr}};
}

/// How many of the first `diagonal` keys of a merge come from a. Equal keys come from a first.
template <class Size, class A, class B, class Before>
__device__ __forceinline__ Size merge_path(A a, Size a_count, B b, Size b_count, Size diagonal,
                                           Before before) {
  Size low = diagonal > b_count ? diagonal - b_count : 0;
  Size high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    const Size middle = low + (high - low) / 2;
    if (before(b(diagonal - 1 - middle), a(middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The same, by the lanes of a warp together: each step leaves a 33rd of what may be. Valid in all.
template <class A, class B, class Before>
__device__ __forceinline__ std::size_t warp_merge_path(A a, std::size_t a_count, B b,
                                                       std::size_t b_count, std::size_t diagonal,
                                                       Before before) {
  std::size_t low = diagonal > b_count ? diagonal - b_count : 0;
  std::size_t high = diagonal < a_count ? diagonal : a_count;
  const unsigned lane = threadIdx.x % warp_size;
  while (low < high) {
    const std::size_t step = (high - low + warp_size) / (warp_size + 1);
    const std::size_t at = low + lane * step + step - 1;
    // a[at] comes before b's: more than `at` come from a. True for some first lanes.
    const bool more = at < high && !before(b(diagonal - 1 - at), a(at));
    const auto lanes = static_cast<unsigned>(__popc(__ballot_sync(all_lanes, more)));
    const std::size_t next = low + (lanes + 1) * step - 1;  // the first that does not
    low += lanes * step;
    if (lanes < warp_size && next < high) high = next;
  }
  return low;
}

/// What is left of two runs in shared memory: a is [i, a_end), b is [j, b_end), which follows a.
struct shared_runs {
  unsigned i, a_end, j, b_end;

  /// Whether neither has come to its end after so many rows.
  [[nodiscard]] __device__ __forceinline__ bool go_on_after(unsigned rows) const {
    return i + rows <= a_end && j + rows < b_end;
  }
  /// The next key of each that has one. Behind a there may be a key of b; what is behind b, others
  /// may be writing.
  template <class Encoded>
  __device__ __forceinline__ void load(const Encoded* keys, Encoded& a, Encoded& b) const {
    if (i < b_end) a = keys[i];
    if (j < b_end) b = keys[j];
  }
  /// What is merged from a turn on, where it is these.
  [[nodiscard]] __device__ __forceinline__ shared_runs from_turn(unsigned, unsigned&) const {
    return *this;
  }
};

/// Merges this thread's `Items` rows in shared memory, where `Ends` says whether a run may end
/// among them, and then `next` from row `turn` on. `place` gets each row's index there.
template <bool Ends, unsigned Items, class Order, class Encoded, class Next>
__device__ __forceinline__ void merge_steps(const Encoded* keys, shared_runs now,
                                            const Order& order, Encoded (&merged)[Items],
                                            unsigned (&place)[Items], unsigned turn,
                                            const Next& next) {
  Encoded a{}, b{};
  now.load(keys, a, b);
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    if (Ends && k == turn) {
      now = next.from_turn(k, turn);
      now.load(keys, a, b);
    }
    const bool from_b =
        Ends ? now.j < now.b_end && (now.i >= now.a_end || order.before(b, a)) : order.before(b, a);
    merged[k] = from_b ? b : a;
    place[k] = from_b ? now.j : now.i;
    const unsigned following = place[k] + 1;
    Encoded key = merged[k];
    if (!Ends || following < now.b_end) key = keys[following];
    if (from_b) {
      now.j = following;
      b = key;
    } else {
      now.i = following;
      a = key;
    }
  }
}

/// The same by all lanes of a warp. Where none comes to an end, they need not look for it. Rows of
/// more than 8 bytes gain nothing by that, and few with values lose (2^17 of 4 + 4 bytes, 7 a
/// thread: 36.0 us, else 35.0).
template <unsigned Items, class Order, class Encoded, class V, class Next = shared_runs>
__device__ __forceinline__ void merge_serially(const key_value_view<Encoded, V>& shared,
                                               const shared_runs& now, const Order& order,
                                               Encoded (&merged)[Items], unsigned (&place)[Items],
                                               unsigned turn = Items, const Next& next = {}) {
  constexpr bool gains = sizeof(Encoded) + bytes_of<V> <= 8 && (bytes_of<V> == 0 || Items > 9);
  if constexpr (gains) {
    if (__all_sync(all_lanes, turn >= Items && now.go_on_after(Items))) {
      return merge_steps<false>(shared.keys, now, order, merged, place, Items, next);
    }
  }
  merge_steps<true>(shared.keys, now, order, merged, place, turn, next);
}

/// Where the merge of two neighbouring runs in shared memory, a from `begin` on, has its row
/// `diagonal`.
template <class Encoded, class Order>
__device__ __forceinline__ shared_runs runs_from(const Encoded* keys, unsigned begin,
                                                 unsigned middle, unsigned end, unsigned diagonal,
                                                 const Order& order) {
  const unsigned from_a =
      merge_path([=](unsigned k) { return keys[begin + k]; }, middle - begin,
                 [=](unsigned k) { return keys[middle + k]; }, end - middle, diagonal,
                 [=](const Encoded& x, const Encoded& y) { return order.before(x, y); });
  return {begin + from_a, middle, middle + diagonal - from_a, end};
}

/// Row `k` of a tile's two parts in global memory, a's first.
template <class Rows>
struct tile_parts {
  Rows a, b;
  unsigned a_count;

  __device__ __forceinline__ Rows at(unsigned k) const {
    return k < a_count ? a.from(k) : b.from(k - a_count);
  }
};

/// For each tile's begin, how many rows of its pair's merge come from a before it.
template <class Tile, class K, class Order, class Runs = std::size_t>
__global__ void __launch_bounds__(128)
    partition_kernel(key_value_view<K, keys_only> in, std::size_t n, Runs run,
                     std::size_t* partitions, Order order) {
  wait_for_primary();
  trigger_dependents();
  const std::size_t tile = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t base = tile * Tile::rows;
  if (base >= n) return;
  const auto pair = run_pair::of(base, run, n);
  const auto a = in.from(pair.begin), b = pair.second(a, run);
  partitions[tile] = merge_path(
      [=](std::size_t k) { return order.encode(a.keys[k]); }, pair.a_count,
      [=](std::size_t k) { return order.encode(b.keys[k]); }, pair.b_count, base - pair.begin,
      [=](const auto& x, const auto& y) { return order.before(x, y); });
}

/// Loads a tile's rows, which `parts` has, to shared memory, by way of a thread's `key` and
/// `value`. The block must meet before it reads them.
template <unsigned Threads, unsigned Items, class Parts, class Encoded, class V, class Order>
__device__ __forceinline__ void load_tile(const Parts& parts, unsigned count,
                                          const key_value_view<Encoded, V>& shared,
                                          Encoded (&key)[Items], V (&value)[Items],
                                          const Order& order) {
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const unsigned i = threadIdx.x + k * Threads;
    if (i >= count) continue;
    const auto row = parts.at(i);
    key[k] = order.encode(row.keys[0]);
    value[k] = row.value(0);
  }
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const unsigned i = threadIdx.x + k * Threads;
    if (i < count) shared.put(i, key[k], value[k]);
  }
}

/// Puts a thread's rows to their places in shared memory.
template <unsigned Items, class Encoded, class V>
__device__ __forceinline__ void put_rows(const key_value_view<Encoded, V>& shared,
                                         const Encoded (&key)[Items], const V (&value)[Items]) {
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    shared.put(threadIdx.x * Items + k, key[k], value[k]);
  }
}

/// Takes the values of a thread's rows from where merge_serially found them, if among `count` rows.
template <unsigned Items, class Encoded, class V>
__device__ __forceinline__ void take_values(const key_value_view<Encoded, V>& shared,
                                            const unsigned (&place)[Items], V (&value)[Items],
                                            unsigned count) {
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    if (place[k] < count) value[k] = shared.value(place[k]);
  }
}

/// Stores a tile of which each thread has `Items` rows, through shared memory, so that neighbouring
/// lanes write neighbouring rows. The block may read `shared` until it calls this.
template <unsigned Threads, unsigned Items, class Encoded, class V, class Out, class Order>
__device__ __forceinline__ void store_tile(const key_value_view<Encoded, V>& shared,
                                           const Encoded (&key)[Items], const V (&value)[Items],
                                           unsigned count, const Out& out, const Order& order) {
  __syncthreads();
  put_rows(shared, key, value);
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const unsigned i = threadIdx.x + k * Threads;
    if (i < count) out.put(i, order.decode(shared.keys[i]), shared.value(i));
  }
}

struct tile_partition {
  std::size_t from_a[2];  // at the tile's begin and end
};

/// Two warps look for how many keys come from a before row `diagonal` of a merge and before the row
/// `count` behind it, or known(end) is that. A barrier is due.
template <class K, class Order, class Known>
__device__ __forceinline__ void find_partition(tile_partition& found, const K* a,
                                               std::size_t a_count, const K* b, std::size_t b_count,
                                               std::size_t diagonal, unsigned count,
                                               const Order& order, bool is_known, Known known) {
  if (threadIdx.x >= 2 * warp_size) return;
  const unsigned end = threadIdx.x / warp_size;
  std::size_t from_a = a_count;
  if (diagonal + end * count < a_count + b_count) {
    from_a = is_known ? known(end)
                      : warp_merge_path(
                            [=](std::size_t k) { return order.encode(a[k]); }, a_count,
                            [=](std::size_t k) { return order.encode(b[k]); }, b_count,
                            diagonal + end * count,
                            [=](const auto& x, const auto& y) { return order.before(x, y); });
  }
  if (threadIdx.x % warp_size == 0) found.from_a[end] = from_a;
}

/// Merges `count` rows of a and b, from row `diagonal` of their merge on, to `out`. known(end) is
/// how many rows come from a before the tile's begin and end; where `is_known` is false, two warps
/// search. All threads call; shared memory is free again after a barrier.
template <class Tile, class K, class V, class Order, class Known>
__device__ __forceinline__ void merge_tile(const key_value_view<K, V>& a, std::size_t a_count,
                                           const key_value_view<K, V>& b, std::size_t b_count,
                                           std::size_t diagonal, unsigned count,
                                           const key_value_view<K, V>& out, const Order& order,
                                           bool is_known, Known known) {
  using encoded = typename Order::encoded;
  constexpr unsigned items = Tile::items, threads = Tile::threads;
  auto& partition = shared_storage<tile_partition>();
  const auto shared = rows_in<encoded, V>(dynamic_shared<char>(), Tile::rows);
  find_partition(partition, a.keys, a_count, b.keys, b_count, diagonal, count, order, is_known,
                 known);
  __syncthreads();
  const std::size_t from_a = partition.from_a[0];
  const tile_parts<key_value_view<K, V>> parts{a.from(from_a), b.from(diagonal - from_a),
                                               static_cast<unsigned>(partition.from_a[1] - from_a)};

  {
    encoded key[items];
    V value[items];
    load_tile<threads>(parts, count, shared, key, value, order);
  }
  __syncthreads();

  const unsigned first = threadIdx.x * items < count ? threadIdx.x * items : count;
  encoded merged[items];
  V value[items];
  unsigned place[items];
  const shared_runs runs = runs_from(shared.keys, 0, parts.a_count, count, first, order);
  merge_serially(shared, runs, order, merged, place);
  take_values(shared, place, value, count);
  store_tile<threads>(shared, merged, value, count, out, order);
}

/// Merges runs of `run` rows in pairs, where two runs together are a whole number of tiles, or two
/// runs. `partitions` is what partition_kernel left, or null.
template <class Tile, class V, class Order, class Runs = std::size_t>
__global__ void __launch_bounds__(Tile::threads, blocks_with_registers(Tile::threads, Tile::blocks))
    merge_kernel(key_value_view<typename Order::key, V> in,
                 key_value_view<typename Order::key, V> out, std::size_t n, Runs run,
                 const std::size_t* partitions, Order order) {
  const std::size_t base = std::size_t{blockIdx.x} * Tile::rows;
  const auto count = n - base < Tile::rows ? static_cast<unsigned>(n - base) : Tile::rows;
  const auto pair = run_pair::of(base, run, n);
  const auto a = in.from(pair.begin), b = pair.second(a, run);
  const std::size_t diagonal = base - pair.begin;
  wait_for_primary();
  trigger_dependents();
  merge_tile<Tile>(a, pair.a_count, b, pair.b_count, diagonal, count, out.from(base), order,
                   partitions != nullptr,
                   [=](unsigned end) { return partitions[blockIdx.x + end]; });
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
