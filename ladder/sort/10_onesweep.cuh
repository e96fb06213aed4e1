// A radix sort by eight bits a pass that reads and writes once: one read counts the digits of all
// passes, and in each pass a tile learns how many of its digits are before it by looking back.
//
//   status word | items of one digit: 56 bits | state: 2 pass + 1 of this tile, + 2 of all up to it
//
// A pass for eight bits of the key, of one launch, and three launches before; tiles of 64 bytes a
// thread, 256 status words each; n items of global memory besides. Tiles are numbered as blocks
// start, so a tile waits only for tiles that run or are done.
// Keys with an order of their bits; stable. Source: Adinets and Merrill (2022).
#pragma once

#include "ladder/sort/onesweep_memory.cuh"
#include "warpfold/device/sort/radix_rank.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

struct onesweep_storage {
  unsigned tile;
  unsigned first[byte_digits];        // of a digit in the sorted tile
  std::uint64_t offset[byte_digits];  // from there to its place among all
};

/// Counts on from a digit's items in the tiles before `tile`, back to the nearest prefix.
__device__ __forceinline__ std::uint64_t look_back(const onesweep_memory& memory, unsigned tile,
                                                   unsigned digit, unsigned pass) {
  std::uint64_t before = 0;
  while (tile-- > 0) {
    std::uint64_t word = load_relaxed(memory.status(tile, digit));
    while (word % 256 <= 2 * pass) {  // of the pass before
      let_others_run();
      word = load_relaxed(memory.status(tile, digit));
    }
    before += word / 256;
    if (word % 256 == 2 * pass + 2) break;
  }
  return before;
}

template <class K, class V, class Less>
__global__ void __launch_bounds__(1024)
    onesweep_kernel(columns<K, V> in, columns<K, V> out, std::size_t n, unsigned pass,
                    onesweep_memory memory) {
  using ranks = warpfold::detail::radix_group<tuning::radix_ranking::by_votes>;
  constexpr unsigned own = onesweep_items(columns<K, V>::bytes_each), last = byte_digits - 1;
  auto& shared = shared_storage<onesweep_storage>();
  const unsigned size = own * blockDim.x, warp = threadIdx.x / warp_size;
  const auto index = [&](unsigned k) {
    return (warp * own + k) * warp_size + threadIdx.x % warp_size;
  };
  const auto digit_in_pass = [&](K key) { return digit_of<Less, 8>(key, 8 * pass); };
  auto* const words = dynamic_shared<unsigned>();  // for each warp, counts of the digits
  if (threadIdx.x == 0) shared.tile = atomicAdd(memory.tickets + pass, 1U);
  for (unsigned i = threadIdx.x; i < blockDim.x / warp_size * byte_digits; i += blockDim.x) {
    words[i] = 0;
  }
  __syncthreads();

  // Rank: what is beyond the end counts as the last of the last digit.
  const unsigned tile = shared.tile;
  const std::size_t base = std::size_t{tile} * size;
  const unsigned count = count_in_tile(base, size, n);
  item<K, V> x[own];
  unsigned digit[own], place[own];
#pragma unroll
  for (unsigned k = 0; k < own; ++k) {
    digit[k] = last;
    if (index(k) < count) {
      x[k] = in.get(base + index(k));
      digit[k] = digit_in_pass(x[k].key);
    }
    place[k] = ranks::next_place(words + warp * byte_digits, digit[k], threadIdx.x % warp_size);
  }
  __syncthreads();

  // Publish the tile's counts; scan them, over warps and over digits.
  unsigned before = 0;
  for (unsigned from = 0; from < byte_digits; from += blockDim.x) {
    const unsigned d = from + threadIdx.x;
    unsigned sum = 0;
    for (unsigned i = d; d < byte_digits && i < blockDim.x / warp_size * byte_digits;
         i += byte_digits) {
      const unsigned in_warp = words[i];
      words[i] = sum;
      sum += in_warp;
    }
    if (d < byte_digits) {
      memory.publish(tile, d, sum - (d == last ? size - count : 0), 2 * pass + (tile > 0 ? 1 : 2));
    }
    const auto digits = block_scan(sum, plus{});
    if (d < byte_digits) shared.first[d] = before + digits.exclusive;
    before += digits.total;
    __syncthreads();
  }

  // Sort the tile in shared memory, where the warps' counts were.
#pragma unroll
  for (unsigned k = 0; k < own; ++k) {
    place[k] += words[warp * byte_digits + digit[k]] + shared.first[digit[k]];
  }
  __syncthreads();
  const auto items = columns_in<K, V>(words, size);
#pragma unroll
  for (unsigned k = 0; k < own; ++k) {
    if (index(k) < count) items.put(place[k], x[k]);
  }

  for (unsigned d = threadIdx.x; d < byte_digits; d += blockDim.x) {
    const std::uint64_t here = load_relaxed(memory.status(tile, d)) / 256;
    const std::uint64_t in_tiles_before = look_back(memory, tile, d, pass);
    if (tile > 0) memory.publish(tile, d, in_tiles_before + here, 2 * pass + 2);
    shared.offset[d] = *memory.first(pass, d) + in_tiles_before - shared.first[d];
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    const auto moved = items.get(i);
    out.put(shared.offset[digit_in_pass(moved.key)] + i, moved);
  }
}

struct onesweep {
  static constexpr description about{
      .number = 10,
      .name = "onesweep",
      .idea = "8 bits a pass, each a single read and write: tiles look back for their digits",
      .improves = "the reads and writes between the launches of a pass, and half of the passes",
      .evidence = {{{figure::launches, 0.2, 0.4}, {figure::bytes_moved, 0.1, 0.7}}},
      .also = "time",
      .source = "beyond the documents; Adinets and Merrill (2022)"};

  static unsigned grid(const shape& s) {
    return tiles_of(s.n, onesweep_items(s.value_bytes) * std::size_t{s.block});
  }
  static std::size_t scratch_bytes(const shape& s) {
    return onesweep_memory::bytes(grid(s)) + s.n * s.value_bytes;
  }

  template <class K, class V, class Less>
  static unsigned run(const pass<K, V>& p, Less) {
    const onesweep_memory memory{.tickets = static_cast<unsigned*>(p.scratch),
                                 .tiles = grid(p.shape)};
    memory.count<Less>(p, resident_blocks(p.shape));
    const auto spare = columns_in<K, V>(memory.end(), p.n);
    auto from = p.in;
    for (unsigned pass = 0; pass < sizeof(K); ++pass) {
      const auto to = pass % 2 == 0 ? spare : p.out;
      launch({.grid = memory.tiles,
              .block = p.shape.block,
              .shared_bytes = onesweep_bytes_each * p.shape.block,
              .stream = p.stream},
             onesweep_kernel<K, V, Less>, from, to, p.n, pass, memory);
      from = to;
    }
    return 3 + sizeof(K);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
