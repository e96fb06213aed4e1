// For the debugger: threads that wait at a barrier, some that have ended, and one that comes late.
#include <cstdio>

__global__ void scale(float* x, int n, float by) {
  __shared__ float first[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % blockDim.x == 60) return;
  const float value = x[i] * by;
  first[threadIdx.x] = value;
  if (threadIdx.x == 63) {
    first[60] = 0;  // the last of its block
  }
  __syncthreads();
  if (i < n) x[i] = first[63 - threadIdx.x];
}

int main() {
  float* x;
  cudaMalloc(&x, 128 * sizeof(float));
  cudaMemset(x, 0, 128 * sizeof(float));
  scale<<<2, 64>>>(x, 128, 2);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
