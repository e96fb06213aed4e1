// Cascade with the tree in registers: warps reduce by shuffles, one shared slot a warp.
// Reads n, writes one value a block, of a grid that just fills the machine; one barrier; 32 shared
// values. The operator must be commutative. Source: beyond the documents (shuffles came with
// Kepler).
#pragma once

#include "ladder/reduce/launching.cuh"
#include "ladder/reduce/work.cuh"
#include "warpfold/block/reduce.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void shuffle_kernel(const T* in, T* partials, std::size_t n, Op op) {
  const std::size_t grid_stride = std::size_t{gridDim.x} * blockDim.x * 2;
  T value = Op::template identity<T>();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x * 2 + threadIdx.x; i < n;
       i += grid_stride) {
    value = op(value, in[i]);
    if (i + blockDim.x < n) value = op(value, in[i + blockDim.x]);
  }
  value = block_reduce(value, op);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

struct shuffle : resident_grid<2> {
  static constexpr description about{
      .number = 17,
      .name = "shuffle",
      .idea = "lanes pass values to each other in registers; no tree in shared memory",
      .improves = "shared memory traffic and all barriers but one",
      .evidence = {{{figure::barriers, 0.2, 0.5}, {figure::shared_requests, 0.01, 0.5}}},
      .source = "beyond the documents; shuffles came with Kepler (2012)"};

  static double work(const shape& s) {
    return static_cast<double>(s.n) + grid(s) * work_of_shuffles(s.block);
  }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid, .block = p.block, .stream = p.stream}, shuffle_kernel<T, Op>, p.in,
           p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
