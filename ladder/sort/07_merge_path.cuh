// Tiles by the bitonic network, then merges of two sorted runs at a time. The merge path gives
// the start of each output tile in both runs, so all tiles of a merge are independent.
// log2(n/B) + 1 passes, each reads and writes n items; about n comparisons a pass; five barriers a
// tile of B = 4 block items; B items of shared memory and n of global memory.
// Any strict order; merges are stable, the tiles are not. Source: beyond the documents (Green,
// McColl and Bader 2012).
#pragma once

#include "ladder/sort/05_bitonic_warp.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

/// How many of the first `diagonal` items of the merge come from a; equals come from a first.
template <class K, class Less>
__device__ __forceinline__ std::size_t merge_partition(const K* a, std::size_t a_count, const K* b,
                                                       std::size_t b_count, std::size_t diagonal,
                                                       Less less) {
  std::size_t low = diagonal > b_count ? diagonal - b_count : 0;
  std::size_t high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (less(b[diagonal - 1 - middle], a[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

struct merge_partitions {
  std::size_t from_a[2];  // at the tile's begin and end
};

/// Merges runs of `run` items, a multiple of the tile, in pairs.
template <class K, class V, class Less>
__global__ void __launch_bounds__(1024)
    merge_path_kernel(columns<K, V> in, columns<K, V> out, std::size_t n, std::size_t run,
                      Less less) {
  auto& partitions = shared_storage<merge_partitions>();
  const unsigned tile = items_per_thread * blockDim.x;
  const std::size_t base = std::size_t{blockIdx.x} * tile;
  const std::size_t begin = base / (2 * run) * (2 * run);
  const std::size_t a_count = n - begin < run ? n - begin : run;
  const std::size_t rest = n - begin - a_count;
  const std::size_t b_count = rest < run ? rest : run;
  const auto a = in.at(begin), b = in.at(begin + a_count);
  const unsigned count = count_in_tile(base, tile, n);
  const std::size_t diagonal = base - begin;
  if (threadIdx.x < 2) {
    partitions.from_a[threadIdx.x] = merge_partition(
        a.keys, a_count, b.keys, b_count, diagonal + threadIdx.x * std::size_t{count}, less);
  }
  __syncthreads();
  const std::size_t from_a = partitions.from_a[0];
  const auto in_a = static_cast<unsigned>(partitions.from_a[1] - from_a);
  const unsigned in_b = count - in_a;
  const auto items = columns_in<K, V>(dynamic_shared<K>(), tile);
  copy_items(a.at(from_a), items, in_a);
  copy_items(b.at(diagonal - from_a), items.at(in_a), in_b);
  __syncthreads();
  const unsigned first =
      items_per_thread * threadIdx.x < count ? items_per_thread * threadIdx.x : count;
  auto i = static_cast<unsigned>(
      merge_partition(items.keys, in_a, items.keys + in_a, in_b, first, less));
  unsigned j = in_a + first - i;
  item<K, V> merged[items_per_thread];
#pragma unroll
  for (unsigned k = 0; k < items_per_thread; ++k) {
    if (first + k >= count) continue;
    const bool take_b = i == in_a || (j < count && less(items.keys[j], items.keys[i]));
    merged[k] = items.get(take_b ? j : i);
    (take_b ? j : i) += 1;
  }
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < items_per_thread; ++k) {
    if (first + k < count) items.put(first + k, merged[k]);
  }
  __syncthreads();
  copy_items(items, out.at(base), count);
}

struct merge_path {
  static constexpr description about{
      .number = 7,
      .name = "merge-path",
      .idea =
          "sorted tiles merge in pairs; each tile of the output finds its own part of both runs",
      .improves = "log2(n) - log2(tile) passes in place of the square of that",
      .evidence = {{{figure::operator_uses, 0.05, 0.9}}},
      .also = "time",
      .source = "beyond the documents; Green, McColl and Bader (2012)"};

  static std::size_t tile(const shape& s) { return bitonic_warp::tile(s); }
  static unsigned grid(const shape& s) { return tiles_of(s.n, tile(s)); }
  static unsigned passes(const shape& s) {
    return static_cast<unsigned>(std::bit_width(grid(s) - 1));
  }
  static std::size_t scratch_bytes(const shape& s) { return s.n * s.value_bytes; }
  /// The tile's steps; for each pass two searches and the items that a thread merges.
  static double depth_limit(const shape& s) {
    double depth = bitonic_steps(std::min(s.n, tile(s)));
    for (unsigned k = 0; k < passes(s); ++k) {
      depth += std::bit_width(tile(s) << k) + std::bit_width(tile(s)) + items_per_thread;
    }
    return depth;
  }

  template <class K, class V, class Less>
  static unsigned run(const pass<K, V>& p, Less less) {
    const launch_config config{.grid = grid(p.shape),
                               .block = p.shape.block,
                               .shared_bytes = tile(p.shape) * columns<K, V>::bytes_each,
                               .stream = p.stream};
    const unsigned merges = passes(p.shape);
    auto from = p.out, to = columns_in<K, V>(p.scratch, p.n);
    if (merges % 2 == 1) std::swap(from, to);  // the last pass shall end in `out`
    launch(config, bitonic_warp_kernel<K, V, Less>, p.in, from, p.n, false, less);
    std::size_t length = tile(p.shape);
    for (unsigned k = 0; k < merges; ++k, length *= 2) {
      launch(config, merge_path_kernel<K, V, Less>, from, to, p.n, length, less);
      std::swap(from, to);
    }
    return 1 + merges;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
