// Inline PTX of memory, atomics and barriers, as programs write it.
#include <cstdint>
#include <vector>

#include <cuda_awbarrier_primitives.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/report.hpp"
#include "simt/schedules.hpp"
#include "tests/simt/instructions/one_block.hpp"

namespace {

using testing::HasSubstr;
using testing::IsEmpty;

__global__ void reverse(const float4* in, float4* out, unsigned n) {
  __shared__ alignas(16) float tile[128 * 4];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + threadIdx.x * 16;
  float x, y, z, w;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "l"(in + threadIdx.x));
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(x), "f"(y), "f"(z), "f"(w)
               : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  const unsigned other =
      static_cast<unsigned>(__cvta_generic_to_shared(tile)) + (n - 1 - threadIdx.x) * 16;
  float4 v;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(other));
  asm volatile("ld.shared.f32 %0, [%1 + 8];" : "=f"(v.z) : "r"(other));
  asm volatile("ld.volatile.shared.f32 %0, [%1+12];" : "=f"(v.w) : "r"(other));
  asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out + threadIdx.x), "f"(v.x),
               "f"(v.y), "f"(v.z), "f"(v.w));
}

TEST(ptx, accesses_are_counted_and_checked) {
  float4 *in = nullptr, *out = nullptr;
  cudaMallocManaged(&in, 128 * sizeof(float4));
  cudaMallocManaged(&out, 128 * sizeof(float4));
  for (unsigned i = 0; i < 128; ++i) in[i] = make_float4(i, i, i, 2 * i);
  const simt::report r = simt::inspect([&] { reverse<<<1, 128>>>(in, out, 128); });
  EXPECT_THAT(r.findings(), IsEmpty());
  EXPECT_EQ(out[3].w, 2 * 124);
  EXPECT_EQ(r.total().global_load.requests, 4U);
  EXPECT_EQ(r.total().global_load.sectors, 64U);
  EXPECT_EQ(r.total().global_store.requests, 4U);
  EXPECT_EQ(r.total().shared_load.requests, 12U);
  const simt::report wrong = simt::inspect([&] { reverse<<<1, 128>>>(in, out + 1, 128); });
  EXPECT_THAT(wrong.text(), HasSubstr("out of bounds"));
  cudaFree(in);
  cudaFree(out);
}

__global__ void publish(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    int seen = 0;
    if (threadIdx.x == 0) {
      do {
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
      } while (seen == 0);
    }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
  }
}

TEST(ptx, a_release_is_seen_by_an_acquire) {
  int* all = nullptr;
  cudaMallocManaged(&all, 65 * sizeof(int));
  const simt::report r = simt::inspect([&] {
    all[64] = 0;
    publish<<<2, 32>>>(all, all + 64, all + 32);
  });
  EXPECT_THAT(r.findings(), IsEmpty());
  EXPECT_EQ(all[63], 31);
  cudaFree(all);
}

__global__ void atomics(unsigned* out, int* low, float* sum) {
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out), "r"(threadIdx.x));
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(sum), "f"(0.5f));
  asm volatile("red.global.min.s32 [%0], %1;" ::"l"(low), "r"(3 - (int)threadIdx.x));
  unsigned old;
  asm volatile("atom.global.inc.u32 %0, [%1], 6;" : "=r"(old) : "l"(out + 1));
  asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
               : "=r"(old)
               : "l"(out + 2), "r"(0), "r"(threadIdx.x + 1));
  asm volatile("atom.acq_rel.gpu.exch.b32 %0, [%1], 5;" : "=r"(old) : "l"(out + 3) : "memory");
}

TEST(ptx, atomics) {
  int low = 0;
  float sum = 0;
  int* low_of_device = nullptr;
  float* sum_of_device = nullptr;
  cudaMalloc(&low_of_device, 4);
  cudaMalloc(&sum_of_device, 4);
  cudaMemset(low_of_device, 0, 4);
  cudaMemset(sum_of_device, 0, 4);
  const auto out = run_block<unsigned>(atomics, 64, 4, low_of_device, sum_of_device);
  cudaMemcpy(&low, low_of_device, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(&sum, sum_of_device, 4, cudaMemcpyDeviceToHost);
  EXPECT_EQ(out, (std::vector<unsigned>{63 * 32, 64 % 7, out[2], 5}));
  EXPECT_TRUE(out[2] >= 1 && out[2] <= 64);
  EXPECT_EQ(low, -60);
  EXPECT_EQ(sum, 32);
  cudaFree(low_of_device);
  cudaFree(sum_of_device);
}

/// The first warp fills a buffer, the second one empties it, and both go round.
__global__ void named(int* out, int rounds) {
  __shared__ int buffer[32];
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x < 32) {
      if (i != 0) asm volatile("bar.sync 2, 64;" ::: "memory");
      buffer[lane] = i * 32 + lane;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync %0, %1;" ::"r"(1), "r"(64) : "memory");
      out[i * 32 + lane] = buffer[lane];
      if (i + 1 != rounds) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}

TEST(ptx, barriers_of_some_warps) {
  int* out = nullptr;
  cudaMallocManaged(&out, 4 * 32 * sizeof(int));
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    simt::run_options options;
    options.check = true;
    options.seed = seed;
    const simt::report r = simt::inspect([&] { named<<<1, 64>>>(out, 4); }, options);
    EXPECT_THAT(r.findings(), IsEmpty()) << r.text();
    for (int i = 0; i < 128; ++i) ASSERT_EQ(out[i], i);
  }
  cudaFree(out);
}

__global__ void copies(const int* in, int* out) {
  __shared__ alignas(16) int tile[128];
  __shared__ std::uint64_t arrived;
  const unsigned word = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(word), "r"(32));
  __syncthreads();
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x * 4));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to),
               "l"(in + threadIdx.x * 4));
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
  std::uint64_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(word) : "memory");
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra DONE;\n"
      "bra LAB_WAIT;\n"
      "DONE:\n"
      "}" ::"r"(word),
      "r"(0)
      : "memory");
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

TEST(ptx, copies_that_a_barrier_in_shared_memory_waits_for) {
  int *in = nullptr, *out = nullptr;
  cudaMallocManaged(&in, 128 * sizeof(int));
  cudaMallocManaged(&out, 32 * sizeof(int));
  for (int i = 0; i < 128; ++i) in[i] = i;
  const simt::report r = simt::inspect([&] { copies<<<1, 32>>>(in, out); });
  EXPECT_THAT(r.findings(), IsEmpty()) << r.text();
  EXPECT_THAT(r.errors(), IsEmpty());
  EXPECT_EQ(out[5], 122);
  EXPECT_EQ(r.total().global_load.sectors, 16U);
  cudaFree(in);
  cudaFree(out);
}

/// One thread asks for a bulk copy, and the block waits for its bytes.
__global__ void bulk(const int* in, int* out) {
  __shared__ alignas(16) int tile[256];
  __shared__ std::uint64_t full;
  const unsigned word = static_cast<unsigned>(__cvta_generic_to_shared(&full));
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(word));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(word), "r"(1024)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(to),
        "l"(in), "r"(1024), "r"(word)
        : "memory");
  }
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(word)
        : "memory");
  }
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

TEST(ptx, a_bulk_copy_ends_a_phase) {
  int *in = nullptr, *out = nullptr;
  cudaMallocManaged(&in, 256 * sizeof(int));
  cudaMallocManaged(&out, 256 * sizeof(int));
  for (int i = 0; i < 256; ++i) in[i] = i;
  const simt::report r = simt::inspect([&] { bulk<<<1, 256>>>(in, out); });
  EXPECT_THAT(r.findings(), IsEmpty()) << r.text();
  EXPECT_THAT(r.errors(), IsEmpty());
  for (int i = 0; i < 256; ++i) ASSERT_EQ(out[i], 255 - i);
  cudaFree(in);
  cudaFree(out);
}

__global__ void arrives_by_functions(int* out) {
  __shared__ __mbarrier_t barrier;
  __shared__ int left[64];
  if (threadIdx.x == 0) __mbarrier_init(&barrier, blockDim.x);
  __syncthreads();
  left[threadIdx.x] = static_cast<int>(threadIdx.x);
  const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_test_wait(&barrier, token)) {
  }
  out[threadIdx.x] = left[63 - threadIdx.x];
}

TEST(ptx, a_barrier_in_shared_memory_by_functions) {
  const auto out = run_block<int>(arrives_by_functions, 64, 64);
  EXPECT_EQ(out[0], 63);
  EXPECT_EQ(out[63], 0);
}

}  // namespace
