// A stable sort of a few thousand rows in one launch, by a block or a cluster of blocks. Each block
// sorts its share, then all blocks have the sorted keys of all in their shared memory, and each row
// finds its place by counting what comes before it in the other shares: by binary searches, several
// at a time so that they hide each other's latency.
// Reads and writes each row once; rows, scattered, are written when all blocks have read theirs.
// Two cluster barriers. Any strict weak order.
#pragma once

#include "warpfold/device/sort_block.cuh"
#include "warpfold/tuning/sort.hpp"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The block's shared memory: what its sort works in, its values, and the sorted keys of all
/// blocks.
template <class K, class V>
constexpr std::size_t rank_shared_bytes(tuning::rank_shape shape) {
  return sort_block_bytes<K>(shape.block_rows) + bytes_of_rows<nothing, V>(shape.block_rows) +
         (shape.cluster > 1 ? sizeof(K) * shape.rows() : 0);
}

template <class Kept>
struct sorted_run {
  const Kept* keys;
  unsigned count;
  bool earlier;  // its rows come before others with equal keys
};

/// How many keys of `Runs` runs of at most `longest` come before `key`, in all.
template <unsigned Runs, class Order, class Kept>
__device__ __forceinline__ unsigned count_before(const sorted_run<Kept> (&run)[Runs],
                                                 unsigned longest, const Kept& key,
                                                 const Order& order) {
  unsigned found[Runs] = {};
  for (unsigned step = longest; step > 0; step /= 2) {
#pragma unroll
    for (unsigned r = 0; r < Runs; ++r) {
      const unsigned next = found[r] + step;
      if (next > run[r].count) continue;
      const Kept& other = run[r].keys[next - 1];
      if (run[r].earlier ? !order.before(key, other) : order.before(other, key)) found[r] = next;
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (unsigned r = 0; r < Runs; ++r) sum += found[r];
  return sum;
}

/// The sorted keys of a cluster's blocks: each has `share` of the `count`, but for the last ones.
template <class Kept>
struct cluster_keys {
  const Kept* all;
  unsigned share, count, blocks, rank;

  /// Those of a block, but none of this one's.
  __device__ __forceinline__ sorted_run<Kept> of(unsigned block) const {
    const unsigned begin = block * share;
    const unsigned rest = block < blocks && block != rank && begin < count ? count - begin : 0;
    return {all + begin, rest < share ? rest : share, block < rank};
  }
};
inline constexpr unsigned most_blocks = 16;

/// How many keys of the other blocks come before `key`. All lanes of a warp must call; their keys
/// are neighbours in their block, of which the warp has `there`.
/// Where it pays, lanes first find between which keys of each run the warp's keys lie.
template <class Order, class Kept>
__device__ __forceinline__ unsigned count_in_cluster(const cluster_keys<Kept>& keys, unsigned there,
                                                     const Kept& key, bool narrow,
                                                     const Order& order) {
  constexpr unsigned at_once = 5;
  unsigned longest = 1;
  unsigned bound = 0;
  if (narrow) {
    const unsigned lane = threadIdx.x % warp_size;
    const Kept first = shuffle(key, 0), last = shuffle(key, there - 1);
    const sorted_run<Kept> run[1] = {keys.of(lane % most_blocks)};
    while (longest < keys.share) longest *= 2;
    bound = count_before(run, longest, lane < most_blocks ? first : last, order);
    const unsigned width = shuffle(bound, lane | most_blocks) - shuffle(bound, lane % most_blocks);
    const unsigned widest = __reduce_max_sync(all_lanes, width);
    longest = 1;
    while (longest < widest) longest *= 2;
  } else {
    while (longest < keys.share) longest *= 2;
  }
  unsigned sum = 0;
  for (unsigned done = 0; done < keys.blocks; done += at_once) {
    sorted_run<Kept> run[at_once];
#pragma unroll
    for (unsigned r = 0; r < at_once; ++r) {
      const unsigned block = done + r;
      run[r] = keys.of(block);
      if (!narrow) continue;
      const unsigned begin = shuffle(bound, block % most_blocks);
      const unsigned end = shuffle(bound, block % most_blocks + most_blocks);
      if (block >= keys.blocks) continue;
      run[r].keys += begin;
      run[r].count = end - begin;
      sum += begin;
    }
    sum += count_before(run, longest, key, order);
  }
  return sum;
}

/// Sorts each `chunk` of the n rows into `out`, one cluster each; `chunk` is what the shape holds,
/// or less.
template <unsigned Items, class V, class Order>
__global__ void __launch_bounds__(tuning::rank_shape::max_threads)
    rank_sort_kernel(sort_rows<typename Order::key, V> in, sort_rows<typename Order::key, V> out,
                     std::size_t n, unsigned chunk, unsigned cluster, unsigned narrow_from,
                     Order order) {
  using kept = typename Order::kept;
  const unsigned threads = blockDim.x;
  const unsigned rank = cluster > 1 ? cluster_rank() : 0;
  const std::size_t base = std::size_t{blockIdx.x / cluster} * chunk;
  const unsigned rows = n - base < chunk ? static_cast<unsigned>(n - base) : chunk;
  const unsigned share = (rows + cluster - 1) / cluster;
  const unsigned first = rank * share;
  unsigned count = first < rows ? rows - first : 0;
  if (count > share) count = share;

  char* const memory = dynamic_shared<char>();
  const auto values = rows_in<kept, V>(memory + sort_block_bytes<kept>(Items * threads), 0);
  auto* const numbers = reinterpret_cast<std::uint16_t*>(memory);
  kept* const all = reinterpret_cast<kept*>(memory + sort_block_bytes<kept>(Items * threads) +
                                            bytes_of_rows<nothing, V>(Items * threads));
  const numbered_order<Order> by_number{order, count};
  numbered_key<kept> row[Items];
  wait_for_earlier_grids();
  let_next_grid_start();
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const unsigned i = k * threads + threadIdx.x;
    row[k] = {by_number.no_key(), i};
    if (i >= count) continue;
    row[k].key = order.keep(in.keys[base + first + i]);
    values.put_value(i, in.value(base + first + i));
  }
  if (cluster > 1) cluster_sync();  // all blocks are there
  sort_in_block(row, Items * ::min(count, threads), memory, by_number);
  __syncthreads();
  const unsigned own = threadIdx.x * Items;
  if (cluster == 1) {
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) {
      if (own + k >= count) continue;
      out.put(base + own + k, order.give(row[k].key), values.value(row[k].number));
    }
    return;
  }
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    if (own + k >= count) continue;
    numbers[own + k] = static_cast<std::uint16_t>(row[k].number);
    for (unsigned block = 0; block < cluster; ++block) {
      in_block(all, block)[first + own + k] = row[k].key;
    }
  }
  cluster_sync();  // and all blocks have read what others will write
  const cluster_keys<kept> keys{all, share, rows, cluster, rank};
#pragma unroll 1
  for (unsigned k = 0; k < Items; ++k) {
    const unsigned i = k * threads + threadIdx.x;
    const unsigned neighbours = i & ~(warp_size - 1);
    if (neighbours >= count) return;
    const bool mine = i < count;
    kept key{};
    if (mine) key = all[first + i];
    const unsigned there = ::min(warp_size, count - neighbours);
    const unsigned place = i + count_in_cluster(keys, there, key, share >= narrow_from, order);
    if (mine) out.put(base + place, order.give(key), values.value(numbers[i]));
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
