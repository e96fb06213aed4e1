// Device memory of the benchmarks: a pool of random bits, as much room for results, a workspace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/device/timing.cuh"

namespace warpfold::bench {

constexpr std::size_t pool_bytes = std::size_t{8} << 30;

static __global__ void fill_kernel(std::uint32_t* to, std::size_t n, std::uint32_t seed) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761U ^ seed;
    x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU, x ^= x >> 16;
    to[i] = x;
  }
}

static __global__ void differ_kernel(const std::uint32_t* a, const std::uint32_t* b, std::size_t n,
                                     unsigned* differ) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    if (a[i] != b[i]) *differ = 1;
  }
}

struct bench_memory {
  char *in = nullptr, *out = nullptr, *work = nullptr, *scratch = nullptr;
  std::size_t work_bytes = std::size_t{64} << 20;

  [[nodiscard]] bool same(const void* a, const void* b, std::size_t n) const {
    unsigned differ = 0;
    auto* const flag = reinterpret_cast<unsigned*>(scratch);
    require(cudaMemset(flag, 0, 4), "clear a flag");
    differ_kernel<<<1024, 256>>>(static_cast<const std::uint32_t*>(a),
                                 static_cast<const std::uint32_t*>(b), n, flag);
    require(cudaMemcpy(&differ, flag, 4, cudaMemcpyDeviceToHost), "read a flag");
    return differ == 0;
  }
  bench_memory() {
    require(cudaMalloc(&in, pool_bytes), "allocate the pool");
    require(cudaMalloc(&out, pool_bytes), "allocate the results");
    require(cudaMalloc(&work, work_bytes), "allocate the workspace");
    require(cudaMalloc(&scratch, work_bytes), "allocate scratch memory");
    require(cudaMemset(work, 0, work_bytes), "clear the workspace");
    fill_kernel<<<1024, 256>>>(reinterpret_cast<std::uint32_t*>(in), pool_bytes / 4, 12345);
    require(cudaDeviceSynchronize(), "fill the pool");
  }
};

}  // namespace warpfold::bench
