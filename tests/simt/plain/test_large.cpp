// Kernels that would grow too large as loops run on fibers, and lose nothing of what they were.
#include <cstdint>

#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "simt/launch.hpp"
#include "tests/simt/plain/both_engines.hpp"

namespace {

using simt::engine_kind;
using simt::test::expect_same;
using simt::test::values;

constexpr unsigned full = 0xFFFFFFFFU, threads = 96, blocks = 3, n = threads * blocks;

__device__ unsigned mix(unsigned a, unsigned b) { return (a ^ b) * 2654435761U + (b >> 3U); }
__device__ unsigned bit(unsigned v, unsigned k) { return v >> k % 7 & 1U; }

/// More votes of the block than a kernel's loops may have between them.
template <unsigned Count>
__device__ unsigned block_votes(unsigned v) {
  if constexpr (Count == 0) {
    return v;
  } else {
    v = mix(v, static_cast<unsigned>(__syncthreads_count(static_cast<int>(bit(v, Count)))));
    return block_votes<Count - 1>(v + Count);
  }
}

/// The same of its warps, with a vote of the block in the midst.
template <unsigned Count>
__device__ unsigned warp_votes(unsigned v) {
  if constexpr (Count == 0) {
    return v;
  } else {
    v = mix(v, __ballot_sync(full, static_cast<int>(bit(v, Count))));
    if constexpr (Count == 20) v += static_cast<unsigned>(__syncthreads_count(v % 3 == 0 ? 1 : 0));
    return warp_votes<Count - 1>(v + Count);
  }
}

__global__ void many_votes(const std::uint32_t* in, std::uint32_t* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = block_votes<40>(in[i]);
}
__global__ void many_votes_of_warps(const std::uint32_t* in, std::uint32_t* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = warp_votes<40>(in[i]);
}
/// A loop around as many.
__global__ void votes_in_a_loop(const std::uint32_t* in, std::uint32_t* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[i];
  for (unsigned round = 0; round < 3; ++round) v = block_votes<32>(v) + round;
  out[i] = v;
}

using kernel = void (*)(const std::uint32_t*, std::uint32_t*);

class large : public testing::TestWithParam<kernel> {};

TEST_P(large, keeps_its_votes_on_fibers) {
  const values in(n, 3);
  expect_same(engine_kind::fibers, n, [&](std::uint32_t* out) {
    simt::launch({.grid = blocks, .block = threads}, GetParam(), in.get(), out);
  });
}
INSTANTIATE_TEST_SUITE_P(Plain, large,
                         testing::Values(many_votes, many_votes_of_warps, votes_in_a_loop));

}  // namespace
