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

/// The place of row `i` of this block among the `count` rows of all blocks, each of which has
/// `share` but for the last ones.
template <class Order, class Kept>
__device__ __forceinline__ unsigned place_in_cluster(const Kept* all, unsigned share,
                                                     unsigned count, unsigned longest, unsigned i,
                                                     unsigned rank, unsigned blocks,
                                                     const Kept& key, const Order& order) {
  constexpr unsigned at_once = 5;
  unsigned place = i;
  for (unsigned done = 0; done < blocks; done += at_once) {
    sorted_run<Kept> run[at_once];
#pragma unroll
    for (unsigned r = 0; r < at_once; ++r) {
      const unsigned block = done + r;
      const unsigned begin = block * share;
      unsigned rest = block < blocks && block != rank && begin < count ? count - begin : 0;
      if (rest > share) rest = share;
      run[r] = {all + begin, rest, block < rank};
    }
    place += count_before(run, longest, key, order);
  }
  return place;
}

/// Sorts each `chunk` of the n rows into `out`, one cluster each; `chunk` is what the shape holds,
/// or less.
template <class V, class Order>
__global__ void __launch_bounds__(tuning::rank_shape::max_threads)
    rank_sort_kernel(sort_rows<typename Order::key, V> in, sort_rows<typename Order::key, V> out,
                     std::size_t n, unsigned chunk, unsigned cluster, Order order) {
  using kept = typename Order::kept;
  const unsigned rank = cluster > 1 ? cluster_rank() : 0;
  const std::size_t base = std::size_t{blockIdx.x / cluster} * chunk;
  const unsigned rows = n - base < chunk ? static_cast<unsigned>(n - base) : chunk;
  const unsigned share = (rows + cluster - 1) / cluster;
  const unsigned first = rank * share;
  unsigned count = first < rows ? rows - first : 0;
  if (count > share) count = share;

  auto* const memory = dynamic_shared<char>();
  const std::size_t buffer = bytes_of_rows<kept, V>(blockDim.x);
  auto from = rows_in<kept, V>(memory, blockDim.x), to = rows_in<kept, V>(memory + buffer, blockDim.x);
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
  kept key;
  if (mine) {
    key = to.keys[i];
    value = to.value(i);
    for (unsigned block = 0; block < cluster; ++block) in_block(all, block)[first + i] = key;
  }
  cluster_sync();
  if (!mine) return;
  const unsigned place =
      place_in_cluster(all, share, rows, blockDim.x, i, rank, cluster, key, order);
  out.put(base + place, order.give(key), value);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
