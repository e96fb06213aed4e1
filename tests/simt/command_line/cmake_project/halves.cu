#include "parts.h"

template <class Each>
__global__ void each_kernel(int* values, Each each) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = each(values[i]);
}

void halve(int* values, int count) {
  each_kernel<<<count / 32, 32>>>(values, [] __device__(int value) { return value / 2; });
}
