// Each block counts in shared memory and adds its counts to the result at the end.
#include "device.hpp"
#include "kernels.hpp"

namespace {

constexpr int bins = 256;

__global__ void histogram_kernel(const unsigned char* in, unsigned n, unsigned* counts) {
  __shared__ unsigned mine[bins];
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&mine[in[i]], 1);
  }
  __syncthreads();
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) {
    if (mine[b] != 0) atomicAdd(&counts[b], mine[b]);
  }
}

}  // namespace

std::array<unsigned, 256> histogram(const std::vector<unsigned char>& bytes) {
  const device_array<unsigned char> in(bytes);
  const device_array<unsigned> counts(bins);
  check(cudaMemset(counts.data(), 0, bins * sizeof(unsigned)), "cudaMemset");
  histogram_kernel<<<16, 128>>>(in.data(), static_cast<unsigned>(bytes.size()), counts.data());
  check(cudaGetLastError(), "histogram");
  std::array<unsigned, 256> result{};
  check(cudaMemcpy(result.data(), counts.data(), sizeof result, cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  return result;
}
