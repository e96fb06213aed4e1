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

#include "tests/library/host/host_test.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/scan.hpp"

namespace warpfold::tests {
namespace {

/// Results into a buffer with a value too many, which must stay as it was.
template <class T>
class guarded {
 public:
  guarded(std::size_t n, T canary) : values_(n + 1, canary), canary_(canary) {}
  [[nodiscard]] std::span<T> room() { return std::span(values_).first(values_.size() - 1); }
  void expect(const std::vector<T>& expected) const {
    ASSERT_EQ(std::vector<T>(values_.begin(), values_.end() - 1), expected);
    ASSERT_EQ(values_.back(), canary_);
  }

 private:
  std::vector<T> values_;
  T canary_;
};

template <class T, class Op>
void check_scans(std::span<const T> in, T init, const Op& op, T canary) {
  std::vector<T> expected(in.size());
  guarded<T> out(in.size(), canary);

  std::inclusive_scan(in.begin(), in.end(), expected.begin(), op);
  inclusive_scan(here, in, out.room(), op);
  out.expect(expected);

  std::inclusive_scan(in.begin(), in.end(), expected.begin(), op, init);
  inclusive_scan(here, in, out.room(), op, init);
  out.expect(expected);
  std::vector<T> same(in.begin(), in.end());
  inclusive_scan(here, same, same, op, init);
  ASSERT_EQ(same, expected);

  std::exclusive_scan(in.begin(), in.end(), expected.begin(), init, op);
  exclusive_scan(here, in, out.room(), init, op);
  out.expect(expected);
  same.assign(in.begin(), in.end());
  exclusive_scan(here, same, same, init, op);
  ASSERT_EQ(same, expected);
}

template <class T>
class host_scan_of : public testing::Test {};
using types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                             std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(host_scan_of, types);

TYPED_TEST(host_scan_of, every_size) {
  const auto values = random_values<TypeParam>(4 * chunk_of<TypeParam> + 3);
  for (std::size_t n = 0; n <= values.size(); ++n) {
    SCOPED_TRACE(n);
    check_scans<TypeParam>(std::span(values).first(n), TypeParam{7}, plus{}, TypeParam{42});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(host_scan_of, every_operator) {
  for (const std::size_t n : {127, 1009, 4099}) {
    const auto values = random_values<TypeParam>(n);
    check_scans<TypeParam>(values, TypeParam{7}, minimum{}, TypeParam{42});
    check_scans<TypeParam>(values, TypeParam{7}, maximum{}, TypeParam{42});
    if constexpr (!std::is_signed_v<TypeParam> || std::is_floating_point_v<TypeParam>) {
      check_scans<TypeParam>(values, TypeParam{7}, std::plus<TypeParam>{}, TypeParam{42});
    }
    if constexpr (std::is_integral_v<TypeParam>) {
      check_scans<TypeParam>(values, TypeParam{7}, multiplies{}, TypeParam{42});
      check_scans<TypeParam>(values, TypeParam{7}, bit_and{}, TypeParam{42});
      check_scans<TypeParam>(values, TypeParam{7}, bit_or{}, TypeParam{42});
      check_scans<TypeParam>(values, TypeParam{7}, bit_xor{}, TypeParam{42});
    }
  }
}

TYPED_TEST(host_scan_of, unaligned_starts) {
  const auto values = random_values<TypeParam>(3 * chunk_of<TypeParam>);
  for (std::size_t start = 0; start < 16; ++start) {
    check_scans<TypeParam>(std::span(values).subspan(start), TypeParam{7}, plus{}, TypeParam{42});
  }
}

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
