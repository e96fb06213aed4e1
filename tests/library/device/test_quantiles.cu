// Order statistics through their public calls, on the CPU machine and on CUDA.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/library/device/device_test.hpp"
#include "warpfold/quantiles.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_quantiles : public device_test {};

template <class T>
void expect_statistics(const std::vector<T>& values, std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << values.size() << " values of " << sizeof(T) << " bytes");
  std::vector<T> sorted = values;
  std::sort(sorted.begin(), sorted.end(), ascending{});
  const std::size_t n = values.size();
  const device_buffer<T> in(values, offset), out(1);
  const temp_storage memory(quantiles_temp_storage_bytes<T>());
  for (const std::size_t nth : {std::size_t{0}, n / 3, n - 1}) {
    ASSERT_TRUE(nth_element_into(device.with(memory), in.values(), nth, out.data()).ok());
    EXPECT_EQ(rank_of(out.read()[0]), rank_of(sorted[nth])) << nth;
  }
  const auto low = static_cast<double>(sorted[(n - 1) / 2]);
  const auto high = static_cast<double>(sorted[n / 2]);
  EXPECT_EQ(median(device, in.values()), n % 2 == 1 ? low : high - (high - low) * 0.5);
  const std::array q{0.0, 1.0, 0.5, 0.25, 0.999};
  const auto lower = quantiles(device, in.values(), q, interpolation::lower);
  const auto higher = quantiles(device, in.values(), q, interpolation::higher);
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double at = q[i] * static_cast<double>(n - 1);
    EXPECT_EQ(lower[i], static_cast<double>(sorted[static_cast<std::size_t>(std::floor(at))]));
    EXPECT_EQ(higher[i], static_cast<double>(sorted[static_cast<std::size_t>(std::ceil(at))]));
  }
  EXPECT_EQ(in.read(), values);
}

TEST_F(device_quantiles, any_number_of_values_of_any_type) {
  for (const std::size_t n : {1U, 2U, 5U, 1000U, 40'003U}) {
    expect_statistics(random_values<std::uint32_t>(n), n % 4);
    expect_statistics(random_values<std::int8_t>(n), 3);
    expect_statistics(random_values<std::int16_t>(n));
    expect_statistics(random_values<float>(n), 1);
    expect_statistics(random_values<double>(n));
    expect_statistics(std::vector<std::uint64_t>(n, 77));
  }
  std::vector<std::int64_t> few = random_values<std::int64_t>(9000);
  for (auto& v : few) v = v % 3;
  expect_statistics(few);
}

TEST_F(device_quantiles, numpys_interpolations) {
  const device_buffer<float> in(std::vector<float>{10, 1, 3, 2});
  const std::array q{0.4, 0.5, 1.0 / 6.0};
  const auto expect = [&](interpolation how, const std::array<double, 3>& expected) {
    const auto found = quantiles(device, in.values(), q, how);
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15) << i;
  };
  expect(interpolation::linear, {2.2, 2.5, 1.5});
  expect(interpolation::lower, {2, 2, 1});
  expect(interpolation::higher, {3, 3, 2});
  expect(interpolation::nearest, {2, 3, 1});
  expect(interpolation::midpoint, {2.5, 2.5, 1.5});
}

TEST_F(device_quantiles, of_a_number_on_the_device) {
  const std::size_t most = 40'003;
  const auto values = random_values<float>(most);
  const device_buffer<float> in(values, 1);
  const std::array q{0.0, 0.3, 0.5, 0.999, 1.0};  // more than are looked for at a time
  for (const std::size_t size : {std::size_t{1}, std::size_t{2}, most / 16, most, most + 5}) {
    const device_buffer<std::size_t> number(std::vector<std::size_t>{size});
    const device_buffer<float> alone(std::vector<float>(
        values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(size, most))));
    const auto given = device_sized(in.values(), number.data());
    for (const auto how : {interpolation::linear, interpolation::nearest}) {
      EXPECT_EQ(quantiles(device, given, q, how), quantiles(device, alone.values(), q, how))
          << size;
    }
    EXPECT_EQ(median(device, given), median(device, alone.values())) << size;
  }
  const device_buffer<std::size_t> none(std::vector<std::size_t>{0});
  for (const double v : quantiles(device, device_sized(in.values(), none.data()), q)) {
    EXPECT_TRUE(std::isnan(v));
  }
}

TEST_F(device_quantiles, nan_is_the_greatest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const device_buffer<float> in(std::vector<float>{1, nan, 3, 2, 0});
  EXPECT_EQ(median(device, in.values()), 2);
  EXPECT_TRUE(std::isnan(nth_element(device, in.values(), 4)));
}

TEST_F(device_quantiles, refuse_what_there_is_not) {
  const device_buffer<int> in(9), none(0), out(1);
  const device_buffer<double> q_out(1);
  expect_refused(nth_element_into(device, in.values(), 9, out.data()), 10, 9, "values");
  constexpr double beyond[] = {1.5}, nan[] = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_FALSE(quantiles_into(device, in.values(), beyond, q_out.data()).ok());
  EXPECT_FALSE(quantiles_into(device, in.values(), nan, q_out.data()).ok());
  EXPECT_FALSE(median_into(device, none.values(), q_out.data()).ok());
  EXPECT_THROW((void)median(device, none.values()), device_error);
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
