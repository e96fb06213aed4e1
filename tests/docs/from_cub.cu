// An operator that CUB took: docs/from-cub.md.
#include <span>

#include <cuda_runtime.h>
#include <warpfold/reduce.hpp>

// the code of the page

int main() {
  constexpr int n = 5000;
  int *values = nullptr, *out = nullptr;
  cudaMallocManaged(&values, n * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) values[i] = i * 7 % n;
  longest(std::span<const int>(values, n), out, nullptr).throw_if_failed("the longest");
  cudaDeviceSynchronize();
  return *out == n - 1 ? 0 : 1;
}
