// Rows in the canonical order: each is a tree of its own. Some lanes of a warp, or all, join a row
// of no more than 4 KiB: one of them has neighbours of 16 bytes where rows can be loaded so. Longer
// rows have tiles (reduce.cuh). Reads each value once, in one launch; no barrier for short rows.
#pragma once

#include <bit>
#include <cstddef>
#include <type_traits>

#include "warpfold/device/canonical/reduce.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// `width` lanes, a power of two, join a row in `Loads` steps: all 32 if these are several. Other
/// rows are under way at the same time.
template <unsigned Loads, unsigned Width, class In, class Acc, class Op>
__global__ void __launch_bounds__(tuning::canonical_rows_threads)
    canonical_short_rows_kernel(tree_reduction<In, Acc, Op, convert<Acc>> r, unsigned width) {
  constexpr unsigned rows = 8 / Loads;
  using word_type = std::conditional_t<Width == 1, In, vector_type<In>>;
  wait_for_primary();
  trigger_dependents();
  const rounded_op<Op> op{r.op};
  const unsigned lane = threadIdx.x % width, step = width * Width;
  const auto columns = static_cast<unsigned>(r.n);
  const std::size_t groups = std::size_t{gridDim.x} * (blockDim.x / width);
  const std::size_t group = std::size_t{blockIdx.x} * (blockDim.x / width) + threadIdx.x / width;
  const std::size_t first_of_warp = group - threadIdx.x % warp_size / width;
  for (std::size_t done = 0; first_of_warp + done < r.rows; done += rows * groups) {
    word_type word[rows][Loads];
#pragma unroll
    for (unsigned u = 0; u < rows; ++u) {
      const std::size_t row = group + done + u * groups;
#pragma unroll
      for (unsigned k = 0; k < Loads; ++k) {
        const unsigned at = k * step + lane * Width;
        if (row < r.rows && at < columns) {
          word[u][k] = *reinterpret_cast<const word_type*>(r.in + row * columns + at);
        }
      }
    }
#pragma unroll
    for (unsigned u = 0; u < rows; ++u) {
      Acc part[Loads];
#pragma unroll
      for (unsigned k = 0; k < Loads; ++k) {
        const unsigned at = k * step + lane * Width;
        part[k] = r.init;
        if (at < columns) {
          In value[Width];
          memcpy(static_cast<void*>(value), static_cast<const void*>(&word[u][k]), sizeof value);
          Acc converted[Width];
#pragma unroll
          for (unsigned j = 0; j < Width; ++j) converted[j] = r.map(value[j]);
          join_neighbours(converted, Width, op);
          part[k] = converted[0];
        }
      }
      const unsigned there = (columns + Width - 1) / Width;
      if constexpr (Loads == 1) {
        for (unsigned offset = 1; offset < width; offset *= 2) {
          const Acc right = shuffle_down(part[0], offset);
          if (lane % (2 * offset) == 0 && lane + offset < there) part[0] = op(part[0], right);
        }
      } else {
        part[0] = join_rows<false>(part, there, op);
      }
      const std::size_t row = group + done + u * groups;
      if (lane == 0 && row < r.rows) r.out[row] = op(r.init, part[0]);
    }
  }
}

template <unsigned Loads, unsigned Width, class In, class Acc, class Op>
status launch_short_rows(const work_place& where,
                         const tree_reduction<In, Acc, Op, convert<Acc>>& r) {
  constexpr unsigned threads = tuning::canonical_rows_threads;
  const auto words = static_cast<unsigned>((r.n - 1) / Width + 1);
  const unsigned width = at_most(std::bit_ceil(words), warp_size);
  const std::size_t fit = current_device().multiprocessors * std::size_t{2048 / threads};
  const std::size_t wanted = (r.rows - 1) / (threads / width) + 1;
  return try_launch({.grid = static_cast<unsigned>(at_most(wanted, fit)),
                     .block = threads,
                     .stream = where.stream,
                     .programmatic_launch = true},
                    canonical_short_rows_kernel<Loads, Width, In, Acc, Op>, r, width);
}
template <unsigned Width, class In, class Acc, class Op>
status reduce_short_rows_in_tree(const work_place& where,
                                 const tree_reduction<In, Acc, Op, convert<Acc>>& r) {
  const std::size_t loads = (r.n - 1) / (warp_size * Width) + 1;
  if (loads == 1) return launch_short_rows<1, Width>(where, r);
  if (loads <= 2) return launch_short_rows<2, Width>(where, r);
  return loads <= 4 ? launch_short_rows<4, Width>(where, r) : launch_short_rows<8, Width>(where, r);
}

/// There are rows.
template <class In, class Acc, class Op>
status canonical_rows(const work_place& where, const In* in, std::size_t rows, std::size_t columns,
                      Acc* out, const Acc& init, Op op) {
  const bool wide = loads_whole(in, columns, rows);
  const tree_reduction<In, Acc, Op, convert<Acc>> r{in, columns, out, init, op, {}, wide, 1, rows};
  constexpr unsigned width = items_per_vector<In>;
  const bool in_words = wide && columns % width == 0;
  const std::size_t lanes = warp_size * std::size_t{in_words ? width : 1};
  const unsigned multiprocessors = current_device().multiprocessors;
  if (columns > 0 && columns <= 8 * lanes) {
    return in_words ? reduce_short_rows_in_tree<width>(where, r)
                    : reduce_short_rows_in_tree<1>(where, r);
  }
  if constexpr (sizeof(In) > 16 || sizeof(Acc) > 16) {
    return canonical_reduce_as<tuning::canonical_heavy>(where, r, multiprocessors);
  } else {
    using large = tuning::canonical_large;
    return canonical_reduce_as<large>(where, r, multiprocessors);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
