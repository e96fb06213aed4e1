// One pass of a radix sort: rows move to the place of their digit, those of equal digit in order.
//
//   load      | keys to registers, a half warp a run of neighbours; each counts its digits
//   look back | two more warps publish the tile's counts, scan them and look back
//   rank      | a half warp's lanes set their bit in the word of their digit: how many bits are
//             | below is a lane's rank; rows go to their place in shared memory
//   store     | in the order of places, so that neighbours go to neighbours
//
// Reads and writes each row once. Six barriers a tile. A word of shared memory for each digit and
// half warp has | bits of lanes | count |, so that one load gives both, and one store clears the
// one and moves on the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/sort/radix_look_back.cuh"
#include "warpfold/device/sort/radix_plan.cuh"
#include "warpfold/tuning/sort.hpp"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr unsigned half_warp = warp_size / 2;

template <class Shape, class Encoded, class V>
struct radix_pass_shared {
  static constexpr unsigned half_warps = Shape::threads / half_warp;
  static constexpr unsigned stride = radix_digits + half_warp;  // two half warps, other banks

  alignas(16) unsigned word[half_warps][stride];
  alignas(16) unsigned char keys[Shape::rows * sizeof(Encoded)];
  alignas(16) unsigned char values[bytes_of<V> == 0 ? 16 : Shape::rows * bytes_of<V>];
  std::uint64_t first[radix_digits];  // where a digit's rows go, less their places in the tile
  unsigned rows_of_first_half;
  unsigned tile;
};

/// Where shared memory has the row of a place. In sorted keys the digits of neighbours begin at
/// places that are a multiple of 32 words apart, so their rows would meet in one bank; here the
/// bank also depends on which 32 words they are in. Where keys are smaller, many share a bank
/// either way, and a random sort takes 4 % longer with this.
template <std::size_t Bytes>
__device__ __forceinline__ unsigned slot_of(unsigned place) {
  if constexpr (Bytes == 4 || Bytes == 8 || Bytes == 16) {
    constexpr unsigned in_row = 128 / Bytes;
    const unsigned row = place / in_row;
    return place ^ (row ^ row / 8) % in_row;
  }
  return place;
}

template <class K, class V>
struct radix_buffers {
  key_value_view<K, V> in, out, spare;

  __device__ __forceinline__ const key_value_view<K, V>& get(radix_buffer which) const {
    return which == radix_buffer::in ? in : which == radix_buffer::out ? out : spare;
  }
};

/// What a launch sorts.
template <class K, class V>
struct radix_portion {
  radix_buffers<K, V> buffers;
  std::size_t begin;
  unsigned rows, tiles;
  unsigned number, count;  // of this portion, and of all
};

/// Loads a thread's rows of a half warp's run; `none` for those that are not there.
template <unsigned Items, class T, class U, class Convert>
__device__ __forceinline__ void load_run(U (&to)[Items], const T* from, unsigned first,
                                         unsigned count, const U& none, Convert convert) {
  if (first + (Items - 1) * half_warp < count) {
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) to[k] = convert(from[first + k * half_warp]);
  } else {
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) {
      const unsigned i = first + k * half_warp;
      to[k] = i < count ? convert(from[i]) : none;
    }
  }
}

template <class Shape, class V, class Order>
__global__ void __launch_bounds__(Shape::threads + radix_look_back_threads, Shape::blocks)
    radix_pass_kernel(radix_portion<typename Order::key, V> portion, radix_memory memory,
                      radix_range range, unsigned pass, Order order) {
  using key = typename Order::key;
  using encoded = typename Order::encoded;
  constexpr unsigned threads = Shape::threads, items = Shape::items;
  static_assert(Shape::rows % 32 == 0, "a slot is one of the tile's");
  using shared_type = radix_pass_shared<Shape, encoded, V>;
  auto& shared = *dynamic_shared<shared_type>();
  const auto sorted = key_value_view<encoded, V>{reinterpret_cast<encoded*>(shared.keys),
                                                 reinterpret_cast<V*>(shared.values)};
  const unsigned thread = threadIdx.x, lane = thread % half_warp;
  const bool ranks = thread < threads;  // the others look back
  unsigned* const words = shared.word[ranks ? thread / half_warp : 0];
  const unsigned quad = ranks ? 0 : thread - threads, digit = quad * radix_quad;
  if (ranks) {
#pragma unroll
    for (unsigned d = 0; d < radix_digits; d += half_warp * 4) {
      *reinterpret_cast<uint4*>(words + d + lane * 4) = uint4{0, 0, 0, 0};
    }
  }
  trigger_dependents();
  wait_for_primary();
  const radix_step step = memory.control->step[pass];
  if (!step.runs) return;
  if (thread == threads) {
    shared.tile = atomicAdd(&memory.control->tickets, 1U);
    if (shared.tile == portion.tiles - 1) atomicExch(&memory.control->tickets, 0U);  // all taken
  }
  __syncthreads();
  const unsigned tile = shared.tile, first = tile * Shape::rows;
  const unsigned count = portion.rows - first < Shape::rows ? portion.rows - first : Shape::rows;
  const unsigned shift = range.shift(pass), mask = range.mask(pass);
  const auto digit_of = [=](encoded k) { return static_cast<unsigned>(k >> shift) & mask; };
  const auto from = portion.buffers.get(step.from).from(portion.begin + first);
  const auto to = portion.buffers.get(step.to);

  encoded keys[items];
  V values[items];
  const unsigned run = thread / half_warp * half_warp * items + lane;
  if (ranks) {
    load_run(keys, from.keys, run, count, static_cast<encoded>(~encoded{0}),
             [&](const key& k) { return order.encode(k); });
#pragma unroll
    for (unsigned k = 0; k < items; ++k) atomicAdd(&words[digit_of(keys[k])], 1U);
  }
  __syncthreads();

  // The tile's counts, then the place of each half warp's first row of each digit.
  const unsigned launch = step.number * portion.count + portion.number;
  const radix_status status(memory.area(launch), quad);
  digit_counts all{}, there{}, places{};
  unsigned sum = 0, up_to_quad = 0;
  if (ranks) {
    if constexpr (bytes_of<V> != 0) {
      load_run(values, from.values, run, count, V{}, [](const V& v) { return v; });
    }
  } else {
#pragma unroll 4
    for (unsigned h = 0; h < shared_type::half_warps; ++h) {
      all.add(*reinterpret_cast<const digit_counts*>(&shared.word[h][digit]));
    }
#pragma unroll
    for (unsigned q = 0; q < radix_quad; ++q) {
      there.of[q] = all.of[q] - (digit + q == mask ? Shape::rows - count : 0);
      sum += all.of[q];
    }
    status.publish(tile, there, tile == 0 ? tile_state::prefix : tile_state::tile);
    up_to_quad = warp_inclusive_scan(sum, [](unsigned a, unsigned b) { return a + b; });
    if (quad == warp_size - 1) shared.rows_of_first_half = up_to_quad;
  }
  __syncthreads();
  if (!ranks) {
    unsigned place = up_to_quad - sum;
    if (quad >= warp_size) place += shared.rows_of_first_half;
#pragma unroll
    for (unsigned q = 0; q < radix_quad; ++q) {
      places.of[q] = place;
      place += all.of[q];
    }
    digit_counts next = places;
#pragma unroll 4
    for (unsigned h = 0; h < shared_type::half_warps; ++h) {
      auto& column = *reinterpret_cast<digit_counts*>(&shared.word[h][digit]);
      const digit_counts rows = column;
      column = next;
      next.add(rows);
    }
  }
  __syncthreads();

  if (ranks) {
    const unsigned bit = 1U << lane, below = bit - 1;
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      unsigned* const word = &words[digit_of(keys[k])];
      atomicOr(word, bit << half_warp);
      __syncwarp();
      const unsigned both = *word, lanes = both >> half_warp;
      const unsigned place = (both & 0xffff) + static_cast<unsigned>(__popc(lanes & below));
      __syncwarp();
      if ((lanes >> lane) == 1) *word = place + 1;  // the last of its digit
      __syncwarp();
      sorted.keys[slot_of<sizeof(encoded)>(place)] = keys[k];
      sorted.put_value(slot_of<bytes_of<V>>(place), values[k]);
    }
  } else {
    const digit_counts before = status.template look_back<Shape::window>(tile);
    digit_counts up_to = before;
    up_to.add(there);
    if (tile > 0) status.publish(tile, up_to, tile_state::prefix);
    auto& now = memory.control->first[portion.number % 2][pass];
    auto& next = memory.control->first[1 - portion.number % 2][pass];
#pragma unroll
    for (unsigned q = 0; q < radix_quad; ++q) {
      const radix_control::count start = now[digit + q];
      shared.first[digit + q] = start + before.of[q] - places.of[q];
      if (tile == portion.tiles - 1) next[digit + q] = start + up_to.of[q];
    }
  }
  __syncthreads();

  if (ranks) {
    const auto store = [&](unsigned i) {
      const encoded k = sorted.keys[slot_of<sizeof(encoded)>(i)];
      to.put(shared.first[digit_of(k)] + i, order.decode(k), sorted.value(slot_of<bytes_of<V>>(i)));
    };
    if (count == Shape::rows) {
#pragma unroll
      for (unsigned k = 0; k < items; ++k) store(thread + k * threads);
    } else {
      for (unsigned i = thread; i < count; i += threads) store(i);
    }
  } else {  // the other area is clear for the next launch
    const radix_status other(memory.area(launch + 1), quad);
    for (unsigned t = tile; t < memory.area_tiles; t += portion.tiles) {
      store_relaxed(other.row(t), word_pair{0, 0});
    }
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
