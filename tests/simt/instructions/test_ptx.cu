// Inline PTX of registers and lanes, as programs write it.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include "tests/simt/instructions/one_block.hpp"

namespace {

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
  const auto out = run_block<unsigned>(specials, 96, 96);
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
  const auto out = run_block<unsigned>(bits, 1, 22, a, b);
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
  EXPECT_EQ(run_block<unsigned long long>(carries, 1, 8, a, b),
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
      run_block<float>(numbers, 1, 14, 2.0F, 3.0F),
      (std::vector<float>{1, 1 + 0x1p-23F, 6.5, 1, 3, 8, -7, 2, 2, 255, 1.5, 6, 0, 1 + 0x1p-10F}));
}

__global__ void flushed_numbers(float* o, float tiny) {
  asm("add.ftz.f32 %0, %1, %2;" : "=f"(*o++) : "f"(tiny), "f"(0.0f));
  asm("add.f32 %0, %1, %2;" : "=f"(*o++) : "f"(tiny), "f"(0.0f));
  asm("mul.ftz.f32 %0, %1, %2;" : "=f"(*o++) : "f"(0x1p-126f), "f"(-0.5f));  // the result, too
  asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(*o++) : "f"(tiny), "f"(0x1p100f), "f"(1.0f));
  asm("{ .reg .pred p; setp.eq.ftz.f32 p, %1, 0f00000000; selp.f32 %0, 0f3F800000, 0f00000000, p; }"
      : "=f"(*o++)
      : "f"(tiny));
  asm("cvt.ftz.f32.f32 %0, %1;" : "=f"(*o++) : "f"(-tiny));
  unsigned short h = 1;
  asm("mul.ftz.f16 %0, %0, %1;" : "+h"(h) : "h"(static_cast<unsigned short>(0x3c00)));
  *o++ = h;
}

TEST(ptx, ftz_flushes_what_is_too_small) {
  const auto all = run_block<float>(flushed_numbers, 1, 7, 0x1p-140F);
  EXPECT_EQ(all, (std::vector<float>{0, 0x1p-140F, 0, 1, 1, 0, 0}));
  EXPECT_TRUE(std::signbit(all[2]));
  EXPECT_TRUE(std::signbit(all[5]));
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
  const auto out = run_block<unsigned>(lanes, 32, 32 * 6);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane * 6], std::min(lane + 1, 31U));
    EXPECT_EQ(out[lane * 6 + 1], lane == 0 ? 0 : lane - 1 + 100);
    EXPECT_EQ(out[lane * 6 + 2], 7U);
    EXPECT_EQ(out[lane * 6 + 3], 0xffU << lane / 8 * 8);
    EXPECT_EQ(out[lane * 6 + 4], 496U);
    EXPECT_EQ(out[lane * 6 + 5], lane ^ 4);
  }
}

__global__ void leave_early(unsigned* out) {
  if (threadIdx.x % 2 == 1) asm volatile("exit;");
  out[threadIdx.x] = 1;
}

TEST(ptx, exit_ends_a_thread) {
  const auto out = run_block<unsigned>(leave_early, 64, 64);
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 2 == 0 ? 1U : 0U);
}

}  // namespace
