#include <cstdio>

__global__ void answer(int* to) { *to = 42; }

int main() {
  int* to = nullptr;
  cudaMallocManaged(&to, sizeof(int));
  answer<<<1, 1>>>(to);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::printf("%d\n", *to);
  return *to != 42;
}
