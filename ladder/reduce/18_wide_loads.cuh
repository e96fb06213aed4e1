// Shuffle with 16 bytes a load and four loads in flight (wide_loads.cuh).
// Reads n, writes one value a block, of a grid that just fills the machine; one barrier; 32 shared
// values. The operator must be commutative. Source: beyond the documents.
#pragma once

#include "ladder/reduce/wide_loads.cuh"
#include "ladder/reduce/work.cuh"
#include "warpfold/block/reduce.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void wide_loads_kernel(const T* in, T* partials, std::size_t n, Op op) {
  const T value = block_reduce(reduce_grid_stride(in, n, op), op);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

struct wide_loads : wide_grid {
  static constexpr description about{
      .number = 18,
      .name = "wide-loads",
      .idea = "16 bytes a load, four loads in flight a thread",
      .improves =
          "a quarter of the load instructions for int32, and more bytes under way at a time",
      .evidence = {{{figure::load_requests, 0.2, 0.3}, {figure::sectors_per_request, 3.5, 4.1}}},
      .also = "time",
      .source = "beyond the documents"};

  static double work(const shape& s) {
    return static_cast<double>(s.n) + grid(s) * work_of_shuffles(s.block);
  }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid, .block = p.block, .stream = p.stream}, wide_loads_kernel<T, Op>, p.in,
           p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
