// The finish of a radix sort by the upper digits: rows that are alike in these are few and lie side
// by side, in runs. A row finds its place in its run by counting those that come before it.
//
//   load  | a tile's rows, and some on both sides of it, so that all runs of the tile are whole
//   vote  | a bit for each row that begins a run, and for each that is less than the one before
//   count | in runs in which some row is less than the one before
//   store | from the registers, each row to its place
//
// Reads and writes each row once; two barriers a tile. A run of more than 32 rows stays as it is;
// if it is out of order, all is to be done again, by all digits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/sort/radix_plan.cuh"
#include "warpfold/device/sort/radix_rows.cuh"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The 32 bits of a key below those from `shift` on, or fewer above zeros.
template <class Bits>
__device__ __forceinline__ std::uint32_t low_word(Bits key, unsigned shift) {
  return static_cast<std::uint32_t>(shift < 32 ? key << (32 - shift) : key >> (shift - 32));
}

template <class Shape, class Rows>
struct radix_finish_shared {
  using bits = decltype(Rows::bits(typename Rows::ranked{}));
  static constexpr unsigned rows = Shape::rows + 2 * Shape::reach;

  bits key[rows];
  std::uint32_t low[rows];  // the 32 bits below those that are alike
  unsigned begins[rows / warp_size], falls[rows / warp_size];  // a bit for each row

  /// The rows of a run that come before the one at `at`, by their lower bits.
  [[nodiscard]] __device__ __forceinline__ unsigned less(unsigned begin, unsigned end,
                                                         unsigned at) const {
    const std::uint32_t mine = low[at];
    unsigned less = 0, same = 0;
#pragma unroll 2
    for (unsigned i = begin; i < end; ++i) {
      const std::uint32_t other = low[i];
      less += other < mine ? 1 : 0;
      same += other == mine ? 1 : 0;
    }
    if (same == 1) return less;
    less = 0;
    for (unsigned i = begin; i < end; ++i) {
      less += key[i] < key[at] || (key[i] == key[at] && i < at) ? 1 : 0;
    }
    return less;
  }
};

/// Bits of rows, of which a lane looks at those around its own.
struct row_bits {
  unsigned before, here, behind;  // words of a warp's rows

  __device__ __forceinline__ row_bits(const unsigned* words, unsigned word)
      : before(words[word - 1]), here(words[word]), behind(words[word + 1]) {}
  /// The lane's own bit and those of 31 rows before it, from the highest on.
  [[nodiscard]] __device__ __forceinline__ unsigned up_to(unsigned lane) const {
    return static_cast<unsigned>((std::uint64_t{here} << 32 | before) >> (lane + 1));
  }
  /// Those of 32 rows behind it, from the lowest on.
  [[nodiscard]] __device__ __forceinline__ unsigned after(unsigned lane) const {
    return static_cast<unsigned>((std::uint64_t{behind} << 32 | here) >> (lane + 1));
  }
};

template <class Shape, class Rows>
__global__ void __launch_bounds__(Shape::threads, 1024 / Shape::threads)
    radix_finish_kernel(Rows rows, std::size_t n, radix_memory memory, radix_range range) {
  using ranked = typename Rows::ranked;
  using V = typename Rows::follows;
  using shared_type = radix_finish_shared<Shape, Rows>;
  constexpr unsigned threads = Shape::threads, items = Shape::items, reach = Shape::reach;
  static_assert(2 * reach <= threads && reach == warp_size, "a lane looks at so many bits");
  auto& shared = shared_storage<shared_type>();
  trigger_dependents();
  wait_for_primary();
  const radix_step step = memory.control->finish;
  if (!step.runs) return;
  const std::size_t begin = std::size_t{blockIdx.x} * Shape::rows;
  const unsigned count = n - begin < Shape::rows ? static_cast<unsigned>(n - begin) : Shape::rows;
  const std::size_t behind = n - begin - count;
  const unsigned before = begin == 0 ? 0 : reach;
  const unsigned after = behind < reach ? static_cast<unsigned>(behind) : reach;
  // In shared memory rows begin at `from`, and those of the tile at `reach`.
  const unsigned from = reach - before, to = reach + count + after;
  const unsigned thread = threadIdx.x, lane = thread % warp_size;
  const unsigned first = (thread - lane) * items + lane;
  const unsigned shift = step.digit * radix_bits;
  const auto put_key = [&](unsigned i, const ranked& row) {
    const auto key = range.of(Rows::bits(row));
    shared.key[i] = key;
    shared.low[i] = low_word(key, shift);
  };

  ranked own[items], aside[1];
  rows.template load<warp_size>(own, step, begin, first, count);
  const bool is_before = thread < reach;
  const unsigned side = is_before ? thread : thread - reach;  // a thread's row beside the tile
  const unsigned beside = is_before ? before : after;
  rows.template load<1>(aside, step, is_before ? begin - before : begin + count, side, beside);
#pragma unroll
  for (unsigned k = 0; k < items; ++k) put_key(reach + first + k * warp_size, own[k]);
  if (side < beside) put_key(is_before ? side : reach + count + side, aside[0]);
  V value[items];
  const auto value_of = rows.following(step, begin);
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    const unsigned i = first + k * warp_size;
    if (i < count) value[k] = value_of(i);
  }
  __syncthreads();

  bool any_falls = false;
  for (unsigned i = thread; i < shared.rows; i += threads) {
    bool begins = true, falls = false;
    if (i > from && i < to) {
      const auto key = shared.key[i], last = shared.key[i - 1];
      begins = (key ^ last) >> shift != 0;
      falls = !begins && key < last;
    }
    any_falls = any_falls || falls;
    const unsigned begin_bits = __ballot_sync(all_lanes, begins);
    const unsigned fall_bits = __ballot_sync(all_lanes, falls);
    if (lane == 0) {
      shared.begins[i / warp_size] = begin_bits;
      shared.falls[i / warp_size] = fall_bits;
    }
  }
  any_falls = __syncthreads_or(any_falls) != 0;

  unsigned place[items];  // of the tile's first row is 0
  bool is_unfinished = false;
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    const unsigned in_tile = first + k * warp_size, i = reach + in_tile;
    place[k] = in_tile;
    if (!any_falls || in_tile >= count) continue;
    const row_bits begins(shared.begins, i / warp_size), falls(shared.falls, i / warp_size);
    const unsigned begin_bits = begins.up_to(lane), end_bits = begins.after(lane);
    const auto left = static_cast<unsigned>(__clz(static_cast<int>(begin_bits)));
    const auto right = static_cast<unsigned>(__ffs(static_cast<int>(end_bits))) - 1;
    if (left == 0 && right == 0) continue;
    const unsigned run = i - left, end = i + 1 + right;
    if (begin_bits == 0 || end_bits == 0 || end - run > reach) {
      is_unfinished = is_unfinished || (falls.here >> lane & 1) != 0;
    } else if ((falls.up_to(lane) & ~(all_lanes >> left)) != 0 ||
               (falls.after(lane) & ((1U << right) - 1)) != 0) {
      place[k] = run + shared.less(run, end, i) - reach;
    }
  }
  if (is_unfinished) atomicExch(&memory.control->unfinished, 1U);
  rows.store(step, [&](auto /*rows_of_sector*/, auto put) {
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      const unsigned in_warp = first - lane + k * warp_size;
      if (in_warp >= count) break;
      const unsigned some = count - in_warp < warp_size ? count - in_warp : warp_size;
      const auto moved = static_cast<std::ptrdiff_t>(static_cast<int>(place[k]));
      put(begin + static_cast<std::size_t>(moved), own[k], value[k], some);
    }
  });
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
