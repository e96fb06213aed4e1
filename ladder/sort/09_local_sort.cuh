// A radix sort by four bits a pass: each tile is sorted by its digit in shared memory, with four
// splits by a bit; a scan over digits and tiles then gives each run of equal digits its position.
// A pass for four bits of the key, of three launches; each reads and writes n items twice; 13
// barriers a tile of 4 block items; 16 counts a tile and n items of global memory besides.
// Keys with an order of their bits; stable. Source: beyond the documents (Satish, Harris and
// Garland 2009).
#pragma once

#include "ladder/sort/digits.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

inline constexpr unsigned local_bits = 4, local_digits = 1U << local_bits;

/// Where the run of each digit begins and ends in a sorted tile.
struct digit_runs {
  unsigned begin[local_digits], end[local_digits];
};

template <class K, class V, class Less>
__global__ void local_sort_kernel(columns<K, V> in, columns<K, V> out, std::size_t n,
                                  unsigned shift, std::uint64_t* counts) {
  auto& runs = shared_storage<digit_runs>();
  constexpr unsigned own = tile_split::items;
  const unsigned tile = own * blockDim.x, thread = threadIdx.x;
  const std::size_t base = std::size_t{blockIdx.x} * tile;
  const unsigned count = count_in_tile(base, tile, n);
  const auto items = columns_in<K, V>(dynamic_shared<K>(), tile);
  if (thread < local_digits) runs.begin[thread] = runs.end[thread] = 0;
  copy_items(in.at(base), items, count);
  __syncthreads();
  for (unsigned b = 0; b < local_bits; ++b) {
    item<K, V> x[own];
    bool bit[own];
#pragma unroll
    for (unsigned k = 0; k < own; ++k) {
      const unsigned i = tile_split::index(k);
      if (i < count) x[k] = items.get(i);
      bit[k] = i >= count || digit_of<Less, 1>(x[k].key, shift + b) != 0;
    }
    const tile_split split(bit);  // its barriers come after all reads
#pragma unroll
    for (unsigned k = 0; k < own; ++k) {
      if (tile_split::index(k) < count) items.put(split.place(k, bit[k]), x[k]);
    }
    __syncthreads();
  }
  for (unsigned i = thread; i < count; i += blockDim.x) {
    const auto digit_at = [&](unsigned j) {
      return digit_of<Less, local_bits>(items.keys[j], shift);
    };
    const unsigned digit = digit_at(i);
    if (i == 0 || digit_at(i - 1) != digit) runs.begin[digit] = i;
    if (i + 1 == count || digit_at(i + 1) != digit) runs.end[digit] = i + 1;
  }
  copy_items(items, out.at(base), count);
  __syncthreads();
  if (thread < local_digits) {
    counts[thread * (gridDim.x + std::size_t{1}) + blockIdx.x] =
        runs.end[thread] - runs.begin[thread];
  }
}

struct run_offsets {
  std::uint64_t of[local_digits];
};

/// `counts` has a row for each digit: its items in the tiles before each tile, then all of them.
template <class K, class V, class Less>
__global__ void scatter_runs_kernel(columns<K, V> in, columns<K, V> out, std::size_t n,
                                    unsigned shift, const std::uint64_t* counts) {
  auto& offsets = shared_storage<run_offsets>();
  const unsigned tile = tile_split::items * blockDim.x, lane = threadIdx.x;
  const std::size_t base = std::size_t{blockIdx.x} * tile;
  if (lane < warp_size) {
    std::uint64_t all = 0, before = 0, here = 0;
    if (lane < local_digits) {
      const std::uint64_t* const row = counts + lane * (gridDim.x + std::size_t{1});
      all = row[gridDim.x];
      before = row[blockIdx.x];
      here = row[blockIdx.x + 1] - before;
    }
    const std::uint64_t first = warp_inclusive_scan(all, plus{}) - all;
    const std::uint64_t first_here = warp_inclusive_scan(here, plus{}) - here;
    if (lane < local_digits) offsets.of[lane] = first + before - first_here;
  }
  __syncthreads();
  const unsigned count = count_in_tile(base, tile, n);
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    const auto x = in.get(base + i);
    out.put(offsets.of[digit_of<Less, local_bits>(x.key, shift)] + i, x);
  }
}

struct local_sort {
  static constexpr description about{
      .number = 9,
      .name = "local-sort",
      .idea = "sort tiles by 4 bits in shared memory, then move their runs of equal digits",
      .improves = "three of four passes through global memory, and scattered stores",
      .evidence = {{{figure::launches, 0.2, 0.3}, {figure::bytes_moved, 0.2, 0.7}}},
      .source = "beyond the documents; Satish, Harris and Garland (2009)"};

  static std::size_t tile(const shape& s) { return tile_split::items * s.block; }
  static unsigned grid(const shape& s) { return tiles_of(s.n, tile(s)); }
  static std::size_t scratch_bytes(const shape& s) {
    return local_digits * (grid(s) + 1) * sizeof(std::uint64_t) + s.n * s.value_bytes;
  }

  template <class K, class V, class Less>
  static unsigned run(const pass<K, V>& p, Less) {
    const unsigned tiles = grid(p.shape);
    const launch_config config{.grid = tiles, .block = p.shape.block, .stream = p.stream};
    launch_config in_shared = config;
    in_shared.shared_bytes = tile(p.shape) * columns<K, V>::bytes_each;
    auto* const counts = static_cast<std::uint64_t*>(p.scratch);
    const auto sorted = columns_in<K, V>(counts + local_digits * (tiles + std::size_t{1}), p.n);
    auto from = p.in;
    for (unsigned shift = 0; shift < bits_of_key<K>; shift += local_bits) {
      launch(in_shared, local_sort_kernel<K, V, Less>, from, sorted, p.n, shift, counts);
      scan_rows<Less>(counts, local_digits, tiles, p.stream);
      launch(config, scatter_runs_kernel<K, V, Less>, sorted, p.out, p.n, shift, counts);
      from = p.out;
    }
    return 3 * bits_of_key<K> / local_bits;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
