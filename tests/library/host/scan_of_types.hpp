// Scans of all types, for test programs of some of them each: compiling those takes longest.
#pragma once

#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "tests/library/host/host_test.hpp"
#include "warpfold/host/scan.hpp"

namespace warpfold::tests {

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
TYPED_TEST_SUITE_P(host_scan_of);

TYPED_TEST_P(host_scan_of, every_size) {
  const auto values = random_values<TypeParam>(4 * chunk_of<TypeParam> + 3);
  for (std::size_t n = 0; n <= values.size(); ++n) {
    SCOPED_TRACE(n);
    check_scans<TypeParam>(std::span(values).first(n), TypeParam{7}, plus{}, TypeParam{42});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST_P(host_scan_of, every_operator) {
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

TYPED_TEST_P(host_scan_of, unaligned_starts) {
  const auto values = random_values<TypeParam>(3 * chunk_of<TypeParam>);
  for (std::size_t start = 0; start < 16; ++start) {
    check_scans<TypeParam>(std::span(values).subspan(start), TypeParam{7}, plus{}, TypeParam{42});
  }
}

REGISTER_TYPED_TEST_SUITE_P(host_scan_of, every_size, every_operator, unaligned_starts);

}  // namespace warpfold::tests
