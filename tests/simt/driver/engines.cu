// One kernel for each engine: docs/cpu-machine.md shows what is said of them.
__global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }

__global__ void warp_sums(unsigned* x) {
  unsigned v = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0U, v, d);
  x[threadIdx.x] = v;
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
  warp_sums<<<1, 64>>>(static_cast<unsigned*>(memory));
  lock<<<1, 64>>>(static_cast<int*>(memory));
  return cudaDeviceSynchronize();
}
