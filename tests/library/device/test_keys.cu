// Calls on runs of equal keys, on the CPU machine and on CUDA.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/library/device/device_test.hpp"
#include "tests/library/device/runs.hpp"
#include "warpfold/keys.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_keys : public device_test {};

// Around small tiles of 2,048 rows of 8 bytes and large ones of 4,096, which begin behind 16,384 on
// the 4 multiprocessors of the CPU machine.
constexpr std::size_t sizes[] = {0,    1,    2,    31,    33,    511,   513,   2047, 2048,
                                 2049, 5003, 8193, 16384, 16385, 20480, 20481, 33333};

template <class K, class V, class Acc, class Op>
struct by_key {
  std::vector<K> keys, first_keys;
  std::vector<V> values, first_values;
  std::vector<Acc> folds, inclusive, exclusive;
  std::vector<std::uint32_t> lengths;

  by_key(std::vector<K> k, std::vector<V> v, Acc init, Op op)
      : keys(std::move(k)), values(std::move(v)) {
    Acc sum{};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool begins = i == 0 || !(keys[i - 1] == keys[i]);
      const Acc value = static_cast<Acc>(values[i]);
      exclusive.push_back(begins ? init : op(init, sum));
      sum = begins ? value : op(sum, value);
      inclusive.push_back(sum);
      if (begins) {
        first_keys.push_back(keys[i]);
        first_values.push_back(values[i]);
        folds.push_back(sum);
        lengths.push_back(1);
      } else {
        folds.back() = sum;
        ++lengths.back();
      }
    }
  }
};

template <class Acc, class K, class V, class Op>
void expect_by_key(const std::vector<K>& keys, const std::vector<V>& values, Acc init, Op op,
                   std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << keys.size() << " keys of " << sizeof(K) << " bytes, values of "
                                  << sizeof(V));
  const by_key<K, V, Acc, Op> expected(keys, values, init, op);
  const std::size_t runs = expected.folds.size();
  const device_buffer<K> k(keys, offset), out_keys(runs, 1);
  const device_buffer<V> v(values, offset), out_values(runs);
  const device_buffer<Acc> folds(runs, 1), out(keys.size());
  const device_buffer<std::uint32_t> lengths(runs);
  EXPECT_EQ(reduce_by_key(device, k.values(), v.values(), out_keys.room(), folds.room(), op), runs);
  EXPECT_EQ(out_keys.read(), expected.first_keys);
  EXPECT_EQ(folds.read(), expected.folds);
  EXPECT_EQ(unique_by_key(device, k.values(), v.values(), out_keys.room(), out_values.room()),
            runs);
  EXPECT_EQ(out_keys.read(), expected.first_keys);
  EXPECT_EQ(out_values.read(), expected.first_values);
  EXPECT_EQ(run_length_encode(device, k.values(), out_keys.room(), lengths.room()), runs);
  EXPECT_EQ(out_keys.read(), expected.first_keys);
  EXPECT_EQ(lengths.read(), expected.lengths);
  ASSERT_TRUE(inclusive_scan_by_key(device, k.values(), v.values(), out.room(), op).ok());
  EXPECT_EQ(out.read(), expected.inclusive);
  ASSERT_TRUE(exclusive_scan_by_key(device, k.values(), v.values(), out.room(), init, op).ok());
  EXPECT_EQ(out.read(), expected.exclusive);
  EXPECT_EQ(k.read(), keys);
  EXPECT_EQ(v.read(), values);
}

TEST_F(device_keys, any_number_of_keys_in_runs_of_any_length) {
  for (const std::size_t n : sizes) {
    for (const unsigned most : {1U, 2U, 50U, 5000U}) {
      const auto keys = runs_of<std::uint32_t>(n, most);
      expect_by_key(keys, random_values<std::int32_t>(n), 3, plus{});
      expect_by_key(runs_of<std::uint64_t>(n, most), random_values<std::int64_t>(n),
                    std::int64_t{-5}, plus{}, 1);
    }
    expect_by_key(std::vector<std::uint8_t>(n, 7), random_values<std::int16_t>(n), std::int16_t{2},
                  maximum{}, 1);
  }
  if (!on_cpu) {
    for (const std::size_t n : {1048576U, 3000017U, 20000003U}) {
      for (const unsigned most : {1U, 60U, 100000U}) {
        expect_by_key(runs_of<std::uint32_t>(n, most), random_values<std::int32_t>(n), 3, plus{});
      }
    }
  }
}

/// No operator is called with what is not a value: it would be out of the table.
struct by_table {
  const std::uint32_t* table;
  __host__ __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return table[a * 4 + b];
  }
};

TEST_F(device_keys, the_order_of_values_is_kept) {
  for (const std::size_t n : {1U, 999U, 5003U, 20001U}) {
    std::vector<affine> maps(n);
    const auto bits = random_values<std::uint32_t>(2 * n);
    for (std::size_t i = 0; i < n; ++i) maps[i] = {bits[2 * i], bits[2 * i + 1]};
    expect_by_key(runs_of<std::uint16_t>(n, 300), maps, affine{3, 4}, then{});
  }
}

TEST_F(device_keys, the_operator_needs_no_identity_and_sees_values_alone) {
  // max, as a table: an index beyond 3 would read outside of it.
  std::vector<std::uint32_t> table(16);
  for (std::uint32_t i = 0; i < 16; ++i) table[i] = std::max(i / 4, i % 4);
  const device_buffer<std::uint32_t> on_device(table);
  for (const std::size_t n : {1U, 33U, 770U, 5003U}) {
    auto values = random_values<std::uint32_t>(n);
    for (auto& v : values) v %= 4;
    const auto keys = runs_of<std::uint32_t>(n, 40);
    const by_key<std::uint32_t, std::uint32_t, std::uint32_t, maximum> expected(keys, values, 0,
                                                                                maximum{});
    const device_buffer<std::uint32_t> k(keys), v(values), out_keys(n), out(n);
    EXPECT_EQ(reduce_by_key(device, k.values(), v.values(), out_keys.room(), out.room(),
                            by_table{on_device.data()}),
              expected.folds.size());
    auto folds = out.read();
    folds.resize(expected.folds.size());
    EXPECT_EQ(folds, expected.folds);
  }
}

TEST_F(device_keys, a_run_of_negative_zero_stays_one) {
  const std::vector<float> values(5000, -0.0F);
  std::vector<std::uint32_t> keys(values.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i / 3;
  const device_buffer<std::uint32_t> k(keys), out_keys(keys.size());
  const device_buffer<float> v(values), out(values.size());
  const std::size_t runs =
      reduce_by_key(device, k.values(), v.values(), out_keys.room(), out.room());
  const auto sums = out.read();
  for (std::size_t i = 0; i < runs; ++i) EXPECT_TRUE(std::signbit(sums[i])) << i;
}

TEST_F(device_keys, floating_point_sums_have_the_same_bits_in_every_run) {
  const std::size_t n = on_cpu ? 20'000 : 3'000'000;
  const auto keys = runs_of<std::uint32_t>(n, 5000);
  const auto values = random_values<float>(n);
  const device_buffer<std::uint32_t> k(keys), out_keys(n);
  const device_buffer<float> v(values), out(n);
  std::vector<std::uint32_t> first;
  for (int run = 0; run < (on_cpu ? 3 : 200); ++run) {
    const std::size_t runs =
        reduce_by_key(device, k.values(), v.values(), out_keys.room(), out.room());
    const auto sums = out.read();
    std::vector<std::uint32_t> bits(runs);
    if (runs > 0) std::memcpy(bits.data(), sums.data(), runs * sizeof(float));
    if (run == 0) first = bits;
    ASSERT_EQ(bits, first) << "run " << run;
  }
}

TEST_F(device_keys, nan_keys_are_runs_of_their_own) {
  std::vector<double> keys(100, std::numeric_limits<double>::quiet_NaN());
  keys[10] = keys[11] = 1;
  expect_by_key(std::vector<int>(100, 4), random_values<int>(100), 0, plus{});
  const device_buffer<double> k(keys), out_keys(100);
  const device_buffer<int> v(std::vector<int>(100, 1)), out(100);
  EXPECT_EQ(reduce_by_key(device, k.values(), v.values(), out_keys.room(), out.room()), 99U);
}

TEST_F(device_keys, scans_in_place_and_a_number_on_the_device) {
  const auto keys = runs_of<std::uint32_t>(9000, 70);
  const auto values = random_values<std::int32_t>(9000);
  const by_key<std::uint32_t, std::int32_t, std::int32_t, plus> expected(keys, values, 0, plus{});
  const device_buffer<std::uint32_t> k(keys), out_keys(9000);
  const device_buffer<std::int32_t> v(values), out(9000);
  ASSERT_TRUE(inclusive_scan_by_key(device, k.values(), v.values(), v.room()).ok());
  EXPECT_EQ(v.read(), expected.inclusive);
  const device_buffer<std::size_t> size(std::vector<std::size_t>{4321}), runs(1);
  const device_buffer<std::int32_t> again(values);
  ASSERT_TRUE(reduce_by_key(device, device_sized(k.values(), size.data()), again.values(),
                            out_keys.room(), out.room(), runs.data())
                  .ok());
  const by_key<std::uint32_t, std::int32_t, std::int32_t, plus> part(
      {keys.begin(), keys.begin() + 4321}, {values.begin(), values.begin() + 4321}, 0, plus{});
  EXPECT_EQ(runs.read()[0], part.folds.size());
  auto sums = out.read();
  sums.resize(part.folds.size());
  EXPECT_EQ(sums, part.folds);
}

TEST_F(device_keys, what_is_refused) {
  const device_buffer<int> keys(std::vector<int>(10, 1)), nine(9), out(10), none(0);
  const device_buffer<std::size_t> runs(1);
  expect_refused(
      reduce_by_key(device, keys.values(), nine.values(), out.room(), out.room(), runs.data()), 10,
      9, "values");
  expect_refused(
      unique_by_key(device, keys.values(), nine.values(), out.room(), out.room(), runs.data()), 10,
      9, "values");
  expect_refused(inclusive_scan_by_key(device, keys.values(), nine.values(), out.room()), 10, 9,
                 "values");
  expect_refused(inclusive_scan_by_key(device, keys.values(), keys.values(), nine.room()), 10, 9,
                 "values");
  ASSERT_TRUE(
      reduce_by_key(device, keys.values(), keys.values(), none.room(), out.room(), runs.data())
          .ok());
  EXPECT_EQ(runs.read()[0], 1U);
  EXPECT_THROW((void)reduce_by_key(device, keys.values(), keys.values(), none.room(), out.room()),
               usage_error);
}

TEST_F(device_keys, one_workspace_serves_all_of_them) {
  const workspace memory(reduce_by_key_workspace_bytes<std::uint32_t, double>(33'333));
  const auto where = device.with(memory);
  for (const std::size_t n : sizes) {
    const auto keys = runs_of<std::uint32_t>(n, 20);
    std::vector<double> values(n, 1);
    const by_key<std::uint32_t, double, double, plus> expected(keys, values, 0, plus{});
    const device_buffer<std::uint32_t> k(keys), out_keys(n);
    const device_buffer<double> v(values), out(n);
    EXPECT_EQ(reduce_by_key(where, k.values(), v.values(), out_keys.room(), out.room()),
              expected.folds.size());
    ASSERT_TRUE(inclusive_scan_by_key(where, k.values(), v.values(), out.room()).ok());
    EXPECT_EQ(out.read(), expected.inclusive);
  }
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
