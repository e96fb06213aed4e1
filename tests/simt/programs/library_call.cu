// A program that launches no kernel of its own: the library's calls are watched all the same.
#include <cstdio>
#include <span>

#include <warpfold/sort.hpp>

int main() {
  constexpr int n = 1000;
  int* keys = nullptr;
  if (cudaMallocManaged(&keys, n * sizeof(int)) != cudaSuccess) return 2;
  for (int i = 0; i < n; ++i) keys[i] = n - i;
  if (!warpfold::sort(warpfold::device, std::span(keys, n)).ok()) return 3;
  // Copies its keys, which the host may not read.
  int *same = nullptr, *indices = nullptr;
  if (cudaMalloc(&same, n * sizeof(int)) != cudaSuccess) return 4;
  if (cudaMalloc(&indices, n * sizeof(int)) != cudaSuccess) return 4;
  cudaMemset(same, 0, n * sizeof(int));
  if (!warpfold::argsort(warpfold::device, std::span(same, n), std::span(indices, n)).ok())
    return 5;
  if (cudaDeviceSynchronize() != cudaSuccess) return 6;
  std::printf("%d to %d\n", keys[0], keys[n - 1]);
}
