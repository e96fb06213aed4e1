// The device's calls, each once: docs/library.md.
#include <numeric>
#include <span>

#include <cuda_runtime.h>
#include <warpfold/warpfold.hpp>

int main() {
  constexpr int n = 5000;
  const auto room = [] {
    int* p = nullptr;
    cudaMallocManaged(&p, n * sizeof(int));
    return std::span<int>(p, n);
  };
  const std::span<int> values = room(), in = room(), out = room(), keys = room(), items = room();
  std::iota(in.begin(), in.end(), 0);
  for (int i = 0; i < n; ++i) values[i] = 2, keys[i] = n - i, items[i] = i;
  int* const total = room().data();
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  // the code of the page
  cudaStreamSynchronize(stream);
  const bool right = sum == 2 * n && *total == 2 * n && out[0] == 0 && out[4] == 6 &&
                     keys[0] == 1 && items[0] == n - 1;
  return right ? 0 : 1;
}
