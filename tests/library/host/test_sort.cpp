// sort and stable_sort on the host: any size, type and order, from any start, on any number of
// threads, equal std::stable_sort.
#include <algorithm>
#include <atomic>
#include <span>
#include <stdexcept>

#include <gmock/gmock.h>

#include "tests/library/host/host_test.hpp"
#include "warpfold/host/sort.hpp"

namespace warpfold::tests {
namespace {

template <class T, class Less>
void check_sort(std::vector<T> values, const Less& less, unsigned threads = 0) {
  auto expected = values;
  std::stable_sort(expected.begin(), expected.end(), less);
  stable_sort(here.threads(threads), values, less);
  ASSERT_TRUE(same_bits(values, expected)) << values.size();
}

template <class T>
class host_sort_of : public testing::Test {};
using types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                             std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(host_sort_of, types);

TYPED_TEST(host_sort_of, every_size_and_order) {
  for (std::size_t n = 0; n < 700; n += n < 150 ? 1 : 13) {
    const auto values = random_values<TypeParam>(n, static_cast<unsigned>(n));
    check_sort(values, ascending{});
    check_sort(values, descending{});
    check_sort(values, std::less<TypeParam>{});
    check_sort(values, std::greater<>{});
  }
}

TYPED_TEST(host_sort_of, few_bits_that_differ) {
  for (const std::size_t n : {100, 1000, 20'000}) {
    auto values = random_values<TypeParam>(n);
    for (const int kept : {0, 1, 3, 20}) {
      for (TypeParam& value : values) {
        value = static_cast<TypeParam>(static_cast<std::int64_t>(value) & ((1 << kept) - 1));
      }
      check_sort(values, ascending{});
      check_sort(values, descending{});
      values = random_values<TypeParam>(n, static_cast<unsigned>(kept));
    }
    values.assign(n, TypeParam{1});
    values[n / 2] = TypeParam{77};  // all in one bucket but for one
    check_sort(values, ascending{});
  }
}

TYPED_TEST(host_sort_of, sorted_reversed_and_in_runs) {
  auto values = random_values<TypeParam>(5000);
  std::sort(values.begin(), values.end());
  check_sort(values, ascending{});
  check_sort(values, descending{});
  check_sort(values, [](TypeParam a, TypeParam b) { return a < b; });
  check_sort(values, [](TypeParam a, TypeParam b) { return b < a; });
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<TypeParam>(i % 97);
  check_sort(values, ascending{});
  check_sort(values, [](TypeParam a, TypeParam b) { return a < b; });
}

TYPED_TEST(host_sort_of, any_number_of_threads_and_any_start) {
  const auto values = random_values<TypeParam>(10'007);
  for (const unsigned threads : {1, 2, 3, 4}) {
    check_sort(values, ascending{}, threads);
    check_sort(
        values, [](TypeParam a, TypeParam b) { return b < a; }, threads);
  }
  for (std::size_t start = 0; start < 16; ++start) {
    auto got = values, expected = values;
    sort(here, std::span(got).subspan(start, got.size() - 2 * start));
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(start),
              expected.end() - static_cast<std::ptrdiff_t>(start));
    ASSERT_TRUE(same_bits(got, expected)) << start;
  }
}

template <class T>
class host_sort_of_floats : public testing::Test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(host_sort_of_floats, floats);

TYPED_TEST(host_sort_of_floats, zeros_infinities_and_nan_have_their_places) {
  const TypeParam nan = nan_of<TypeParam>, inf = infinity_of<TypeParam>;
  const TypeParam tiny_one = std::numeric_limits<TypeParam>::denorm_min();
  const std::vector<TypeParam> order{-inf,     -1, -tiny_one, -TypeParam{0}, TypeParam{0},
                                     tiny_one, 1,  inf,       nan,           -nan};
  for (const std::size_t copies : {1, 7, 60, 1000}) {
    std::vector<TypeParam> up, down;
    for (const TypeParam value : order) up.insert(up.end(), copies, value);
    down.assign(up.rbegin(), up.rend());
    auto values = up;
    std::shuffle(values.begin(), values.end(), std::mt19937(5));
    sort(here, values);
    EXPECT_TRUE(same_bits(values, up)) << copies;
    sort(here, values, descending{});
    EXPECT_TRUE(same_bits(values, down)) << copies;
  }
}

struct card {
  std::int16_t rank;
  char suit;
  char name[5];
};

RC_GTEST_PROP(host_sort, of_structs_is_stable, (const std::vector<std::uint32_t>& bits)) {
  std::vector<card> cards;
  for (const std::uint32_t b : bits) {
    cards.push_back(
        {static_cast<std::int16_t>(b % 5), static_cast<char>('a' + b / 7 % 26), "card"});
  }
  check_sort(cards, [](const card& a, const card& b) { return a.rank < b.rank; });
}

TEST(host_sort, an_order_with_state) {
  auto values = random_values<int>(3000);
  std::vector<int> weight(256);
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = static_cast<int>(i * 37 % 256);
  check_sort(values, [&](int a, int b) {
    return weight[static_cast<unsigned char>(a)] < weight[static_cast<unsigned char>(b)];
  });
}

TEST(host_sort, what_the_order_throws_comes_out) {
  auto values = random_values<int>(5000);
  for (const int enough : {1, 1000, 30'000}) {
    std::atomic<int> calls = 0;
    const auto fails = [&](int a, int b) {
      if (++calls >= enough) throw std::runtime_error("enough");
      return a < b;
    };
    EXPECT_THROW(sort(here, values, fails), std::runtime_error);
  }
}

TEST(host_sort, a_check_ends_it_between_any_two_steps) {
  const auto values = random_values<std::uint64_t>(20'000);
  auto expected = values;
  std::sort(expected.begin(), expected.end());
  for (const unsigned enough : {1U, 2U, 20U, 1'000'000U}) {
    auto sorted = values;
    std::atomic<unsigned> calls = 0;
    const auto check = [&](std::size_t) {
      if (++calls >= enough) throw std::runtime_error("enough");
    };
    const host_detail::index_call check_call(check);
    {
      const host_detail::check_scope scope(check_call);
      if (enough < 1000)
        EXPECT_THROW(stable_sort(here, sorted), std::runtime_error) << enough;
      else
        stable_sort(here, sorted);
    }
    EXPECT_GT(calls, 0U);
    stable_sort(here, sorted);  // no longer checked
    if (enough >= 1000) EXPECT_EQ(sorted, expected);
  }
}

TEST(host_sort, arrays_and_spans_are_ranges) {
  int array[] = {3, 1, 2};
  sort(here, array);
  EXPECT_THAT(array, testing::ElementsAre(1, 2, 3));
  stable_sort(here, std::span(array).first(2), descending{});
  EXPECT_THAT(array, testing::ElementsAre(2, 1, 3));
  stable_sort(here, std::span(std::begin(array), std::end(array)), std::greater<>{});
  EXPECT_THAT(array, testing::ElementsAre(3, 2, 1));
  static_assert(!sortable<const std::vector<int>&>, "there is nothing to write to");
}

}  // namespace
}  // namespace warpfold::tests
