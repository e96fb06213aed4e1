// Loops over a stride of the block's or the grid's, whose rounds are made by all threads together,
// on both engines.
#include <cstdint>

#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/plain/both_engines.hpp"
#include "warpfold/platform.hpp"

namespace {

using simt::engine_kind;
using simt::test::expect_same;

constexpr unsigned words = 4000;

__global__ void over_the_grid(std::uint32_t* out, int n) {
  const int stride = static_cast<int>(blockDim.x * gridDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += stride) {
    out[i] = out[i] * 3 + static_cast<unsigned>(i);
  }
}

__global__ void by_branches(std::uint32_t* out, unsigned n) {
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) {
    if (out[i] % 3 == 0) {
      out[i] += 1;
    } else if (out[i] % 3 == 1) {
      out[i] ^= static_cast<unsigned>(i);
    }
  }
}

/// What each block has written is read by its other threads.
__global__ void around_barriers(std::uint32_t* out, unsigned n) {
  auto* const own = out + blockIdx.x * n;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) own[i] += i;
  __syncthreads();
  const unsigned first = own[(threadIdx.x * 7 + 1) % n];
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) own[i] += first;
}

/// Those behind the branch wait for those that are in the loop, and the last ones leave early.
__global__ void by_some(std::uint32_t* out, unsigned n) {
  if (threadIdx.x < 40) {
    for (unsigned i = threadIdx.x; i < n; i += 40) out[i] += 5;
  }
  __syncthreads();
  if (threadIdx.x >= 50) return;
  for (unsigned i = threadIdx.x; i < n; i += 50) out[i] *= 3;
}

/// The stride of this one is the thread's own.
__global__ void by_own_strides(std::uint32_t* out, unsigned n) {
  auto* const own = out + threadIdx.x * n;
  for (unsigned i = threadIdx.x; i < n; i += 16 + threadIdx.x % 3) own[i] += threadIdx.x;
}

/// Downward, from the end, and twice in one kernel.
__global__ void there_and_back(std::uint32_t* out, int n) {
  const int stride = static_cast<int>(blockDim.x);
  for (int i = static_cast<int>(threadIdx.x); i < n; i += stride) out[i] += 1;
  __syncthreads();
  for (int i = n - 1 - static_cast<int>(threadIdx.x); i >= 0; i -= stride) out[i] *= 5;
}

struct bins {
  std::uint32_t of[16];
  float sums[16];
};

__global__ void sums_in_bins(std::uint32_t* out, unsigned n) {
  auto& s = warpfold::detail::shared_storage<bins>();
  const unsigned t = threadIdx.x;
  if (t < 16) s.of[t] = t;
  __syncthreads();
  for (unsigned i = t; i < n; i += blockDim.x) {
    const std::uint32_t v = out[i];
    atomicAdd(&s.of[v % 16], v);
    if (v % 3 == 0) atomicAdd(&s.of[v / 16 % 16], 7U);
  }
  __syncthreads();
  if (t < 16) out[t] += s.of[t];
}

/// Here it matters who adds first.
__global__ void places_in_bins(std::uint32_t* out, unsigned n) {
  auto& s = warpfold::detail::shared_storage<bins>();
  const unsigned t = threadIdx.x;
  if (t < 16) s.of[t] = 0, s.sums[t] = 0;
  __syncthreads();
  for (unsigned i = t; i < n; i += blockDim.x) {
    const std::uint32_t v = out[i];
    out[i] = atomicAdd(&s.of[v % 16], 1U);
    atomicAdd(&s.sums[v % 16], 1.0F / static_cast<float>(1 + i));
  }
  __syncthreads();
  if (t < 16) out[t] += __float_as_uint(s.sums[t]);
}

TEST(strides, rounds_of_all_threads_are_those_of_each) {
  for (const int n : {0, 1, 63, 64, 65, 192, 193, 1000, 3999}) {
    expect_same(engine_kind::blocks, words, [=](std::uint32_t* p) {
      simt::launch({3, 64}, over_the_grid, p, n);
    });
    expect_same(engine_kind::blocks, words, [=](std::uint32_t* p) {
      simt::launch({1, 96}, by_branches, p, unsigned(n));
    });
    expect_same(engine_kind::blocks, words, [=](std::uint32_t* p) {
      simt::launch({1, 64}, by_some, p, unsigned(n));
    });
    expect_same(engine_kind::blocks, words, [=](std::uint32_t* p) {
      simt::launch({1, 70}, there_and_back, p, n);
    });
  }
}

TEST(strides, barriers_stand_between_loops) {
  for (const unsigned n : {1U, 50U, 64U, 333U, 1000U}) {
    expect_same(engine_kind::blocks, words, [=](std::uint32_t* p) {
      simt::launch({4, 64}, around_barriers, p, n);
    });
    expect_same(engine_kind::blocks, words, [=](std::uint32_t* p) {
      simt::launch({1, 96}, sums_in_bins, p, n);
    });
    expect_same(engine_kind::blocks, words, [=](std::uint32_t* p) {
      simt::launch({1, 32}, places_in_bins, p, n);
    });
  }
}

TEST(strides, may_be_each_threads_own) {
  expect_same(engine_kind::blocks, words, [](std::uint32_t* p) {
    simt::launch({1, 40}, by_own_strides, p, 100U);
  });
}

}  // namespace
