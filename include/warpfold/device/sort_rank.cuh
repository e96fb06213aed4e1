// A stable sort of a few thousand rows in one launch, by a block or a cluster of blocks. Each row
// finds its place by counting what comes before it: among 32 neighbours by comparing with all, then
// in sorted runs by binary searches, of several runs at a time so that they hide each other's
// latency. Last, each block has the keys of all blocks in its shared memory and counts there.
// Reads and writes each row once; rows, scattered, are written when all blocks have read theirs.
// Three barriers and a few, two cluster barriers. Any strict weak order.
#pragma once

#include "warpfold/device/sort_rows.cuh"
#include "warpfold/tuning/sort.hpp"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The block's shared memory: two buffers of its rows, and the sorted keys of all blocks.
template <class K, class V>
constexpr std::size_t rank_shared_bytes(tuning::rank_shape shape) {
  return 2 * bytes_of_rows<K, V>(shape.threads) +
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

/// The place of row `i` when runs of `length` (a power of two) among `count` merge, `Runs` at a
/// time.
template <unsigned Runs, class Order, class Kept>
__device__ __forceinline__ unsigned place_in_merge(const Kept* keys, unsigned count, unsigned i,
                                                   unsigned length, const Order& order) {
  const unsigned first = i & ~(Runs * length - 1);
  const unsigned own = i & ~(length - 1);
  sorted_run<Kept> other[Runs - 1];
#pragma unroll
  for (unsigned r = 0; r < Runs - 1; ++r) {
    unsigned begin = first + r * length;
    const bool earlier = begin < own;
    if (!earlier) begin += length;
    const unsigned rest = begin < count ? count - begin : 0;
    other[r] = {keys + begin, rest < length ? rest : length, earlier};
  }
  return first + (i - own) + count_before(other, length, keys[i], order);
}

/// The place of row `i` among its 32 neighbours.
template <class Order, class Kept>
__device__ __forceinline__ unsigned place_in_warp(const Kept* keys, unsigned count, unsigned i,
                                                  const Order& order) {
  const unsigned first = i & ~(warp_size - 1);
  const Kept key = keys[i];
  unsigned place = first;
#pragma unroll 8
  for (unsigned k = 0; k < warp_size; ++k) {
    const unsigned j = first + k;
    if (j >= count) break;
    const Kept other = keys[j];
    if (j < i ? !order.before(key, other) : order.before(other, key)) ++place;
  }
  return place;
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
template <class V, class Order>
__global__ void __launch_bounds__(tuning::rank_shape::max_threads)
    rank_sort_kernel(sort_rows<typename Order::key, V> in, sort_rows<typename Order::key, V> out,
                     std::size_t n, unsigned chunk, unsigned cluster, unsigned narrow_from,
                     Order order) {
  using kept = typename Order::kept;
  const unsigned rank = cluster > 1 ? cluster_rank() : 0;
  const std::size_t base = std::size_t{blockIdx.x / cluster} * chunk;
  const unsigned rows = n - base < chunk ? static_cast<unsigned>(n - base) : chunk;
  const unsigned share = (rows + cluster - 1) / cluster;
  const unsigned first = rank * share;
  unsigned count = first < rows ? rows - first : 0;
  if (count > share) count = share;

  wait_for_earlier_grids();
  let_next_grid_start();
  auto* const memory = dynamic_shared<char>();
  const std::size_t buffer = bytes_of_rows<kept, V>(blockDim.x);
  auto from = rows_in<kept, V>(memory, blockDim.x),
       to = rows_in<kept, V>(memory + buffer, blockDim.x);
  kept* const all = reinterpret_cast<kept*>(memory + 2 * buffer);
  const unsigned i = threadIdx.x;
  const bool mine = i < count;
  V value{};
  if (mine) {
    from.keys[i] = order.keep(in.keys[base + first + i]);
    value = in.value(base + first + i);
  }
  if (cluster > 1) cluster_sync();  // all blocks are there, and have read what others will write
  __syncwarp();
  if (mine) to.put(place_in_warp(from.keys, count, i, order), from.keys[i], value);
  __syncthreads();
  for (unsigned length = warp_size; length < count;) {
    const auto swapped = from;
    from = to;
    to = swapped;
    const bool four = 2 * length < count;
    if (mine) {
      const unsigned place = four ? place_in_merge<4>(from.keys, count, i, length, order)
                                  : place_in_merge<2>(from.keys, count, i, length, order);
      to.put(place, from.keys[i], from.value(i));
    }
    __syncthreads();
    length *= four ? 4 : 2;
  }
  if (cluster == 1) {
    if (mine) out.put(base + i, order.give(to.keys[i]), to.value(i));
    return;
  }
  kept key{};
  if (mine) {
    key = to.keys[i];
    value = to.value(i);
    for (unsigned block = 0; block < cluster; ++block) in_block(all, block)[first + i] = key;
  }
  cluster_sync();
  if ((i & ~(warp_size - 1)) >= count) return;
  const cluster_keys<kept> keys{all, share, rows, cluster, rank};
  const unsigned there = ::min(warp_size, count - (i & ~(warp_size - 1)));
  const unsigned place = i + count_in_cluster(keys, there, key, share >= narrow_from, order);
  if (mine) out.put(base + place, order.give(key), value);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
