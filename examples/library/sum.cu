// A sum in five lines: values on the device, the result on the host.
#include <cstdio>
#include <span>

#include <cuda_runtime.h>
#include <warpfold/reduce.hpp>

int main() {
  constexpr std::size_t n = 1'000'000;
  int* values = nullptr;
  if (cudaMalloc(&values, n * sizeof *values) != cudaSuccess) return 1;
  cudaMemset(values, 1, n * sizeof *values);  // each is 0x01010101
  const long sum = warpfold::reduce(warpfold::device, std::span<const int>(values, n), 0L);
  std::printf("%ld\n", sum);
  cudaFree(values);
  return sum == 0x01010101L * static_cast<long>(n) ? 0 : 1;
}
