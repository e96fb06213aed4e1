// Two ways to add up: README.md.
#include <span>
#include <vector>

#include <cuda_runtime.h>

int main() {
  const std::vector<int> values(1000, 3);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  int* room = nullptr;
  cudaMalloc(&room, values.size() * sizeof(int));
  cudaMemcpy(room, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
  const std::span<const int> on_device(room, values.size());
  // the code of the page
  return a == 3000 && b == 3000 ? 0 : 1;
}
