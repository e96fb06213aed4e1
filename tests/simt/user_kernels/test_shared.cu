// __shared__ in all its forms.
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "simt/launch.hpp"

namespace {

/// What `kernel` leaves in `n` ints.
template <class Kernel>
std::vector<int> ints_of(int n, Kernel launch) {
  int* device = nullptr;
  EXPECT_EQ(cudaMalloc(&device, n * sizeof(int)), cudaSuccess);
  EXPECT_EQ(cudaMemset(device, 0, n * sizeof(int)), cudaSuccess);
  launch(device);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  std::vector<int> host(static_cast<std::size_t>(n));
  EXPECT_EQ(cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  return host;
}

__global__ void belongs_to_the_block(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int round = 0; round < 3; ++round) {  // blocks interleave at barriers
    atomicAdd(&count, 1);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}

TEST(own_shared, belongs_to_the_block) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const simt::observe orders({.seed = seed});
    const auto out = ints_of(40, [](int* p) { belongs_to_the_block<<<40, 48>>>(p); });
    for (const int count : out) EXPECT_EQ(count, 3 * 48);
  }
}

__global__ void many_declarators(int* out) {
  __shared__ int a[8], b, c[2][4];
  volatile __shared__ int d;
  __shared__ volatile int e;
  static __shared__ alignas(16) int f[4];
  __shared__ __align__(8) char g[8];
  __shared__ struct {
    int x, y;
  } h;
  const int i = static_cast<int>(threadIdx.x);
  a[i] = i;
  c[i / 4][i % 4] = 10 * i;
  if (i == 0) {
    b = 100;
    d = 200;
    e = 300;
    f[3] = 400;
    g[7] = 5;
    h.y = 600;
  }
  __syncthreads();
  out[i] = a[7 - i] + c[(7 - i) / 4][(7 - i) % 4] + b + d + e + f[3] + g[7] + h.y;
  if (i == 0) {
    out[8] = static_cast<int>(sizeof(a) + sizeof(c) + sizeof(h));
    out[9] = static_cast<int>(reinterpret_cast<std::uintptr_t>(f) % 16);
  }
}

TEST(own_shared, several_declarators_and_arrays_of_two_dimensions) {
  const auto out = ints_of(10, [](int* p) { many_declarators<<<1, 8>>>(p); });
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 11 * (7 - i) + 1605);
  EXPECT_EQ(out[8], 32 + 32 + 8);
  EXPECT_EQ(out[9], 0);
}

template <class T, int N>
__device__ T rotated(T value) {
  __shared__ T ring[N];
  ring[threadIdx.x] = value;
  __syncthreads();
  const T next = ring[(threadIdx.x + 1) % N];
  __syncthreads();
  return next;
}

template <class T, int N>
__global__ void rotate_twice(int* out) {
  const T once = rotated<T, N>(static_cast<T>(threadIdx.x));
  out[threadIdx.x] = static_cast<int>(rotated<short, N>(static_cast<short>(once)));
}

TEST(own_shared, in_templates_the_size_may_depend) {
  const auto out = ints_of(64, [](int* p) { rotate_twice<double, 64><<<1, 64>>>(p); });
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], (i + 2) % 64);
}

__global__ void dynamic(int* out, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  int* const values = reinterpret_cast<int*>(raw);
  const int i = static_cast<int>(threadIdx.x);
  values[i] = i;
  __syncthreads();
  out[i] = values[n - 1 - i];
}
template <class T>
__global__ void dynamic_rows(int* out) {
  extern __shared__ T rows[][4];
  rows[threadIdx.x / 4][threadIdx.x % 4] = static_cast<T>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = static_cast<int>(rows[3 - threadIdx.x / 4][threadIdx.x % 4]);
}

TEST(own_shared, dynamic) {
  const auto out = ints_of(32, [](int* p) { dynamic<<<1, 32, 32 * sizeof(int)>>>(p, 32); });
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 31 - i);
  const auto rows =
      ints_of(16, [](int* p) { dynamic_rows<float><<<1, 16, 16 * sizeof(float)>>>(p); });
  EXPECT_EQ(rows[0], 12);
  EXPECT_EQ(rows[15], 3);
}

__global__ void blocks_of_three_dimensions(int* out) {
  __shared__ int sum;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (thread == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, static_cast<int>(threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z));
  __syncthreads();
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  if (thread == 0) out[block] = sum + 100000 * static_cast<int>(blockIdx.z);
}

TEST(own_shared, blocks_and_grids_of_three_dimensions) {
  const auto out =
      ints_of(24, [](int* p) { blocks_of_three_dimensions<<<dim3(2, 3, 4), dim3(4, 3, 2)>>>(p); });
  const int one = 6 * (0 + 1 + 2 + 3) + 8 * (0 + 10 + 20) + 12 * 100;
  for (int b = 0; b < 24; ++b) EXPECT_EQ(out[static_cast<std::size_t>(b)], one + b / 6 * 100000);
}

}  // namespace
