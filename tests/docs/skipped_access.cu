// Lanes that skip an access: docs/counters.md.
#include <cuda_runtime.h>

__global__ void add_up(unsigned* counts) {
  __shared__ unsigned mine[256];
  for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = b % 3;
  __syncthreads();
  // the code of the page
}

int main() {
  unsigned* counts = nullptr;
  cudaMallocManaged(&counts, 256 * sizeof(unsigned));
  for (int b = 0; b < 256; ++b) counts[b] = 0;
  add_up<<<2, 64>>>(counts);
  cudaDeviceSynchronize();
  return counts[0] == 0 && counts[1] == 2 && counts[2] == 4 ? 0 : 1;
}
