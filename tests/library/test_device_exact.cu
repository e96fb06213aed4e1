// Exact sums on a device: GMP's result to the bit, for any size, order, shape and grid.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/library/device_test.hpp"
#include "tests/library/exact_oracle.hpp"
#include "warpfold/exact.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

using tests::exact_cases;
using tests::exact_reference;
using tests::same_value;

template <class T>
class device_exact : public device_test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(device_exact, floats);

TYPED_TEST(device_exact, is_the_exact_sum_rounded_once) {
  using T = TypeParam;
  for (const std::size_t n : {0, 1, 2, 7, 100, 4099}) {
    for (const auto& [name, values] : exact_cases<T>(n)) {
      const device_buffer<T> in(values, n % 5);
      EXPECT_PRED2(same_value<T>, exact_sum(device, in.values()), exact_reference(values))
          << name << ", " << n;
      EXPECT_EQ(in.read().size(), n);
    }
  }
}

/// One shape with so few additions to a bin that bins are emptied several times.
template <unsigned Threads, unsigned Loads, unsigned Blocks>
struct hasty : tuning::exact_shape<Threads, Loads, Blocks> {
  static constexpr unsigned most_adds = 2 * Loads * 4 + 4 + 16;
};

template <class Shape, class T>
T sum_as(const std::vector<T>& values, std::size_t offset) {
  const device_buffer<T> in(values, offset);
  const device_buffer<T> out(1);
  const workspace memory(exact_workspace_bytes<T>());
  const detail::terms_of<std::span<const T>> terms{in.data(), in.size(), {}};
  detail::launch_exact_as<Shape>(device.with(memory), terms, {.out = out.data()})
      .throw_if_failed("an exact sum");
  return out.read()[0];
}

TYPED_TEST(device_exact, has_the_same_bits_for_any_order_and_shape) {
  using T = TypeParam;
  std::mt19937_64 bits(5);
  for (const auto& [name, values] : exact_cases<T>(20011)) {
    if (name != "normal" && name != "all bits" && name != "cancelling") continue;
    const T expected = exact_reference(values);
    auto shuffled = values;
    for (const std::size_t offset : {0, 1}) {
      std::shuffle(shuffled.begin(), shuffled.end(), bits);
      EXPECT_EQ((sum_as<hasty<32 * 3, 1, 1>>(shuffled, offset)), expected) << name;
      EXPECT_EQ((sum_as<hasty<128, 4, 2>>(shuffled, offset)), expected) << name;
      EXPECT_EQ(sum_as<tuning::exact_small<T>>(shuffled, offset), expected) << name;
      EXPECT_EQ(sum_as<tuning::exact_large<T>>(shuffled, offset), expected) << name;
    }
  }
}

TYPED_TEST(device_exact, bins_hold_what_they_say) {
  using T = TypeParam;  // the greatest values of each range, as many as a bin takes
  constexpr unsigned most = detail::exact_bins<T>::most_adds;
  if (most > 4096) GTEST_SKIP() << "takes long";
  for (const int exponent : {-1022, -1000, 0, 1, 31, 32, 1000}) {
    const T value = std::ldexp(T{2} - std::numeric_limits<T>::epsilon(), exponent);
    const std::vector<T> values(std::size_t{most - 20} * 32, value);
    EXPECT_EQ((sum_as<tuning::exact_shape<32, 1, 1>>(values, 0)), exact_reference(values));
  }
}

TYPED_TEST(device_exact, accumulators_and_means_are_those_of_the_values) {
  using T = TypeParam;
  for (const auto& [name, values] : exact_cases<T>(3001)) {
    exact_accumulator<T> expected;
    for (const T v : values) expected.add(v);
    const device_buffer<T> in(values);
    EXPECT_TRUE(exact_accumulate(device, in.values()) == expected) << name;
    EXPECT_PRED2(same_value<T>, exact_mean(device, in.values()), expected.mean(values.size()));
  }
  EXPECT_THROW(exact_mean(device, std::span<const T>()), usage_error);
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
