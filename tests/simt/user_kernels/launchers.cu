#include "tests/simt/user_kernels/launchers.hpp"

namespace {

__global__ void fill_kernel(int* out, unsigned n) {
  if (threadIdx.x < n) out[threadIdx.x] = 1;
}
__global__ void touch_kernel(std::size_t bytes) {
  extern __shared__ char all[];
  all[bytes - 1] = 1;
}
__device__ int four[4];
int of_host;

}  // namespace

namespace launchers {

void fill(int* out, unsigned n, unsigned threads) { fill_kernel<<<1, threads>>>(out, n); }
void touch_shared(std::size_t bytes) { touch_kernel<<<1, 1, bytes>>>(bytes); }
cudaError_t touch_shared_in(cudaStream_t stream, std::size_t bytes) {
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = 1;
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, touch_kernel, bytes);
}
cudaError_t allow_shared(int bytes) {
  return cudaFuncSetAttribute(touch_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}
int resident_blocks(int threads, std::size_t shared_bytes) {
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch_kernel, threads, shared_bytes);
  return blocks;
}
cudaError_t copy_to_host_variable() {
  const int one = 1;
  return cudaMemcpyToSymbol(of_host, &one, sizeof one);
}
cudaError_t copy_too_much_to_symbol() {
  const int two[2] = {1, 2};
  return cudaMemcpyToSymbol(four, two, sizeof two, 12);
}

}  // namespace launchers
