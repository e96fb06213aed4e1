// Prefix sums of so few tiles that all are at work at once: a block keeps its tile in registers,
// publishes its total, and each of its threads waits for the total of one earlier tile.
// Reads and writes n values once; a warp scans 32 loads of 16 bytes at a time by shuffles; three
// barriers, one id and one published value a tile. Blocks wait for smaller ids only.
// Any associative operator; the same bits from run to run; in place allowed.
#pragma once

#include <cstddef>

#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/detail/tile_status.cuh"
#include "warpfold/device/detail/value_count.cuh"
#include "warpfold/device/scan/problem.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/warp/redux.cuh"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Shape, class Acc>
struct wave_storage {
  dynamic_id mine;
  Acc total[Shape::threads / warp_size];   // of each warp
  Acc before[Shape::threads / warp_size];  // earlier tiles' totals, reduced by each warp
};

/// The values of one tile that one thread holds: `loads` times the neighbours in 16 bytes. A warp's
/// loads follow each other.
template <class Shape, class T, class Acc, class Op>
struct wave_tile {
  static constexpr unsigned width = 16 / sizeof(T);
  // Of a load, registers hold its values as Acc and its prefix. 42 of 64 registers are for these.
  static constexpr unsigned fit = 42 / ((width + 1) * words_of<Acc>);
  static constexpr unsigned loads = fit == 0 ? 1 : fit < Shape::loads ? fit : Shape::loads;
  static constexpr unsigned tile_items = Shape::threads * loads * width;
  static constexpr unsigned stride = warp_size * width;  // from a thread's load to its next
  static constexpr unsigned reach = (loads - 1) * stride + width;

  const T* in;  // the thread's first value, which is there if from is 0 and to is not
  T* out;
  unsigned from, to;  // which of the `reach` values from there on are there

  __device__ __forceinline__ wave_tile(const scan_problem<T, Acc, Op>& problem, unsigned number) {
    const std::size_t first =
        std::size_t{number} * tile_items +
        (threadIdx.x / warp_size * loads * warp_size + threadIdx.x % warp_size) * width;
    const std::size_t end = problem.shift + problem.n;
    in = problem.in + first - problem.shift;
    out = problem.out + first - problem.shift;
    from = first < problem.shift ? static_cast<unsigned>(problem.shift - first) : 0;
    to = first >= end ? 0 : end - first < reach ? static_cast<unsigned>(end - first) : reach;
  }

  __device__ __forceinline__ bool whole() const { return from == 0 && to == reach; }
  __device__ __forceinline__ bool there(unsigned i) const { return i >= from && i < to; }

  /// `none` in place of values that are not there.
  __device__ __forceinline__ void load(Acc (&value)[loads][width], const Acc& none) const {
    if (whole()) {
      uint4 word[loads];
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) {
        word[k] = load_once(reinterpret_cast<const uint4*>(in + k * stride));
      }
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) {
        T raw[width];
        memcpy(static_cast<void*>(raw), static_cast<const void*>(&word[k]), sizeof raw);
#pragma unroll
        for (unsigned j = 0; j < width; ++j) value[k][j] = static_cast<Acc>(raw[j]);
      }
    } else {
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) {
#pragma unroll
        for (unsigned j = 0; j < width; ++j) {
          const unsigned i = k * stride + j;
          value[k][j] = there(i) ? static_cast<Acc>(in[i]) : none;
        }
      }
    }
  }
  /// The k-th 16 bytes.
  __device__ __forceinline__ void store(unsigned k, const T (&value)[width]) const {
    if (whole()) {
      uint4 word;
      memcpy(static_cast<void*>(&word), static_cast<const void*>(value), sizeof word);
      store_whole(reinterpret_cast<uint4*>(out + k * stride), word);
    } else {
#pragma unroll
      for (unsigned j = 0; j < width; ++j) {
        if (there(k * stride + j)) out[k * stride + j] = value[j];
      }
    }
  }
};

/// Tiles of n values, counted from the 16-byte boundary on.
template <class Shape, class T, class Acc>
__host__ __device__ constexpr std::size_t wave_tiles(std::size_t n) {
  constexpr std::size_t tile = wave_tile<Shape, T, Acc, plus>::tile_items;
  return (n + tile - 1) / tile;
}

/// What one block does: the tile of its number, if there are so many.
template <class Shape, class T, class Acc, class Op, class Size>
__device__ __forceinline__ void scan_wave_tile(scan_problem<T, Acc, Op>& problem,
                                               const tile_status& tile_state, Size size) {
  using tile_type = wave_tile<Shape, T, Acc, Op>;
  constexpr unsigned loads = tile_type::loads, width = tile_type::width;
  constexpr unsigned warps = Shape::threads / warp_size;
  auto& shared = shared_storage<wave_storage<Shape, Acc>>();
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const bool alone = gridDim.x == 1;
  const Acc none = problem.op.template identity<Acc>();
  wait_for_primary();
  trigger_dependents();
  std::size_t given = 0;  // comes in while the number does
  if constexpr (std::is_same_v<Size, device_size>) given = *size.at;
  if (threadIdx.x == 0) shared.mine = alone ? dynamic_id{0, 0} : tile_state.acquire_id();
  __syncthreads();
  const auto [number, epoch] = shared.mine;
  if constexpr (std::is_same_v<Size, device_size>) {
    problem.n = ::min(given, problem.n);
    if (number >= wave_tiles<Shape, T, Acc>(problem.shift + problem.n)) {
      if (!alone) tile_state.leave(epoch, number == gridDim.x - 1);
      return;
    }
  }
  const tile_type tile(problem, number);
  Acc value[loads][width];
  tile.load(value, none);

  Acc before[loads];  // each load, in the warp
  Acc sum = none;
#pragma unroll
  for (unsigned k = 0; k < loads; ++k) {
    Acc part = value[k][0];
#pragma unroll
    for (unsigned j = 1; j < width; ++j) part = problem.op(part, value[k][j]);
    part = warp_inclusive_scan(part, problem.op);
    const Acc left = shuffle_up(part, 1);
    before[k] = lane == 0 ? sum : problem.op(sum, left);
    sum = problem.op(sum, shuffle(part, warp_size - 1));
  }
  if (lane == 0) shared.total[warp] = sum;
  __syncthreads();
  const Acc totals = warp_inclusive_scan(lane < warps ? shared.total[lane] : none, problem.op);
  const Acc warps_before = shuffle(totals, warp == 0 ? 0 : warp - 1);
  const Acc tile_total = shuffle(totals, warps - 1);
  if (!alone && threadIdx.x == 0) tile_state.publish(number, tile_total, epoch);

  const Acc earlier = threadIdx.x < number ? tile_state.wait_for<Acc>(threadIdx.x, epoch) : none;
  const Acc warp_before = warp_reduce(earlier, problem.op, warp_policy<Op>{});
  if (lane == 0) shared.before[warp] = warp_before;
  __syncthreads();
  const Acc tiles_before =
      warp_reduce(lane < warps ? shared.before[lane] : none, problem.op, warp_policy<Op>{});
  Acc start = problem.op(problem.init, shuffle(tiles_before, 0));
  if (warp > 0) start = problem.op(start, warps_before);
#pragma unroll
  for (unsigned k = 0; k < loads; ++k) {
    Acc next = problem.op(start, before[k]);
    T result[width];
#pragma unroll
    for (unsigned j = 0; j < width; ++j) {
      const Acc after = problem.op(next, value[k][j]);
      result[j] = static_cast<T>(problem.exclusive ? next : after);
      next = after;
    }
    tile.store(k, result);
  }
  // Read again: in registers until here, they would be more than a block has, of four.
  if (!alone) tile_state.leave(shared.mine.epoch, shared.mine.number == gridDim.x - 1);
}

template <class Shape, class T, class Acc, class Op>
__global__ void __launch_bounds__(Shape::threads,
                                  blocks_with_registers(Shape::threads,
                                                        Shape::blocks_per_multiprocessor))
    scan_single_wave_kernel(scan_problem<T, Acc, Op> problem, tile_status tile_state) {
  scan_wave_tile<Shape>(problem, tile_state, host_size{});
}

/// The same of `size` values.
template <class Shape, class T, class Acc, class Op>
__global__ void __launch_bounds__(Shape::threads,
                                  blocks_with_registers(Shape::threads,
                                                        Shape::blocks_per_multiprocessor))
    scan_single_wave_sized_kernel(scan_problem<T, Acc, Op> problem, tile_status tile_state,
                                  device_size size) {
  scan_wave_tile<Shape>(problem, tile_state, size);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
