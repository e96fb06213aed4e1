// Calls in the canonical order: docs/canonical.md.
#include <span>

#include <cuda_runtime.h>

int main() {
  constexpr std::size_t n = 3000;
  float* room = nullptr;
  cudaMallocManaged(&room, 2 * n * sizeof(float));
  for (std::size_t i = 0; i < n; ++i) room[i] = 1;
  const std::span<const float> values(room, n);
  const std::span<float> prefixes(room + n, n);
  // the code of the page
  cudaDeviceSynchronize();
  return exact == n && cheaper == n && product == 1 && prefixes[n - 1] == n - 1 ? 0 : 1;
}
