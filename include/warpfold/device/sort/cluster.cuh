// A stable sort of a few thousand rows in one launch, by a block or a cluster of blocks. Each block
// sorts its share, then all blocks have the sorted keys of all in their shared memory, and each row
// finds its place by counting what comes before it in the other shares: by binary searches, all at
// a time so that they hide each other's latency.
// Reads and writes each row once; rows, scattered, are written when all blocks have read theirs.
// One barrier of a cluster. Any strict weak order.
#pragma once

#include "warpfold/device/sort/block.cuh"
#include "warpfold/tuning/sort.hpp"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The block's shared memory: what its sort works in, its values, and the sorted keys of all
/// blocks.
template <class K, class V>
constexpr std::size_t cluster_shared_bytes(tuning::cluster_shape shape) {
  return sort_block_bytes<K>(shape.block_rows) + bytes_of_rows<keys_only, V>(shape.block_rows) +
         (shape.cluster > 1 ? sizeof(K) * shape.rows() : 0);
}

/// The sorted keys of a cluster's blocks, one block after the other. Each has `share` of the
/// `count` keys; the last ones have fewer.
template <class Encoded>
struct cluster_keys {
  const Encoded* all;
  unsigned share, count, rank;
};

/// How many keys of the other blocks come before `key`: those of blocks before this one also if
/// they are equal. Without a branch, so that the searches' loads are in flight together; what lies
/// beyond a block's keys is read, and not counted.
template <unsigned Blocks, class Order, class Encoded>
__device__ __forceinline__ unsigned rank_in_cluster(const cluster_keys<Encoded>& keys,
                                                    const Encoded& key, const Order& order) {
  constexpr unsigned others = Blocks - 1;
  unsigned place[others], end[others];  // keys before `place` come before the key
#pragma unroll
  for (unsigned r = 0; r < others; ++r) {
    const unsigned begin = (r < keys.rank ? r : r + 1) * keys.share;
    place[r] = ::min(begin, keys.count);
    end[r] = ::min(begin + keys.share, keys.count);
  }
  unsigned step = 1;
  while (step < keys.share) step *= 2;
  for (; step > 0; step /= 2) {
    Encoded other[others];
#pragma unroll
    for (unsigned r = 0; r < others; ++r) {
      other[r] = keys.all[::min(place[r] + step, keys.count) - 1];
    }
#pragma unroll
    for (unsigned r = 0; r < others; ++r) {
      const bool before = order.comes_before(other[r], key, r < keys.rank);
      if (place[r] + step <= end[r] && before) place[r] += step;
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (unsigned r = 0; r < others; ++r) {
    sum += place[r] - ::min((r < keys.rank ? r : r + 1) * keys.share, keys.count);
  }
  return sum;
}

/// Sorts each `chunk` of the n rows into `out`, one cluster of `Blocks` each; `chunk` is what the
/// shape holds, or less.
template <unsigned Blocks, unsigned Items, class V, class Order>
__global__ void __launch_bounds__(tuning::cluster_shape::max_threads)
    cluster_sort_kernel(key_value_view<typename Order::key, V> in,
                        key_value_view<typename Order::key, V> out, std::size_t n, unsigned chunk,
                        Order order) {
  using encoded = typename Order::encoded;
  static_assert(Blocks == 1 || Items == 1, "a cluster's threads find the place of one row each");
  const unsigned threads = blockDim.x;
  const unsigned rank = Blocks > 1 ? cluster_rank() : 0;
  const std::size_t base = std::size_t{blockIdx.x / Blocks} * chunk;
  const unsigned rows = n - base < chunk ? static_cast<unsigned>(n - base) : chunk;
  const unsigned share = (rows + Blocks - 1) / Blocks;
  const unsigned first = rank * share;
  unsigned count = first < rows ? rows - first : 0;
  if (count > share) count = share;

  char* const memory = dynamic_shared<char>();
  const auto values = rows_in<encoded, V>(memory + sort_block_bytes<encoded>(Items * threads), 0);
  const numbered_order<Order> by_number{order, count};
  numbered_key<encoded> row[Items];
  if constexpr (Blocks > 1) cluster_begins();
  wait_for_primary();
  trigger_dependents();
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const unsigned i = k * threads + threadIdx.x;
    row[k] = {by_number.no_key(), i};
    if (i >= count) continue;
    row[k].key = order.encode(in.keys[base + first + i]);
    values.put_value(i, in.value(base + first + i));
  }
  sort_in_block(row, Items * ::min(count, threads), memory, by_number);
  if constexpr (Blocks == 1) {
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) {
      const unsigned i = threadIdx.x * Items + k;
      if (i >= count) continue;
      out.put(base + i, order.decode(row[k].key), values.value(row[k].number));
    }
  } else {
    encoded* const all = reinterpret_cast<encoded*>(memory + sort_block_bytes<encoded>(threads) +
                                                    bytes_of_rows<keys_only, V>(threads));
    const bool mine = threadIdx.x < count;
    wait_for_cluster();
    if (mine) {
#pragma unroll
      for (unsigned block = 0; block < Blocks; ++block) {
        in_block(all, block)[first + threadIdx.x] = row[0].key;
      }
    }
    cluster_sync();  // and all blocks have read what others will write
    if (!mine) return;
    const cluster_keys<encoded> keys{all, share, rows, rank};
    const unsigned before = rank_in_cluster<Blocks>(keys, row[0].key, order);
    out.put(base + threadIdx.x + before, order.decode(row[0].key), values.value(row[0].number));
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
