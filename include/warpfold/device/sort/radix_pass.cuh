// One pass of a radix sort: rows move to the place of their digit, those of equal digit in order.
//
//   load      | keys to registers, a group of lanes a run of neighbours; each counts its digits
//   look back | two more warps publish the tile's counts, scan them and look back
//   rank      | the lanes of a group find their keys' places (radix_rank.cuh); keys go there in
//             | shared memory, then what travels with them, loaded in the meantime
//   store     | in the order of places, so that neighbours go to neighbours (radix_store.cuh)
//
// Reads and writes each row once. Six barriers a tile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/sort/radix_look_back.cuh"
#include "warpfold/device/sort/radix_plan.cuh"
#include "warpfold/device/sort/radix_rank.cuh"
#include "warpfold/device/sort/radix_rows.cuh"
#include "warpfold/device/sort/radix_store.cuh"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Shape, class Rows>
struct radix_pass_shared {
  using ranked = typename Rows::ranked;
  using follows = typename Rows::follows;
  using group = radix_group<Shape::ranking>;
  static constexpr unsigned groups = Shape::threads / group::lanes;

  alignas(16) unsigned word[groups][group::stride];
  alignas(16) unsigned char keys[Shape::rows * sizeof(ranked)];
  alignas(16) unsigned char values[bytes_of<follows> == 0 ? 16 : Shape::rows * bytes_of<follows>];
  std::uint64_t digit_first[radix_digits];  // where its rows go, less their places in the tile
  unsigned rows_of_first_half;
  unsigned tile;
};

/// What a launch sorts.
struct radix_portion {
  std::size_t begin;
  unsigned rows, tiles;
  unsigned number, count;  // of this portion, and of all
};

/// Puts a thread's keys to their places in shared memory, and the values that travel with them.
template <class Shape, class Encoded, class V, class Digit, class Load>
__device__ __forceinline__ void rank_run(const key_value_view<Encoded, V>& sorted, unsigned* words,
                                         const Encoded (&keys)[Shape::items], Digit digit_of,
                                         Load value_of, unsigned first, unsigned count) {
  using group = radix_group<Shape::ranking>;
  constexpr unsigned items = Shape::items;
  const unsigned lane = threadIdx.x % group::lanes;
  unsigned places[(items + 1) / 2];  // two in each, for there are few registers
  V moved[items];
  const auto rank = [&](auto load) {
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      const unsigned place = group::next_place(words, digit_of(keys[k]), lane);
      sorted.keys[slot_of<sizeof(Encoded)>(place)] = keys[k];
      if constexpr (bytes_of<V> != 0) {
        places[k / 2] = k % 2 == 0 ? place : places[k / 2] | place << 16;
        moved[k] = load(first + k * group::lanes);
      }
    }
  };
  if (bytes_of<V> == 0 || count == Shape::rows) {
    rank(value_of);
  } else {
    rank([&](unsigned i) { return i < count ? value_of(i) : V{}; });
  }
  if constexpr (bytes_of<V> != 0) {
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      sorted.put_value(slot_of<bytes_of<V>>(places[k / 2] >> (k % 2 * 16) & 0xffff), moved[k]);
    }
  }
}

template <class Shape, class Rows>
__global__ void __launch_bounds__(Shape::threads + radix_look_back_threads,
                                  blocks_with_registers(Shape::threads + radix_look_back_threads,
                                                        Shape::blocks))
    radix_pass_kernel(Rows rows, radix_portion portion, radix_memory memory, radix_range range,
                      unsigned launched) {
  using encoded = typename Rows::ranked;
  using V = typename Rows::follows;
  using group = radix_group<Shape::ranking>;
  constexpr unsigned threads = Shape::threads, items = Shape::items;
  static_assert(Shape::rows % 32 == 0, "a slot is one of the tile's");
  using shared_type = radix_pass_shared<Shape, Rows>;
  auto& shared = *dynamic_shared<shared_type>();
  const auto sorted = key_value_view<encoded, V>{reinterpret_cast<encoded*>(shared.keys),
                                                 reinterpret_cast<V*>(shared.values)};
  const unsigned thread = threadIdx.x, lane = thread % group::lanes;
  const bool ranks = thread < threads;  // the others look back
  unsigned* const words = shared.word[ranks ? thread / group::lanes : 0];
  const unsigned quad = ranks ? 0 : thread - threads, digit = quad * radix_quad;
  if (ranks) {
#pragma unroll
    for (unsigned d = 0; d < radix_digits; d += group::lanes * 4) {
      *reinterpret_cast<uint4*>(words + d + lane * 4) = uint4{0, 0, 0, 0};
    }
  }
  trigger_dependents();
  wait_for_primary();
  const radix_step step = memory.control->step[launched];
  if (!step.runs || (step.only_if_unfinished && memory.control->unfinished == 0)) return;
  const unsigned pass = step.digit;
  if (thread == threads) {
    shared.tile = atomicAdd(&memory.control->tickets, 1U);
    if (shared.tile == portion.tiles - 1) atomicExch(&memory.control->tickets, 0U);  // all taken
  }
  __syncthreads();
  const unsigned tile = shared.tile, tile_first = tile * Shape::rows;
  const unsigned count =
      portion.rows - tile_first < Shape::rows ? portion.rows - tile_first : Shape::rows;
  const unsigned shift = range.shift(pass), mask = range.mask(pass);
  const auto digit_of = [=](encoded k) {
    return static_cast<unsigned>(Rows::bits(k) >> shift) & mask;
  };
  const std::size_t begin = portion.begin + tile_first;

  encoded keys[items];
  const unsigned run = thread / group::lanes * group::lanes * items + lane;
  if (ranks) {
    rows.template load<group::lanes>(keys, step, begin, run, count);
#pragma unroll
    for (unsigned k = 0; k < items; ++k) atomicAdd(words + group::word_of(digit_of(keys[k])), 1U);
  }
  __syncthreads();

  // The tile's counts, then the place of each group's first row of each digit.
  const unsigned launch = step.number * portion.count + portion.number;
  const digit_status status(memory.area(launch), quad);
  digit_counts all{}, in_tile{}, places{};
  unsigned sum = 0, quad_prefix = 0;
  const unsigned column = group::word_of(digit);
  if (!ranks) {
#pragma unroll 4
    for (unsigned g = 0; g < shared_type::groups; ++g) {
      all.add(*reinterpret_cast<const digit_counts*>(&shared.word[g][column]));
    }
#pragma unroll
    for (unsigned q = 0; q < radix_quad; ++q) {
      in_tile.of[q] = all.of[q] - (digit + q == mask ? Shape::rows - count : 0);
      sum += all.of[q];
    }
    status.publish(tile, in_tile, tile == 0 ? look_back_state::prefix : look_back_state::aggregate);
    quad_prefix = warp_inclusive_scan(sum, [](unsigned a, unsigned b) { return a + b; });
    if (quad == warp_size - 1) shared.rows_of_first_half = quad_prefix;
  }
  __syncthreads();
  if (!ranks) {
    unsigned place = quad_prefix - sum;
    if (quad >= warp_size) place += shared.rows_of_first_half;
#pragma unroll
    for (unsigned q = 0; q < radix_quad; ++q) {
      places.of[q] = place;
      place += all.of[q];
    }
    digit_counts next = places;
#pragma unroll 4
    for (unsigned g = 0; g < shared_type::groups; ++g) {
      auto& counts = *reinterpret_cast<digit_counts*>(&shared.word[g][column]);
      const digit_counts here = counts;
      counts = next;
      next.add(here);
    }
  }
  __syncthreads();

  if (ranks) {
    rank_run<Shape>(sorted, words, keys, digit_of, rows.following(step, begin), run, count);
  } else {
    const digit_counts exclusive = status.template look_back<Shape::window>(tile);
    digit_counts inclusive = exclusive;
    inclusive.add(in_tile);
    if (tile > 0) status.publish(tile, inclusive, look_back_state::prefix);
    auto& digit_first = memory.control->first[portion.number % 2][pass];
    auto& next_first = memory.control->first[1 - portion.number % 2][pass];
#pragma unroll
    for (unsigned q = 0; q < radix_quad; ++q) {
      const radix_control::count start = digit_first[digit + q];
      shared.digit_first[digit + q] = start + exclusive.of[q] - places.of[q];
      if (tile == portion.tiles - 1) next_first[digit + q] = start + inclusive.of[q];
    }
  }
  __syncthreads();

  if (ranks) {
    rows.store(step, [&](auto rows_of_sector, auto put) {
      const auto read = [&](unsigned place) {
        const encoded k = sorted.keys[slot_of<sizeof(encoded)>(place)];
        return radix_row<encoded>{k, shared.digit_first[digit_of(k)] + place};
      };
      const auto store = [&](unsigned place, const radix_row<encoded>& row, unsigned some) {
        put(row.index, row.key, sorted.value(slot_of<bytes_of<V>>(place)), some);
      };
      if constexpr (Shape::ranking == tuning::radix_ranking::by_votes) {
        store_by_sectors<items, decltype(rows_of_sector)::value>(count, read, store);
      } else {
        store_by_rows<items, threads>(count, read, store);
      }
    });
  } else {  // the other area is clear for the next launch
    const digit_status other(memory.area(launch + 1), quad);
    for (unsigned t = tile; t < memory.area_tiles; t += portion.tiles) {
      store_relaxed(other.row(t), word_pair{0, 0});
    }
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
