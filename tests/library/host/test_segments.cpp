// Segmented reductions and scans on the host do what plain loops do: any lengths, and the same bits
// with any number of threads.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
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

/// Segments of up to `most` values with gaps, in any order: begins and ends.
std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> pairs_apart(std::size_t n,
                                                                              std::size_t most) {
  std::mt19937 bits(static_cast<unsigned>(n + most));
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t at = bits() % 7; at < n && all.size() < 2 * n; at += bits() % 3) {
    const std::size_t begin = at;
    at = std::min(n, at + bits() % (most + 1));
    all.emplace_back(begin, at);
  }
  std::shuffle(all.begin(), all.end(), bits);
  std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> result;
  for (const auto& [begin, end] : all) {
    result.first.push_back(static_cast<std::uint32_t>(begin));
    result.second.push_back(static_cast<std::uint32_t>(end));
  }
  return result;
}

TEST(host_segments, between_begins_and_ends_do_what_loops_do) {
  for (const std::size_t n : {1, 900, 5003}) {
    std::vector<std::string> letters(n);
    for (std::size_t i = 0; i < n; ++i) letters[i] = static_cast<char>('a' + i % 26);
    const auto concatenate = [](const std::string& a, const std::string& b) { return a + b; };
    for (const std::size_t most : {2, 60, 5000}) {
      const auto [begins, ends] = pairs_apart(n, most);
      std::vector<std::string> sums(begins.size(), "<"), inclusive(letters), exclusive(letters);
      for (std::size_t s = 0; s < begins.size(); ++s) {
        for (std::size_t i = begins[s]; i < ends[s]; ++i) {
          if (i > begins[s]) inclusive[i] = inclusive[i - 1] + letters[i];
          exclusive[i] = sums[s];
          sums[s] += letters[i];
        }
      }
      for (const unsigned threads : {1, 2, 7}) {
        const auto where = here.threads(threads);
        const segments_between given(begins, ends);
        std::vector<std::string> out(begins.size());
        segmented_reduce(where, letters, given, out, "<", concatenate);
        ASSERT_EQ(out, sums);
        auto in_place = letters, scanned = letters;
        segmented_inclusive_scan(where, in_place, given, in_place, concatenate);
        ASSERT_EQ(in_place, inclusive);
        segmented_exclusive_scan(where, letters, given, scanned, std::string("<"), concatenate);
        ASSERT_EQ(scanned, exclusive);
      }
    }
  }
}

TEST(host_segments, that_overlap_have_more_values_in_all_than_there_are) {
  const std::vector<int> values{1, 2, 3, 4};
  const std::vector<unsigned> begins{0, 1, 0, 2}, ends{3, 4, 4, 2};
  std::vector<int> sums(4);
  EXPECT_THROW(segmented_reduce(here, values, segments_between(begins, ends), sums), usage_error);
  segmented_reduce(here, values, segments_between(begins, ends, 10), sums, 100);
  EXPECT_EQ(sums, (std::vector<int>{106, 109, 110, 100}));
}

TEST(host_segments, of_one_length_and_by_lengths_are_those_of_offsets) {
  std::vector<float> values(5000);
  std::mt19937 bits(3);
  for (auto& v : values) v = static_cast<float>(bits()) / 7.0F;
  const auto expect_same = [&](const auto& where, const auto& given, const auto& offsets) {
    std::vector<float> expected(offsets.size() - 1), sums(expected), scanned(values), same(values);
    segmented_reduce(where, values, offsets, expected);
    segmented_reduce(where, values, given, sums);
    ASSERT_EQ(sums, expected);
    segmented_inclusive_scan(where, values, offsets, same);
    segmented_inclusive_scan(where, values, given, scanned);
    ASSERT_EQ(scanned, same);
  };
  const auto expect_all = [&](const auto& given, const auto& offsets) {
    expect_same(here, given, offsets);
    expect_same(here.with(determinism::gpu_to_gpu), given, offsets);
  };
  std::vector<int> offsets;
  for (int i = 0; i <= 5000; i += 250) offsets.push_back(i);
  expect_all(segments_of_length(250, 20), offsets);
  expect_all(segments_of_length(0, 20), std::vector<int>(21, 0));
  auto any = offsets_of_segments(values.size(), 0, 900);
  any.front() = 0;
  std::vector<std::int16_t> lengths;
  for (std::size_t s = 0; s + 1 < any.size(); ++s) {
    lengths.push_back(static_cast<std::int16_t>(any[s + 1] - any[s]));
  }
  expect_all(segments_of_lengths(lengths), any);
}

TEST(host_segments, have_least_and_greatest_values) {
  std::vector<int> values(5003);
  std::mt19937 bits(9);
  for (auto& v : values) v = static_cast<int>(bits() % 50);
  for (const std::size_t most : {2, 60, 5000}) {
    const auto [begins, ends] = pairs_apart(values.size(), most);
    std::vector<position<int>> least, out(begins.size());
    for (std::size_t s = 0; s < begins.size(); ++s) {
      const auto first = values.begin() + begins[s], last = values.begin() + ends[s];
      const auto at = std::min_element(first, last);
      least.push_back(at == last ? position<int>{0, ~std::uint64_t{0}}
                                 : position<int>{*at, std::uint64_t(at - values.begin())});
    }
    for (const unsigned threads : {1, 7}) {
      segmented_argmin(here.threads(threads), values, segments_between(begins, ends), out);
      ASSERT_EQ(out, least);
    }
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> some{3, 1, 1, nan, 7, nan, 0.0F, -0.0F, 5};
  const std::vector<int> offsets{0, 3, 3, 6, 8, 9};
  std::vector<position<float>> found(5);
  const auto indices = [&] {
    std::vector<std::uint64_t> result;
    for (const auto& p : found) result.push_back(p.index);
    return result;
  };
  constexpr std::uint64_t none = ~std::uint64_t{0};
  segmented_argmin(here, some, offsets, found);
  EXPECT_EQ(indices(), (std::vector<std::uint64_t>{1, none, 3, 6, 8}));
  segmented_argmax(here, some, offsets, found);
  EXPECT_EQ(indices(), (std::vector<std::uint64_t>{0, none, 3, 6, 8}));
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

TEST(host_segments, what_is_refused_of_other_forms_says_why) {
  const std::vector<int> values(10, 1), out(3, 99);
  const auto message = [&](const auto& segments) -> std::string {
    auto written = out;
    try {
      segmented_reduce(here, values, segments, written);
    } catch (const usage_error& e) {
      EXPECT_EQ(written, out);
      return e.what();
    }
    return "";
  };
  const auto by_lengths = [&](std::vector<int> lengths) {
    return message(segments_of_lengths(lengths));
  };
  const auto between = [&](std::vector<int> begins, std::vector<int> ends) {
    return message(segments_between(begins, ends));
  };
  using testing::HasSubstr;
  EXPECT_THAT(message(segments_of_length(4, 3)), HasSubstr("3 segments of 4 and 10 values"));
  EXPECT_THAT(message(segments_of_length(1, 4)), HasSubstr("out has room for 3"));
  EXPECT_THAT(by_lengths({2, -1, 3}), HasSubstr("segment 1 ends before it begins"));
  EXPECT_THAT(by_lengths({2, 5, 4}), HasSubstr("segment 2 of 4 values behind 7"));
  EXPECT_THAT(between({0, 5}, {1, 4}), HasSubstr("segment 1 ends before it begins"));
  EXPECT_THAT(between({0, 5}, {1, 11}), HasSubstr("segment 1 ends before it begins, or passes"));
  EXPECT_THAT(between({-1, 5}, {1, 6}), HasSubstr("segment 0"));
  EXPECT_THAT(between({0, 5}, {1}), HasSubstr("1 ends of segments"));
  EXPECT_THAT(between({0, 0}, {9, 9}), HasSubstr("all segments may have 10"));
  EXPECT_EQ(by_lengths({2, 8, 0}), "");
}

}  // namespace
}  // namespace warpfold::tests
