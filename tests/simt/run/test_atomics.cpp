// Atomics across lanes, blocks and workers: exact totals, and each old value seen once.
#include <algorithm>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests {
namespace {

constexpr unsigned grid = 200, block = 160, threads = grid * block;

template <class T>
__global__ void add_one_each(T* total) {
  atomicAdd(total, T{1});
}

template <class T>
void expect_exact_total() {
  for (const std::uint64_t seed : {0, 3}) {
    const simt::observe scope({.seed = seed});
    const device_array<T> total(1, T{5});
    simt::launch({.grid = grid, .block = block}, add_one_each<T>, total.data());
    EXPECT_EQ(total[0], static_cast<T>(threads + 5));
  }
}

TEST(atomics, add_up_exactly_in_every_type) {
  expect_exact_total<int>();
  expect_exact_total<unsigned>();
  expect_exact_total<unsigned long long>();
  expect_exact_total<float>();  // below 2^24, so no sum is rounded
  expect_exact_total<double>();
}

__global__ void take_ticket(unsigned* next, unsigned* owner) {
  owner[atomicAdd(next, 1U)] = blockIdx.x * blockDim.x + threadIdx.x;
}

TEST(atomics, give_each_old_value_to_one_thread) {
  const device_array<unsigned> next(1), owner(threads, ~0U);
  simt::launch({.grid = grid, .block = block}, take_ticket, next.data(), owner.data());
  std::sort(owner.begin(), owner.end());
  for (unsigned i = 0; i < threads; ++i) ASSERT_EQ(owner[i], i);
}

struct results {
  int sub, lowest, highest, exchanged, both;
  unsigned either, odd, wrapped;
  float lowest_float;
};

__global__ void every_kind(results* r, unsigned* seen) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = static_cast<int>(i) - 1000;
  atomicSub(&r->sub, 2);
  atomicMin(&r->lowest, v);
  atomicMax(&r->highest, v);
  atomicMin(&r->lowest_float, 0.5F * static_cast<float>(v));
  atomicAnd(&r->both, ~(1 << (i % 7)));
  atomicOr(&r->either, 1U << (i % 31));
  atomicXor(&r->odd, 1U << (i % 5));
  atomicAdd(&seen[atomicInc(&r->wrapped, 9)], 1U);
  atomicExch(&r->exchanged, v);
}

TEST(atomics, do_every_operation) {
  const device_array<results> r(1, results{.both = -1});
  const device_array<unsigned> seen(10);
  simt::launch({.grid = grid, .block = block}, every_kind, r.data(), seen.data());
  EXPECT_EQ(r[0].sub, -2 * static_cast<int>(threads));
  EXPECT_EQ(r[0].lowest, -1000);
  EXPECT_EQ(r[0].highest, static_cast<int>(threads) - 1001);
  EXPECT_EQ(r[0].lowest_float, -500.0F);
  EXPECT_EQ(r[0].both, ~127);
  EXPECT_EQ(r[0].either, 0x7fffffffU);
  EXPECT_EQ(r[0].odd, 0U) << "each bit flips 6400 times";
  EXPECT_EQ(r[0].wrapped, threads % 10);
  EXPECT_GE(r[0].exchanged, -1000);
  for (const unsigned times : seen) EXPECT_EQ(times, threads / 10);
}

__global__ void multiply(unsigned long long* product, unsigned long long factor) {
  unsigned long long seen = *product;
  for (;;) {
    const unsigned long long old = atomicCAS(product, seen, seen * factor);
    if (old == seen) return;
    seen = old;
  }
}

TEST(atomics, build_other_operations_from_compare_and_swap) {
  for (const std::uint64_t seed : {0, 1}) {
    const simt::observe scope({.seed = seed});
    const device_array<unsigned long long> product(1, 1);
    simt::launch({.grid = grid, .block = block}, multiply, product.data(), 3ULL);
    unsigned long long expected = 1;
    for (unsigned i = 0; i < threads; ++i) expected *= 3;
    EXPECT_EQ(product[0], expected);
  }
}

struct histogram_storage {
  unsigned bins[64];
};

__global__ void histogram(unsigned* out) {
  auto& s = detail::shared_storage<histogram_storage>();
  if (threadIdx.x < 64) s.bins[threadIdx.x] = 0;
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&s.bins[i * i % 64], 1U);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], s.bins[threadIdx.x]);
}

TEST(atomics, work_in_shared_memory) {
  for (const std::uint64_t seed : {0, 1}) {
    const simt::observe scope({.seed = seed});
    const device_array<unsigned> out(64);
    simt::launch({.grid = grid, .block = block}, histogram, out.data());
    unsigned expected[64] = {};
    for (unsigned i = 0; i < threads; ++i) ++expected[i * i % 64];
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(out[i], expected[i]);
  }
}

}  // namespace
}  // namespace warpfold::tests
