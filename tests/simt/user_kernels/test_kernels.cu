// What stands around and in ordinary kernels: launches, variables, printf, assert, clocks.
#include <cassert>
#include <cstdio>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/launch.hpp"
#include "simt/report.hpp"

using testing::HasSubstr;

__global__ void declared_before(int* p);

namespace own {

__constant__ float weights[3] = {1, 2, 3};
__constant__ struct {
  int x, y;
} pair;
__device__ unsigned ticket, counts[4] = {1, 2, 3, 4};
static __device__ float twice(float v) { return 2 * v; }
__device__ float thrice(float v) { return 3 * v; }
__device__ float (*operation)(float) = thrice;

__global__ void use_variables(float* out) {
  const unsigned mine = atomicAdd(&ticket, 1U);
  out[mine] = weights[mine] * static_cast<float>(counts[mine]) + operation(twice(1)) +
              static_cast<float>(pair.y);
}

template <class T, class... More>
__global__ void __launch_bounds__(64) sum_of(T* out, T first, More... more) {
  first += (T(0) + ... + static_cast<T>(more));  // a thread's own
  out[threadIdx.x] = first;
}

template <int>
__global__ void overloaded(int* out, const int* in = nullptr) {
  *out = in == nullptr ? 1 : *in;
}
__global__ void overloaded(int* out, float) { *out = 3; }

}  // namespace own

__global__ void declared_before(int* p) { *p = 7; }

namespace {

template <class T>
struct managed {
  T* p = nullptr;
  explicit managed(std::size_t n) { cudaMallocManaged(&p, n * sizeof(T)); }
  ~managed() { cudaFree(p); }
};

TEST(own_kernels, variables_of_the_device) {
  managed<float> out(3);
  const int two[2] = {0, 50};
  const unsigned zero = 0;
  ASSERT_EQ(cudaMemcpyToSymbol(own::pair, two, sizeof two), cudaSuccess);
  ASSERT_EQ(cudaMemcpyToSymbol(own::ticket, &zero, sizeof zero), cudaSuccess);
  simt::observe counting({.count = true, .check = true});
  own::use_variables<<<1, 3>>>(out.p);
  EXPECT_EQ(out.p[0], 1 + 6 + 50);
  EXPECT_EQ(out.p[2], 9 + 6 + 50);
  unsigned ticket = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&ticket, own::ticket, sizeof ticket), cudaSuccess);
  EXPECT_EQ(ticket, 3U);
  EXPECT_EQ(counting.total.global_atomic.requests, 1U);
  EXPECT_EQ(counting.total.global_load.requests, 2U) << "counts and operation; weights is constant";
  EXPECT_TRUE(counting.findings.empty());
}

__device__ int unguarded;
constexpr int racing_line = __LINE__ + 1;
__global__ void add_without_atomics() { unguarded = unguarded + 1; }

TEST(own_kernels, races_on_a_variable_are_found) {
  simt::observe checking({.check = true});
  add_without_atomics<<<2, 1>>>();
  ASSERT_FALSE(checking.findings.empty());
  EXPECT_EQ(checking.findings[0].kind, simt::finding_kind::race_between_blocks);
  EXPECT_THAT(checking.findings[0].here.file, HasSubstr("test_kernels.cu"));
  EXPECT_EQ(checking.findings[0].here.line, racing_line);
}

TEST(own_kernels, launches_of_every_look) {
  managed<int> out(64);
  declared_before<<<1, 1>>>(out.p);
  EXPECT_EQ(out.p[0], 7);
  own::sum_of<<<1, 64>>>(out.p, 1, 2L, short(3));  // template arguments deduced
  EXPECT_EQ(out.p[63], 6);
  own::sum_of<int, int><<<1,
                          64,  // over several lines
                          0>>>(out.p, 1, 3);
  EXPECT_EQ(out.p[63], 4);
  own::overloaded<(3 > 2)><<<dim3(1), 1>>>(out.p);  // with its default argument
  EXPECT_EQ(out.p[0], 1);
  own::overloaded<<<1, 1>>>(out.p, 0.5F);
  EXPECT_EQ(out.p[0], 3);
  void (*pointer)(int*) = declared_before;
  pointer<<<1, 1>>>(out.p + 1);
  void (*table[])(int*) = {declared_before};
  if (out.p[1] == 7)
    table[0]<<<1, 1>>>(out.p + 2);
  else
    own::overloaded<1><<<1, 1>>>(out.p + 2);
  (out.p[2] == 7 ? pointer : table[0])<<<1, 1>>>(out.p + 3);
  EXPECT_EQ(out.p[3], 7);
  int* const last = out.p + 4;
  void* arguments[] = {const_cast<int**>(&last)};
  EXPECT_EQ(cudaLaunchKernel((void*)declared_before, dim3(1), dim3(1), arguments, 0, nullptr),
            cudaSuccess);
  EXPECT_EQ(out.p[4], 7);
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 64;
  EXPECT_EQ(cudaLaunchKernelEx(&config, own::sum_of<int, int>, out.p, 4, 5), cudaSuccess);
  EXPECT_EQ(out.p[63], 9);
}

TEST(own_kernels, one_not_launched_says_so) {
  void (*const pointer)(int*) = declared_before;  // by its name it is refused
  try {
    pointer(nullptr);
    FAIL();
  } catch (const simt::launch_error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("declared_before"), HasSubstr("<<<grid, block>>>")));
  }
}

__global__ void kernel_in_kernel() { declared_before<<<1, 1>>>(nullptr); }
constexpr int assert_line = __LINE__ + 1;
__global__ void assert_small(int n) { assert(n < 3 && "too large"); }

std::string failure_of(void (*launch)(), cudaError_t status) {
  simt::observe watching({});
  launch();
  EXPECT_EQ(cudaDeviceSynchronize(), status);
  EXPECT_EQ(cudaGetLastError(), status);
  EXPECT_EQ(cudaGetLastError(), status) << "it sticks";
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, 4), status);
  declared_before<<<1, 1>>>(nullptr);  // isn't run any more
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  return watching.errors.empty() ? "" : watching.errors[0];
}

TEST(own_kernels, assert_ends_the_kernel_and_names_the_thread) {
  assert_small<<<2, 2>>>(2);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_THAT(failure_of([] { assert_small<<<2, 2>>>(3); }, cudaErrorAssert),
              AllOf(HasSubstr("n < 3"), HasSubstr("failed in assert_small"),
                    HasSubstr("test_kernels.cu:" + std::to_string(assert_line)),
                    HasSubstr("assert_small"), HasSubstr("block (")));
}

constexpr int write_line = __LINE__ + 1;
__global__ void write_to(int* p) { *p = 1; }

TEST(own_kernels, an_address_without_memory_ends_the_kernel_not_the_program) {
  EXPECT_THAT(failure_of([] { write_to<<<1, 1>>>(nullptr); }, cudaErrorIllegalAddress),
              AllOf(HasSubstr("write_to"), HasSubstr("address 0x0"), HasSubstr("thread (0,0,0)"),
                    HasSubstr("test_kernels.cu:" + std::to_string(write_line))));
  EXPECT_THAT(failure_of(
                  [] {
                    int* p = nullptr;
                    cudaMalloc(&p, sizeof(int));
                    cudaFree(p);
                    write_to<<<1, 1>>>(p);
                  },
                  cudaErrorIllegalAddress),
              HasSubstr("not device memory"));
}

constexpr int divide_line = __LINE__ + 1;
__global__ void divide(int* p, int by) { p[threadIdx.x] /= by; }

TEST(own_kernels, a_division_that_the_processor_refuses_ends_the_kernel_not_the_program) {
  EXPECT_THAT(failure_of(
                  [] {
                    int* p = nullptr;
                    cudaMalloc(&p, 32 * sizeof(int));
                    divide<<<1, 32>>>(p, 0);
                    cudaFree(p);
                  },
                  cudaErrorLaunchFailure),
              AllOf(HasSubstr("divide"), HasSubstr("by zero"), HasSubstr("thread (0,0,0)"),
                    HasSubstr("test_kernels.cu:" + std::to_string(divide_line))));
}

__global__ void misaligned(float4* p, const float4*) {
  *reinterpret_cast<float4*>(&p->y) = make_float4(1, 2, 3, 4);
}
__global__ void misaligned_by_cast(float4* p, const float4*) {
  *reinterpret_cast<float4*>(reinterpret_cast<float*>(p) + 1) = make_float4(1, 2, 3, 4);
}
__global__ void misaligned_copy(float4* p, const float4* q) {
  *reinterpret_cast<float4*>(&p->z) = *q;
}
__global__ void misaligned_load(float4* p, const float4* q) {
  const float4 v = *reinterpret_cast<const float4*>(&q->w);
  p->x = v.x + v.y;
}

TEST(own_kernels, sixteen_bytes_at_an_odd_address) {
  static float4* p = nullptr;
  const auto stores = {+[] { misaligned<<<1, 1>>>(p, p + 2); },
                       +[] { misaligned_by_cast<<<1, 1>>>(p, p + 2); },
                       +[] { misaligned_copy<<<1, 1>>>(p, p + 2); }};
  for (const auto store : stores) {
    cudaMalloc(&p, 4 * sizeof(float4));
    EXPECT_THAT(failure_of(store, cudaErrorMisalignedAddress), HasSubstr("no multiple of 16"));
  }
  for (const auto access : {stores.begin()[0], stores.begin()[1], stores.begin()[2],
                            +[] { misaligned_load<<<1, 1>>>(p, p + 2); }}) {
    const auto report = simt::inspect([&] {
      cudaMalloc(&p, 4 * sizeof(float4));
      cudaMemset(p, 0, 4 * sizeof(float4));
      access();
    });
    ASSERT_EQ(report.findings().size(), 1U);
    EXPECT_EQ(report.findings()[0].kind, simt::finding_kind::misaligned);
    EXPECT_EQ(report.findings()[0].bytes, 16U);
  }
}

TEST(own_kernels, what_a_kernel_launches_fails_by_its_own_name) {
  EXPECT_THAT(failure_of([] { kernel_in_kernel<<<1, 1>>>(); }, cudaErrorIllegalAddress),
              AllOf(HasSubstr("declared_before"), HasSubstr("accesses address")));
}

__global__ void say(const char* what) {
  printf("%s from block %u, thread %u: %.2f %lld\n", what, blockIdx.x, threadIdx.x, 1.5, 1LL << 40);
}

TEST(own_kernels, printf_prints) {
  testing::internal::CaptureStdout();
  say<<<2, 1>>>("hello");
  std::fflush(stdout);
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_THAT(out, AllOf(HasSubstr("hello from block 0, thread 0: 1.50 1099511627776\n"),
                         HasSubstr("hello from block 1, thread 0: 1.50 1099511627776\n")));
}

__global__ void time_itself(long long* out) {
  const long long start = clock64();
  __nanosleep(100);
  out[threadIdx.x] = clock64() - start;
}

TEST(own_kernels, clock64_goes_on) {
  managed<long long> out(32);
  time_itself<<<1, 32>>>(out.p);
  for (int i = 0; i < 32; ++i) EXPECT_GT(out.p[i], 0) << "lane " << i;
}

__global__ void compute(float* out) {
  int i = 0;
  const auto put = [&](float v) { out[i++] = v; };
  put(rsqrtf(4.0F));
  put(__fdividef(1.0F, 4.0F));
  put(__saturatef(3.0F));
  put(static_cast<float>(__float2int_rn(2.5F)));
  put(static_cast<float>(__float2int_rz(-2.9F)));
  put(static_cast<float>(__popc(0xffU) + __clz(1) + __ffs(8)));
  put(static_cast<float>(__umulhi(1U << 31, 4)));
  put(__int_as_float(0x3f800000));
  put(static_cast<float>(min(3, 4U)) + static_cast<float>(max(2.0F, 1.0)));
  put(static_cast<float>(__byte_perm(0x03020100, 0x07060504, 0x0007) & 255));
  put(fmaxf(1.0F, NAN) + fabsf(-1.0F) + powf(2.0F, 3.0F) + sqrtf(16.0F));
  put(static_cast<float>(__brev(1U) >> 31) + static_cast<float>(__funnelshift_l(1U << 31, 1, 1)));
  put(sinpif(0.5F) + cospif(1.0F) + normcdff(0.0F));
  put(static_cast<float>(__mulhi(-1, 1)) + static_cast<float>(__dp4a(0x01020304, 0x01010101, 5)));
  put(static_cast<float>(abs(-3)) + abs(-0.5F));
}

TEST(own_kernels, functions_on_numbers) {
  managed<float> out(16);
  compute<<<1, 1>>>(out.p);
  const std::vector<float> expected{
      0.5F,  0.25F,        1,       2,   -2, 8 + 31 + 4, 2, 1, 3 + 2, 7, 1 + 1 + 8 + 4,
      1 + 3, 1 - 1 + 0.5F, -1 + 15, 3.5F};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_FLOAT_EQ(out.p[i], expected[i]) << i;
}

__global__ void copy_triples(const float3* in, float3* out) { out[threadIdx.x] = in[threadIdx.x]; }

TEST(own_kernels, a_vector_of_three_is_three_accesses) {
  managed<float3> in(32), out(32);
  in.p[31] = make_float3(1, 2, 3);
  simt::observe counting({.count = true});
  copy_triples<<<1, 32>>>(in.p, out.p);
  EXPECT_EQ(out.p[31].z, 3);
  EXPECT_EQ(counting.total.global_load.requests, 3U);
  EXPECT_EQ(counting.total.global_load.sectors, 3U * 12);
  EXPECT_EQ(counting.total.global_store.requests, 3U);
}

__global__ void count_down(unsigned* p) {
  atomicDec(p, 5);
  atomicAdd_system(p + 1, 2);
  atomicMax_block(p + 2, threadIdx.x);
}

TEST(own_kernels, more_atomics) {
  managed<unsigned> out(3);
  count_down<<<1, 8>>>(out.p);  // 0, 5, 4, 3, 2, 1, 0, 5, 4
  EXPECT_EQ(out.p[0], 4U);
  EXPECT_EQ(out.p[1], 16U);
  EXPECT_EQ(out.p[2], 7U);
}

__global__ void large_stack(int* out) {
  int values[2048];
  for (int i = 0; i < 2048; ++i) values[i] = i * static_cast<int>(threadIdx.x);
  out[threadIdx.x] = values[out[threadIdx.x]];
}

TEST(own_kernels, arrays_of_a_threads_own) {
  managed<int> out(32);
  for (int i = 0; i < 32; ++i) out.p[i] = 2047 - i;
  large_stack<<<1, 32>>>(out.p);
  EXPECT_EQ(out.p[3], 3 * 2044);
}

}  // namespace
