// Each thread adds products. A block reduces its threads' sums in shared memory, the last 32 of
// them in registers. The host adds the blocks' results.
#include <numeric>

#include "device.hpp"
#include "kernels.hpp"

namespace {

__global__ void dot_kernel(const float* a, const float* b, float* partials, unsigned n) {
  extern __shared__ float sums[];
  float sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += a[i] * b[i];
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride >= 32; stride /= 2) {
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x >= 32) return;
  sum = sums[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

}  // namespace

float dot(const std::vector<float>& a, const std::vector<float>& b) {
  constexpr unsigned blocks = 8, threads = 256;
  const device_array<float> left(a), right(b), partials(blocks);
  dot_kernel<<<blocks, threads, threads * sizeof(float)>>>(
      left.data(), right.data(), partials.data(), static_cast<unsigned>(a.size()));
  check(cudaGetLastError(), "dot");
  const std::vector<float> sums = partials.to_host();
  return std::accumulate(sums.begin(), sums.end(), 0.0f);
}
