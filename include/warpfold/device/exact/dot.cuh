// Exact dot products in one launch: products go to bins (exact/product_bins.hpp), the rest is as in
// device/exact.cuh. Reads both inputs once, one value a load, so neither need be aligned.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/exact/kernel.cuh"
#include "warpfold/exact/product_bins.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class T>
struct product_terms {
  using acc_type = T;
  using bins = product_bins<T>;
  using state_type = product_state<T>;
  using result_type = product_state<T>;

  const T *a, *b;
  std::size_t n;

  /// Pieces of `stride` products, in which a thread adds no more than a bin takes.
  template <class Shape>
  struct partition {
    using bins = product_terms::bins;
    const T *a, *b;
    std::size_t n, pieces, stride;

    template <class Blocks>
    __device__ typename bins::flags add(std::size_t piece, Blocks blocks) const {
      constexpr unsigned threads = Shape::threads, loads = Shape::loads;
      auto* const column = dynamic_shared<typename bins::word>() + threadIdx.x;
      typename bins::flags flags;
      const std::size_t begin = piece * stride, end = n - begin < stride ? n : begin + stride;
      const std::size_t tile = std::size_t{threads} * loads;
      for (std::size_t i = begin + blockIdx.x * tile + threadIdx.x; i < end; i += blocks * tile) {
        T x[loads], y[loads];
#pragma unroll
        for (unsigned k = 0; k < loads; ++k) {
          if (i + k * threads < end) x[k] = a[i + k * threads], y[k] = b[i + k * threads];
        }
#pragma unroll
        for (unsigned k = 0; k < loads; ++k) {
          if (i + k * threads < end) bins::template add<threads>(flags, column, x[k], y[k]);
        }
      }
      return flags;
    }
    [[nodiscard]] __device__ bool empty() const { return n == 0; }
  };
  template <class Shape>
  static constexpr unsigned values_per_tile = Shape::loads;

  template <class Shape>
  partition<Shape> partition_work(unsigned blocks, std::size_t adds) const {
    const std::size_t stride =
        std::size_t{blocks} * Shape::threads * (adds / Shape::loads * Shape::loads);
    return {a, b, n, n == 0 ? 1 : (n - 1) / stride + 1, stride};
  }
};

template <class T>
status launch_exact_dot(const work_place& where, const product_terms<T>& terms,
                        const exact_target<product_terms<T>>& target) {
  using least = tuning::exact_least<product_bins<T>::count>;
  return launch_first_exact<tuning::exact_products<T>, least>(where, terms, target);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
