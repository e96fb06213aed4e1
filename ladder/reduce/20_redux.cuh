// One-pass with the hardware's warp reduction where it has one: 32-bit integers, every operator but
// the product. Other types and the product reduce by shuffles, so there this rung equals one-pass.
// Reads n, writes and reads one value a block; two instructions in place of ten shuffles.
// The operator must be commutative. Source: beyond the documents (redux came with Ampere).
#pragma once

#include "ladder/counting_operator.cuh"
#include "ladder/reduce/last_block.cuh"
#include "ladder/reduce/wide_loads.cuh"
#include "warpfold/warp/redux.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__device__ __forceinline__ T redux_warp(T value, Op op) {
  using plain = typename uncounted<Op>::type;
  if constexpr (has_redux<T, plain>) {
    return warp_reduce(value, plain{}, by_redux{});
  } else {
    return warp_reduce(value, op);
  }
}

template <class T, class Op>
__global__ void redux_kernel(const T* in, T* out, std::size_t n, Op op, tickets<T> scratch) {
  const auto reduce_warp = [op](T v) { return redux_warp(v, op); };
  const T value = block_reduce(reduce_grid_stride(in, n, op), op, reduce_warp);
  reduce_in_last_block(value, out, scratch, blockIdx.x, gridDim.x, op, reduce_warp);
}

struct redux : one_launch<wide_grid> {
  static constexpr description about{
      .number = 20,
      .name = "redux",
      .idea =
          "one instruction reduces a warp (32-bit integers; the product and other types shuffle)",
      .improves = "five dependent shuffles at the end of every warp",
      .also =
          "the instructions of a warp's reduction, which a GPU's profiler counts: they have no "
          "branch",
      .source = "beyond the documents; redux came with Ampere (2020)",
      .capability = 80};

  /// The instruction's own additions are not counted.
  static double work(const shape& s) { return static_cast<double>(s.n) + grid(s); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid, .block = p.block, .stream = p.stream}, redux_kernel<T, Op>, p.in, p.out,
           p.n, Op{}, tickets<T>{p.scratch});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
