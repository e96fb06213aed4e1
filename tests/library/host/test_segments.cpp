// Segmented reductions and scans on the host do what plain loops do: any lengths, and the same bits
// with any number of threads.
#include <cstring>
#include <numeric>
#include <string>

#include <gmock/gmock.h>

#include "tests/library/host/runs_of_keys.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/segments.hpp"

namespace warpfold::tests {
namespace {

std::vector<std::size_t> offsets_of_segments(std::size_t n, std::size_t least, std::size_t most) {
  std::mt19937 bits(static_cast<unsigned>(n));
  std::vector<std::size_t> offsets{std::min<std::size_t>(n, least % 3)};
  while (offsets.back() < n) {
    offsets.push_back(std::min(n, offsets.back() + least + bits() % (most - least + 1)));
  }
  return offsets;
}

template <class V, class Op>
void check_segments(const std::vector<V>& values, const std::vector<std::size_t>& offsets,
                    const V& init, const Op& op) {
  const std::size_t segments = offsets.size() - 1;
  std::vector<V> sums, inclusive(values), exclusive(values);
  for (std::size_t s = 0; s < segments; ++s) {
    V sum = init;
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      inclusive[i] = i == offsets[s] ? values[i] : op(inclusive[i - 1], values[i]);
      exclusive[i] = sum;
      sum = op(sum, values[i]);
    }
    sums.push_back(sum);
  }
  for (const unsigned threads : {1, 2, 7}) {
    const auto where = here.threads(threads);
    fenced<V> sum(segments);
    segmented_reduce(where, values, offsets, sum.room(), init, op);
    sum.expect(sums);
    auto in_place = values, scanned = values;
    segmented_inclusive_scan(where, values, offsets, scanned, op);
    ASSERT_EQ(scanned, inclusive);
    segmented_exclusive_scan(where, in_place, offsets, in_place, init, op);
    ASSERT_EQ(in_place, exclusive);
  }
}

TEST(host_segments, of_any_length_do_what_loops_do) {
  constexpr std::size_t chunk = tiny::scan_chunk_bytes / sizeof(int);
  for (const std::size_t n : sizes_around(chunk)) {
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), -50);
    for (const auto& [least, most] : {std::pair<std::size_t, std::size_t>{0, 1},
                                      {1, 1},
                                      {0, 40},
                                      {5000, 5000},
                                      {1 << 30, 1 << 30}}) {
      check_segments(values, offsets_of_segments(n, least, most), 3, plus{});
    }
  }
}

TEST(host_segments, the_order_of_values_is_kept) {
  std::vector<std::string> letters(900);
  for (std::size_t i = 0; i < letters.size(); ++i) letters[i] = static_cast<char>('a' + i % 26);
  const auto concatenate = [](const std::string& a, const std::string& b) { return a + b; };
  for (const std::size_t most : {2, 60, 5000}) {
    check_segments(letters, offsets_of_segments(letters.size(), 0, most), std::string("<"),
                   concatenate);
  }
}

TEST(host_segments, empty_ones_among_a_giant) {
  std::vector<std::size_t> offsets(100'000, 0);
  const std::vector<int> values(1'000'000, 1);
  offsets.insert(offsets.end(), 100'000, values.size());
  check_segments(values, offsets, 7, plus{});
  check_segments(std::vector<int>{}, std::vector<std::size_t>(100'000, 0), 7, plus{});
}

TEST(host_segments, floating_point_sums_have_the_same_bits_with_any_number_of_threads) {
  std::mt19937 bits(3);
  std::vector<float> values(3'000'000);
  for (auto& v : values) v = static_cast<float>(bits()) / 7.0F;
  const auto offsets = offsets_of_segments(values.size(), 0, 200'000);
  std::vector<float> first(offsets.size() - 1), sums(offsets.size() - 1);
  segmented_reduce(here.threads(1), values, offsets, first);
  for (const unsigned threads : {2, 3, 7}) {
    segmented_reduce(here.threads(threads), values, offsets, sums);
    ASSERT_EQ(std::memcmp(first.data(), sums.data(), sums.size() * sizeof(float)), 0) << threads;
  }
}

TEST(host_segments, what_is_refused_says_why) {
  const std::vector<int> values(10, 1);
  std::vector<int> out(3, 99);
  const auto message = [&](const std::vector<int>& offsets, std::size_t room) -> std::string {
    try {
      segmented_reduce(here, values, offsets, std::span(out).first(room));
    } catch (const usage_error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(message({0, 5, 3, 10}, 3), testing::HasSubstr("1 of 4 offsets are less"));
  EXPECT_THAT(message({0, 5, 11}, 3), testing::HasSubstr("none may pass"));
  EXPECT_THAT(message({-1, 5, 10}, 3), testing::HasSubstr("none may pass"));
  EXPECT_THAT(message({0, 2, 5, 10}, 2), testing::HasSubstr("out has room for 2"));
  EXPECT_EQ(out, std::vector<int>(3, 99));
  EXPECT_EQ(message({0, 2, 5, 10}, 3), "");
  EXPECT_EQ(out, (std::vector<int>{2, 3, 5}));
  EXPECT_EQ(message({}, 3), "");
}

}  // namespace
}  // namespace warpfold::tests
