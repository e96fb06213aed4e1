// Names sorted by their scores, the highest first; equal scores keep their order.
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>
#include <warpfold/sort.hpp>

int main() {
  const std::vector<float> scores{7.5F, 9.0F, 7.5F, -1.0F, 9.5F};
  const std::vector<char> names{'a', 'b', 'c', 'd', 'e'};
  float* keys = nullptr;
  char* values = nullptr;
  if (cudaMalloc(&keys, scores.size() * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMalloc(&values, names.size()) != cudaSuccess) return 1;
  cudaMemcpy(keys, scores.data(), scores.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(values, names.data(), names.size(), cudaMemcpyHostToDevice);

  // Not a `workspace`: sorts leave data in their memory. Without any the call would allocate.
  warpfold::temp_storage memory(warpfold::sort_temp_storage_bytes<float, char>(scores.size()));
  warpfold::stable_sort_by_key(warpfold::device.with(memory), std::span(keys, scores.size()),
                               std::span(values, names.size()), warpfold::descending{})
      .throw_if_failed("sort the names");

  std::vector<char> sorted(names.size());
  cudaMemcpy(sorted.data(), values, sorted.size(), cudaMemcpyDeviceToHost);
  for (const char name : sorted) std::printf("%c\n", name);
  cudaFree(keys);
  cudaFree(values);
  return std::string_view(sorted.data(), sorted.size()) == "ebacd" ? 0 : 1;
}
