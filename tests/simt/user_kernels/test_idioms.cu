// CUDA as it is written elsewhere: what the source step and the headers must cope with.
#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/report.hpp"
#include "tests/simt/user_kernels/idioms.cuh"

using namespace std;

extern "C" __global__ void with_c_name(int* out) { out[threadIdx.x] = min((int)threadIdx.x, 3); }

#define TILE 16
template <int Tile = TILE>
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[Tile][Tile], bs[Tile][Tile + 1];
  int row = blockIdx.y * Tile + threadIdx.y, col = blockIdx.x * Tile + threadIdx.x;
  float acc = 0.f;
  for (int t = 0; t < (n + Tile - 1) / Tile; t++) {
    as[threadIdx.y][threadIdx.x] =
        (row < n && t * Tile + int(threadIdx.x) < n) ? a[row * n + t * Tile + threadIdx.x] : 0.f;
    bs[threadIdx.y][threadIdx.x] =
        (t * Tile + int(threadIdx.y) < n && col < n) ? b[(t * Tile + threadIdx.y) * n + col] : 0.f;
    __syncthreads();
    for (int k = 0; k < Tile; ++k) acc = fmaf(as[threadIdx.y][k], bs[k][threadIdx.x], acc);
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = acc;
}

/// A parameter that is copied and destroyed by code of its own.
struct handle {
  int* at;
  __host__ __device__ explicit handle(int* p) : at(p) {}
  __host__ __device__ handle(const handle& o) : at(o.at) {}
  __host__ __device__ ~handle() {}
};
__global__ void by_handle(handle h) { atomicAdd(h.at, 2); }

struct settings {
  float scale;
  int offset[3];
  point origin;
};
__global__ void by_value(settings s, float* out) {
  s.offset[0] += threadIdx.x;  // its own copy
  out[threadIdx.x] = s.scale * s.offset[0] + s.origin.dot({1, 1, 1});
}

__device__ __noinline__ int called(int x) { return x * 2; }
__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__global__ void calls(int* out) { out[threadIdx.x] = called(threadIdx.x) + factorial(5) + side(); }

namespace {
namespace detail {
template <class T>
struct table {
  T values[4];
};
}  // namespace detail
__constant__ detail::table<int> constants = {{1, 2, 3, 4}};
__global__ void switches(int* out, int which) {
  switch (which) {
    case 0: out[0] = constants.values[threadIdx.x]; break;
    default: {
      __shared__ int x;
      x = which;
      out[0] = x;
      return;
    }
  }
  if (out[0] == 1) goto end;
  out[0] = -1;
end:
  out[1] = 7;
}
__global__ void volatile_flag(volatile int* flag, int* data) {
  if (blockIdx.x == 1) {
    data[0] = 42;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    data[1] = data[0];
  }
}

template <class T>
struct buffer {
  T* p = nullptr;
  explicit buffer(size_t n) { CUDA_CHECK(cudaMallocManaged(&p, n * sizeof(T))); }
  buffer(const buffer&) = delete;
  ~buffer() { cudaFree(p); }
  operator T*() const { return p; }
};

TEST(own_idioms, a_parameter_may_have_a_destructor) {
  int* sum = nullptr;
  ASSERT_EQ(cudaMallocManaged(&sum, sizeof(int)), cudaSuccess);
  *sum = 0;
  by_handle<<<2, 64>>>(handle(sum));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(*sum, 256);
  cudaFree(sum);
}

TEST(own_idioms, names_of_c_and_min_beside_std) {
  buffer<int> out(8);
  with_c_name<<<1, 8>>>(out);  // converts to int*
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_THAT(vector<int>(out.p, out.p + 8), testing::ElementsAre(0, 1, 2, 3, 3, 3, 3, 3));
  EXPECT_EQ(max(3, 5), 5);
}

TEST(own_idioms, macros_that_launch_and_templates_in_headers) {
  const int n = 1000;
  buffer<double> in(n), sum(1);
  fill_n(in.p, n, 0.5);
  *sum = 0;
  if (n > 0)
    LAUNCH((block_sum<double, 128>), n, in, sum, n);
  else
    FAIL();
  EXPECT_EQ(*sum, 500);
}

TEST(own_idioms, matmul) {
  const int n = 40;
  buffer<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = i % 7, b[i] = i % 5;
  const auto report = simt::inspect([&] {
    matmul<><<<dim3((n + TILE - 1) / TILE, (n + TILE - 1) / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
  });
  float expected = 0;
  for (int k = 0; k < n; ++k) expected += a[3 * n + k] * b[k * n + 9];
  EXPECT_EQ(c[3 * n + 9], expected);
  EXPECT_THAT(report.findings(), testing::IsEmpty());
}

TEST(own_idioms, structs_by_value_and_functions_called) {
  buffer<float> out(4);
  buffer<int> ints(4);
  by_value<<<1, 4>>>({2, {10, 20, 30}, {1, 2, 3}}, out);
  EXPECT_EQ(out[3], 2 * 13 + 6);
  calls<<<1, 4>>>(ints);
  EXPECT_EQ(ints[1], 2 + 120 + 900);
}

TEST(own_idioms, lambdas_of_the_device) {
  buffer<int> out(300);
  int* const p = out;
  const int by = 3;
  for_each_index<<<2, 64>>>(300, [=] __device__(int i) { p[i] = i * by; });
  EXPECT_EQ(out[299], 897);
  for_each_index<<<1, 1>>>(1, [p] __host__ __device__(int i) mutable { p[i] = -1; });
  EXPECT_EQ(out[0], -1);
}

TEST(own_idioms, switch_and_goto) {
  buffer<int> out(2);
  switches<<<1, 1>>>(out, 0);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 7);
  switches<<<1, 1>>>(out, 5);
  EXPECT_EQ(out[0], 5);
}

TEST(own_idioms, blocks_that_wait_for_each_other) {
  buffer<int> flag(1), data(2);
  *flag = 0;
  volatile_flag<<<2, 1>>>(flag, data);
  EXPECT_EQ(data[1], 42);
}

}  // namespace
