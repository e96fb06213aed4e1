// How fast a CUDA device reads its memory: a kernel that keeps next to nothing of what it reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "warpfold/platform.hpp"

namespace warpfold::measure {

static __global__ void read_all_kernel(const uint4* in, std::size_t words, unsigned* out) {
  uint4 seen{};
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 7 * stride < words; i += 8 * stride) {
    uint4 w[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) w[k] = detail::load_once(in + i + k * stride);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      seen.x ^= w[k].x;
      seen.y ^= w[k].y;
      seen.z ^= w[k].z;
      seen.w ^= w[k].w;
    }
  }
  if ((seen.x & seen.y & seen.z & seen.w) == 0xDEADBEEF) *out = seen.x;
}

/// GB/s from `bytes` bytes of device memory, which should be many times the cache; `out` has room
/// for 4 bytes. `time_us(launch)` calls launch, which puts work into `stream`, and times it.
template <class Time>
double read_rate(const void* memory, std::size_t bytes, unsigned* out, unsigned processors,
                 cudaStream_t stream, Time time_us) {
  double best = 0;
  // The grid that reads fastest is the ceiling, not our guess at it.
  for (const unsigned blocks_per_processor : {2U, 4U, 8U, 16U}) {
    std::vector<double> times;
    for (int i = 0; i < 7; ++i) {
      times.push_back(time_us([&] {
        detail::launch({.grid = processors * blocks_per_processor, .block = 512, .stream = stream},
                       read_all_kernel, static_cast<const uint4*>(memory), bytes / 16, out);
      }));
    }
    std::nth_element(times.begin(), times.begin() + 3, times.end());
    best = std::max(best, static_cast<double>(bytes) / times[3] / 1000.0);
  }
  return best;
}

}  // namespace warpfold::measure
