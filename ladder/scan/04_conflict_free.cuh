// Blelloch's tree in padded shared memory, loaded and stored by neighbouring lanes.
// A tile of B = 2 block values: 2(B - 1) applications, 2 log2(B) + 2 barriers, B + B/32 values of
// shared memory (B + B/16 of 8 bytes). Any associative operator.
// Source: document 002's reference [3]; the padding is for today's 32 banks.
#pragma once

#include "ladder/scan/launching.cuh"
#include "ladder/scan/padding.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void conflict_free_kernel(tiles<T> t, Op op) {
  T* const values = dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const unsigned tile = 2 * blockDim.x;
  const std::size_t base = std::size_t{blockIdx.x} * tile;
  for (unsigned k = tid; k < tile; k += blockDim.x) {
    values[padded<T>(k)] = base + k < t.n ? t.in[base + k] : Op::template identity<T>();
  }
  unsigned stride = 1;
  for (unsigned nodes = blockDim.x; nodes > 0; nodes /= 2, stride *= 2) {
    __syncthreads();
    if (tid < nodes) {
      const unsigned left = stride * (2 * tid + 1) - 1;
      const unsigned right = left + stride;
      values[padded<T>(right)] = op(values[padded<T>(left)], values[padded<T>(right)]);
    }
  }
  __syncthreads();
  if (tid == 0) {
    if (t.totals != nullptr) t.totals[blockIdx.x] = values[padded<T>(tile - 1)];
    if (!t.exclusive && base + tile <= t.n) t.out[base + tile - 1] = values[padded<T>(tile - 1)];
    values[padded<T>(tile - 1)] = Op::template identity<T>();
  }
  for (unsigned nodes = 1; nodes <= blockDim.x; nodes *= 2) {
    stride /= 2;
    __syncthreads();
    if (tid < nodes) {
      const unsigned left = stride * (2 * tid + 1) - 1;
      const unsigned right = left + stride;
      const T sum = values[padded<T>(left)];
      values[padded<T>(left)] = values[padded<T>(right)];
      values[padded<T>(right)] = op(values[padded<T>(right)], sum);
    }
  }
  __syncthreads();
  const unsigned shift = t.exclusive ? 0 : 1;
  for (unsigned k = tid; k < tile; k += blockDim.x) {
    const T prefix = values[padded<T>(k)];
    if (k >= shift && base + k - shift < t.n) t.out[base + k - shift] = prefix;
  }
}

struct conflict_free : by_tiles<2> {
  static constexpr description about{
      .number = 4,
      .name = "conflict-free",
      .idea = "one place in 33 is left empty, so that strides of 2^k fall on different banks",
      .improves = "the bank conflicts of the tree, and loads and stores of every other word",
      .evidence = {{{figure::bank_conflicts, 0, 0}}},
      .also = "sectors/request",
      .source = "document 002's reference [3], after Blelloch",
      .corrections = "padding for 32 banks, and a second one for strides beyond 32 x 32",
      .least_block = 2};

  static constexpr ladder::work_formula textbook = work_formulas::blelloch;
  static double work(const shape& s) { return work_by_tiles(s.n, tile(s), 2 * (tile(s) - 1.0)); }

  template <class T, class Op>
  static unsigned run(const pass<T>& p) {
    return scan_by_tiles(p, tile(p.shape), padded<T>(tile(p.shape)) * sizeof(T),
                         conflict_free_kernel<T, Op>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
