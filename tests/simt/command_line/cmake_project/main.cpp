#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include "parts.h"

int main() {
  const int count = 1024;
  int* values = nullptr;
  if (cudaMalloc((void**)&values, count * sizeof(int)) != cudaSuccess) return 1;
  fill(values, count);
  halve(values, count);
  std::vector<int> host(count);
  cudaError_t status = cudaMemcpy(host.data(), values, count * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(values);
  for (int i = 0; i < count; ++i) {
    if (host[i] != i + 2) return 1;
  }
  std::printf("%s\n", cudaGetErrorString(status));
  return status != cudaSuccess;
}
