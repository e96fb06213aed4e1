// Reductions of many rows at once. A warp, or some lanes of one, reduces a short row. A block
// reduces a long one, or several blocks where there are few rows: these publish partials as in one
// reduction. Reads every value once, in one launch. The same bits from run to run; the order of the
// values is kept where the operator needs it. At determinism::gpu_to_gpu rows of floating-point
// sums and of operators of one's own are in the canonical order, in canonical_workspace_bytes<T,
// Acc>(n).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "warpfold/device/canonical/rows.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/reduce/dispatch.cuh"
#include "warpfold/ranges.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// `rows` rows of `columns` values, one after another.
template <class In, class Acc, class Op>
struct row_reduction {
  const In* in;
  std::size_t rows, columns;
  Acc* out;
  Acc init;
  Op op;
};

/// `width` lanes, a power of two, reduce a row together, and several rows at a time. A lane reads a
/// Load at once; a row has `loads` of them.
template <class Load, class In, class Acc, class Op>
__global__ void __launch_bounds__(tuning::rows_threads)
    reduce_short_rows_kernel(row_reduction<In, Acc, Op> r, unsigned width, unsigned loads) {
  constexpr unsigned at_once = sizeof(Load) >= 16 ? 4 : 8;  // rows
  wait_for_primary();
  trigger_dependents();
  const unsigned lane = threadIdx.x % width, share = (loads + width - 1) / width;
  const std::size_t groups = std::size_t{gridDim.x} * (blockDim.x / width);
  const std::size_t group = std::size_t{blockIdx.x} * (blockDim.x / width) + threadIdx.x / width;
  const std::size_t first_of_warp = group - threadIdx.x % warp_size / width;
  const auto* const wide = reinterpret_cast<const Load*>(r.in);
  for (std::size_t done = 0; first_of_warp + done < r.rows; done += at_once * groups) {
    const auto row = [&](unsigned u) { return group + done + u * groups; };
    Acc sum[at_once];
#pragma unroll
    for (unsigned u = 0; u < at_once; ++u) sum[u] = r.op.template identity<Acc>();
    for (unsigned k = 0; k < share; ++k) {
      const unsigned at = is_commutative<Op> ? k * width + lane : lane * share + k;
      Load word[at_once];
#pragma unroll
      for (unsigned u = 0; u < at_once; ++u) {
        if (row(u) < r.rows && at < loads) word[u] = wide[row(u) * loads + at];
      }
#pragma unroll
      for (unsigned u = 0; u < at_once; ++u) {
        if (row(u) < r.rows && at < loads) thread_reduce_vector<In>(sum[u], word[u], r.op);
      }
    }
#pragma unroll
    for (unsigned u = 0; u < at_once; ++u) {
      for (unsigned offset = 1; offset < width; offset *= 2) {
        const Acc right = shuffle_down(sum[u], offset);
        if (lane % (2 * offset) == 0) sum[u] = r.op(sum[u], right);
      }
      if (lane == 0 && row(u) < r.rows) r.out[row(u)] = r.op(r.init, sum[u]);
    }
  }
}

/// Block b reduces partition b % parts of row b / parts. The block that started last reduces each
/// row's partials.
template <class Shape, class In, class Acc, class Op>
__global__ void __launch_bounds__(Shape::threads)
    reduce_long_rows_kernel(row_reduction<In, Acc, Op> r, unsigned parts, std::size_t share,
                            tile_status tile_state) {
  auto& arrival = shared_storage<block_arrival>();
  wait_for_primary();
  const bool alone = parts == 1;
  dynamic_id id{0, 0};
  if (!alone && threadIdx.x == 0) id = tile_state.acquire_id();
  const std::size_t row = blockIdx.x / parts, begin = blockIdx.x % parts * share;
  const std::size_t end = begin + share < r.columns ? begin + share : r.columns;
  reduction<In, Acc, Op, convert<Acc>> part{
      r.in + row * r.columns + begin, begin < end ? end - begin : 0, nullptr, r.init, r.op, {}};
  part.partition_work(1, Shape::threads * Shape::loads);
  Acc value = thread_reduce<Shape>(part, {0, 1});
  trigger_dependents();  // sooner, its blocks would take unequal shares of the multiprocessors
  if (threadIdx.x == 0) arrival = {id.epoch, id.number == gridDim.x - 1};
  value = block_aggregate(value, r.op);
  if (alone) {
    if (threadIdx.x == 0) r.out[row] = r.op(r.init, value);
    return;
  }
  if (threadIdx.x == 0) tile_state.publish(blockIdx.x, value, id.epoch);
  const auto [epoch, is_last] = arrival;
  const unsigned lane = threadIdx.x % warp_size;
  for (std::size_t i = threadIdx.x / warp_size; is_last && i < r.rows;
       i += blockDim.x / warp_size) {
    Acc sum = r.op.template identity<Acc>();
    for (unsigned first = 0; first < parts; first += warp_size) {
      Acc partial[1] = {r.op.template identity<Acc>()};
      tile_state.wait_for(
          partial, epoch, [&](unsigned) { return i * parts + first + lane; },
          [&](unsigned) { return first + lane < parts; });
      sum = r.op(sum, warp_reduce(partial[0], r.op, in_lane_order{}));
    }
    if (lane == 0) r.out[i] = r.op(r.init, sum);
  }
  tile_state.leave(epoch, is_last);
}

template <class Load, class In, class Acc, class Op>
status reduce_short_rows(const work_place& where, const row_reduction<In, Acc, Op>& r) {
  const auto loads = static_cast<unsigned>(r.columns * sizeof(In) / sizeof(Load));
  const unsigned width = at_most(std::bit_ceil(at_least(loads, 1U)), warp_size);
  const std::size_t rows_a_block = tuning::rows_threads / width;
  const std::size_t fit =
      current_device().multiprocessors * std::size_t{2048 / tuning::rows_threads};
  const std::size_t wanted = (r.rows + rows_a_block - 1) / rows_a_block;
  return try_launch({.grid = static_cast<unsigned>(at_most(wanted, fit)),
                     .block = tuning::rows_threads,
                     .stream = where.stream,
                     .programmatic_launch = true},
                    reduce_short_rows_kernel<Load, In, Acc, Op>, r, width, loads);
}

/// Parts of a row, one block each: as few as keep nine in ten multiprocessors busy to the end.
inline unsigned parts_of_row(std::size_t rows, std::size_t row_bytes, std::size_t slots) {
  const std::size_t most = at_most(row_bytes / tuning::least_part_bytes, max_partials / rows);
  for (std::size_t parts = 1; parts <= most; ++parts) {
    const std::size_t blocks = rows * parts;
    if (10 * blocks >= 9 * slots * ((blocks + slots - 1) / slots)) {
      return static_cast<unsigned>(parts);
    }
  }
  return static_cast<unsigned>(at_least<std::size_t>(most, 1));
}

template <class In, class Acc, class Op>
status reduce_long_rows(const work_place& where, const row_reduction<In, Acc, Op>& r) {
  using shape = tuning::rows_long;
  const std::size_t slots =
      std::size_t{current_device().multiprocessors} * shape::blocks_per_multiprocessor;
  const unsigned parts = parts_of_row(r.rows, r.columns * sizeof(In), slots);
  const std::size_t align = 128;  // values; parts of one row start alike
  const std::size_t share = (r.columns + parts * align - 1) / (parts * align) * align;
  const scratch memory(where, reduce_memory<Acc>,
                       parts == 1 ? 0 : tile_status::bytes<Acc>(r.rows * parts));
  if (!memory.state().ok()) return memory.state();
  return try_launch({.grid = static_cast<unsigned>(r.rows * parts),
                     .block = shape::threads,
                     .stream = where.stream,
                     .programmatic_launch = true},
                    reduce_long_rows_kernel<shape, In, Acc, Op>, r, parts, share,
                    memory.status_words());
}

}  // namespace detail

/// out[i] = op(init, values of row i …) for `rows` rows of `columns` values each, one after another
/// in `range`; accumulated in init's type. Stream-ordered: never synchronises. With a workspace of
/// reduce_workspace_bytes<Acc>() it allocates nothing. `range` and `out` are device memory that do
/// not overlap. A status other than ok when `range` has other than rows * columns values, or `out`
/// fewer than `rows`. Rows of no values give init.
template <device_place Where, values Range, values Out, class Acc = value_of<Out>, class Op = plus>
status reduce_rows(const Where& where, const Range& range, std::size_t rows, std::size_t columns,
                   Out&& out, std::type_identity_t<Acc> init = {}, Op op = {}) {
  if constexpr (detail::can_write<Out>() && detail::can_reduce<Op, Acc>()) {
    using In = value_of<Range>;
    const detail::work_place place = detail::for_cleared(where);
    const auto in = detail::device_view(range);
    if (!holds_rows(in.size(), rows, columns)) {
      return {1, "the values are not rows * columns", values_in_rows(rows, columns), in.size(),
              "values"};
    }
    if (std::ranges::size(out) < rows) {
      return {1, "the output is shorter than the rows are many", rows, std::ranges::size(out),
              "results"};
    }
    if (rows == 0) return {};
    if constexpr (detail::is_canonical<Where, Op, Acc>) {
      return detail::canonical_rows(place, in.data(), rows, columns, std::ranges::data(out),
                                    Acc(init), op);
    }
    if (const status s = detail::refuse_memory(place, detail::reduce_memory<Acc>); !s.ok())
      return s;
    const detail::row_reduction<In, Acc, Op> r{in.data(), rows, columns, std::ranges::data(out),
                                               init,      op};
    const std::size_t row_bytes = columns * sizeof(In);
    if (row_bytes > tuning::most_bytes_of_short_row) return detail::reduce_long_rows(place, r);
    if constexpr (16 % sizeof(In) == 0 && sizeof(In) < 16) {
      if (row_bytes % 16 == 0 && reinterpret_cast<std::uintptr_t>(in.data()) % 16 == 0) {
        return detail::reduce_short_rows<uint4>(place, r);
      }
    }
    return detail::reduce_short_rows<In>(place, r);
  } else {
    return {};
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
