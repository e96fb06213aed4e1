// What one block writes.
#pragma once

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

/// n values that kernel(out, args…) writes with a block of `threads`; 0 where it writes none.
template <class T, class Kernel, class... Args>
std::vector<T> run_block(Kernel kernel, unsigned threads, std::size_t n, Args... args) {
  T* out = nullptr;
  EXPECT_EQ(cudaMallocManaged(&out, n * sizeof(T)), cudaSuccess);
  for (std::size_t i = 0; i < n; ++i) out[i] = T();
  kernel<<<1, threads>>>(out, args...);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<T> result(out, out + n);
  cudaFree(out);
  return result;
}

/// The same with a single thread.
template <class T, class Kernel, class... Args>
std::vector<T> run(Kernel kernel, std::size_t n, Args... args) {
  return run_block<T>(kernel, 1, n, args...);
}
