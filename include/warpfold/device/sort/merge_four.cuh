// Merges of sorted runs by fours, which read and write rows half as often as merges in pairs. A
// tile takes its part of all four runs, merges them in pairs in shared memory, and then the two.
//
// Half a warp or a whole one finds where a tile's parts begin. Each run has a range that its part's
// begin is in. Four lanes or eight sample it. Each counts how many rows come before its sample at
// least, and at most, from where the sample is among those of the other runs: so it knows whether
// its row comes before the tile, or can't tell. Each round shortens a range, and mostly all of
// them. Reads and writes each row once; seven barriers a tile. Stable; any strict weak order.
#pragma once

#include <cstdint>

#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/sort/merge.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr unsigned four = 4;  // runs

/// How many rows of each run come before a tile.
struct four_counts {
  std::size_t of[four];
};

/// Four runs of `run` rows, the last of which may be shorter, or not there, that merge from `begin`
/// on.
struct run_four {
  std::size_t begin, run, rest;

  static __device__ __forceinline__ run_four of(std::size_t i, std::size_t run, std::size_t n) {
    const std::size_t begin = i / (four * run) * (four * run);
    return {begin, run, n - begin < four * run ? n - begin : four * run};
  }
  [[nodiscard]] __device__ __forceinline__ std::size_t count(unsigned r) const {
    const std::size_t before = r * run;
    return rest < before ? 0 : rest - before < run ? rest - before : run;
  }
};

/// How many of the first `diagonal` keys of a merge come from this lane's run. All lanes of a warp
/// must call; four times `Samples` of them have the same runs and diagonal. Size holds all rows.
template <unsigned Samples, class Size, class K, class Order>
__device__ __forceinline__ Size merge_four_path(const K* keys, const run_four& runs, Size diagonal,
                                                const Order& order) {
  constexpr unsigned samples = Samples, lanes = four * Samples;
  const unsigned lane = threadIdx.x % warp_size, mine = lane / samples % four;
  const unsigned number = lane % samples, group = lane / lanes * lanes;
  const auto count = static_cast<Size>(runs.count(mine));
  const auto others = static_cast<Size>(runs.rest - count);
  const K* const in = keys + runs.begin + mine * runs.run;
  Size low = diagonal > others ? diagonal - others : 0;
  Size high = diagonal < count ? diagonal : count;
  while (__any_sync(all_lanes, low < high)) {
    const Size range = high - low;
    const unsigned sampled = range < samples ? static_cast<unsigned>(range) : samples;
    const unsigned odd = 2 * number + 1;
    const Size at = low + (range <= samples ? number
                                            : range / (2 * samples) * odd +
                                                  range % (2 * samples) * odd / (2 * samples));
    typename Order::encoded key{};
    if (number < sampled) key = order.encode(in[at]);
    Size least = at, most = at;  // rows that come before this one
#pragma unroll
    for (unsigned k = 1; k < four; ++k) {
      const unsigned other = (mine + k) % four, first = group + other * samples;
      const unsigned there = shuffle(sampled, first);
      unsigned before = 0, end = there;  // samples of the other run that come before this one
#pragma unroll
      for (unsigned step = samples; step > 0; step /= 2) {
        const unsigned middle = (before + end) / 2;
        const auto theirs = shuffle(key, first + (middle < samples ? middle : 0));
        if (before < end) {
          if (order.comes_before(theirs, key, other < mine)) {
            before = middle + 1;
          } else {
            end = middle;
          }
        }
      }
      const Size up_to = shuffle(at, first + (before > 0 ? before - 1 : 0)) + 1;
      const Size from = shuffle(at, first + (before < samples ? before : 0));
      const Size their_low = shuffle(low, first), their_high = shuffle(high, first);
      least += before > 0 ? up_to : their_low;
      most += before < there ? from : their_high;
    }
    if (number < sampled && most < diagonal) low = at + 1;
    if (number < sampled && least >= diagonal) high = at;
#pragma unroll
    for (unsigned mask = 1; mask < samples; mask *= 2) {
      const Size other_low = shuffle_xor(low, mask), other_high = shuffle_xor(high, mask);
      if (other_low > low) low = other_low;
      if (other_high < high) high = other_high;
    }
  }
  return low;
}

/// For each tile's begin, how many rows of each of its four runs come before it.
template <unsigned Samples, class Tile, class K, class Order>
__global__ void __launch_bounds__(128)
    partition_four_kernel(const K* keys, std::size_t n, std::size_t run, four_counts* partitions,
                          Order order) {
  constexpr unsigned lanes = four * Samples;
  const std::size_t tile = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
  // Lanes beyond the last tile look for its begin too.
  const std::size_t last = (n - 1) / Tile::rows;
  const std::size_t base = (tile < last ? tile : last) * Tile::rows;
  const auto runs = run_four::of(base, run, n);
  const auto search = [&]<class Size>(Size diagonal) -> std::size_t {
    return merge_four_path<Samples>(keys, runs, diagonal, order);
  };
  const std::size_t diagonal = base - runs.begin;
  const std::size_t count = n <= std::uint32_t{0xffffffff}
                                ? search(static_cast<std::uint32_t>(diagonal))
                                : search(diagonal);
  const unsigned lane = threadIdx.x % lanes;
  if (tile <= last && lane % Samples == 0) partitions[tile].of[lane / Samples] = count;
}

/// A tile's parts of four runs: where they are, and where they begin in the tile.
template <class Rows>
struct four_parts {
  Rows from[four];
  unsigned begin[four + 1];

  /// A choice among variables: one among an array's elements would put the array into memory.
  [[nodiscard]] __device__ __forceinline__ Rows at(unsigned k) const {
    auto* const k0 = from[0].keys;
    auto* const k1 = from[1].keys;
    auto* const k2 = from[2].keys;
    auto* const k3 = from[3].keys;
    auto* const v0 = from[0].values;
    auto* const v1 = from[1].values;
    auto* const v2 = from[2].values;
    auto* const v3 = from[3].values;
    const unsigned b1 = begin[1], b2 = begin[2], b3 = begin[3];
    return Rows{k < b2 ? (k < b1 ? k0 : k1) : (k < b3 ? k2 : k3),
                k < b2 ? (k < b1 ? v0 : v1) : (k < b3 ? v2 : v3)}
        .from(k);
  }
};

/// Merges runs of `run` rows by fours, where four runs together are a whole number of tiles.
template <class Tile, class V, class Order>
__global__ void __launch_bounds__(Tile::threads, blocks_with_registers(Tile::threads, Tile::blocks))
    merge_four_kernel(key_value_view<typename Order::key, V> in,
                      key_value_view<typename Order::key, V> out, std::size_t n, std::size_t run,
                      const four_counts* partitions, Order order) {
  using encoded = typename Order::encoded;
  constexpr unsigned items = Tile::items, threads = Tile::threads;
  const auto shared = rows_in<encoded, V>(dynamic_shared<char>(), Tile::rows);
  const std::size_t base = std::size_t{blockIdx.x} * Tile::rows;
  const auto count = n - base < Tile::rows ? static_cast<unsigned>(n - base) : Tile::rows;
  const auto runs = run_four::of(base, run, n);
  const bool is_last = base - runs.begin + count == runs.rest;

  four_parts<key_value_view<typename Order::key, V>> parts{};
#pragma unroll
  for (unsigned r = 0; r < four; ++r) {
    const std::size_t from = partitions[blockIdx.x].of[r];
    const std::size_t to = is_last ? runs.count(r) : partitions[blockIdx.x + 1].of[r];
    parts.begin[r + 1] = parts.begin[r] + static_cast<unsigned>(to - from);
    // From where row 0 of the tile would be.
    parts.from[r] = in.from(runs.begin + r * run + from - parts.begin[r]);
  }
  encoded key[items];
  V value[items];
  load_tile<threads>(parts, count, shared, key, value, order);
  __syncthreads();

  const unsigned first = threadIdx.x * items < count ? threadIdx.x * items : count;
  const unsigned half = parts.begin[2];
  unsigned place[items];
  const shared_runs second{half, parts.begin[3], parts.begin[3], count};
  merge_serially(shared,
                 first < half
                     ? runs_from(shared.keys, 0, parts.begin[1], half, first, order)
                     : runs_from(shared.keys, half, parts.begin[3], count, first - half, order),
                 order, key, place, first < half ? half - first : items, second);
  take_values(shared, place, value, count);
  __syncthreads();
  put_rows(shared, key, value);
  __syncthreads();
  merge_serially(shared, runs_from(shared.keys, 0, half, count, first, order), order, key, place);
  take_values(shared, place, value, count);
  store_tile<threads>(shared, key, value, count, out.from(base), order);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
