// Code that takes a warp for a unit: volatile accesses of converged lanes, with nothing between
// them.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "simt/memory.hpp"
#include "tests/simt/plain/both_engines.hpp"
#include "warpfold/platform.hpp"

namespace {

using simt::engine_kind;
using testing::Each;
using word = std::uint32_t;

constexpr unsigned threads = 128, blocks = 6, n = threads * blocks;

template <class T>
struct tile {
  volatile T of[threads];
};

/// The tail of a sum in device memory, written out.
template <class T>
__global__ void in_global(T* data) {
  T* const mine = data + blockIdx.x * threads;
  const unsigned t = threadIdx.x;
  if (t < 64) mine[t] = static_cast<T>(mine[t] + mine[t + 64]);
  __syncthreads();
  if (t < 32) {
    volatile T* const v = mine;
    v[t] = static_cast<T>(v[t] + v[t + 32]);
    v[t] = static_cast<T>(v[t] + v[t + 16]);
    v[t] = static_cast<T>(v[t] + v[t + 8]);
    v[t] = static_cast<T>(v[t] + v[t + 4]);
    v[t] = static_cast<T>(v[t] + v[t + 2]);
    v[t] = static_cast<T>(v[t] + v[t + 1]);
  }
}

template <class T>
__device__ void sum_of_warp(volatile T* v, unsigned t) {
  for (unsigned s = 32; s > 0; s /= 2) v[t] = static_cast<T>(v[t] + v[t + s]);
}
/// The same as a loop, in a volatile shared array.
template <class T>
__global__ void in_shared(T* data) {
  auto& s = warpfold::detail::shared_storage<tile<T>>();
  const unsigned t = threadIdx.x, i = blockIdx.x * threads + t;
  s.of[t] = data[i];
  __syncthreads();
  if (t < 64) s.of[t] = static_cast<T>(s.of[t] + s.of[t + 64]);
  __syncthreads();
  if (t < 32) sum_of_warp(s.of, t);
  if (t == 0) data[i] = s.of[0];
}
template <class T, unsigned Block>
__global__ void of_size(T* data) {
  volatile T* const s = warpfold::detail::dynamic_shared<T>();
  const unsigned t = threadIdx.x, i = blockIdx.x * Block + t;
  s[t] = data[i];
  __syncthreads();
  if (Block >= 128) {
    if (t < 64) s[t] = static_cast<T>(s[t] + s[t + 64]);
    __syncthreads();
  }
  if (t < 32) {
    if (Block >= 64) s[t] = static_cast<T>(s[t] + s[t + 32]);
    if (Block >= 32) s[t] = static_cast<T>(s[t] + s[t + 16]);
    s[t] = static_cast<T>(s[t] + s[t + 8]);
    s[t] = static_cast<T>(s[t] + s[t + 4]);
    s[t] = static_cast<T>(s[t] + s[t + 2]);
    s[t] = static_cast<T>(s[t] + s[t + 1]);
  }
  if (t == 0) data[i] = s[0];
}

/// In each way that somebody may look on, or nobody; the engine of the last.
engine_kind in_each_way(const std::function<void()>& run) {
  for (const simt::run_options& how :
       {simt::run_options{.watched = true}, {.count = true}, {.check = true}}) {
    const simt::observe scope(how);
    run();
    if (how.check) {
      EXPECT_FALSE(scope.findings.empty());
      EXPECT_EQ(scope.findings.empty() ? simt::finding_kind::race_in_warp : scope.findings[0].kind,
                simt::finding_kind::race_in_warp);
    }
  }
  const simt::observe scope({});
  run();
  return scope.engine;
}

template <class T>
class lockstep_sums : public testing::Test {
 protected:
  void SetUp() override { data_ = static_cast<T*>(simt::allocate(n * sizeof(T))); }
  void TearDown() override { simt::free(data_); }

  void expect_sums(void (*kernel)(T*), std::size_t shared_bytes = 0) {
    EXPECT_EQ(in_each_way([&] {
                T sums[blocks] = {};
                for (unsigned i = 0; i < n; ++i) {
                  data_[i] = static_cast<T>(i % 101);
                  sums[i / threads] = static_cast<T>(sums[i / threads] + data_[i]);
                }
                simt::launch({.grid = blocks, .block = threads, .shared_bytes = shared_bytes},
                             kernel, data_);
                for (unsigned b = 0; b < blocks; ++b) EXPECT_EQ(data_[b * threads], sums[b]);
              }),
              engine_kind::blocks);
  }

  T* data_ = nullptr;
};
using types = testing::Types<signed char, std::uint16_t, int, float, unsigned long long, double>;
TYPED_TEST_SUITE(lockstep_sums, types);

TYPED_TEST(lockstep_sums, are_right_in_device_memory) { this->expect_sums(in_global<TypeParam>); }
TYPED_TEST(lockstep_sums, are_right_in_shared_memory) { this->expect_sums(in_shared<TypeParam>); }
TYPED_TEST(lockstep_sums, are_right_in_dynamic_shared_memory) {
  this->expect_sums(of_size<TypeParam, threads>, threads * sizeof(TypeParam));
}

// --- lanes that go their own ways ---

/// Each lane takes its neighbour's value; the last one ends before that.
__global__ void shift(word* data) {
  if (threadIdx.x % 32 == 31) return;
  volatile word* const v = data + blockIdx.x * blockDim.x;
  v[threadIdx.x] = v[threadIdx.x + 1];
}
/// Lanes run ahead from round to round; all read the last sum.
__global__ void scan(word* data) {
  volatile word* const v = data + blockIdx.x * blockDim.x + threadIdx.x / 32 * 32;
  const unsigned lane = threadIdx.x % 32;
  for (unsigned s = 1; s < 32; s *= 2) {
    const word own = v[lane];
    if (lane >= s) v[lane] = own + v[lane - s];
  }
  const word total = v[31];
  data[gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] = total;
}
/// Odd lanes and even ones, each on their own; then all.
__global__ void by_parity(word* data) {
  volatile word* const v = data + blockIdx.x * blockDim.x + threadIdx.x / 32 * 32;
  const unsigned lane = threadIdx.x % 32;
  if (lane % 2 != 0) {
    for (unsigned s = 16; s > 1; s /= 2) {
      if (lane < s) v[lane] = v[lane] + v[lane + s];
    }
  } else {
    for (unsigned s = 16; s > 1; s /= 2) {
      if (lane < s) v[lane] = v[lane] + v[lane + s];
    }
  }
  data[gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] = v[0] + v[1];
}
/// As many rounds as its lane's number says, and what follows waits for all.
__global__ void rounds(word* data) {
  volatile word* const v = data + blockIdx.x * blockDim.x + threadIdx.x / 32 * 32;
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = 0; i < lane % 7; ++i) v[lane] = v[lane] * 3 + i;
  data[gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] = v[31 - lane];
}
/// A plain store behind a volatile load, and a plain load behind a volatile store.
__global__ void half_volatile(word* data) {
  word* const plain = data + blockIdx.x * blockDim.x + threadIdx.x / 32 * 32;
  volatile word* const v = plain;
  const unsigned lane = threadIdx.x % 32;
  const word next = v[(lane + 1) % 32];
  plain[lane] = next;
  v[lane] = next * 2;
  plain[gridDim.x * blockDim.x + lane] = plain[(lane + 1) % 32];
}

using rule = std::function<void(word* v, word* out)>;  // of one warp, its lanes in step

std::vector<word> by_rule(std::vector<word> v, const rule& r) {
  for (unsigned first = 0; first < n; first += 32) r(&v[first], &v[n + first]);
  return v;
}

void expect_rule(void (*kernel)(word*), const rule& r) {
  const simt::test::values data(2 * n);
  const std::vector<word> before = data.all();
  in_each_way([&] {
    std::copy(before.begin(), before.end(), data.get());
    simt::launch({.grid = blocks, .block = threads}, kernel, data.get());
    EXPECT_EQ(data.all(), by_rule(before, r));
  });
}

TEST(lockstep, loads_before_it_stores) {
  expect_rule(shift, [](word* v, word*) {
    for (unsigned l = 0; l < 31; ++l) v[l] = v[l + 1];
  });
}
TEST(lockstep, waits_for_lanes_in_earlier_rounds) {
  expect_rule(scan, [](word* v, word* out) {
    for (unsigned l = 1; l < 32; ++l) v[l] += v[l - 1];
    std::fill_n(out, 32, v[31]);
  });
}
TEST(lockstep, holds_for_lanes_that_have_parted) {
  expect_rule(by_parity, [](word* v, word* out) {
    for (unsigned s = 16; s > 1; s /= 2) {
      for (unsigned l = 0; l < s; ++l) v[l] += v[l + s];
    }
    std::fill_n(out, 32, v[0] + v[1]);
  });
}
TEST(lockstep, waits_for_lanes_in_loops) {
  expect_rule(rounds, [](word* v, word* out) {
    for (unsigned l = 0; l < 32; ++l) {
      for (unsigned i = 0; i < l % 7; ++i) v[l] = v[l] * 3 + i;
    }
    for (unsigned l = 0; l < 32; ++l) out[l] = v[31 - l];
  });
}
TEST(lockstep, is_of_plain_accesses_beside_volatile_ones) {
  expect_rule(half_volatile, [](word* v, word* out) {
    std::rotate(v, v + 1, v + 32);
    for (unsigned l = 0; l < 32; ++l) v[l] *= 2;
    for (unsigned l = 0; l < 32; ++l) out[l] = v[(l + 1) % 32];
  });
}

/// In other orders lanes part.
TEST(lockstep, is_of_the_ascending_order_alone) {
  const simt::test::values data(2 * n);
  const std::vector<word> before = data.all();
  const simt::observe scope({.seed = 1});
  simt::launch({.grid = blocks, .block = threads}, in_global<word>, data.get());
  word sum = 0;
  for (unsigned i = 0; i < threads; ++i) sum += before[i];
  EXPECT_NE(data.get()[0], sum);
}

// --- lanes that wait for each other ---

/// One lane tells the others of its warp, which look until they see it.
__global__ void flag_in_warp(word* data) {
  volatile word* const flag = data + blockIdx.x;
  if (threadIdx.x == 0) {
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
  }
  data[gridDim.x + blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
/// A lane that has the lock changes what it protects.
__global__ void locked(word* data) {
  volatile word* const sum = data + 1;
  for (bool done = false; !done;) {
    if (atomicCAS(data, 0U, 1U) == 0) {
      *sum = *sum + threadIdx.x;
      __threadfence();
      atomicExch(data, 0U);
      done = true;
    }
  }
}
__global__ void spins(word* data) {
  volatile word* const sum = data + 1;
  if (threadIdx.x == 0) {
    for (word i = 0; i < 100; ++i) sum[i] = sum[i] + i;
    atomicExch(data, 1U);
  } else {
    while (atomicAdd(data, 0U) == 0) {
    }
  }
}

void expect_soon(void (*kernel)(word*), std::size_t words, const std::function<void(word*)>& test) {
  const simt::test::values data(words);
  for (const bool watched : {false, true}) {
    std::fill_n(data.get(), words, 0U);
    const simt::observe scope({.watched = watched, .limit_seconds = 20});
    simt::launch({.grid = blocks, .block = threads}, kernel, data.get());
    test(data.get());
  }
}

TEST(lockstep, lets_lanes_wait_for_a_flag) {
  expect_soon(flag_in_warp, blocks + n, [](word* data) {
    EXPECT_THAT(std::vector<word>(data, data + blocks + n), Each(1U));
  });
}
TEST(lockstep, lets_lanes_wait_for_a_lock) {
  expect_soon(locked, 2,
              [](word* data) { EXPECT_EQ(data[1], blocks * threads * (threads - 1) / 2); });
}
TEST(lockstep, lets_lanes_wait_for_an_atomic) {
  expect_soon(spins, 101, [](word* data) { EXPECT_EQ(data[1], 0U); });
}

// --- what needs no meetings ---

/// Barriers order all that is volatile here.
__global__ void with_barriers(word* data) {
  auto& s = warpfold::detail::shared_storage<tile<word>>();
  const unsigned t = threadIdx.x;
  s.of[t] = data[blockIdx.x * threads + t];
  __syncthreads();
  data[blockIdx.x * threads + t] = s.of[threads - 1 - t];
}

/// A tree of whole warps.
__global__ void tree(word* data) {
  auto& s = warpfold::detail::shared_storage<tile<word>>();
  const unsigned t = threadIdx.x;
  s.of[t] = data[blockIdx.x * threads + t];
  __syncthreads();
  if (t < 64) s.of[t] = s.of[t] + s.of[t + 64];
  __syncthreads();
  for (unsigned stride = 32; stride > 0; stride /= 2) {
    if (t < stride) s.of[t] = s.of[t] + s.of[t + stride];
    __syncthreads();
  }
  if (t == 0) data[blockIdx.x * threads] = s.of[0];
}

TEST(lockstep, is_not_said_of_barriers_flags_and_locks) {
  const simt::test::values data(n);
  testing::internal::CaptureStderr();
  const simt::observe scope({});
  simt::launch({.grid = blocks, .block = threads}, with_barriers, data.get());
  EXPECT_EQ(scope.engine, engine_kind::blocks);
  simt::launch({.grid = blocks, .block = threads}, tree, data.get());
  for (auto* const kernel : {flag_in_warp, locked, spins}) {
    std::fill_n(data.get(), n, 0U);
    simt::launch({.grid = 1, .block = 32}, kernel, data.get());
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
