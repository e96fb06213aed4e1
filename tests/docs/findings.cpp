// A checked launch: docs/cpu-machine.md. The kernel lacks a barrier.
#include <cstdio>

#include <simt/cuda.hpp>
#include <simt/launch.hpp>
#include <simt/memory.hpp>
#include <warpfold/platform.hpp>

__global__ void tree(const int* in, int* out) {
  auto* const tile = warpfold::detail::dynamic_shared<int>();
  tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) tile[threadIdx.x] += tile[threadIdx.x + stride];
    if (stride > 1) __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

int main() {
  auto* const in = static_cast<int*>(simt::allocate(7 * 128 * sizeof(int)));
  auto* const out = static_cast<int*>(simt::allocate(7 * sizeof(int)));
  for (int i = 0; i < 7 * 128; ++i) in[i] = 1;
  // the code of the page
  return checking.findings.empty() ? 1 : 0;
}
