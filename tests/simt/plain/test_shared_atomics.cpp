// Atomics of shared memory, where nobody looks on and where somebody does: the same results to the
// bit.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "simt/memory.hpp"
#include "warpfold/platform.hpp"

namespace {

constexpr unsigned bins = 16, kinds = 12, threads = 96, blocks = 5;

struct storage {
  std::uint32_t of[kinds][bins];
  float sums[bins];
};

/// Threads that are neighbours meet in the same bin.
__global__ void every_kind(std::uint32_t* out, float* sums) {
  auto& s = warpfold::detail::shared_storage<storage>();
  const unsigned t = threadIdx.x, b = t / 3 % bins;
  const std::uint32_t v = (blockIdx.x * blockDim.x + t) * 2654435761U;
  for (unsigned i = t; i < kinds * bins; i += blockDim.x) s.of[i / bins][i % bins] = i * 77777777U;
  if (t < bins) s.sums[t] = 0;
  __syncthreads();
  atomicAdd(&s.of[0][b], v);
  atomicSub(&s.of[1][b], v);
  atomicAnd(&s.of[2][b], v | 255U);
  atomicOr(&s.of[3][b], v & 0xFF00FF00U);
  atomicXor(&s.of[4][b], v);
  atomicMax(&s.of[5][b], v);
  atomicMin(&s.of[6][b], v);
  atomicMax(reinterpret_cast<int*>(&s.of[7][b]), static_cast<int>(v));
  atomicMin(reinterpret_cast<int*>(&s.of[8][b]), static_cast<int>(v));
  atomicInc(&s.of[9][b], 6U);
  atomicAdd(&s.sums[b], static_cast<float>(v % 1024));
  const std::uint32_t first = (10 * bins + b) * 77777777U;
  const std::uint32_t seen = atomicCAS(&s.of[10][b], first, b);
  atomicCAS(&s.of[10][b], seen == first ? b : first, 1000 + b);
  atomicExch(&s.of[11][b], b);
  __syncthreads();
  for (unsigned i = t; i < kinds * bins; i += blockDim.x) {
    out[blockIdx.x * kinds * bins + i] = s.of[i / bins][i % bins];
  }
  if (t < bins) sums[blockIdx.x * bins + t] = s.sums[t];
}

/// Each thread's place among those of its bin.
__global__ void places(std::uint32_t* out) {
  auto& s = warpfold::detail::shared_storage<storage>();
  const unsigned t = threadIdx.x;
  if (t < bins) s.of[0][t] = 0;
  __syncthreads();
  const std::uint32_t mine = atomicAdd(&s.of[0][t * t % bins], 1U);
  __syncthreads();
  atomicAdd(&out[mine], s.of[0][t * t % bins]);
}

template <class Launch>
void expect_same(std::size_t words, Launch launch) {
  std::vector<std::uint32_t> found[2];
  for (const bool watched : {false, true}) {
    auto* const out = static_cast<std::uint32_t*>(simt::allocate(words * 4));
    std::fill_n(out, words, 0U);
    const simt::observe scope({.watched = watched});
    launch(out);
    EXPECT_EQ(scope.engine, watched ? simt::engine_kind::watched : simt::engine_kind::blocks);
    found[watched ? 1 : 0].assign(out, out + words);
    simt::free(out);
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(shared_atomics, leave_the_same_of_every_kind) {
  constexpr std::size_t words = blocks * kinds * bins;
  expect_same(words + blocks * bins, [](std::uint32_t* out) {
    simt::launch({.grid = blocks, .block = threads}, every_kind, out,
                 reinterpret_cast<float*>(out + words));
  });
}
TEST(shared_atomics, give_each_thread_a_place_of_its_own) {
  expect_same(threads, [](std::uint32_t* out) {
    simt::launch({.grid = blocks, .block = threads}, places, out);
  });
}

}  // namespace
