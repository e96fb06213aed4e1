// Exact sums on a device: GMP's result to the bit, for any size, order, shape and grid.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/library/device/device_test.hpp"
#include "tests/library/exact/exact_oracle.hpp"
#include "warpfold/exact.hpp"
#include "warpfold/reduce.hpp"

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

template <class Shape, class T, class Size = detail::host_size>
T sum_as(const std::vector<T>& values, std::size_t offset, Size size = {}) {
  const device_buffer<T> in(values, offset);
  const device_buffer<T> out(1);
  const workspace memory(exact_workspace_bytes<T>());
  const detail::terms_of<std::span<const T>> terms{in.data(), in.size(), {}};
  using least = tuning::exact_least<detail::exact_bins<T>::count>;  // where a card has no room
  detail::launch_first_exact<Shape, least>(detail::for_cleared(device.with(memory)), terms,
                                           {.out = out.data()}, size)
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

TYPED_TEST(device_exact, of_a_number_on_the_device) {
  using T = TypeParam;
  const auto exactly = device.with(determinism::gpu_to_gpu);
  for (const auto& [name, values] : exact_cases<T>(20011)) {
    if (name != "all bits" && name != "cancelling") continue;
    const device_buffer<T> in(values, 1);
    for (const std::size_t size : {0U, 1U, 700U, 5003U, 20011U, 40000U}) {
      SCOPED_TRACE(testing::Message() << size << " values, " << name);
      const device_buffer<std::size_t> number(std::vector<std::size_t>{size});
      std::vector<T> first(values.begin(), values.begin() + std::min<std::ptrdiff_t>(size, 20011));
      const T expected = exact_reference(first);
      const detail::device_size n{number.data()};
      EXPECT_PRED2(same_value<T>, (sum_as<hasty<32 * 3, 1, 1>>(values, 0, n)), expected);
      EXPECT_PRED2(same_value<T>, (sum_as<hasty<128, 4, 2>>(values, 1, n)), expected);
      const auto given = device_sized(in.values(), number.data());
      EXPECT_PRED2(same_value<T>, exact_sum(device, given), expected);
      EXPECT_PRED2(same_value<T>, exact_accumulate(device, given).round(), expected);
      first.push_back(T{3});
      EXPECT_PRED2(same_value<T>, reduce(exactly, given, T{3}), exact_reference(first));
    }
  }
}

TYPED_TEST(device_exact, a_thousand_orders_have_one_bit_pattern) {
  using T = TypeParam;
  std::mt19937_64 bits(12);
  auto values = exact_cases<T>(700)[2].values;  // all bits
  const T expected = exact_reference(values);
  const int orders = TestFixture::on_cpu ? 240 : 1000;  // a minute's work there
  for (int k = 0; k < orders; ++k) {
    std::shuffle(values.begin(), values.end(), bits);
    const std::size_t offset = bits() % 5;
    T sum = 0;
    switch (k % 4) {
      case 0: sum = sum_as<hasty<32, 1, 1>>(values, offset); break;
      case 1: sum = sum_as<hasty<96, 1, 2>>(values, offset); break;
      case 2: sum = sum_as<hasty<64, 4, 2>>(values, offset); break;
      case 3: {  // in two parts, one of them the host's
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(bits() % 700);
        const device_buffer<T> in(std::vector<T>(middle, values.end()), offset);
        auto both = exact_accumulate(device, in.values());
        exact_accumulator<T> hosts;
        hosts.add(std::span<const T>(values.begin(), middle));
        both.merge(hosts);
        sum = both.round();
        break;
      }
    }
    ASSERT_EQ(sum, expected) << k;
  }
}

TYPED_TEST(device_exact, bins_hold_what_they_say) {
  using T = TypeParam;  // the greatest values of each range, as many as a bin takes
  constexpr unsigned most = detail::exact_bins<T>::most_adds;
  if constexpr (most > 4096) {
    GTEST_SKIP() << "takes long";
  } else {
    for (const int exponent : {-1022, -1000, 0, 1, 31, 32, 1000}) {
      const T value = std::ldexp(T{2} - std::numeric_limits<T>::epsilon(), exponent);
      const std::vector<T> values(std::size_t{most - 20} * 32, value);
      EXPECT_EQ((sum_as<tuning::exact_shape<32, 1, 1>>(values, 0)), exact_reference(values));
    }
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
  const device_buffer<T> out(1);
  expect_refused(exact_mean_into(device, std::span<const T>(), out.data()), 1, 0, "values");
  EXPECT_FALSE(exact_sum_into(device.with(workspace_view{out.data(), sizeof(T)}),
                              std::span<const T>(), out.data())
                   .ok());
}

TYPED_TEST(device_exact, dot_products_are_the_exact_one_rounded_once) {
  using T = TypeParam;
  std::mt19937_64 bits(4);
  for (const std::size_t n : {0, 1, 64, 3001}) {
    for (const auto& [name, a] : exact_cases<T>(n)) {
      auto b = a;
      std::shuffle(b.begin(), b.end(), bits);
      const device_buffer<T> x(a, n % 3), y(b, n % 2);
      EXPECT_PRED2(same_value<T>, exact_dot(device, x.values(), y.values()),
                   tests::exact_dot_reference(a, b))
          << name << ", " << n;
    }
  }
  const device_buffer<T> x(std::vector<T>(4)), y(std::vector<T>(5)), out(1);
  EXPECT_THROW(exact_dot(device, x.values(), y.values()), usage_error);
  expect_refused(exact_dot_into(device, x.values(), y.values(), out.data()), 4, 5, "values");
}

TYPED_TEST(device_exact, dot_products_keep_zeros_infinities_and_nan) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), greatest = std::numeric_limits<T>::max();
  const T nan = std::numeric_limits<T>::quiet_NaN(), least = std::numeric_limits<T>::denorm_min();
  using list = std::vector<T>;
  const auto dot = [](const list& a, const list& b) {
    const device_buffer<T> x(a), y(b);
    return exact_dot(device, x.values(), y.values());
  };
  EXPECT_PRED2(same_value<T>, dot({-1, 0}, {0, -1}), -T{0});
  EXPECT_PRED2(same_value<T>, dot({-1, 0}, {0, 1}), T{0});
  EXPECT_PRED2(same_value<T>, dot({inf, 1}, {2, -1}), inf);
  EXPECT_PRED2(same_value<T>, dot({inf, -inf}, {2, 3}), nan);
  EXPECT_PRED2(same_value<T>, dot({inf, 1}, {0, 1}), nan);
  EXPECT_PRED2(same_value<T>, dot({nan, 1}, {1, 1}), nan);
  EXPECT_EQ(dot({greatest, greatest, 3}, {greatest, -greatest, 4}), 12);
  EXPECT_EQ(dot({greatest, 1}, {greatest, 1}), inf);
  EXPECT_EQ(dot({least, least, least}, {least, -least, 2}), 2 * least);
}

struct squared {
  template <class T>
  __host__ __device__ T operator()(T v) const {
    return v * v;
  }
};

TYPED_TEST(device_exact, reduce_from_gpu_to_gpu_is_the_exact_sum_with_init) {
  using T = TypeParam;
  const auto anywhere = device.with(determinism::gpu_to_gpu);
  std::mt19937_64 bits(6);
  for (const auto& [name, values] : exact_cases<T>(2003)) {
    auto all = values;
    const T init = tests::any_finite<T>(bits);
    all.push_back(init);
    const device_buffer<T> in(values), out(1);
    const T expected = exact_reference(all);
    EXPECT_PRED2(same_value<T>, reduce(anywhere, in.values(), init), expected) << name;
    const workspace memory(exact_workspace_bytes<T>());
    ASSERT_TRUE(reduce_into(anywhere.with(memory), in.values(), out.data(), init).ok());
    EXPECT_PRED2(same_value<T>, out.read()[0], expected) << name;
    all.back() = 0;
    EXPECT_PRED2(same_value<T>, reduce(anywhere, in.values()), exact_reference(all)) << name;
  }
  // Other operators, and sums of integers, are what they are without.
  const device_buffer<T> some(std::vector<T>{3, -5, 4});
  EXPECT_EQ(reduce(anywhere, some.values(), T{9}, minimum{}), -5);
  EXPECT_EQ(min(anywhere, some.values()), -5);
  const device_buffer<int> whole(std::vector<int>{3, -5, 4});
  EXPECT_EQ(reduce(anywhere, whole.values()), 2);
  // Terms are mapped, and converted, first.
  EXPECT_EQ(transform_reduce(anywhere, some.values(), T{1}, plus{}, squared{}), 51);
  const device_buffer<float> tenths(std::vector<float>(10, 0.1F));
  EXPECT_EQ(reduce(anywhere, tenths.values(), 0.0), 10.0 * static_cast<double>(0.1F));
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
