// refused: can't keep determinism::gpu_to_gpu
#include "warpfold/reduce.hpp"

struct product {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a * b;
  }
  template <class T>
  __host__ __device__ static T identity() {
    return T{1};
  }
};
auto refused(std::span<const float> values) {
  return warpfold::reduce(warpfold::device.with(warpfold::determinism::gpu_to_gpu), values, 1.0F,
                          product{});
}
