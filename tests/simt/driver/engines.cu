// One kernel for each engine: docs/cpu-machine.md shows what is said of them.
#include <cooperative_groups.h>

__global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }

__global__ void __cluster_dims__(2) cluster_sums(unsigned* x) {
  if (threadIdx.x == 0) atomicAdd(&x[2], blockIdx.x);
  cooperative_groups::this_cluster().sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) x[3] = x[2];
}

__global__ void lock(int* words) {
  while (atomicCAS(&words[0], 0, 1) != 0) {
  }
  words[1] += 1;
  atomicExch(&words[0], 0);
}

int main() {
  void* memory = nullptr;
  cudaMalloc(&memory, 256);
  cudaMemset(memory, 0, 256);
  scale<<<1, 64>>>(static_cast<float*>(memory), 2);
  cluster_sums<<<2, 64>>>(static_cast<unsigned*>(memory));
  lock<<<1, 64>>>(static_cast<int*>(memory));
  return cudaDeviceSynchronize();
}
