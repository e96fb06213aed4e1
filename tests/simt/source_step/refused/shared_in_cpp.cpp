// refused: __shared__ is understood in .cu and .cuh files
#include <cuda_runtime.h>
__global__ void k() { __shared__ int x; }
