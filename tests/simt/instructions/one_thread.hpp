// What one thread writes.
#pragma once

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

/// n values that kernel(out, args…) writes with a single thread.
template <class T, class Kernel, class... Args>
std::vector<T> run(Kernel kernel, std::size_t n, Args... args) {
  T* out = nullptr;
  EXPECT_EQ(cudaMallocManaged(&out, n * sizeof(T)), cudaSuccess);
  kernel<<<1, 1>>>(out, args...);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<T> result(out, out + n);
  cudaFree(out);
  return result;
}
