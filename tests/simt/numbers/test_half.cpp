// __half and __nv_bfloat16 against exact arithmetic on integers, and a table of all their numbers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

namespace {

using simt::detail::number_of;
using simt::detail::rounding;
using exact = __int128;

/// Numbers as multiples of 2^-54: products of those with at most 27 binary places are exact.
constexpr int places = 54;

template <class Number>
int mantissa_bits() {
  return std::is_same_v<Number, __half> ? 10 : 7;
}

/// What these bits stand for, by the definition of the format.
template <class Number>
double value_by_definition(unsigned bits) {
  const int digits = mantissa_bits<Number>(), exponent_bits = 15 - digits;
  const int field = static_cast<int>(bits >> digits & ((1U << exponent_bits) - 1));
  const double fraction = std::ldexp(bits & ((1U << digits) - 1), -digits);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double v = field == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, field - bias);
  if (field == (1 << exponent_bits) - 1) v = fraction != 0 ? NAN : INFINITY;
  return (bits & 0x8000) != 0 ? -v : v;
}

template <class Number>
exact to_exact(Number n) {
  return static_cast<exact>(std::ldexp(static_cast<double>(n.value()), places));
}

/// All finite numbers from 0 up, as exact multiples, as far as they are any.
template <class Number>
const std::vector<std::pair<exact, unsigned>>& table() {
  static const auto made = [] {
    std::vector<std::pair<exact, unsigned>> all;
    for (unsigned bits = 0; bits < 0x8000; ++bits) {
      const double scaled = std::ldexp(value_by_definition<Number>(bits), places);
      if (scaled == std::floor(scaled) && scaled < 0x1p120) {
        all.emplace_back(static_cast<exact>(scaled), bits);
      }
    }
    return all;
  }();
  return made;
}

/// The bits of the nearest number, found in the table.
template <class Number>
unsigned nearest(exact v) {
  const unsigned sign = v < 0 ? 0x8000 : 0;
  if (v < 0) v = -v;
  const auto& all = table<Number>();
  const auto above = std::lower_bound(all.begin(), all.end(), std::pair(v, 0U));
  if (above == all.end()) {  // the step above the greatest is as wide as the one below it
    const exact last = all.back().first, step = last - (all.end() - 2)->first;
    return sign | (2 * (v - last) >= step ? all.back().second + 1 : all.back().second);
  }
  if (above->first == v || above == all.begin()) return sign | above->second;
  const auto below = above - 1;
  const exact up = above->first - v, down = v - below->first;
  const bool takes_above = up != down ? up < down : above->second % 2 == 0;
  return sign | (takes_above ? above : below)->second;
}

template <class Number>
class half : public testing::Test {};
using formats = testing::Types<__half, __nv_bfloat16>;
TYPED_TEST_SUITE(half, formats);

TYPED_TEST(half, every_value_is_what_its_bits_say) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto n = number_of<TypeParam>(bits);
    const double wanted = value_by_definition<TypeParam>(bits);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(n.value())) << bits;
      EXPECT_TRUE(__hisnan(n));
      EXPECT_EQ(TypeParam(n.value()).bits(), 0x7fff) << bits;
    } else {
      ASSERT_EQ(n.value(), wanted) << bits;
      ASSERT_EQ(std::signbit(n.value()), std::signbit(wanted)) << bits;
      ASSERT_EQ(TypeParam(n.value()).bits(), bits);
      ASSERT_EQ(TypeParam(static_cast<double>(n.value())).bits(), bits);
    }
  }
}

template <class Number>
unsigned rounded(double v, rounding r) {
  return simt::detail::rounded_to<Number>(v, r).bits();
}

/// Each place between two neighbours, by every rule.
TYPED_TEST(half, rounds_between_any_two_neighbours) {
  const unsigned infinity = TypeParam(INFINITY).bits();
  for (unsigned low = 0; low < infinity; ++low) {
    const unsigned high = low + 1;
    const double a = value_by_definition<TypeParam>(low);
    const double b = high == infinity ? 2 * a - value_by_definition<TypeParam>(low - 1)
                                      : value_by_definition<TypeParam>(high);
    const double middle = a + (b - a) / 2;
    const unsigned even = low % 2 == 0 ? low : high;
    for (const auto& [v, wanted, away] : {std::tuple(middle, even, high),
                                          {std::nextafter(middle, a), low, low},
                                          {std::nextafter(middle, b), high, high},
                                          {std::nextafter(a, b), low, low},
                                          {std::nextafter(b, a), high, high}}) {
      ASSERT_EQ(rounded<TypeParam>(v, rounding::nearest), wanted) << low;
      ASSERT_EQ(rounded<TypeParam>(-v, rounding::nearest), wanted | 0x8000) << low;
      ASSERT_EQ(rounded<TypeParam>(v, rounding::away), away) << low;
      ASSERT_EQ(rounded<TypeParam>(v, rounding::zero), low);
      ASSERT_EQ(rounded<TypeParam>(-v, rounding::zero), low | 0x8000);
      ASSERT_EQ(rounded<TypeParam>(v, rounding::down), low);
      ASSERT_EQ(rounded<TypeParam>(-v, rounding::down), high | 0x8000);
      ASSERT_EQ(rounded<TypeParam>(v, rounding::up), high);
      ASSERT_EQ(rounded<TypeParam>(-v, rounding::up), low | 0x8000);
    }
  }
}

/// Numbers whose products and sums the table holds: half all, bfloat16 with 27 places.
template <class Number>
Number drawn(std::mt19937& random) {
  if (std::is_same_v<Number, __half>)
    return number_of<Number>(random() % 0x7c00 | (random() & 0x8000));
  const unsigned exponent = 127 - 20 + random() % 40;
  return number_of<Number>((random() & 0x807f) | exponent << 7);
}

TYPED_TEST(half, arithmetic_is_exact_and_rounded_once) {
  std::mt19937 random(1);
  for (int i = 0; i < 300000; ++i) {
    const auto a = drawn<TypeParam>(random), b = drawn<TypeParam>(random),
               c = drawn<TypeParam>(random);
    const exact x = to_exact(a), y = to_exact(b), z = to_exact(c);
    // Factors have at most 27 places each, so that this division leaves nothing.
    const exact product = (x >> places / 2) * (y >> places / 2);
    const auto same = [&](TypeParam got, exact wanted, const char* what) {
      const unsigned bits = got.bits(), expected = nearest<TypeParam>(wanted);
      const bool zeros = wanted == 0 && (bits & 0x7fff) == 0;
      ASSERT_TRUE(bits == expected || zeros)
          << what << " of " << a.value() << ", " << b.value() << ", " << c.value() << ": "
          << got.value() << " and not " << number_of<TypeParam>(expected).value();
    };
    same(__hadd(a, b), x + y, "sum");
    same(__hsub(a, b), x - y, "difference");
    same(__hmul(a, b), product, "product");
    same(__hfma(a, b, c), product + z, "fma");
    if (const TypeParam p = __hmul(a, b); __hisinf(p) == 0) {
      same(__hfma(a, b, -p), product - to_exact(p), "what a product lost");
    }
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(half, a_quotient_is_the_nearest) {
  std::mt19937 random(2);
  for (int i = 0; i < 100000; ++i) {
    const auto a = drawn<TypeParam>(random), b = drawn<TypeParam>(random);
    const unsigned bits = __hdiv(a, b).bits();
    if (b.value() == 0 || (bits & 0x7fff) >= TypeParam(INFINITY).bits()) continue;
    // No neighbour is nearer: |x - q y| of each.
    const auto miss = [&](unsigned q) {
      const long double d = static_cast<long double>(a.value()) -
                            static_cast<long double>(value_by_definition<TypeParam>(q)) *
                                static_cast<long double>(b.value());
      return d < 0 ? -d : d;
    };
    ASSERT_LE(miss(bits), miss(bits + 1)) << a.value() << " / " << b.value();
    if ((bits & 0x7fff) != 0) ASSERT_LE(miss(bits), miss(bits - 1));
  }
}

TYPED_TEST(half, integers_round_as_they_are_asked_to) {
  const TypeParam n(2.5F), negative(-2.5F);
  EXPECT_EQ(static_cast<int>(n), 2);
  if constexpr (std::is_same_v<TypeParam, __half>) {
    EXPECT_EQ(__half2int_rn(n), 2);
    EXPECT_EQ(__half2int_ru(n), 3);
    EXPECT_EQ(__half2int_rd(negative), -3);
    EXPECT_EQ(__half2uint_rz(negative), 0U);
    EXPECT_EQ(__half2short_rn(__half(INFINITY)), 32767);
    EXPECT_EQ(__half2int_rn(__half(NAN)), 0);
    EXPECT_EQ(__half2ll_rn(__half(NAN)), std::numeric_limits<long long>::min());
    EXPECT_EQ(__int2half_rn(2049).value(), 2048);
    EXPECT_EQ(__int2half_ru(2049).value(), 2050);
    EXPECT_EQ(__int2half_rz(100000).value(), 65504);
    EXPECT_EQ(__int2half_rn(65520).value(), INFINITY);
    EXPECT_EQ(__ull2half_rd(~0ULL).value(), 65504);
  } else {
    EXPECT_EQ(__int2bfloat16_rn(257).value(), 256);
    EXPECT_EQ(__int2bfloat16_ru(257).value(), 258);
    EXPECT_EQ(__ll2bfloat16_rn((257LL << 46) + 1).value(), 258.0F * (1LL << 46));
    EXPECT_EQ(__ll2bfloat16_rn(257LL << 46).value(), 256.0F * (1LL << 46));
    EXPECT_EQ(__ll2bfloat16_rn(-(257LL << 46) - 1).value(), -258.0F * (1LL << 46));
  }
}

TYPED_TEST(half, comparisons_know_nan) {
  const TypeParam one(1.0F), two(2.0F), nan(NAN), zero(0.0F), minus_zero(-0.0F);
  EXPECT_TRUE(__hlt(one, two) && __hle(one, one) && !__hgt(one, two) && __hge(two, two));
  EXPECT_TRUE(__heq(zero, minus_zero) && !__heq(nan, nan) && __hequ(nan, one));
  EXPECT_FALSE(__hne(nan, one) || __hlt(nan, one) || __hge(nan, one));
  EXPECT_TRUE(__hneu(nan, one) && __hltu(nan, one) && __hgeu(one, nan));
  EXPECT_TRUE(nan != nan && !(nan == nan) && one < two && two >= one);
  EXPECT_EQ(__hmax(nan, one).value(), 1);
  EXPECT_EQ(__hmin(one, nan).value(), 1);
  EXPECT_TRUE(__hisnan(__hmax_nan(nan, one)) && __hisnan(__hmin_nan(one, nan)));
  EXPECT_EQ(__hmax(minus_zero, zero).bits(), 0);
  EXPECT_EQ(__hmin(zero, minus_zero).bits(), 0x8000);
  EXPECT_EQ(__hisinf(TypeParam(-INFINITY)), -1);
  EXPECT_EQ(__hadd_sat(one, one).value(), 1);
  EXPECT_EQ(__hmul_sat(one, -two).bits(), 0);
  EXPECT_EQ(__hfma_sat(nan, one, one).bits(), 0);
  EXPECT_EQ(__hfma_relu(one, -two, one).bits(), 0);
  EXPECT_EQ(__habs(-two).value(), 2);
}

TEST(half2, two_at_a_time) {
  const __half2 a = __floats2half2_rn(1, -2), b = __float2half2_rn(3);
  const auto both = [](__half2 v, float x, float y) {
    return __low2float(v) == x && __high2float(v) == y;
  };
  EXPECT_TRUE(both(a + b, 4, 1));
  EXPECT_TRUE(both(__hfma2(a, b, a), 4, -8));
  EXPECT_TRUE(both(__hlt2(a, b), 1, 1) && both(__hgt2(a, b), 0, 0));
  EXPECT_EQ(__heq2_mask(a, __floats2half2_rn(1, 1)), 0xffffU);
  EXPECT_TRUE(__hblt2(a, b) && !__hbeq2(a, b));
  EXPECT_TRUE(both(__lowhigh2highlow(a), -2, 1) && both(__high2half2(a), -2, -2));
  EXPECT_TRUE(both(__lows2half2(a, b), 1, 3) && both(h2sqrt(b * b), 3, 3));
  EXPECT_TRUE(both(__hcmadd(a, b, a), 1 * 3 + 2 * 3 + 1, 3 - 6 - 2));
  const float2 f = __half22float2(a);
  EXPECT_TRUE(f.x == 1 && f.y == -2 && __half2float(hexp2(__half(3.0F))) == 8);
  EXPECT_EQ(sizeof(__half2), 4U);
  EXPECT_EQ(__half2float(CUDART_MAX_NORMAL_FP16), 65504);
  EXPECT_EQ(__bfloat162float(CUDART_ONE_BF16), 1);
  EXPECT_EQ(__half_as_ushort(__ushort_as_half(0x3c01)), 0x3c01);
  const __nv_bfloat162 c = __floats2bfloat162_rn(1.0F, 3.0F);
  EXPECT_EQ(__bfloat162float(__high2bfloat16(c * c)), 9);
  EXPECT_EQ(__bfloat1622float2(c).y, 3);
}

}  // namespace
