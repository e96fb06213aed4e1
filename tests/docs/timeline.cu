// What runs beside what: docs/cpu-machine.md.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>
#include <simt/timeline.hpp>

__global__ void scale(float* x, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main() {
  constexpr unsigned n = 1 << 16;
  const std::vector<float> values(n, 1.0F);
  float* x = nullptr;
  cudaMalloc(&x, n * sizeof(float));
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  // the code of the page
  // Pageable memory goes through a stage of the driver's.
  return line.spans().size() == 3 && line.now_us() > n * sizeof(float) / 54e3 ? 0 : 1;
}
