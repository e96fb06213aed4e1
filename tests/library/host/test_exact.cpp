// Exact sums, means and dot products on the host: GMP's result to the bit, whatever the order of
// the values, the chunks and the threads.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/library/exact/exact_oracle.hpp"
#include "tests/library/host/host_test.hpp"
#include "warpfold/host/exact.hpp"
#include "warpfold/host/reduce.hpp"

namespace warpfold::tests {
namespace {

template <class T>
class host_exact_of : public testing::Test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(host_exact_of, floats);

TYPED_TEST(host_exact_of, is_the_exact_sum_rounded_once) {
  using T = TypeParam;
  for (const std::size_t n : {0, 1, 63, 64, 65, 1000, 40000}) {
    for (const auto& [name, values] : exact_cases<T>(n)) {
      const T expected = exact_reference(values);
      EXPECT_PRED2(same_value<T>, exact_sum(here, values), expected) << name << ", " << n;
      EXPECT_PRED2(same_value<T>, exact_sum(host, values), expected) << name << ", " << n;
    }
  }
}

template <std::size_t Bytes>
struct chunks_of : tuning::host_cores {
  static constexpr std::size_t exact_chunk_bytes = Bytes;
};

TYPED_TEST(host_exact_of, a_thousand_orders_have_one_bit_pattern) {
  using T = TypeParam;
  std::mt19937_64 bits(11);
  for (const auto& [name, ordered] : exact_cases<T>(1500)) {
    auto values = ordered;
    const T expected = exact_reference(values);
    for (int k = 0; k < 1000 / 24 + 1; ++k) {  // of each of two dozen cases
      std::shuffle(values.begin(), values.end(), bits);
      const auto sum = [&](auto where) {
        return exact_sum(where.threads(1 + static_cast<unsigned>(bits() % 4)), values);
      };
      ASSERT_PRED2(same_value<T>, sum(tuned_host<chunks_of<8>>{}), expected) << name;
      ASSERT_PRED2(same_value<T>, sum(tuned_host<chunks_of<200>>{}), expected) << name;
      ASSERT_PRED2(same_value<T>, sum(tuned_host<chunks_of<5000>>{}), expected) << name;
    }
  }
}

/// So many values that they go by exponents, and so many alike that sums of mantissas carry.
TYPED_TEST(host_exact_of, holds_many_values_of_any_range) {
  using T = TypeParam;
  std::mt19937_64 bits(8);
  std::vector<T> values(30000);
  for (T& v : values) v = any_finite<T>(bits);
  const T big = -(T{2} - std::numeric_limits<T>::epsilon());
  std::fill(values.begin() + 10000, values.begin() + 20000, big);
  for (std::size_t i = 0; i < 10000; ++i) values[20000 + i] = -values[i];  // but they cancel
  EXPECT_EQ(exact_sum(host, values), exact_reference(std::vector<T>(10000, big)));
  EXPECT_PRED2(same_value<T>, exact_sum(host, values), exact_reference(values));
  values[7] = -std::numeric_limits<T>::infinity();
  EXPECT_PRED2(same_value<T>, exact_sum(host, values), values[7]);
  values[29000] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_PRED2(same_value<T>, exact_sum(host, values), values[29000]);
  EXPECT_PRED2(same_value<T>, exact_sum(host, std::vector<T>(30000, -T{0})), -T{0});
  std::vector<T> zeros(30000, -T{0});
  zeros[20000] = 0;
  EXPECT_PRED2(same_value<T>, exact_sum(host, zeros), T{0});
}

/// Tiny values among great ones, for each number of binades between them; then the great ones
/// cancel.
TYPED_TEST(host_exact_of, keeps_the_lowest_bits) {
  using T = TypeParam;
  const T eps = std::numeric_limits<T>::epsilon();
  for (int binades = 10; binades < 100; ++binades) {
    std::vector<T> values(1024, T{2} - eps);
    for (std::size_t i = 512; i < 528; ++i) values[i] = std::ldexp(T{1} + eps, -binades);
    for (std::size_t i = 0; i < 1024; ++i) values.push_back(values[i] > 1 ? -values[i] : T{0});
    EXPECT_EQ(exact_sum(host, values), 16 * values[512]) << binades;
  }
}

/// Vectors of `values` by the code of each width that this machine has; calls take the widest.
/// Returns by how many the sum was exact, as these say themselves.
template <class Way, class T>
int widths_that_sum(const std::vector<T>& values) {
  int exact = 0;
  const auto check = [&](const char* width, auto sum) {
    detail::level_sums<Way::levels> sums;
    sum(values.data(), values.size(), sums);
    if (!sums.exact) return;
    ++exact;
    exact_accumulator<double> all;
    for (unsigned l = 0; l < Way::levels; ++l) {
      const std::int64_t low = sums.units[l] & 0xffffffff;
      for (const std::int64_t part : {sums.units[l] - low, low}) {
        all.add(std::ldexp(static_cast<double>(part), sums.unit[l]));
      }
    }
    EXPECT_EQ(all.template round<T>(), exact_reference(values)) << width << " bytes";
  };
  check("16", [](const T* in, std::size_t n, auto& s) { Way::template sum<16>(in, n, s); });
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) check("32", detail::sum_avx2<Way, T>);
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    check("64", detail::sum_avx512<Way, T>);
  }
#endif
  return exact;
}

TYPED_TEST(host_exact_of, vectors_of_every_width_sum_exactly_or_say_that_they_do_not) {
  using T = TypeParam;
  constexpr auto multi_level = widths_that_sum<detail::multi_level<2>, T>;
  int exact = 0;
  const auto check = [&](const std::vector<T>& values) {
    exact += multi_level(values);
    if constexpr (sizeof(T) == 4) exact += widths_that_sum<detail::narrow_range>(values);
  };
  for (const std::size_t n : {16, 48, 1008, 1024}) {
    for (const auto& [name, values] : exact_cases<T>(n)) {
      SCOPED_TRACE(name + ", " + std::to_string(n));
      check(values);
    }
  }
  const T eps = std::numeric_limits<T>::epsilon();
  for (int binades = 0; binades < 120; ++binades) {
    std::vector<T> values(1024, T{2} - eps);
    values[700] = std::ldexp(T{1} + eps, -binades);
    SCOPED_TRACE(binades);
    check(values);
  }
  EXPECT_GT(exact, 100);
  const std::vector<T> ones(1024, 1);
  EXPECT_GE(multi_level(ones), 1);
  if constexpr (sizeof(T) == 4) {
    EXPECT_EQ(widths_that_sum<detail::narrow_range>(ones), multi_level(ones));
  }
}

/// A second opinion, of other people's code.
TYPED_TEST(host_exact_of, is_what_python_says) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  if (std::system("python3 -c 'import fractions, math' 2>/dev/null") != 0) {
    GTEST_SKIP() << "python3 is not here";
  }
  const std::string values_file = testing::TempDir() + "exact_values_" + detail::format<T>::name;
  std::ofstream out(values_file);
  std::vector<T> sums;
  std::vector<std::string> names;
  for (const std::size_t n : {9, 300}) {
    for (const auto& [name, values] : exact_cases<T>(n, 77)) {
      if (!std::all_of(values.begin(), values.end(), [](T v) { return std::isfinite(v); }))
        continue;
      out << limits::digits << ' ' << limits::min_exponent - limits::digits << ' '
          << limits::max_exponent << std::hexfloat;
      for (const T v : values) out << ' ' << static_cast<double>(v);
      out << '\n';
      sums.push_back(exact_sum(here, values));
      names.push_back(name);
    }
  }
  out.close();
  std::FILE* const python =
      popen(("python3 " WARPFOLD_EXACT_ORACLE " < " + values_file).c_str(), "r");
  ASSERT_NE(python, nullptr);
  char text[64];
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ASSERT_NE(std::fgets(text, sizeof text, python), nullptr) << names[i];
    EXPECT_EQ(static_cast<double>(sums[i]), std::strtod(text, nullptr)) << names[i];
  }
  EXPECT_EQ(std::fgets(text, sizeof text, python), nullptr);
  EXPECT_EQ(pclose(python), 0);
  std::remove(values_file.c_str());
}

/// Sums whose condition is up to 10^300: what is left of 2^1000 is an ordinary number.
TEST(host_exact, survives_cancellation) {
  std::mt19937_64 bits(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int scale = 0; scale <= 1000; scale += 50) {
    std::vector<double> values;
    for (int k = 0; k < 500; ++k) {
      values.push_back(std::ldexp(unit(bits), scale));
      values.push_back(-values.back());
      if (k % 100 == 0) values.push_back(unit(bits));
    }
    std::shuffle(values.begin(), values.end(), bits);
    const double expected = exact_reference(values);
    EXPECT_LT(std::fabs(expected), 6);
    EXPECT_NE(expected, 0);
    EXPECT_EQ(exact_sum(here, values), expected) << scale;
  }
}

TYPED_TEST(host_exact_of, means_are_rounded_once) {
  using T = TypeParam;
  EXPECT_THROW((void)exact_mean(here, std::vector<T>()), usage_error);
  for (const auto& [name, values] : exact_cases<T>(777)) {
    if (name == "special" || name == "specials" || name == "minus zeros") continue;
    mpq_class sum = 0;
    for (const T v : values) sum += rational(v);
    EXPECT_EQ(exact_mean(here, values), nearest<T>(sum / 777)) << name;
  }
  const std::vector<T> greatest(100, std::numeric_limits<T>::max());
  EXPECT_EQ(exact_mean(here, greatest), greatest[0]);
  EXPECT_PRED2(same_value<T>, exact_mean(here, std::vector<T>(3, -T{0})), -T{0});
}

TYPED_TEST(host_exact_of, dot_products_are_rounded_once) {
  using T = TypeParam;
  std::mt19937_64 bits(4);
  EXPECT_THROW((void)exact_dot(here, std::vector<T>(3), std::vector<T>(4)), usage_error);
  for (const std::size_t n : {0, 1, 64, 3000}) {
    for (const auto& [name, a] : exact_cases<T>(n)) {
      auto b = a;
      std::shuffle(b.begin(), b.end(), bits);
      EXPECT_PRED2(same_value<T>, exact_dot(here, a, b), exact_dot_reference(a, b))
          << name << ", " << n;
    }
  }
}

TYPED_TEST(host_exact_of, reduce_from_gpu_to_gpu_is_the_exact_sum_with_init) {
  using T = TypeParam;
  const auto anywhere = here.with(determinism::gpu_to_gpu);
  std::mt19937_64 bits(6);
  for (const auto& [name, values] : exact_cases<T>(2003)) {
    auto all = values;
    const T init = any_finite<T>(bits);
    all.push_back(init);
    EXPECT_PRED2(same_value<T>, reduce(anywhere.threads(2), values, init), exact_reference(all))
        << name;
    all.back() = 0;
    EXPECT_PRED2(same_value<T>, reduce(anywhere, values), exact_reference(all)) << name;
  }
  EXPECT_EQ(reduce(host.with(determinism::gpu_to_gpu), std::vector<T>{1, 2}), 3);
  EXPECT_EQ(reduce(anywhere, std::vector<T>(), T{4}), 4);
  // Other operators, and sums of integers, are what they are without.
  const std::vector<T> some{3, -5, 4};
  EXPECT_EQ(reduce(anywhere, some, T{9}, minimum{}), -5);
  // A mean keeps the level: in f64 from left to right, this one would be 0.25.
  EXPECT_EQ(mean(anywhere, std::vector<T>{T{0x1p53}, 1, T{-0x1p53}, 1}), 0.5);
  EXPECT_EQ(reduce(anywhere, std::vector<int>{3, -5, 4}), 2);
  // Terms are mapped, and converted, first.
  EXPECT_EQ(transform_reduce(anywhere, some, T{1}, plus{}, [](T v) { return v * v; }), 51);
  const std::vector<float> tenths(2000, 0.1F);
  EXPECT_EQ(reduce(anywhere, tenths, 0.0), 2000.0 * static_cast<double>(0.1F));
}

TYPED_TEST(host_exact_of, dot_products_keep_zeros_infinities_and_nan) {
  using T = TypeParam;
  const T inf = infinity_of<T>;
  using list = std::vector<T>;
  const auto dot = [](const list& a, const list& b) { return exact_dot(here, a, b); };
  EXPECT_PRED2(same_value<T>, dot({-1, 0}, {0, -1}), -T{0});
  EXPECT_PRED2(same_value<T>, dot({-1, 0}, {0, 1}), T{0});
  EXPECT_PRED2(same_value<T>, dot({inf, 1}, {2, -1}), inf);
  EXPECT_PRED2(same_value<T>, dot({inf, -inf}, {2, 3}), nan_of<T>);
  EXPECT_PRED2(same_value<T>, dot({inf, 1}, {0, 1}), nan_of<T>);
  EXPECT_PRED2(same_value<T>, dot({nan_of<T>, 1}, {1, 1}), nan_of<T>);
  const T greatest = std::numeric_limits<T>::max();
  EXPECT_EQ(dot({greatest, greatest, 3}, {greatest, -greatest, 4}), 12);
  const T least = std::numeric_limits<T>::denorm_min();
  EXPECT_EQ(dot({least, least, least}, {least, -least, 2}), 2 * least);
}

}  // namespace
}  // namespace warpfold::tests
