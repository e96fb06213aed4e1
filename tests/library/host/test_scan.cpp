// inclusive_scan and exclusive_scan on the host equal std's: any size, type and operator, in place,
// from any start; and the same bits whatever the number of threads.
#include <atomic>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <tbb/parallel_for.h>

#include "tests/library/host/scan_of_types.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/scan.hpp"

namespace warpfold::tests {
namespace {

using types = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::uint64_t, double>;
INSTANTIATE_TYPED_TEST_SUITE_P(half_of_them, host_scan_of, types);

TEST(host_scan, keeps_the_order_where_it_counts) {
  const auto maps = random_maps(5 * chunk_of<affine> + 1);
  for (std::size_t n = 0; n <= maps.size(); ++n) {
    check_scans<affine>(std::span(maps).first(n), affine{3, 4}, compose{}, affine{1, 2});
  }
}

RC_GTEST_PROP(host_scan, words, (const std::vector<std::string>& words)) {
  std::vector<std::string> expected(words.size()), out(words.size());
  std::exclusive_scan(words.begin(), words.end(), expected.begin(), std::string(">"));
  exclusive_scan(here, words, out, std::string(">"), std::plus<>{});
  RC_ASSERT(out == expected);
  std::inclusive_scan(words.begin(), words.end(), expected.begin());
  inclusive_scan(here, words, out, std::plus<>{});
  RC_ASSERT(out == expected);
}

TEST(host_scan, without_an_init_it_begins_with_zero) {
  const std::vector<int> values{3, 1, 4};
  std::vector<int> out(values.size());
  exclusive_scan(here, values, out);
  EXPECT_EQ(out, (std::vector<int>{0, 3, 4}));
}

TEST(host_scan, accumulates_in_the_type_of_init) {
  const std::vector<std::uint8_t> bytes(1000, 200);
  std::vector<std::uint64_t> wide(bytes.size());
  inclusive_scan(here, bytes, wide, plus{}, std::uint64_t{0});
  EXPECT_EQ(wide.back(), 200'000u);
  exclusive_scan(here, std::span(bytes.data(), bytes.size()), wide.begin(), std::uint64_t{1});
  EXPECT_EQ(wide.back(), 199'801u);
  inclusive_scan(here, bytes, wide.data());  // in the input's type
  EXPECT_EQ(wide.back(), 200'000u % 256);
}

TEST(host_scan, nan_stays) {
  std::vector<float> values(500, 1), out(500);
  values[200] = nan_of<float>;
  inclusive_scan(here, values, out, maximum{});
  EXPECT_EQ(out[199], 1);
  EXPECT_TRUE(std::isnan(out[200]) && std::isnan(out[499]));
}

TEST(host_scan, the_same_bits_for_any_number_of_threads) {
  std::mt19937 bits(7);
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<float> values(100'003), first(values.size()), out(values.size());
  for (float& value : values) value = any(bits);
  inclusive_scan(here.threads(1), values, first);
  for (const unsigned threads : {0, 2, 3, 4}) {
    for (int again = 0; again < 10; ++again) {
      inclusive_scan(here.threads(threads), values, out);
      ASSERT_TRUE(same_bits(out, first)) << threads;
    }
  }
}

TEST(host_scan, what_the_operator_throws_comes_out) {
  const auto values = random_values<int>(5000);
  std::vector<int> out(values.size());
  for (const unsigned threads : {0, 1, 2, 4}) {
    for (const int enough : {1, 100, 4999, 7000, 9000}) {
      std::atomic<int> calls = 0;
      const auto fails = [&](int a, int b) {
        if (++calls >= enough) throw std::runtime_error("enough");
        return a ^ b;
      };
      EXPECT_THROW(inclusive_scan(here.threads(threads), values, out, fails), std::runtime_error);
    }
  }
}

TEST(host_scan, an_operator_may_use_threads_itself) {
  std::vector<int> values(2000, 1), out(values.size());
  const auto slow = [](int a, int b) {
    std::atomic<int> sum = 0;
    tbb::parallel_for(0, 8, [&](int) { ++sum; });
    return a + b + sum - 8;
  };
  inclusive_scan(here, values, out, slow);
  EXPECT_EQ(out.back(), 2000);
}

TEST(host_scan, too_little_room_is_said) {
  const std::vector<int> in(10);
  std::vector<int> out(9);
  EXPECT_THAT([&] { inclusive_scan(here, in, out); },
              testing::ThrowsMessage<usage_error>(
                  testing::AllOf(testing::HasSubstr("inclusive_scan"),
                                 testing::HasSubstr("9 values"), testing::HasSubstr("has 10"))));
  EXPECT_THROW(exclusive_scan(here, in, out, 0), usage_error);
}

}  // namespace
}  // namespace warpfold::tests
