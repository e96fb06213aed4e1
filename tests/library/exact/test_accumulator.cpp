// exact_accumulator against GMP: values one by one and by stretches, merged, taken away, rounded,
// divided, and through bytes that are well-formed or not.
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/library/exact/exact_oracle.hpp"
#include "warpfold/exact/accumulator.hpp"

namespace warpfold::tests {
namespace {

template <class T>
class exact_accumulator_of : public testing::Test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(exact_accumulator_of, floats);

template <class T>
exact_accumulator<T> sum_of(const std::vector<T>& values) {
  exact_accumulator<T> sum;
  sum.add(values);
  return sum;
}

TYPED_TEST(exact_accumulator_of, is_the_exact_sum_rounded_once) {
  for (const std::size_t n : {0, 1, 2, 7, 16, 100, 1024, 3000}) {
    for (const auto& [name, values] : exact_cases<TypeParam>(n)) {
      const TypeParam expected = exact_reference(values);
      exact_accumulator<TypeParam> one_by_one;
      for (const TypeParam v : values) one_by_one.add(v);
      EXPECT_PRED2(same_value<TypeParam>, one_by_one.round(), expected) << name << ", " << n;
      const auto at_once = sum_of(values);
      EXPECT_PRED2(same_value<TypeParam>, at_once.round(), expected) << name << ", " << n;
      EXPECT_TRUE(at_once == one_by_one) << name << ", " << n;
    }
  }
}

TYPED_TEST(exact_accumulator_of, halves_merge_and_come_apart_again) {
  for (const auto& [name, values] : exact_cases<TypeParam>(300)) {
    if (name == "special" || name == "specials") continue;
    const std::vector<TypeParam> left(values.begin(), values.begin() + 77);
    const std::vector<TypeParam> right(values.begin() + 77, values.end());
    auto sum = sum_of(left);
    sum.merge(sum_of(right));
    EXPECT_TRUE(sum == sum_of(values)) << name;
    sum.subtract(sum_of(right));
    EXPECT_EQ(sum.round(), exact_reference(left)) << name;
    for (const TypeParam v : left) sum.subtract(v);
    EXPECT_EQ(sum.round(), 0) << name;
  }
}

TYPED_TEST(exact_accumulator_of, zeros_and_infinities_are_those_of_the_sum) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  exact_accumulator<T> sum;
  EXPECT_PRED2(same_value<T>, sum.round(), T{0});
  sum.add(-T{0});
  EXPECT_PRED2(same_value<T>, sum.round(), -T{0});
  exact_accumulator<T> negative;
  negative.subtract(sum);
  EXPECT_PRED2(same_value<T>, negative.round(), T{0});
  sum.subtract(T{0});
  EXPECT_PRED2(same_value<T>, sum.round(), -T{0});
  sum.add(T{1}), sum.add(T{-1});
  EXPECT_PRED2(same_value<T>, sum.round(), T{0});
  sum.subtract(infinity);
  EXPECT_EQ(sum.round(), -infinity);
  negative.subtract(sum);
  EXPECT_EQ(negative.round(), infinity);
  negative.merge(sum);
  EXPECT_TRUE(std::isnan(negative.round()));
}

TYPED_TEST(exact_accumulator_of, the_sum_of_2_to_the_63_greatest_values_does_not_overflow) {
  using T = TypeParam;
  const T greatest = std::numeric_limits<T>::max();
  exact_accumulator<T> sum, doubled;
  sum.add(greatest);
  for (int k = 0; k < 63; ++k) doubled = sum, sum.merge(doubled);
  EXPECT_EQ(sum.round(), std::numeric_limits<T>::infinity());
  EXPECT_EQ(sum.mean(std::uint64_t{1} << 63), greatest);
  exact_accumulator<T> copy = sum;
  EXPECT_TRUE(exact_accumulator<T>(sum).from_bytes([&] {
    static std::array<std::uint8_t, exact_accumulator<T>::bytes> bytes;
    sum.to_bytes(bytes.data());
    return std::span<const std::uint8_t>(bytes);
  }()) == sum);
  copy.subtract(sum);
  EXPECT_EQ(copy.round(), 0);
}

TYPED_TEST(exact_accumulator_of, a_mean_is_rounded_once) {
  std::mt19937_64 bits(3);
  for (const auto& [name, values] : exact_cases<TypeParam>(50)) {
    const auto sum = sum_of(values);
    if (!std::isfinite(static_cast<double>(exact_reference(values))) && name != "greatest" &&
        name != "border") {
      continue;
    }
    mpq_class exact = 0;
    for (const TypeParam v : values) exact += rational(v);
    for (int k = 0; k < 64; ++k) {
      const std::uint64_t count = (bits() >> k) | 1;
      mpz_class divisor;
      mpz_import(divisor.get_mpz_t(), 1, 1, sizeof count, 0, 0, &count);
      EXPECT_EQ(sum.mean(count), nearest<TypeParam>(exact / mpq_class(divisor)))
          << name << ", " << count;
    }
  }
}

TYPED_TEST(exact_accumulator_of, many_terms_move_their_carries) {
  exact_accumulator<TypeParam> sum, doubled;  // 2^40 terms of one value
  const auto value = static_cast<TypeParam>(-0.1);
  sum.add(value);
  for (int k = 0; k < 40; ++k) doubled = sum, sum.merge(doubled);
  EXPECT_EQ(sum.round(), std::ldexp(value, 40));
}

template <class T>
std::vector<std::uint8_t> bytes_of(const exact_accumulator<T>& sum) {
  std::vector<std::uint8_t> bytes(exact_accumulator<T>::bytes);
  sum.to_bytes(bytes.data());
  return bytes;
}

TYPED_TEST(exact_accumulator_of, bytes_bring_the_sum_back) {
  for (const auto& [name, values] : exact_cases<TypeParam>(40)) {
    const auto sum = sum_of(values);
    const auto bytes = bytes_of(sum);
    const auto back = exact_accumulator<TypeParam>::from_bytes(bytes);
    EXPECT_TRUE(back == sum) << name;
    EXPECT_EQ(bytes_of(back), bytes) << name;
    auto reversed = values;
    std::reverse(reversed.begin(), reversed.end());
    EXPECT_EQ(bytes_of(sum_of(reversed)), bytes) << name;
  }
}

TEST(exact_bytes, are_those_of_the_document) {
  exact_accumulator<float> sum;
  sum.add(1), sum.add(-3);
  const std::vector<std::uint8_t> expected{'w',  'f',  'e',  'x',  'a',  'c',  't',  '\n', 1,
                                           4,    2,    0,    11,   0,    0,    0,  // header
                                           0,    0,    0,    0,    0,    0,    0,    0,    0,
                                           0,    0,    0,    0,    0,    0,    0,  // digits: -2 is
                                           0,    0,    0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                           0xff, 0xff, 0xff,  // -2^151 units
                                           0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                           0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  auto bytes = bytes_of(sum);
  ASSERT_EQ(bytes.size(), 64);
  bytes.resize(60);
  EXPECT_EQ(bytes, expected);
}

/// Any damage to the bytes is found: bits turned over, bytes cut off or added.
RC_GTEST_PROP(exact_bytes, damaged_ones_are_refused, (const std::vector<double>& values)) {
  const auto good = bytes_of(sum_of(values));
  auto bytes = good;
  const auto changes = *rc::gen::inRange(1, 5);
  for (int k = 0; k < changes; ++k) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ *rc::gen::inRange(1, 256));
  }
  RC_PRE(bytes != good);
  RC_ASSERT_THROWS_AS((void)exact_accumulator<double>::from_bytes(bytes), data_error);
}
RC_GTEST_PROP(exact_bytes, of_other_lengths_are_refused, (std::vector<std::uint8_t> tail)) {
  auto bytes = bytes_of(exact_accumulator<float>());
  RC_PRE(!tail.empty());
  const auto kept = *rc::gen::inRange<std::size_t>(0, bytes.size());
  RC_ASSERT_THROWS_AS((void)exact_accumulator<float>::from_bytes(std::span(bytes.data(), kept)),
                      data_error);
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  RC_ASSERT_THROWS_AS((void)exact_accumulator<float>::from_bytes(bytes), data_error);
}

void seal(std::vector<std::uint8_t>& bytes) {  // with the checksum that fits
  detail::put_word(bytes.data() + bytes.size() - 4,
                   detail::checksum(bytes.data(), bytes.size() - 4));
}

/// What has the right checksum is read as written, or refused: never as anything else.
RC_GTEST_PROP(exact_bytes, with_any_content_are_read_as_they_are_or_refused,
              (std::vector<std::uint8_t> noise)) {
  auto bytes = bytes_of(exact_accumulator<float>());
  for (std::size_t k = 0; k < noise.size(); ++k) {
    bytes[*rc::gen::inRange<std::size_t>(8, bytes.size())] = noise[k];
  }
  seal(bytes);
  exact_accumulator<float> sum;
  sum.add(7);
  if (sum.read(bytes.data(), bytes.size()) == nullptr) {
    RC_ASSERT(bytes_of(sum) == bytes);
  } else {
    RC_ASSERT(sum.round() == 7);
  }
}

TEST(exact_bytes, say_what_is_wrong_with_them) {
  const auto message = [](std::vector<std::uint8_t> bytes) -> std::string {
    try {
      (void)exact_accumulator<float>::from_bytes(bytes);
    } catch (const data_error& e) {
      return e.what();
    }
    return "accepted";
  };
  exact_accumulator<float> sum;
  sum.add(std::numeric_limits<float>::infinity());
  const auto good = bytes_of(sum);
  EXPECT_EQ(message(good), "accepted");
  const auto with = [&](std::size_t at, std::uint8_t byte, bool sealed) {
    auto bytes = good;
    bytes[at] = byte;
    if (sealed) seal(bytes);
    return bytes;
  };
  using testing::HasSubstr;
  EXPECT_THAT(message({}), HasSubstr("of 0 bytes: too short"));
  EXPECT_THAT(message(with(0, 'x', true)), HasSubstr("do not begin like"));
  EXPECT_THAT(message(with(8, 2, true)), HasSubstr("a version other than 1"));
  EXPECT_THAT(message(bytes_of(exact_accumulator<double>())), HasSubstr("another type"));
  EXPECT_THAT(message(with(12, 12, true)), HasSubstr("not as many digits"));
  EXPECT_THAT(message(with(30, 1, false)), HasSubstr("checksum"));
  EXPECT_THAT(message(with(30, 1, true)), HasSubstr("digits of a sum that is no number"));
  EXPECT_THAT(message(with(10, 9, true)), HasSubstr("a kind of sum"));
  EXPECT_THAT(message(with(11, 1, true)), HasSubstr("a kind of sum"));
  auto huge = with(10, 2, true);
  huge[59] = 0x7f;
  seal(huge);
  EXPECT_THAT(message(huge), HasSubstr("greater than"));
}

}  // namespace
}  // namespace warpfold::tests
