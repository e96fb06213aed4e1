// Threads that pass all bounds run in a loop of their own: every bound, its edges and what wraps,
// on both engines.
#include <cstdint>

#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/plain/both_engines.hpp"

namespace {

using simt::engine_kind;
using simt::test::expect_same;

constexpr unsigned words = 600, all_ones = 0xFFFFFFFF;
constexpr std::uint64_t all_wide = ~std::uint64_t{0};

__global__ void below(std::uint32_t* out, unsigned shift, unsigned bound) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned i = t + shift;
  if (i < bound) out[t] += i;
}

/// Who fails one bound may still pass another.
__global__ void below_either(std::uint32_t* out, unsigned shift, unsigned low, unsigned high) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t + shift < low) out[t] += 2;
  if (t < high) out[t] ^= t;
}

/// Who fails either does nothing.
__global__ void below_both(std::uint32_t* out, unsigned shift, unsigned low, unsigned high) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t + shift < low && t < high) out[t] += 5;
}

/// What comes before a bound is done by all.
__global__ void store_then_below(std::uint32_t* out, unsigned bound) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] += 1;
  if (t < bound) out[t] += 16;
}

__global__ void from_bound_on(std::uint32_t* out, int shift, int bound) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = static_cast<int>(t + static_cast<unsigned>(shift));
  if (i >= bound) out[t] += 3;
}

__global__ void both_sides(std::uint32_t* out, int shift, int low, int high) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = static_cast<int>(t + static_cast<unsigned>(shift));
  if (i <= low || i > high) {
    out[t] ^= static_cast<unsigned>(i);
  } else {
    out[t] += 7;
  }
}

__global__ void all_but(std::uint32_t* out, unsigned first, unsigned second) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t == first || t == second) {
    out[t] = 1;
  } else {
    out[t] += t;
  }
}

__global__ void neighbours(const std::uint32_t* in, std::uint32_t* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  out[i] += i == 0 || i == count - 1 ? in[i] : in[i - 1] * 3 + in[i + 1];
}

/// The index itself goes beyond 32 bits and begins again.
__global__ void wraps(std::uint32_t* out, unsigned shift) {
  const unsigned i = threadIdx.x + shift;
  const std::uint64_t wide = i;
  out[threadIdx.x] += static_cast<std::uint32_t>((wide + 5) >> 31);
  const std::int64_t is_signed = static_cast<int>(i + 0x80000000U);
  if (threadIdx.x < 90) out[threadIdx.x] += static_cast<std::uint32_t>(is_signed >> 32);
}

__global__ void wide_index(std::uint32_t* out, std::uint64_t shift, std::uint64_t bound) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint64_t i = shift + t;
  if (i < bound) out[t] += 1;
}

template <class Kernel, class... Args>
void expect_same_as_blocks(Kernel kernel, Args... args) {
  for (const unsigned threads : {1U, 31U, 100U, 150U}) {
    expect_same(engine_kind::blocks, words, [&](std::uint32_t* out) {
      simt::launch({.grid = 4, .block = threads}, kernel, out, args...);
    });
  }
}

TEST(bounds, end_the_middle) {
  for (const unsigned bound : {0U, 1U, 149U, 150U, 299U, 600U, all_ones}) {
    expect_same_as_blocks(below, 0U, bound);
    expect_same_as_blocks(below, all_ones - 200, bound);
    expect_same_as_blocks(store_then_below, bound);
    for (const unsigned shift : {0U, 60U, all_ones - 200}) {
      expect_same_as_blocks(below_either, shift, bound, 130U);
      expect_same_as_blocks(below_both, shift, bound, 130U);
    }
  }
  for (const std::uint64_t shift :
       {std::uint64_t{0}, std::uint64_t{all_ones} - 40, all_wide - 60}) {
    for (const std::uint64_t bound : {std::uint64_t{20}, std::uint64_t{all_ones} + 10, all_wide}) {
      expect_same_as_blocks(wide_index, shift, bound);
    }
  }
}

TEST(bounds, begin_the_middle) {
  for (const int shift : {0, -100, 0x7FFFFF00, -0x7FFFFFFF}) {
    for (const int bound : {-2000000000, -50, 0, 77, 0x7FFFFFFF}) {
      expect_same_as_blocks(from_bound_on, shift, bound);
      expect_same_as_blocks(both_sides, shift, bound, bound < 0 ? 30 : 0x7FFFFFFF);
    }
  }
}

TEST(bounds, leave_single_threads_out) {
  for (const unsigned first : {0U, 40U, 99U, 300U}) {
    for (const unsigned second : {0U, 1U, 149U, all_ones}) {
      expect_same_as_blocks(all_but, first, second);
    }
  }
  const simt::test::values in(words);
  for (const unsigned count : {1U, 2U, 100U, 333U, 600U}) {
    expect_same(engine_kind::blocks, words, [&](std::uint32_t* out) {
      simt::launch({.grid = 4, .block = 150}, neighbours, in.get(), out, count);
    });
  }
}

TEST(bounds, keep_indices_that_wrap) {
  for (const unsigned shift : {0U, 0x7FFFFFC0U, 0x80000000U, all_ones - 30, all_ones - 100}) {
    for (const unsigned threads : {1U, 64U, 150U}) {
      expect_same(engine_kind::blocks, words, [&](std::uint32_t* out) {
        simt::launch({.grid = 1, .block = threads}, wraps, out, shift);
      });
    }
  }
}

}  // namespace
