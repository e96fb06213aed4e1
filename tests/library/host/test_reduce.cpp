// reduce and transform_reduce on the host equal a loop from left to right: any size, type, operator
// and start address; and the same bits whatever the number of threads.
#include <algorithm>
#include <atomic>
#include <functional>
#include <list>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include "tests/library/host/host_test.hpp"
#include "warpfold/host/reduce.hpp"

namespace warpfold::tests {
namespace {

template <class T>
class host_reduce_of : public testing::Test {};
using integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(host_reduce_of, integers);

template <class Op, class T>
T fold_left(std::span<const T> values, T init, const Op& op) {
  for (const T& value : values) init = op(init, value);
  return init;
}

template <class Where, class T>
void expect_reductions(Where where, std::span<const T> in) {
  const auto check = [&](const auto& op) {
    ASSERT_EQ(reduce(where, in, T{3}, op), fold_left(in, T{3}, op)) << in.size();
  };
  check(plus{});
  check(multiplies{});
  check(minimum{});
  check(maximum{});
  check(bit_and{});
  check(bit_or{});
  check(bit_xor{});
  check(as_commutative([](T a, T b) { return static_cast<T>(a ^ ~b); }));
}

TYPED_TEST(host_reduce_of, every_size_and_operator) {
  const auto values = random_values<TypeParam>(4 * chunk_of<TypeParam> + 3);
  for (std::size_t n = 0; n <= values.size(); ++n) {
    expect_reductions(here, std::span<const TypeParam>(values.data(), n));
  }
}

TYPED_TEST(host_reduce_of, where_several_places_are_read_at_once) {
  constexpr std::size_t begins = (std::size_t{16} << 10) / sizeof(TypeParam),
                        chunk = tuning::host_cores::reduce_chunk_bytes / sizeof(TypeParam);
  const auto values = random_values<TypeParam>(2 * chunk + 3);
  std::vector<std::size_t> sizes{chunk - 1, chunk, chunk + 1, 2 * chunk, values.size()};
  for (std::size_t n = begins - 2; n <= begins + 5 * 128 / sizeof(TypeParam); ++n) {
    sizes.push_back(n);
  }
  for (const std::size_t n : sizes) {
    const std::span<const TypeParam> in(values.data(), n);
    expect_reductions(host, in);
    std::uint64_t sum = 5;  // in another type, of what a map makes of the values
    for (const TypeParam v : in) sum += static_cast<std::uint64_t>(v) * 7;
    ASSERT_EQ(transform_reduce(host, in, std::uint64_t{5}, plus{},
                               [](TypeParam v) { return static_cast<std::uint64_t>(v) * 7; }),
              sum)
        << n;
    const auto least = std::min_element(in.begin(), in.end());
    ASSERT_EQ(argmin(host, in).index, static_cast<std::uint64_t>(least - in.begin())) << n;
  }
}

TYPED_TEST(host_reduce_of, unaligned_starts) {
  const auto values = random_values<TypeParam>(3 * chunk_of<TypeParam>);
  for (std::size_t start = 0; start < 16; ++start) {
    const std::span in(values.data() + start, values.size() - 2 * start);
    EXPECT_EQ(reduce(here, in), fold_left(in, TypeParam{0}, plus{})) << start;
  }
}

TEST(host_reduce, wraps_in_the_type_of_init) {
  const std::vector<std::uint8_t> bytes(1000, 255);
  EXPECT_EQ(reduce(here, bytes), std::uint8_t{255 * 1000 % 256});
  EXPECT_EQ(reduce(here, bytes, std::uint64_t{0}), 255'000u);
  EXPECT_EQ(reduce(here, bytes, 0.5), 255'000.5);
  const std::vector<std::int32_t> large(2, std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(reduce(here, large), -2);
  EXPECT_EQ(reduce(here, large, std::int64_t{0}), 0xffff'fffe);
}

TEST(host_reduce, no_values_give_init) {
  EXPECT_EQ(reduce(here, std::vector<int>()), 0);
  EXPECT_EQ(reduce(here, std::vector<float>(), 7.0F, multiplies{}), 7.0F);
  EXPECT_EQ(transform_reduce(here, std::vector<int>(), 9, plus{}, [](int) { return 1; }), 9);
}

TEST(host_reduce, keeps_the_order_where_it_counts) {
  const auto maps = random_maps(5 * chunk_of<affine> + 1);
  for (std::size_t n = 0; n <= maps.size(); ++n) {
    const std::span in(maps.data(), n);
    const affine init{5, 7};
    ASSERT_EQ(reduce(here, in, init, compose{}), fold_left(in, init, compose{})) << n;
  }
}

RC_GTEST_PROP(host_reduce, concatenation_is_not_reordered,
              (const std::vector<std::string>& words)) {
  // Values that are not trivially copyable, and an operator without an identity.
  const std::string all = reduce(here, words, std::string(">"), std::plus<>{});
  RC_ASSERT(all == std::accumulate(words.begin(), words.end(), std::string(">")));
}

RC_GTEST_PROP(host_reduce, stateful_operator, (const std::vector<std::uint64_t>& values)) {
  const plus_modulo op{*rc::gen::inRange<std::uint64_t>(2, 1'000'000)};
  const auto small = [&](std::uint64_t value) { return value % op.modulus; };
  const std::uint64_t sum = transform_reduce(here, values, std::uint64_t{0}, op, small);
  std::uint64_t expected = 0;
  for (const std::uint64_t value : values) expected = op(expected, small(value));
  RC_ASSERT(sum == expected);
}

TEST(host_reduce, pointers_arrays_and_spans_are_ranges) {
  const int array[] = {1, 2, 3, 4};
  std::vector<int> vector(array, array + 4);
  EXPECT_EQ(reduce(here, array), 10);
  EXPECT_EQ(reduce(here, std::span(array, array + 3)), 6);
  EXPECT_EQ(reduce(here, std::span(vector.begin(), vector.end()), 1L, multiplies{}), 24L);
  EXPECT_EQ(reduce(here, std::span(vector).last(2), 1), 8);
  EXPECT_EQ(transform_reduce(here, array, 0.0, plus{}, [](int i) { return i * 0.5; }), 5);
  static_assert(!values<std::list<int>>, "only contiguous values");
}

template <class T>
class host_reduce_of_floats : public testing::Test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(host_reduce_of_floats, floats);

TYPED_TEST(host_reduce_of_floats, the_same_bits_for_any_number_of_threads) {
  std::mt19937 bits(7);
  std::uniform_real_distribution<TypeParam> any(-1, 1);
  for (const std::size_t n : {1, 50, 1009, 10007, 100003}) {
    std::vector<TypeParam> values(n);
    for (TypeParam& value : values) value = any(bits);
    const TypeParam sum = reduce(here.threads(1), values);
    for (const unsigned threads : {0, 2, 3, 4}) {
      for (int again = 0; again < 5; ++again) {
        ASSERT_EQ(reduce(here.threads(threads), values), sum) << n << ", " << threads;
      }
    }
    EXPECT_NEAR(static_cast<double>(sum), std::accumulate(values.begin(), values.end(), 0.0), 1e-2);
  }
}

TYPED_TEST(host_reduce_of_floats, exact_sums_and_products) {
  const auto values = random_values<TypeParam>(4 * chunk_of<TypeParam> + 3);
  for (std::size_t n = 0; n <= values.size(); ++n) {
    const std::span in(values.data(), n);
    ASSERT_EQ(reduce(here, in), fold_left(in, TypeParam{0}, plus{})) << n;
  }
  const std::vector<TypeParam> twos(100, 2);
  EXPECT_EQ(reduce(here, twos, TypeParam{1}, multiplies{}), std::exp2(TypeParam{100}));
}

TYPED_TEST(host_reduce_of_floats, infinities_and_nan_go_through) {
  auto values = random_values<TypeParam>(1000);
  values[567] = infinity_of<TypeParam>;
  EXPECT_EQ(reduce(here, values), infinity_of<TypeParam>);
  values[3] = -infinity_of<TypeParam>;
  EXPECT_TRUE(std::isnan(reduce(here, values)));
}

TEST(host_reduce, what_the_operator_throws_comes_out) {
  const auto values = random_values<int>(5000);
  for (const unsigned threads : {0, 1, 2, 4}) {
    std::atomic<int> calls = 0;
    const auto fails = [&](int a, int b) {
      if (++calls == 4000) throw std::runtime_error("4000 is enough");
      return a ^ b;
    };
    EXPECT_THROW(reduce(here.threads(threads), values, 0, fails), std::runtime_error) << threads;
    const auto map_fails = [](int value) -> int { throw std::out_of_range(std::to_string(value)); };
    EXPECT_THROW(transform_reduce(here.threads(threads), values, 0, plus{}, map_fails),
                 std::out_of_range);
  }
}

TEST(host_reduce, uses_no_more_threads_than_it_may) {
  const std::vector<int> values(100'000, 1);
  for (const unsigned limit : {1U, 2U}) {
    std::atomic<unsigned> now = 0, most = 0;
    const auto map = [&](int value) {
      const unsigned together = ++now;
      for (unsigned seen = most; together > seen && !most.compare_exchange_weak(seen, together);) {
      }
      --now;
      return value;
    };
    EXPECT_EQ(transform_reduce(here.threads(limit), values, 0, plus{}, map), 100'000);
    EXPECT_LE(most, limit);
  }
}

}  // namespace
}  // namespace warpfold::tests
