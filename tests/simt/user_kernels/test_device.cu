// What a device gives where C++ or a processor gives something else.
#include <cstdio>
#include <ctime>
#include <string>
#include <thread>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/report.hpp"

using testing::HasSubstr;
using testing::IsEmpty;

namespace {

struct shifted {
  unsigned left, right;
  int signed_right;
  unsigned long long wide, assigned;
  unsigned folded;
};

constexpr int shift_line = __LINE__ + 2;
__global__ void shift_by(shifted* s, int n) {
  s->left = (1u << n) - 1;
  s->right = 0x80000000u >> n;
  s->signed_right = -8 >> n;
  s->wide = 1ull << (n + 1) >> 1;
  s->assigned = 1;
  s->assigned <<= 2 * n;
  s->folded = 0xffu << 3 >> 5;
  if (n == 0) printf("%d\n", 1 << 4);
}

TEST(device, clamps_shifts_by_the_width_or_more) {
  shifted* s = nullptr;
  ASSERT_EQ(cudaMalloc(&s, sizeof *s), cudaSuccess);
  const auto report = simt::inspect([&] { shift_by<<<1, 1>>>(s, 32); });
  EXPECT_EQ(s->left, 0xffffffffU);
  EXPECT_EQ(s->right, 0U);
  EXPECT_EQ(s->signed_right, -1);
  EXPECT_EQ(s->wide, 1ULL << 32);
  EXPECT_EQ(s->assigned, 0U);
  EXPECT_EQ(s->folded, 0xffU << 3 >> 5);
  int lines = 0;
  for (const simt::finding& f : report.findings()) {
    EXPECT_EQ(f.kind, simt::finding_kind::wide_shift) << f.text();
    EXPECT_GE(f.here.line, shift_line);
    EXPECT_THAT(f.text(), HasSubstr("shift by the width or more: kernel shift_by"));
    ++lines;
  }
  EXPECT_EQ(lines, 4);
  EXPECT_THAT(simt::inspect([&] { shift_by<<<1, 1>>>(s, 31); }).findings(), IsEmpty());
  cudaFree(s);
}

__global__ void read_clocks(long long* d) {
  const clock_t c = clock();
  const long long c64 = clock64();
  volatile double x = 0;
  for (int i = 0; i < 100000; ++i) x = x + 1;
  d[1] = clock64() - c64;
  d[0] = clock() - c;
}

TEST(device, has_one_clock) {
  long long* d = nullptr;
  ASSERT_EQ(cudaMalloc(&d, 2 * sizeof *d), cudaSuccess);
  read_clocks<<<1, 1>>>(d);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_GE(d[0], d[1]);
  EXPECT_LT(d[0], 2 * d[1] + 1000000);
  cudaFree(d);
  const clock_t host = clock();
  EXPECT_EQ(host / CLOCKS_PER_SEC, std::clock() / CLOCKS_PER_SEC) << "the host has its own";
}

struct list {
  char* text;
  int length;
};
__global__ void follow(list* l) {
  if (threadIdx.x == 3) l->length = l->text[5];
}

/// Both sides of a file use the same functions of the standard library.
TEST(device, faults_in_a_file_that_uses_strings) {
  std::string text = "program";
  for (int i = 0; i < 40; ++i) {
    text += "some more text";
    text.push_back('x');
    text.insert(3, "abc");
  }
  EXPECT_EQ(text.size(), 7U + 40 * 18);
  list* l = nullptr;
  ASSERT_EQ(cudaMalloc(&l, sizeof *l), cudaSuccess);
  cudaMemset(l, 0, sizeof *l);
  const auto report = simt::inspect([&] { follow<<<1, 32>>>(l); }, {});
  ASSERT_FALSE(report.errors().empty());
  EXPECT_THAT(report.errors()[0], HasSubstr("follow"));
  cudaDeviceReset();
}

__global__ void count_round(unsigned* n) {
  atomicInc_system(n, 6);
  atomicInc_block(n, 6);
  atomicDec_block(n, 6);
  atomicDec_system(n + 1, 6);
}

TEST(device, has_atomics_of_every_scope) {
  unsigned* n = nullptr;
  ASSERT_EQ(cudaMalloc(&n, 2 * sizeof *n), cudaSuccess);
  cudaMemset(n, 0, 2 * sizeof *n);
  count_round<<<1, 1>>>(n);
  EXPECT_EQ(n[0], 1U);
  EXPECT_EQ(n[1], 6U);
  cudaFree(n);
}

__global__ void mark(int* p) { *p = 1; }

__global__ void by_builtin_atomics(int* n, float* sum, unsigned short* flags) {
  const int seen = __nv_atomic_load_n(n, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_add(n, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  int expected = seen;
  while (!__nv_atomic_compare_exchange_n(n + 1, &expected, expected + 2, false, __NV_ATOMIC_ACQ_REL,
                                         __NV_ATOMIC_RELAXED)) {
  }
  __nv_atomic_max(n + 2, static_cast<int>(threadIdx.x), __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_add(sum, 0.5F, __NV_ATOMIC_SEQ_CST);
  __nv_atomic_store_n(flags + threadIdx.x % 2, 7, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
}

TEST(device, has_the_compilers_atomics) {
  int* n = nullptr;
  float* sum = nullptr;
  unsigned short* flags = nullptr;
  ASSERT_EQ(cudaMallocManaged(&n, 3 * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&sum, sizeof(float)), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&flags, 2 * sizeof(unsigned short)), cudaSuccess);
  n[0] = n[1] = n[2] = 0;
  *sum = 0;
  simt::observe checking({.check = true});
  by_builtin_atomics<<<4, 64>>>(n, sum, flags);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(checking.findings.empty());
  EXPECT_EQ(n[0], 256);
  EXPECT_EQ(n[1], 512);
  EXPECT_EQ(n[2], 63);
  EXPECT_EQ(*sum, 128);
  EXPECT_EQ(flags[1], 7);
  cudaFree(n);
  cudaFree(sum);
  cudaFree(flags);
}

TEST(device, launches_of_other_host_threads_are_observed) {
  int* p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, sizeof *p), cudaSuccess);
  const auto report = simt::inspect([&] { std::thread([&] { mark<<<1, 1>>>(p); }).join(); });
  ASSERT_EQ(report.kernels().size(), 1U);
  EXPECT_THAT(report.kernels()[0].name, HasSubstr("mark"));
  cudaFree(p);
}

struct pair_of {
  float x, y;
};
inline __device__ void operator+=(pair_of& a, pair_of b) {
  a.x += b.x;
  a.y += b.y;
}
inline __device__ bool operator!=(pair_of a, pair_of b) { return a.x != b.x || a.y != b.y; }
__device__ inline bool operator==(pair_of a, pair_of b) { return !(a != b); }
__global__ void add_pairs(pair_of* p, bool* same) {
  p[0] += p[1];
  *same = p[0] == p[1];
}

// clang-format off
TEST(device, operators_and_launches_with_spaces) {
  pair_of* p = nullptr;
  ASSERT_EQ(cudaMallocManaged(&p, 3 * sizeof *p), cudaSuccess);
  p[0] = {1, 2};
  p[1] = {3, 4};
  auto* const same = reinterpret_cast<bool*>(p + 2);
  add_pairs << <1, 1>> >(p, same);
  EXPECT_EQ(p[0].y, 6);
  EXPECT_FALSE(*same);
  cudaFree(p);
}
// clang-format on

}  // namespace

// As a C source has them: with another linkage these would not compile.
extern "C" cudaError_t cudaSetDevice(int);
extern "C" cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
extern "C" cudaError_t cudaEventCreate(cudaEvent_t*);
