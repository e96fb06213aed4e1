// The device reductions through their public calls, on the CPU machine and on CUDA.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/library/device/device_test.hpp"
#include "warpfold/reduce.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_reduce : public device_test {};

/// Around every edge: a load, a warp, one block's share of each shape, and several blocks.
const std::vector<std::size_t>& edge_sizes() {
  static const std::vector<std::size_t> sizes{
      0,    1,    2,    3,    4,    5,    31,    32,    33,    127,   257,   1021, 2047,
      2048, 2049, 4095, 4096, 4097, 8191, 16383, 16384, 16385, 16387, 32771, 50021};
  return sizes;
}

template <class T, class Op, class Acc>
void expect_reduction(const std::vector<T>& values, std::size_t offset, Acc init, Op op) {
  const device_buffer<T> in(values, offset);
  Acc expected = init;
  for (const T& v : values) expected = op(expected, static_cast<Acc>(v));
  EXPECT_EQ(reduce(device, in.values(), init, op), expected)
      << values.size() << " values from offset " << offset;
  EXPECT_EQ(in.read(), values);
}

template <class T>
void expect_integer_folds(std::size_t n, std::size_t offset) {
  const auto values = random_values<T>(n);
  expect_reduction(values, offset, T{3}, plus{});
  expect_reduction(values, offset, std::numeric_limits<T>::max(), minimum{});
  expect_reduction(values, offset, T{5}, bit_xor{});
}

TEST_F(device_reduce, sums_any_number_of_integers_of_any_size) {
  for (const std::size_t n : edge_sizes()) {
    expect_integer_folds<std::int32_t>(n, 0);
    expect_integer_folds<std::int8_t>(n, 0);
    expect_integer_folds<std::uint16_t>(n, 0);
    expect_integer_folds<std::int64_t>(n, 0);
  }
}

TEST_F(device_reduce, goes_on_where_a_thread_has_more_loads_than_are_in_flight) {
  // 4 multiprocessors of the CPU machine take 131072 values of 4 bytes at once, those of an H100
  // 4325376.
  std::vector<std::size_t> sizes{131071, 131072, 131073, 131079, 200003};
  if (!on_cpu) sizes.insert(sizes.end(), {4325375, 4325376, 4325377, 4325383, 9000011});
  for (const std::size_t n : sizes) {
    expect_integer_folds<std::int32_t>(n, 0);
    const auto values = random_values<std::int32_t>(n);
    expect_reduction(values, 3, 1, plus{});
  }
  for (const std::size_t n : {65535U, 65536U, 65537U}) expect_integer_folds<std::uint8_t>(n, 1);
}

TEST_F(device_reduce, starts_at_any_value) {
  for (std::size_t offset = 0; offset < 16; ++offset) {
    for (const std::size_t n : {1U, 15U, 4099U, 33000U}) {
      expect_integer_folds<std::uint8_t>(n, offset);
      if (offset < 4) expect_integer_folds<std::int32_t>(n, offset);
    }
  }
}

TEST_F(device_reduce, accumulates_in_the_type_of_init) {
  const std::vector<std::int8_t> values(20000, 127);
  const device_buffer<std::int8_t> in(values);
  EXPECT_EQ(reduce(device, in.values(), std::int64_t{0}), 127 * 20000);
  EXPECT_EQ(reduce(device, in.values()), static_cast<std::int8_t>(127 * 20000));
}

TEST_F(device_reduce, sums_floats_within_the_bound_of_any_order) {
  for (const std::size_t n : edge_sizes()) {
    const auto values = random_values<float>(n);
    const device_buffer<float> in(values);
    long double sum = 0, magnitude = 0;
    for (const float v : values) sum += v, magnitude += std::fabs(v);
    const double result = reduce(device, in.values());
    const double bound = static_cast<double>(n) * 0x1p-24 * static_cast<double>(magnitude);
    EXPECT_LE(std::fabs(result - static_cast<double>(sum)), bound) << n;
    EXPECT_EQ(reduce(device, in.values()), static_cast<float>(result)) << "not the same bits";
  }
}

TEST_F(device_reduce, keeps_the_order_for_operators_that_do_not_commute) {
  for (const std::size_t n : {0U, 1U, 2U, 33U, 500U, 4097U, 20011U, 70001U}) {
    std::vector<affine> values(n);
    const auto bits = random_values<std::uint32_t>(2 * n);
    for (std::size_t i = 0; i < n; ++i) values[i] = {bits[2 * i] | 1U, bits[2 * i + 1]};
    for (const std::size_t offset : {0U, 1U}) {
      expect_reduction(values, offset, affine{7, 9}, then{});
    }
  }
}

struct twelve_bytes {
  std::int32_t x, y, z;
  friend bool operator==(const twelve_bytes&, const twelve_bytes&) = default;
};
struct add_scaled {  // stateful
  std::int32_t modulus;
  __host__ __device__ twelve_bytes operator()(const twelve_bytes& a, const twelve_bytes& b) const {
    return {(a.x + b.x) % modulus, (a.y + b.y) % modulus, (a.z ^ b.z)};
  }
};

TEST_F(device_reduce, takes_own_types_with_stateful_operators) {
  for (const std::size_t n : {0U, 1U, 5U, 1000U, 12345U}) {
    std::vector<twelve_bytes> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto v = static_cast<std::int32_t>(i % 1000);
      values[i] = {v, 2 * v, 3 * v};
    }
    const auto ordered = with_identity(add_scaled{997}, twelve_bytes{0, 0, 0});
    expect_reduction(values, 0, twelve_bytes{1, 2, 3}, ordered);
    expect_reduction(values, 1, twelve_bytes{1, 2, 3},
                     with_identity(as_commutative(add_scaled{997}), twelve_bytes{0, 0, 0}));
  }
}

struct square {
  __host__ __device__ std::int64_t operator()(std::int32_t v) const { return std::int64_t{v} * v; }
};

TEST_F(device_reduce, maps_before_it_folds) {
  std::vector<std::int32_t> values(10007);
  std::iota(values.begin(), values.end(), -5000);
  const device_buffer<std::int32_t> in(values);
  std::int64_t expected = 10;
  for (const std::int64_t v : values) expected += v * v;
  EXPECT_EQ(transform_reduce(device, in.values(), std::int64_t{10}, plus{}, square{}), expected);
}

TEST_F(device_reduce, extremes_propagate_nan_and_keep_infinities) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values = random_values<float>(5000);
  values[4000] = infinity;
  values[77] = -infinity;
  {
    const device_buffer<float> in(values);
    EXPECT_EQ(min(device, in.values()), -infinity);
    EXPECT_EQ(max(device, in.values()), infinity);
    EXPECT_EQ(argmin(device, in.values()).index, 77U);
    EXPECT_EQ(argmax(device, in.values()).index, 4000U);
  }
  values[4500] = values[123] = std::nanf("");
  const device_buffer<float> in(values);
  EXPECT_TRUE(std::isnan(min(device, in.values())));
  EXPECT_TRUE(std::isnan(max(device, in.values())));
  const auto both = minmax(device, in.values());
  EXPECT_TRUE(std::isnan(both.min) && std::isnan(both.max));
  EXPECT_EQ(argmin(device, in.values()).index, 123U);
  EXPECT_EQ(argmax(device, in.values()).index, 123U);
}

template <class T>
void zeros_by_sign() {
  for (const bool inverted : {false, true}) {
    for (const std::size_t n : {2U, 200U, 5000U, 70001U}) {
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        std::vector<T> values(n, inverted ? -T{0} : T{0});
        values[at] = inverted ? T{0} : -T{0};
        const device_buffer<T> in(values, 1);
        EXPECT_TRUE(std::signbit(min(device, in.values()))) << at << " of " << n;
        EXPECT_FALSE(std::signbit(max(device, in.values()))) << at << " of " << n;
        EXPECT_EQ(argmin(device, in.values()).index, 0U);
      }
    }
  }
}
TEST_F(device_reduce, minus_zero_is_the_smaller_one) {
  zeros_by_sign<float>();
  zeros_by_sign<double>();
}

TEST_F(device_reduce, finds_the_first_of_equals) {
  for (const std::size_t n : {1U, 100U, 4097U, 40000U}) {
    std::vector<std::int32_t> values(n, 5);
    values[n / 2] = values[n - 1] = 4;
    values[n / 3] = 6;
    const device_buffer<std::int32_t> in(values, 1);
    const auto expected = [&](auto found) {
      return static_cast<std::uint64_t>(found - values.begin());
    };
    EXPECT_EQ(argmin(device, in.values()).index,
              expected(std::min_element(values.begin(), values.end())));
    EXPECT_EQ(argmax(device, in.values()).index,
              expected(std::max_element(values.begin(), values.end())));
  }
}

TEST_F(device_reduce, finds_the_first_where_all_are_equal) {
  for (const std::size_t n : {2U, 5U, 31U, 1000U, 4097U, 70001U}) {
    for (unsigned skip = 0; skip < 4; ++skip) {
      const device_buffer<float> in(std::vector<float>(n, 2.5F), skip);
      SCOPED_TRACE(::testing::Message() << n << " values, skip " << skip);
      EXPECT_EQ(argmin(device, in.values()).index, 0U);
      EXPECT_EQ(argmax(device, in.values()).index, 0U);
      const auto s = statistics(device, in.values());
      EXPECT_EQ(s.count, n);
      EXPECT_EQ(s.min.index, 0U);
      EXPECT_EQ(s.max.index, 0U);
      EXPECT_EQ(s.mean, 2.5);
      EXPECT_EQ(s.variance, 0);
    }
  }
}

void expect_statistics(const std::vector<float>& values) {
  SCOPED_TRACE(testing::Message() << values.size() << " values from " << values.front());
  const device_buffer<float> in(values, 1);
  const auto s = statistics(device, in.values());
  long double sum = 0, magnitude = 0, squares = 0;
  for (const float v : values) sum += v, magnitude += std::abs(v);
  const auto n = static_cast<long double>(values.size());
  const long double mean = sum / n;
  for (const float v : values) squares += (v - mean) * (v - mean);
  const auto variance = static_cast<double>(squares / n);
  const auto most = static_cast<double>(magnitude);
  EXPECT_EQ(s.count, values.size());
  EXPECT_NEAR(s.sum, static_cast<double>(sum), 1e-12 * most);
  EXPECT_NEAR(s.mean, static_cast<double>(mean), 1e-12 * most / static_cast<double>(n));
  EXPECT_NEAR(s.variance, variance, 1e-9 * variance);
  EXPECT_EQ(s.min.value, *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(values[s.max.index], *std::max_element(values.begin(), values.end()));
}

TEST_F(device_reduce, statistics_in_one_read) {
  std::vector<std::size_t> sizes = {1, 2, 1000, 4099, 60001, 1U << 18};
  if (!on_cpu) sizes.push_back(20000003);
  for (const std::size_t n : sizes) {
    auto values = random_values<float>(n);
    for (float& v : values) v += 100000.0F;  // the mean is far from 0
    expect_statistics(values);
    values.front() = 1e30F;  // the first is far from all others
    expect_statistics(values);
    std::fill(values.begin(), values.end(), 0.1F);
    const device_buffer<float> alike(values);
    EXPECT_EQ(statistics(device, alike.values()).variance, 0) << n;
    EXPECT_EQ(statistics(device, alike.values()).max.index, 0U) << n;
  }
}

TEST_F(device_reduce, of_nothing) {
  const device_buffer<float> none(0);
  EXPECT_EQ(reduce(device, none.values(), 4.5F), 4.5F);
  EXPECT_EQ(max(device, none.values()), -std::numeric_limits<float>::infinity());
  EXPECT_THROW((void)argmin(device, none.values()), usage_error);
  EXPECT_THROW((void)statistics(device, none.values()), usage_error);
  EXPECT_THROW((void)mean(device, none.values()), usage_error);
}

TEST_F(device_reduce, a_workspace_has_the_size_of_the_result) {
  const device_buffer<float> in(std::vector<float>(300'000, 2.5F));
  const workspace positions(reduce_workspace_bytes<position<float>>());
  const workspace extremes(reduce_workspace_bytes<min_max<float>>());
  const workspace summaries(reduce_workspace_bytes<summary<float>>());
  EXPECT_EQ(argmax(device.with(positions), in.values()).index, 0U);
  EXPECT_EQ(minmax(device.with(extremes), in.values()).max, 2.5F);
  EXPECT_EQ(statistics(device.with(summaries), in.values()).mean, 2.5);
}

TEST_F(device_reduce, a_workspace_serves_call_after_call) {
  const workspace memory(reduce_workspace_bytes<std::int64_t>());
  const device_buffer<std::int64_t> out(1);
  for (const std::size_t n : {70001U, 9U, 33333U, 70001U, 4096U}) {
    const auto values = random_values<std::int64_t>(n);
    const device_buffer<std::int64_t> in(values);
    ASSERT_TRUE(reduce_into(device.with(memory), in.values(), out.data()).ok());
    EXPECT_EQ(out.read()[0],
              std::accumulate(values.begin(), values.end(), std::int64_t{0}, plus{}));
  }
}

TEST_F(device_reduce, a_small_workspace_is_refused) {
  const workspace memory(64);
  const device_buffer<int> in(std::vector<int>(10)), out(1);
  const status refused = reduce_into(device.with(memory), in.values(), out.data());
  EXPECT_FALSE(refused.ok());
  EXPECT_THROW(refused.throw_if_failed("reduce"), device_error);
}

TEST_F(device_reduce, a_workspace_serves_sums_in_one_word_and_others_in_turns) {
  const workspace memory(reduce_workspace_bytes<float>());
  const auto values = random_values<std::int8_t>(200001);
  const device_buffer<std::int8_t> in(values), narrow(1);
  const device_buffer<std::uint32_t> wide(1);
  const device_buffer<float> real(1);
  long long sum = 0;
  for (const std::int8_t v : values) sum += v;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(reduce_into(device.with(memory), in.values(), wide.data()).ok());
    ASSERT_TRUE(reduce_into(device.with(memory), in.values(), narrow.data(), 0, maximum{}).ok());
    EXPECT_EQ(wide.read()[0], static_cast<std::uint32_t>(sum));
    EXPECT_EQ(narrow.read()[0], *std::max_element(values.begin(), values.end()));
    ASSERT_TRUE(reduce_into(device.with(memory), in.values(), real.data()).ok());
    ASSERT_TRUE(reduce_into(device.with(memory), in.values(), narrow.data()).ok());
    EXPECT_EQ(real.read()[0], static_cast<float>(sum));
    EXPECT_EQ(narrow.read()[0], static_cast<std::int8_t>(sum));
  }
}

TEST_F(device_reduce, starts_its_tags_again_after_the_last) {
  const std::size_t bytes = reduce_workspace_bytes<std::int64_t>();
  const workspace memory(bytes);
  const workspace_view view = memory;
  const std::uint64_t nearly = std::uint64_t{0xfffffffd} << 32;
  ASSERT_TRUE(detail::copy_async(view.data, &nearly, sizeof nearly, device.stream()).ok());
  const auto values = random_values<std::int64_t>(70001);
  const device_buffer<std::int64_t> in(values), out(1);
  for (int launch = 0; launch < 5; ++launch) {
    ASSERT_TRUE(reduce_into(device.with(memory), in.values(), out.data()).ok());
    EXPECT_EQ(out.read()[0], std::accumulate(values.begin(), values.end(), std::int64_t{0}, plus{}))
        << launch;
  }
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
