// Numbers of eight bits: all 256 of each format, and what rounds to them.
#include <cmath>

#include <cuda_fp8.h>
#include <gtest/gtest.h>

namespace {

template <class Number>
Number of_bits(unsigned bits) {
  Number n;
  n.__x = static_cast<__nv_fp8_storage_t>(bits);
  return n;
}

double value_by_definition(unsigned bits, int digits, int bias) {
  const unsigned field = (bits & 0x7f) >> digits;
  const double fraction = std::ldexp(bits & ((1U << digits) - 1), -digits);
  const double v = field == 0 ? std::ldexp(fraction, 1 - bias)
                              : std::ldexp(1 + fraction, static_cast<int>(field) - bias);
  return (bits & 0x80) != 0 ? -v : v;
}

template <class Number>
void check_all(int digits, int bias, unsigned largest) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    if ((bits & 0x7f) > largest) continue;
    const double v = value_by_definition(bits, digits, bias);
    EXPECT_EQ(static_cast<float>(of_bits<Number>(bits)), v) << bits;
    EXPECT_EQ(Number(v).__x, bits);
    EXPECT_EQ(Number(static_cast<float>(v)).__x, bits);
    if ((bits & 0x7f) == largest) continue;
    const double next = value_by_definition(bits + 1, digits, bias), middle = (v + next) / 2;
    EXPECT_EQ(Number(middle).__x, bits % 2 == 0 ? bits : bits + 1);
    EXPECT_EQ(Number(std::nextafter(middle, v)).__x, bits);
    EXPECT_EQ(Number(std::nextafter(middle, next)).__x, bits + 1);
  }
}

TEST(fp8, every_number_and_what_lies_between) {
  check_all<__nv_fp8_e4m3>(3, 7, 0x7e);
  check_all<__nv_fp8_e5m2>(2, 15, 0x7b);
}

TEST(fp8, what_is_too_large_is_the_largest_or_none) {
  EXPECT_EQ(static_cast<float>(__nv_fp8_e4m3(1e9F)), 448);
  EXPECT_EQ(static_cast<float>(__nv_fp8_e4m3(-INFINITY)), -448);
  EXPECT_EQ(static_cast<float>(__nv_fp8_e5m2(1e9)), 57344);
  EXPECT_EQ(__nv_cvt_float_to_fp8(464.0F, __NV_NOSAT, __NV_E4M3), 0x7e);
  EXPECT_EQ(__nv_cvt_float_to_fp8(465.0F, __NV_NOSAT, __NV_E4M3), 0x7f);
  EXPECT_EQ(__nv_cvt_float_to_fp8(-1e9F, __NV_NOSAT, __NV_E5M2), 0xfc);
  EXPECT_TRUE(std::isnan(static_cast<float>(__nv_fp8_e4m3(NAN))));
  EXPECT_TRUE(std::isnan(static_cast<float>(of_bits<__nv_fp8_e5m2>(0x7e))));
  EXPECT_EQ(static_cast<float>(of_bits<__nv_fp8_e5m2>(0x7c)), INFINITY);
}

TEST(fp8, two_and_four_at_a_time) {
  const __nv_fp8x2_e4m3 two(float2{1.5F, -2.0F});
  EXPECT_EQ(two.__x, 0xc03c);
  EXPECT_EQ(static_cast<float2>(two).y, -2);
  EXPECT_EQ(__low2float(static_cast<__half2>(two)), 1.5F);
  const __nv_fp8x4_e5m2 four(float4{1, 2, 3, -4});
  EXPECT_EQ(static_cast<float4>(four).z, 3);
  EXPECT_EQ(static_cast<float4>(four).w, -4);
  EXPECT_EQ(__nv_cvt_fp8_to_halfraw(0x38, __NV_E4M3).x, 0x3c00);
}

}  // namespace
