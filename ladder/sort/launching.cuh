// Shared by all rungs of the sort ladder: the description of a sort, and the steps of the bitonic
// network in the form in which all comparators point the same way. Step one of a merge of `size`
// compares i with its mirror image i ^ (size - 1), the others i with i ^ stride; the smaller key
// goes to the smaller index. So a key that is not there, beyond n, can be taken as greater than all
// others: its comparators do nothing. That is what makes any n work, without padding.
#pragma once

#include <bit>
#include <cmath>

#include "ladder/counting_operator.cuh"
#include "ladder/sort/columns.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

template <class K, class V>
struct pass {
  columns<K, V> in;
  columns<K, V> out;  // the same as `in` for a rung in place
  std::size_t n;
  ladder::shape shape;
  void* scratch;
  stream_type stream;
};

/// Merges on the way to a run of n keys.
constexpr unsigned levels_of(std::size_t n) {
  return n < 2 ? 0 : static_cast<unsigned>(std::bit_width(n - 1));
}

/// Steps of the bitonic network for n keys.
constexpr double bitonic_steps(std::size_t n) {
  const double levels = levels_of(n);
  return levels * (levels + 1) / 2;
}

/// The lower index of comparator t in a step whose comparators span `half` or its mirror.
__host__ __device__ constexpr std::size_t lower_index(std::size_t t, std::size_t half) {
  return 2 * t - (t & (half - 1));
}

/// One step on a tile in shared memory, of which `count` items are there.
template <class K, class V, class Less>
__device__ __forceinline__ void tile_step(const columns<K, V>& tile, unsigned size, unsigned count,
                                          unsigned half, unsigned mask, Less less) {
  for (unsigned t = threadIdx.x; t < size / 2; t += blockDim.x) {
    const auto low = static_cast<unsigned>(lower_index(t, half));
    const unsigned high = low ^ mask;
    if (high < count) compare_exchange(tile, low, high, less);
  }
  __syncthreads();
}

/// How many items of a tile are there.
__device__ __forceinline__ unsigned count_in_tile(std::size_t base, unsigned tile, std::size_t n) {
  return base >= n ? 0 : n - base < tile ? static_cast<unsigned>(n - base) : tile;
}

template <class Less, class Rung>
struct counting_order {
  template <class K>
  __device__ __forceinline__ bool operator()(K a, K b) const {
    count_op_call();
    return Less{}(a, b);
  }
};

/// A rung that makes the steps of the bitonic network.
struct bitonic : without_scratch {
  static constexpr ladder::work_formula textbook = work_formulas::bitonic;
  static double depth_limit(const shape& s) { return bitonic_steps(s.n); }
  static double work(const shape& s) { return static_cast<double>(s.n) / 2 * bitonic_steps(s.n); }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
