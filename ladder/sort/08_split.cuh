// A radix sort by one bit a pass: keys with 0 move to the front and keys with 1 behind them, both
// in the order that they had. Where a key goes is a scan of the zeros before it.
// A pass for each bit of the key, of three launches; each reads the keys twice and writes n items;
// two barriers a tile of 4 block items; n items of global memory besides.
// Keys with an order of their bits; stable. Source: beyond the documents (Blelloch 1990).
#pragma once

#include "ladder/sort/digits.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

/// The bit of each item of the thread; 1 for those beyond the end.
template <class Less, class K>
__device__ __forceinline__ void load_bits(const K* keys, std::size_t n, unsigned shift,
                                          bool (&bit)[tile_split::items]) {
  const std::size_t base = std::size_t{blockIdx.x} * tile_split::items * blockDim.x;
#pragma unroll
  for (unsigned k = 0; k < tile_split::items; ++k) {
    const std::size_t i = base + tile_split::index(k);
    bit[k] = i >= n || digit_of<Less, 1>(keys[i], shift) != 0;
  }
}

template <class K, class V, class Less>
__global__ void split_count_kernel(columns<K, V> in, std::size_t n, unsigned shift,
                                   std::uint64_t* zeros) {
  bool bit[tile_split::items];
  load_bits<Less>(in.keys, n, shift, bit);
  const tile_split split(bit);
  if (threadIdx.x == 0) zeros[blockIdx.x] = split.zeros;
}

/// `zeros` has how many are in the tiles before each, then how many there are.
template <class K, class V, class Less>
__global__ void split_kernel(columns<K, V> in, columns<K, V> out, std::size_t n, unsigned shift,
                             const std::uint64_t* zeros) {
  bool bit[tile_split::items];
  load_bits<Less>(in.keys, n, shift, bit);
  const tile_split split(bit);
  const std::uint64_t before_tile = zeros[blockIdx.x], all = zeros[gridDim.x];
  const std::size_t base = std::size_t{blockIdx.x} * tile_split::items * blockDim.x;
#pragma unroll
  for (unsigned k = 0; k < tile_split::items; ++k) {
    const std::size_t i = base + tile_split::index(k);
    const std::size_t zeros_before = before_tile + split.zeros_before[k];
    if (i < n) out.put(bit[k] ? all + i - zeros_before : zeros_before, in.get(i));
  }
}

struct split {
  static constexpr description about{
      .number = 8,
      .name = "split",
      .idea = "for each bit, from the lowest: zeros to the front, ones behind, by a scan",
      .improves = "the comparisons: none, and 32 passes whatever n is; the order of equal keys",
      .evidence = {{{figure::branch_uniformity, 1.2, 4}}},
      .also = "operator uses, none; time, but only for very many keys",
      .source = "beyond the documents; Blelloch (1990), split"};

  static std::size_t tile(const shape& s) { return tile_split::items * s.block; }
  static unsigned grid(const shape& s) { return tiles_of(s.n, tile(s)); }
  static std::size_t scratch_bytes(const shape& s) {
    return (grid(s) + 1) * sizeof(std::uint64_t) + s.n * s.value_bytes;
  }

  template <class K, class V, class Less>
  static unsigned run(const pass<K, V>& p, Less) {
    const unsigned tiles = grid(p.shape);
    const launch_config config{.grid = tiles, .block = p.shape.block, .stream = p.stream};
    auto* const zeros = static_cast<std::uint64_t*>(p.scratch);
    const auto spare = columns_in<K, V>(zeros + tiles + 1, p.n);
    auto from = p.in;
    for (unsigned shift = 0; shift < bits_of_key<K>; ++shift) {
      const auto to = shift % 2 == 0 ? spare : p.out;
      launch(config, split_count_kernel<K, V, Less>, from, p.n, shift, zeros);
      scan_rows<Less>(zeros, 1, tiles, p.stream);
      launch(config, split_kernel<K, V, Less>, from, to, p.n, shift, zeros);
      from = to;
    }
    return 3 * bits_of_key<K>;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
