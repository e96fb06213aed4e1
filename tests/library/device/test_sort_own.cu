// The device sorts with orders, keys and items of one's own, on the CPU machine and on CUDA.
#include "tests/library/device/device_sort_test.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_sort_own : public device_test {};

struct card {
  std::int16_t rank;
  char suit;
  char name[5];
};
struct by_rank {
  __host__ __device__ bool operator()(const card& a, const card& b) const {
    return a.rank < b.rank;
  }
};

std::vector<card> cards(std::size_t n) {
  std::vector<card> all;
  for (const std::uint32_t b : random_values<std::uint32_t>(n)) {
    all.push_back({static_cast<std::int16_t>(b % 50), static_cast<char>('a' + b / 7 % 26), "card"});
  }
  return all;
}

TEST_F(device_sort_own, structs_keep_the_order_of_equals) {
  for (const std::size_t n : {1U, 33U, 1000U, 17011U}) {
    expect_sorts(cards(n), by_rank{});
    if (n < 17000 || !on_cpu) expect_sorts_by_key<std::uint64_t>(cards(n), by_rank{});
  }
  if (!on_cpu) expect_sorts(cards(3000017), by_rank{});
}

struct long_key {
  std::uint32_t part[12];
};
struct by_last_part {
  __host__ __device__ bool operator()(const long_key& a, const long_key& b) const {
    return a.part[11] < b.part[11];
  }
};
std::vector<long_key> long_keys(std::size_t n) {
  std::vector<long_key> all(n);
  const auto bits = random_values<std::uint32_t>(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint32_t& p : all[i].part) p = static_cast<std::uint32_t>(i);
    all[i].part[11] = bits[i] % 1000;
  }
  return all;
}

TEST_F(device_sort_own, keys_of_forty_eight_bytes) {
  for (const std::size_t n : {0U, 1U, 1000U, 5003U}) {
    expect_sorts(long_keys(n), by_last_part{});
    expect_sorts_by_key<std::uint32_t>(long_keys(n), by_last_part{});
  }
  if (!on_cpu) expect_sorts_by_key<card>(long_keys(300007), by_last_part{});
}

template <std::size_t Bytes>
struct item {
  unsigned char bytes[Bytes];
};

TEST_F(device_sort_own, items_of_every_size) {
  for (const std::size_t n : {33U, 1000U, 5003U}) {
    const auto keys = random_values<std::uint16_t>(n);
    expect_sorts_by_key<std::uint8_t>(keys, ascending{});
    expect_sorts_by_key<item<3>>(keys, ascending{});
    expect_sorts_by_key<double>(keys, ascending{});
    expect_sorts_by_key<item<12>>(keys, descending{});
    expect_sorts_by_key<item<72>>(keys, backwards{});
  }
}

struct pixel {
  unsigned char red, green, blue, alpha;
};
struct place {
  float x, y;
};

/// Items as large as a word that need not lie as one.
TEST_F(device_sort_own, items_that_lie_as_words_and_others) {
  for (const std::size_t n : {1000UL, on_cpu ? 0UL : 3000017UL}) {
    const auto keys = random_values<std::uint32_t>(n);
    for (const std::size_t offset : {0, 1}) {
      expect_sorts_by_key<pixel>(keys, ascending{}, offset);
      expect_sorts_by_key<place>(keys, descending{}, offset);
    }
    const auto shifted = [&] {  // by one byte
      const device_buffer<std::uint32_t> sorted(keys);
      const auto items = numbered<pixel>(n);
      device_buffer<char> room(n * sizeof(pixel) + 1);
      auto* const along = reinterpret_cast<pixel*>(room.data() + 1);
      ASSERT_EQ(cudaMemcpy(along, items.data(), n * sizeof(pixel), cudaMemcpyDefault), cudaSuccess);
      ASSERT_TRUE(stable_sort_by_key(device, sorted.room(), std::span(along, n)).ok());
      std::vector<pixel> result(n);
      ASSERT_EQ(cudaMemcpy(result.data(), along, n * sizeof(pixel), cudaMemcpyDefault),
                cudaSuccess);
      EXPECT_TRUE(same_bits(result, at_places(items, places_of(keys, ascending{}))));
    };
    shifted();
  }
}

struct by_weight {  // has state
  std::uint32_t factor;
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    return a * factor < b * factor;
  }
};

TEST_F(device_sort_own, an_order_with_state) {
  for (const std::uint32_t factor : {1U, 3U, 40503U}) {
    expect_sorts(random_values<std::uint32_t>(3000), by_weight{factor});
  }
}

TEST_F(device_sort_own, temp_storage_serves_call_after_call) {
  const std::size_t most = 17000;
  const temp_storage memory(sort_temp_storage_bytes<std::uint32_t, std::uint32_t>(most));
  for (const std::size_t n : {most, std::size_t{7}, most - 1, most}) {
    const auto keys = random_values<std::uint32_t>(n);
    const device_buffer<std::uint32_t> sorted(keys), along(numbered<std::uint32_t>(n));
    ASSERT_TRUE(sort_by_key(device.with(memory), sorted.room(), along.room()).ok());
    const auto places = places_of(keys, ascending{});
    EXPECT_EQ(sorted.read(), at_places(keys, places));
    EXPECT_EQ(along.read(), at_places(numbered<std::uint32_t>(n), places));
  }
}

template <class Bytes>
void expect_growing(Bytes bytes_for) {
  std::size_t before = 0;
  for (std::size_t n = 0; n < std::size_t{1} << 24; n += 997) {
    const std::size_t now = bytes_for(n);
    ASSERT_GE(now, before) << n << " rows";
    before = now;
  }
}

TEST_F(device_sort_own, temp_storage_for_more_rows_serves_fewer) {
  expect_growing([](std::size_t n) { return sort_temp_storage_bytes<std::uint8_t>(n); });
  expect_growing([](std::size_t n) { return sort_temp_storage_bytes<std::uint32_t>(n); });
  expect_growing([](std::size_t n) { return exchanging_sort_temp_storage_bytes<float>(n); });
  expect_growing(
      [](std::size_t n) { return sort_temp_storage_bytes<std::uint32_t, std::uint32_t>(n); });
  expect_growing(
      [](std::size_t n) { return exchanging_sort_temp_storage_bytes<std::uint8_t, double>(n); });
  expect_growing([](std::size_t n) { return argsort_temp_storage_bytes<std::uint16_t>(n); });
}

TEST_F(device_sort_own, a_span_of_pointers_is_a_range) {
  const device_buffer<int> keys({3, 1, 2});
  const device_buffer<char> items({'c', 'a', 'b'});
  int* const end = keys.data() + 3;
  ASSERT_TRUE(sort_by_key(device, std::span(keys.data(), end), items.room()).ok());
  EXPECT_EQ(keys.read(), (std::vector{1, 2, 3}));
  EXPECT_EQ(items.read(), (std::vector{'a', 'b', 'c'}));
  ASSERT_TRUE(
      stable_sort_by_key(device, std::span(keys.data(), end), items.room(), descending{}).ok());
  EXPECT_EQ(items.read(), (std::vector{'c', 'b', 'a'}));
  ASSERT_TRUE(sort(device, std::span(keys.data(), end)).ok());
  ASSERT_TRUE(stable_sort(device, std::span(keys.data(), end - 1), descending{}).ok());
  EXPECT_EQ(keys.read(), (std::vector{2, 1, 3}));
}

TEST_F(device_sort_own, refuses_what_does_not_fit) {
  const device_buffer<int> keys(std::vector<int>(100, 5)), items(99);
  expect_refused(sort_by_key(device, keys.room(), items.room()), 100, 99, "items");
  EXPECT_EQ(keys.read(), std::vector<int>(100, 5));
  const temp_storage memory(sort_temp_storage_bytes<int>(100000) - 1);
  const auto values = random_values<int>(100000);
  const device_buffer<int> many(values);
  EXPECT_FALSE(sort(device.with(memory), many.room()).ok());
  EXPECT_EQ(many.read(), values);
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
