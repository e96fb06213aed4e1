// What a block does step by step: docs/cpu-machine.md.
#include <cstdio>

#include <simt/cuda.hpp>
#include <simt/launch.hpp>
#include <simt/memory.hpp>
#include <simt/watch.hpp>
#include <warpfold/platform.hpp>

__global__ void tree(int* data) {
  auto* const tile = warpfold::detail::dynamic_shared<int>();
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[15 - threadIdx.x];
}

int main() {
  auto* const data = static_cast<int*>(simt::allocate(16 * sizeof(int)));
  for (int i = 0; i < 16; ++i) data[i] = i;
  // the code of the page
  return watching.steps.size() == 2 && data[0] == 15 ? 0 : 1;
}
