// Selections through their public calls, on the CPU machine and on CUDA.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tests/library/device/device_test.hpp"
#include "tests/library/device/runs.hpp"
#include "warpfold/gather.hpp"
#include "warpfold/select.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_select : public device_test {};

/// Keeps about `percent` of random values.
struct below {
  unsigned percent;
  template <class T>
  __host__ __device__ bool operator()(const T& value) const {
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    const std::uint64_t chance = bits * 0x9e3779b97f4a7c15ULL >> 32;
    return chance < percent * (std::uint64_t{1} << 32) / 100;
  }
};
struct pair_of_words {
  std::uint32_t key, tag;
  friend bool operator==(const pair_of_words&, const pair_of_words&) = default;
};
struct same_key {
  __host__ __device__ bool operator()(const pair_of_words& a, const pair_of_words& b) const {
    return a.key == b.key;
  }
};

// Around small tiles of 3,072 4-byte values and large ones of 12,288, which begin behind 49,152 on
// the 4 multiprocessors of the CPU machine.
constexpr std::size_t sizes[] = {0,    1,     2,     31,    33,    1023,  3071,  3072,  3073,
                                 5003, 12288, 12289, 33333, 49152, 49153, 61440, 61441, 70001};

template <class T, class Keep>
void expect_copies(const std::vector<T>& values, Keep keep, std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << values.size() << " values of " << sizeof(T) << " bytes");
  std::vector<T> kept, others;
  for (const T& v : values) (keep(v) ? kept : others).push_back(v);
  const device_buffer<T> in(values, offset), out(kept.size()), rest(others.size());
  const device_buffer<std::size_t> count(1);
  ASSERT_TRUE(copy_if(device, in.values(), out.room(), count.data(), keep).ok());
  EXPECT_EQ(count.read()[0], kept.size());
  EXPECT_EQ(out.read(), kept);
  EXPECT_EQ(partition_copy(device, in.values(), out.room(), rest.room(), keep), kept.size());
  EXPECT_EQ(out.read(), kept);
  EXPECT_EQ(rest.read(), others);
  EXPECT_EQ(in.read(), values);
  EXPECT_EQ(copy_if(device, in.values(), in.room(), keep), kept.size());  // in place
  std::vector<T> front = in.read();
  front.resize(kept.size());
  EXPECT_EQ(front, kept);
}

TEST_F(device_select, any_number_of_values_and_any_share) {
  for (const std::size_t n : sizes) {
    for (const unsigned percent : {0U, 1U, 50U, 99U, 100U}) {
      expect_copies(random_values<std::uint32_t>(n), below{percent});
    }
    expect_copies(random_values<std::uint8_t>(n, 2), below{50}, 3);
    expect_copies(random_values<std::int16_t>(n, 3), below{50}, 1);
    expect_copies(random_values<std::uint64_t>(n, 4), below{10}, 1);
    expect_copies(random_values<double>(n, 5), below{50});
  }
  if (!on_cpu) {
    for (const std::size_t n : {1048576U, 1048577U, 5000011U, 33554433U}) {
      for (const unsigned percent : {1U, 50U, 100U}) {
        expect_copies(random_values<std::uint32_t>(n), below{percent});
      }
    }
  }
}

template <class Index, class T>
void expect_parts(const std::vector<T>& values) {
  SCOPED_TRACE(testing::Message() << values.size() << " values of " << sizeof(T) << " bytes");
  std::vector<Index> few;
  std::vector<T> most, parts[3];
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T v = values[i];
    if (below{30}(v)) few.push_back(static_cast<Index>(i));
    if (!below{30}(v)) most.push_back(v);
    parts[below{30}(v) ? 0 : below{70}(v) ? 1 : 2].push_back(v);
  }
  const device_buffer<T> in(values), out(most.size()), first(parts[0].size()),
      second(parts[1].size()), rest(parts[2].size());
  const device_buffer<Index> indices(few.size());
  EXPECT_EQ(indices_if(device, in.values(), indices.room(), below{30}), few.size());
  EXPECT_EQ(indices.read(), few);
  EXPECT_EQ(partition_copy(device, in.values(), first.room(), second.room(), rest.room(), below{30},
                           below{70}),
            (std::array{parts[0].size(), parts[1].size(), parts[2].size()}));
  EXPECT_EQ(first.read(), parts[0]);
  EXPECT_EQ(second.read(), parts[1]);
  EXPECT_EQ(rest.read(), parts[2]);
  EXPECT_EQ(remove_if(device, in.values(), out.room(), below{30}), most.size());
  EXPECT_EQ(out.read(), most);
  EXPECT_EQ(remove_if(device, in.values(), in.room(), below{30}), most.size());  // in place
}

TEST_F(device_select, indices_removals_and_three_parts) {
  for (const std::size_t n : {0U, 1U, 31U, 1023U, 5003U, 49153U}) {
    expect_parts<std::uint32_t>(random_values<std::uint32_t>(n));
    expect_parts<std::int64_t>(random_values<std::uint8_t>(n));
    expect_parts<std::int32_t>(random_values<double>(n));
  }
  const device_buffer<int> in(std::vector<int>(5000, 1));
  const device_buffer<std::uint32_t> indices(70);
  const device_buffer<std::size_t> count(1);
  ASSERT_TRUE(indices_if(device, in.values(), indices.room(), count.data(), below{100}).ok());
  EXPECT_EQ(count.read()[0], 5000U);
  EXPECT_EQ(indices.read()[69], 69U);
  EXPECT_THROW((void)indices_if(device, in.values(), indices.room(), below{100}), usage_error);
  const std::span<const int> many(in.data(), std::size_t{1} << 33);
  EXPECT_FALSE(indices_if(device, many, indices.room(), count.data(), below{100}).ok());
}

template <class T, class Index>
void expect_gathers(std::size_t n, std::size_t m) {
  SCOPED_TRACE(testing::Message() << m << " of " << n << " values of " << sizeof(T) << " bytes");
  std::vector<T> values(n), expected;
  const auto bytes = random_values<unsigned char>(n * sizeof(T));
  if (n > 0) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
  std::vector<Index> indices(m);
  for (std::size_t i = 0; i < m; ++i) {
    indices[i] = static_cast<Index>(i * 7919 % n);
    expected.push_back(values[static_cast<std::size_t>(indices[i])]);
  }
  const device_buffer<T> in(values, 1), out(m);
  const device_buffer<Index> at(indices);
  const device_buffer<std::size_t> refused(1);
  ASSERT_TRUE(gather(device, in.values(), at.values(), out.room(), refused.data()).ok());
  EXPECT_EQ(refused.read()[0], 0U);
  EXPECT_EQ(std::memcmp(out.read().data(), expected.data(), m * sizeof(T)), 0);
  if (m != n) return;  // where it is a permutation, a scatter brings it back
  const device_buffer<T> back(n, 1);
  ASSERT_TRUE(scatter(device, out.values(), at.values(), back.room()).ok());
  EXPECT_EQ(std::memcmp(back.read().data(), values.data(), n * sizeof(T)), 0);
}

struct three_bytes {
  unsigned char byte[3];
};
struct five_words {
  std::uint32_t word[5];
};

TEST_F(device_select, values_by_their_indices) {
  expect_gathers<std::uint32_t, std::uint32_t>(1000, 1000);
  expect_gathers<std::uint64_t, std::int64_t>(1000, 3001);
  expect_gathers<three_bytes, std::uint16_t>(777, 777);
  expect_gathers<five_words, std::uint32_t>(5003, 5003);
  const device_buffer<int> in(std::vector<int>{5, 6, 7}), out(std::vector<int>{1, 1, 1, 1});
  const device_buffer<int> indices(std::vector<int>{2, -1, 3, 0});
  const device_buffer<std::size_t> refused(1);
  ASSERT_TRUE(gather(device, in.values(), indices.values(), out.room(), refused.data()).ok());
  EXPECT_EQ(out.read(), (std::vector<int>{7, 1, 1, 5}));
  EXPECT_EQ(refused.read()[0], 2U);
  const device_buffer<int> to(std::vector<int>{1, 1, 1});
  ASSERT_TRUE(scatter(device, out.values(), indices.values(), to.room(), refused.data()).ok());
  EXPECT_EQ(to.read(), (std::vector<int>{5, 1, 7}));
  EXPECT_EQ(refused.read()[0], 2U);
  expect_refused(gather(device, in.values(), indices.values(), to.room()), 4, 3, "values");
  expect_refused(scatter(device, in.values(), indices.values(), out.room()), 4, 3, "values");
  EXPECT_FALSE(gather(device, in.values(), indices.values(), indices.room()).ok());
  EXPECT_FALSE(scatter(device, out.values(), indices.values(), out.room()).ok());
}

TEST_F(device_select, by_flags) {
  for (const std::size_t n : sizes) {
    const auto values = random_values<std::uint64_t>(n);
    std::vector<std::uint8_t> flags(n);
    std::vector<std::uint64_t> kept;
    for (std::size_t i = 0; i < n; ++i) {
      flags[i] = static_cast<std::uint8_t>(values[i] % 3 == 0 ? values[i] % 254 + 1 : 0);
      if (flags[i] != 0) kept.push_back(values[i]);
    }
    const device_buffer<std::uint64_t> in(values), out(kept.size());
    const device_buffer<std::uint8_t> flag(flags, 1);
    EXPECT_EQ(copy_flagged(device, in.values(), flag.values(), out.room()), kept.size());
    EXPECT_EQ(out.read(), kept);
  }
  const device_buffer<int> in(9), out(9), flags(8);
  const device_buffer<std::size_t> count(1);
  expect_refused(copy_flagged(device, in.values(), flags.values(), out.room(), count.data()), 9, 8,
                 "values");
}

template <class T>
void expect_unique(const std::vector<T>& values) {
  SCOPED_TRACE(testing::Message() << values.size() << " values of " << sizeof(T) << " bytes");
  std::vector<T> first;
  std::unique_copy(values.begin(), values.end(), std::back_inserter(first));
  const device_buffer<T> in(values), out(first.size());
  EXPECT_EQ(unique(device, in.values(), out.room()), first.size());
  EXPECT_EQ(out.read(), first);
  EXPECT_EQ(unique(device, in.values(), in.room()), first.size());  // in place
  std::vector<T> front = in.read();
  front.resize(first.size());
  EXPECT_EQ(front, first);
}

TEST_F(device_select, unique_keeps_the_first_of_each_run) {
  for (const std::size_t n : sizes) {
    for (const unsigned most : {1U, 2U, 40U, 6000U}) {
      expect_unique(runs_of<std::uint32_t>(n, most));
      expect_unique(runs_of<std::uint64_t>(n, most));
      expect_unique(runs_of<std::uint8_t>(n, most));
    }
    expect_unique(std::vector<int>(n, 5));
  }
  const std::vector<double> nan(300, std::numeric_limits<double>::quiet_NaN());
  const device_buffer<double> in(nan), out(300);
  EXPECT_EQ(unique(device, in.values(), out.room()), 300U);  // a NaN equals nothing
}

TEST_F(device_select, unique_by_an_equality_of_ones_own) {
  const auto keys = runs_of<std::uint32_t>(20'000, 9);
  std::vector<pair_of_words> values(keys.size()), first;
  for (std::uint32_t i = 0; i < keys.size(); ++i) values[i] = {keys[i], i};
  std::unique_copy(values.begin(), values.end(), std::back_inserter(first), same_key{});
  const device_buffer<pair_of_words> in(values), out(first.size());
  EXPECT_EQ(unique(device, in.values(), out.room(), same_key{}), first.size());
  EXPECT_EQ(out.read(), first);
}

TEST_F(device_select, a_number_that_lies_on_the_device) {
  const auto values = random_values<std::uint32_t>(20'000);
  const device_buffer<std::uint32_t> in(values), kept(values.size()), out(values.size());
  const device_buffer<std::size_t> count(1), twice(1);
  ASSERT_TRUE(copy_if(device, in.values(), kept.room(), count.data(), below{30}).ok());
  const auto first = device_sized(kept.values(), count.data());
  ASSERT_TRUE(copy_if(device, first, out.room(), twice.data(), below{10}).ok());
  std::vector<std::uint32_t> expected;
  std::copy_if(values.begin(), values.end(), std::back_inserter(expected), below{10});
  EXPECT_EQ(twice.read()[0], expected.size());
  std::vector<std::uint32_t> front = out.read();
  front.resize(expected.size());
  EXPECT_EQ(front, expected);
  // None, and more than there are.
  for (const std::size_t size : {std::size_t{0}, values.size() + 7}) {
    const device_buffer<std::size_t> given(std::vector<std::size_t>{size});
    ASSERT_TRUE(copy_if(device, device_sized(in.values(), given.data()), out.room(), count.data(),
                        below{100})
                    .ok());
    EXPECT_EQ(count.read()[0], std::min(size, values.size()));
  }
}

TEST_F(device_select, an_output_that_is_too_short_is_filled_and_no_more) {
  const std::vector<int> values(10'000, 1);
  const device_buffer<int> in(values), out(777), others(0);
  const device_buffer<std::size_t> count(1);
  ASSERT_TRUE(copy_if(device, in.values(), out.room(), count.data(), below{100}).ok());
  EXPECT_EQ(count.read()[0], values.size());
  EXPECT_EQ(out.read(), std::vector<int>(777, 1));
  ASSERT_TRUE(
      partition_copy(device, in.values(), in.room(), others.room(), count.data(), below{0}).ok());
  EXPECT_EQ(count.read()[0], 0U);
  EXPECT_EQ(others.read().size(), 0U);
  EXPECT_THROW((void)copy_if(device, in.values(), out.room(), below{100}), usage_error);
}

TEST_F(device_select, one_workspace_serves_all_of_them) {
  const workspace memory(select_workspace_bytes<std::uint64_t>(70'001));
  const auto where = device.with(memory);
  for (const std::size_t n : sizes) {
    const auto values = random_values<std::uint64_t>(n);
    const auto runs = runs_of<std::uint64_t>(n, 5);
    const device_buffer<std::uint64_t> in(values), out(n), in_runs(runs);
    const auto kept =
        static_cast<std::size_t>(std::count_if(values.begin(), values.end(), below{40}));
    EXPECT_EQ(copy_if(where, in.values(), out.room(), below{40}), kept);
    std::vector<std::uint64_t> first;
    std::unique_copy(runs.begin(), runs.end(), std::back_inserter(first));
    EXPECT_EQ(unique(where, in_runs.values(), out.room()), first.size());
  }
  const device_buffer<std::uint64_t> in(70'001), out(70'001);
  const workspace small(256);
  const device_buffer<std::size_t> count(1);
  EXPECT_FALSE(copy_if(device.with(small), in.values(), out.room(), count.data(), below{4}).ok());
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
