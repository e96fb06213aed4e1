// CUDA's functions on numbers and on parts of words, in kernels.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/simt/instructions/one_block.hpp"

namespace {

__global__ void directed(double* out, double a, double b) {
  out[0] = __dadd_rd(a, b);
  out[1] = __dadd_ru(a, b);
  out[2] = __dmul_rd(a, b);
  out[3] = __dmul_ru(a, b);
  out[4] = __ddiv_rd(a, b);
  out[5] = __ddiv_ru(a, b);
  out[6] = __dsqrt_rd(a);
  out[7] = __dsqrt_ru(a);
  out[8] = __fma_rd(a, b, 1);
  out[9] = __fma_ru(a, b, 1);
  out[10] = __double2float_rd(a);
  out[11] = __double2float_ru(a);
}

TEST(functions, a_direction_of_rounding_bounds_the_result) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> numbers(0.5, 2.0);
  for (int i = 0; i < 200; ++i) {
    const double a = numbers(random), b = numbers(random);
    const auto out = run<double>(directed, 12, a, b);
    const long double exact[] = {static_cast<long double>(a) + b, static_cast<long double>(a) * b,
                                 static_cast<long double>(a) / b,
                                 std::sqrt(static_cast<long double>(a)),
                                 static_cast<long double>(a) * b + 1};
    for (int f = 0; f < 5; ++f) {
      const double down = out[2 * f], up = out[2 * f + 1];
      ASSERT_LE(down, exact[f]);
      ASSERT_GE(up, exact[f]);
      ASSERT_TRUE(up == down || up == std::nextafter(down, 10.0)) << f;
      ASSERT_EQ(up == down, down == exact[f]);
    }
    ASSERT_TRUE(out[10] < a && out[11] > a &&
                static_cast<float>(out[11]) == std::nextafterf(static_cast<float>(out[10]), 10));
  }
}

/// Of parts of words.
__global__ void edges_of_bit_operations(unsigned long long* out, unsigned x,
                                        unsigned long long wide, unsigned far) {
  out[0] = __byte_perm(x, 0, 0xba98);
  unsigned permuted;
  asm("prmt.b32 %0, %1, %1, 0xba98;" : "=r"(permuted) : "r"(x));
  out[1] = permuted;
  out[2] = __vavgs4(0xfe, 0xff);
  out[3] = __vavgs2(0x0001fffd, 0x00020000);
  asm("bfe.u64 %0, %1, %2, 8;" : "=l"(out[4]) : "l"(wide), "r"(far));
  asm("bfe.s64 %0, %1, %2, 8;" : "=l"(out[5]) : "l"(wide), "r"(far));
  asm("bfe.u64 %0, %1, 8, %2;" : "=l"(out[6]) : "l"(wide), "r"(far));
  asm("bfi.b64 %0, %1, %2, %3, 8;" : "=l"(out[7]) : "l"(1ULL), "l"(wide), "r"(far));
}

TEST(functions, edges_of_bit_operations) {
  constexpr unsigned long long wide = 0x8123'4567'89ab'cdef;
  const auto out = run<unsigned long long>(edges_of_bit_operations, 8, 0x80017f02U, wide, 256U);
  EXPECT_EQ(out[0], 0x80017f02) << "bit 3 of a selector does not count";
  EXPECT_EQ(out[1], 0xff000000) << "in PTX it takes the sign";
  EXPECT_EQ(out[2], 0xfe) << "-1.5 is -2";
  EXPECT_EQ(out[3], 0x2fffe) << "1.5 is 2, -1.5 is -2";
  EXPECT_EQ(out[4], 0) << "a position of 64 bits is not cut to 8";
  EXPECT_EQ(out[5], ~0ULL);
  EXPECT_EQ(out[6], wide >> 8);
  EXPECT_EQ(out[7], wide);
}

__global__ void roots(float* out, float first) {
  for (int i = 0; i < 1 << 14; ++i) {
    out[i] = __frsqrt_rn(first * (1.0F + static_cast<float>(i) * 0x1p-13F));
  }
}

TEST(functions, the_inverse_root_is_rounded_correctly) {
  for (const float first : {1.0F, 0x1.0003p-100F, 0x1.00001p64F, 0x1p-140F}) {
    const auto out = run<float>(roots, 1 << 14, first);
    for (int i = 0; i < 1 << 14; ++i) {
      const long double v = first * (1.0F + static_cast<float>(i) * 0x1p-13F);
      ASSERT_EQ(out[i], static_cast<float>(1 / std::sqrt(v))) << i;
    }
  }
}

__global__ void inverses(double* out) {
  const double at[] = {1e-200, 1e-12, 0.02, 0.3, 0.9, 1.0, 1.4, 1.999};
  for (int i = 0; i < 8; ++i) {
    out[3 * i] = at[i];
    out[3 * i + 1] = erfc(erfcinv(at[i]));
    out[3 * i + 2] = 2 * normcdf(normcdfinv(at[i] / 2));
  }
  out[24] = erf(erfinv(-0.25));
  out[25] = erfinv(1.0);
  out[26] = cyl_bessel_i0(1.0);
  out[27] = cyl_bessel_i1(-1.0);
  out[28] = erfcx(30.0);
  out[29] = erfcx(1.0);
}

TEST(functions, inverses_and_what_the_c_library_has_not) {
  const auto out = run<double>(inverses, 30);
  for (int i = 0; i < 8; ++i) {
    EXPECT_NEAR(out[3 * i + 1] / out[3 * i], 1, 1e-12) << out[3 * i];
    EXPECT_NEAR(out[3 * i + 2] / out[3 * i], 1, 1e-12) << out[3 * i];
  }
  EXPECT_NEAR(out[24], -0.25, 1e-15);
  EXPECT_EQ(out[25], INFINITY);
  EXPECT_NEAR(out[26], 1.2660658777520084, 1e-14);
  EXPECT_NEAR(out[27], -0.5651591039924851, 1e-14);
  EXPECT_NEAR(out[28], 0.018795888861416751, 1e-12);
  EXPECT_NEAR(out[29], 0.42758357615580705, 1e-14);
}

__global__ void words(unsigned* out) {
  const unsigned a = 0x80ff017f, b = 0x01010180;
  unsigned* o = out;
  *o++ = __vadd4(a, b);
  *o++ = __vaddus4(a, b);
  *o++ = __vaddss4(a, b);
  *o++ = __vsub4(a, b);
  *o++ = __vabsdiffu4(a, b);
  *o++ = __vsadu4(a, b);
  *o++ = __vmaxs4(a, b);
  *o++ = __vminu4(a, b);
  *o++ = __vcmpgtu4(a, b);
  *o++ = __vseteq4(a, b);
  *o++ = __vadd2(0xffff0001, 0x00010001);
  *o++ = __vavgu4(a, b);
  *o++ = umin(3u, 2u) + umax(3u, 2u);
  *o++ = __funnelshift_lc(a, b, 40);
  *o++ = static_cast<unsigned>(__dp2a_lo(0x00020003, 0x0504, 1));
  *o++ = __fns(0xf0f0, 5, 3);
  *o++ = __fns(0xf0f0, 15, -5);
  *o++ = __uhadd(~0u, 1u);
  *o++ = static_cast<unsigned>(__double2int_rn(NAN));
  *o++ = static_cast<unsigned>(__float2int_rn(NAN));
}

TEST(functions, parts_of_words) {
  EXPECT_EQ(run<unsigned>(words, 20),
            (std::vector<unsigned>{0x810002ff, 0x81ff02ff,          0x810002ff,        0x7ffe00ff,
                                   0x7ffe0001, 0x7f + 0xfe + 0 + 1, 0x0101017f,        0x0101017f,
                                   0xffff0000, 0x00000100,          0x00000002,        0x41800180,
                                   5,          0x80ff017f,          1 + 3 * 4 + 2 * 5, 7,
                                   7,          0x80000000,          0x80000000,        0}));
}

__global__ void three_ways(int* out) {
  int* o = out;
  const auto add = [&](auto v) { *o++ = static_cast<int>(v); };
  add(__vimax3_s32(-5, 3, 2));
  add(__vimin3_u32(~0U, 3, 2));
  add(__vimin3_s32_relu(-5, 3, 2));
  add(__vimax_s32_relu(-5, -3));
  add(__viaddmax_s32(2147483647, 1, 7));  // the sum begins again
  add(__viaddmin_u32(4, 5, 7));
  add(__viaddmax_s16x2(0x7fff0002, 0x00010003, 0x00040004));
  add(__viaddmin_s16x2_relu(0xfff00002, 0x00010003, 0x00040007));
  add(__vimax3_u16x2(0xffff0001, 0x00020002, 0x00030003));
  bool first = false, high = false, low = false;
  add(__vibmax_s32(4, 4, &first));
  add(first);
  // Of constants, nvcc 13.0 gets the two answers the wrong way round.
  const unsigned none = threadIdx.x;
  add(__vibmin_s16x2(0xffff0002 + none, 0x00000001, &high, &low));
  add(high);
  add(low);
  const float sides[] = {2, 3, 6};
  add(normf(3, sides));
  add(100 * rnormf(2, sides + 1) + 0.5F);
}

TEST(functions, the_greatest_and_the_least_of_three) {
  EXPECT_EQ(
      run<int>(three_ways, 16),
      (std::vector<int>{3, 2, 0, 0, 7, 7, 0x00040005, 0x00000005, static_cast<int>(0xffff0003), 4,
                        1, static_cast<int>(0xffff0001), 1, 0, 7, 15}));
}

__global__ void add_vectors(float* out) {
  const float i = static_cast<float>(threadIdx.x);
  atomicAdd(reinterpret_cast<float4*>(out), make_float4(1, i, 2, -i));
  const float2 before = atomicAdd(reinterpret_cast<float2*>(out + 4), make_float2(1, i));
  atomicAdd(out + 6, before.x);
}

TEST(functions, atomics_add_vectors_of_floats) {
  EXPECT_EQ(run_block<float>(add_vectors, 32, 7),
            (std::vector<float>{32, 496, 64, -496, 32, 496, 496}));
}

}  // namespace
