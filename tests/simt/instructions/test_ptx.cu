// Inline PTX, as programs write it.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <cuda_fp16.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/report.hpp"
#include "simt/schedules.hpp"

namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// What a kernel of one block leaves in `out`.
template <class T, class Kernel, class... Args>
std::vector<T> run(Kernel kernel, unsigned threads, std::size_t n, Args... args) {
  T* out = nullptr;
  EXPECT_EQ(cudaMallocManaged(&out, n * sizeof(T)), cudaSuccess);
  for (std::size_t i = 0; i < n; ++i) out[i] = T();
  kernel<<<1, threads>>>(out, args...);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<T> result(out, out + n);
  cudaFree(out);
  return result;
}

__device__ __forceinline__ unsigned lane_id() {
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__global__ void specials(unsigned* out) {
  unsigned x, size, below, self_and_above;
  asm("mov.u32 %0, %tid.x;" : "=r"(x));
  asm volatile(
      "{\n\t"
      ".reg .u32 n, m;  // comments are no instructions\n\t"
      "mov.u32 n, %%ntid.x; /* nor these */\n\t"
      "mov.u32 m, %%nctaid.x;\n\t"
      "mul.lo.u32 %0, n, m;\n\t"
      "}"
      : "=r"(size));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(self_and_above));
  unsigned long long t0, t1, ticks;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t0));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(ticks));
  const bool right = lane_id() == threadIdx.x % 32 && x == threadIdx.x && size == blockDim.x &&
                     below == (1ULL << x % 32) - 1 && self_and_above == ~below && t1 >= t0 &&
                     ticks != 0;
  unsigned warp;
  asm("mov.u32 %0, %%warpid;" : "=r"(warp));
  out[x] = right && warp == x / 32 ? 1 : 0;
}

TEST(ptx, special_registers) {
  const auto out = run<unsigned>(specials, 96, 96);
  EXPECT_EQ(std::count(out.begin(), out.end(), 1U), 96);
}

__global__ void bits(unsigned* out, unsigned a, unsigned b) {
  unsigned* o = out;
  asm("bfind.u32 %0, %1;" : "=r"(*o++) : "r"(a));
  asm("bfind.s32 %0, %1;" : "=r"(*o++) : "r"(~a));
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(*o++) : "r"(a));
  asm("bfe.u32 %0, %1, 4, 8;" : "=r"(*o++) : "r"(a));
  asm("bfe.s32 %0, %1, %2, 8;" : "=r"(*o++) : "r"(a), "r"(12));
  asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(*o++) : "r"(0xfu), "r"(a));
  asm("brev.b32 %0, %1;" : "=r"(*o++) : "r"(a));
  asm("popc.b32 %0, %1;" : "=r"(*o++) : "r"(a));
  asm("clz.b32 %0, %1;" : "=r"(*o++) : "r"(a));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(*o++) : "r"(a), "r"(b), "r"(0xff00ff00));
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(*o++) : "r"(a), "r"(b), "r"(0xff00ff00), "n"(0xca));
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(*o++) : "r"(a), "r"(b));
  asm("shf.l.wrap.b32 %0, %1, %2, 36;" : "=r"(*o++) : "r"(a), "r"(b));
  asm("shf.r.clamp.b32 %0, %1, %2, 36;" : "=r"(*o++) : "r"(a), "r"(b));
  asm("shl.b32 %0, %1, 32;" : "=r"(*o++) : "r"(a));
  asm("shr.s32 %0, %1, 99;" : "=r"(*o++) : "r"(0x80000000));
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(*o++) : "r"(a), "r"(b));
  asm("mad.lo.u32 %0, %1, %2, %0;" : "+r"(*o) : "r"(a), "r"(b));
  ++o;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;"
      : "=r"(*o++)
      : "r"(0x01020304), "r"(0x04030201), "r"(100));
  asm("max.s32 %0, %1, %2;" : "=r"(*o++) : "r"(-3), "r"(2));
  asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l}; }" : "=r"(*o++) : "r"(0x12345678));
  asm("{ .reg .pred p; setp.gt.and.u32 p, %1, 5, 1; selp.b32 %0, 7, 9, p; }" : "=r"(*o++) : "r"(a));
}

TEST(ptx, bits_as_the_device_has_them) {
  const unsigned a = 0x00012345, b = 0x89abcdef;
  const auto out = run<unsigned>(bits, 1, 22, a, b);
  const std::vector<unsigned> wanted{16,
                                     16,
                                     15,
                                     0x34,
                                     0x12,
                                     0x00012f45,
                                     0xa2c48000,
                                     7,
                                     15,
                                     a ^ b ^ 0xff00ff00,
                                     (a & b) | (~a & 0xff00ff00),
                                     0xcdef2345,
                                     0x9abcdef0,
                                     b,
                                     0,
                                     0xffffffff,
                                     static_cast<unsigned>(std::uint64_t{a} * b >> 32),
                                     a * b,
                                     108,
                                     2,
                                     0x56781234,
                                     7};
  EXPECT_EQ(out, wanted);
}

/// A sum of 128 bits in one statement, and in four that pass the carry on.
__global__ void carries(unsigned long long* out, unsigned long long a, unsigned long long b) {
  asm("add.cc.u64 %0, %2, %3;\n\taddc.u64 %1, %2, 0;"
      : "=l"(out[0]), "=l"(out[1])
      : "l"(a), "l"(b));
  unsigned words[4];
  const unsigned x = static_cast<unsigned>(a), y = static_cast<unsigned>(a >> 32);
  asm volatile("add.cc.u32 %0, %1, %1;" : "=r"(words[0]) : "r"(x));
  asm volatile("addc.cc.u32 %0, %1, %1;" : "=r"(words[1]) : "r"(y));
  asm volatile("addc.u32 %0, 0, 0;" : "=r"(words[2]));
  asm volatile("sub.cc.u32 %0, %1, %2;\n\tsubc.u32 %0, 5, 0;" : "=r"(words[3]) : "r"(1), "r"(2));
  for (int i = 0; i < 4; ++i) out[2 + i] = words[i];
  asm("mad.lo.cc.u32 %0, %1, %2, %3;\n\tmadc.hi.u32 %0, %1, %2, 0;"
      : "=r"(words[0])
      : "r"(~0u), "r"(2), "r"(5));
  out[6] = words[0];
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(out[7]) : "r"(~0u), "r"(3));
}

TEST(ptx, carries_go_from_one_to_the_next) {
  const unsigned long long a = 0xffffffff80000001, b = 0x80000000;
  EXPECT_EQ(run<unsigned long long>(carries, 1, 8, a, b),
            (std::vector<unsigned long long>{1, a + 1, 2, 0xffffffff, 1, 4, 2, 0x2fffffffd}));
}

__global__ void numbers(float* out, float a, float b) {
  float* o = out;
  asm("add.rz.f32 %0, %1, %2;" : "=f"(*o++) : "f"(1.0f), "f"(0x1.fp-24f));
  asm("add.rp.f32 %0, %1, %2;" : "=f"(*o++) : "f"(1.0f), "f"(0x1p-60f));
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(*o++) : "f"(a), "f"(b), "f"(0.5f));
  asm("mul.sat.f32 %0, %1, 0f40400000;" : "=f"(*o++) : "f"(a));
  asm("max.f32 %0, %1, %2;" : "=f"(*o++) : "f"(NAN), "f"(b));
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(*o++) : "f"(3.0f));
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(*o++) : "r"(-7));
  asm("cvt.rzi.f32.f32 %0, %1;" : "=f"(*o++) : "f"(2.9f));
  int whole;
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(whole) : "f"(2.5f));
  *o++ = whole;
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(whole) : "r"(300));
  *o++ = whole;
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(1.5f));
  *o++ = __half2float(__ushort_as_half(h));
  unsigned two;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(2.0f), "f"(-1.0f));
  asm("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(two));
  *o++ = __half2float(__ushort_as_half(static_cast<unsigned short>(two >> 16)));
  asm("{ .reg .f16 x; mov.b32 {x, _}, %1; cvt.f32.f16 %0, x; }" : "=f"(*o++) : "r"(two));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(two) : "f"(1.0f + 0x1p-11f));
  *o++ = __uint_as_float(two);
}

TEST(ptx, numbers_round_as_they_are_asked_to) {
  EXPECT_EQ(
      run<float>(numbers, 1, 14, 2.0F, 3.0F),
      (std::vector<float>{1, 1 + 0x1p-23F, 6.5, 1, 3, 8, -7, 2, 2, 255, 1.5, 6, 0, 1 + 0x1p-10F}));
}

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
  const auto out = run<unsigned>(atomics, 64, 4, low_of_device, sum_of_device);
  cudaMemcpy(&low, low_of_device, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(&sum, sum_of_device, 4, cudaMemcpyDeviceToHost);
  EXPECT_EQ(out, (std::vector<unsigned>{63 * 32, 64 % 7, out[2], 5}));
  EXPECT_TRUE(out[2] >= 1 && out[2] <= 64);
  EXPECT_EQ(low, -60);
  EXPECT_EQ(sum, 32);
  cudaFree(low_of_device);
  cudaFree(sum_of_device);
}

__global__ void lanes(unsigned* out) {
  const unsigned lane = threadIdx.x;
  unsigned *o = out + lane * 6, in;
  asm volatile("shfl.sync.down.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(*o++) : "r"(lane));
  asm volatile(
      "{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 1, 0, 0xffffffff; selp.u32 %1, 1, 0, p; }"
      : "=r"(*o), "=r"(in)
      : "r"(lane));
  *o++ += in * 100;
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 3; vote.sync.ballot.b32 %0, p, -1; }"
               : "=r"(*o++)
               : "r"(lane));
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(*o++) : "r"(lane / 8));
  asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(*o++) : "r"(lane));
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, %3, %4;"
               : "=r"(*o++)
               : "r"(lane), "r"(4), "r"(0x1f), "r"(~0u));
}

TEST(ptx, lanes_exchange_values) {
  const auto out = run<unsigned>(lanes, 32, 32 * 6);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane * 6], std::min(lane + 1, 31U));
    EXPECT_EQ(out[lane * 6 + 1], lane == 0 ? 0 : lane - 1 + 100);
    EXPECT_EQ(out[lane * 6 + 2], 7U);
    EXPECT_EQ(out[lane * 6 + 3], 0xffU << lane / 8 * 8);
    EXPECT_EQ(out[lane * 6 + 4], 496U);
    EXPECT_EQ(out[lane * 6 + 5], lane ^ 4);
  }
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

__global__ void leave_early(unsigned* out) {
  if (threadIdx.x % 2 == 1) asm volatile("exit;");
  out[threadIdx.x] = 1;
}

TEST(ptx, exit_ends_a_thread) {
  const auto out = run<unsigned>(leave_early, 64, 64);
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 2 == 0 ? 1U : 0U);
}

}  // namespace
