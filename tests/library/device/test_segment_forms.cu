// Segments by lengths, of one length, and between begins and ends; their least and greatest values.
#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/library/device/stream_jobs.hpp"
#include "warpfold/segments.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_segment_forms : public device_test {};

struct pairs {
  std::vector<std::uint32_t> begins, ends;

  [[nodiscard]] std::size_t size() const { return begins.size(); }
  void add(std::size_t begin, std::size_t end) {
    begins.push_back(static_cast<std::uint32_t>(begin));
    ends.push_back(static_cast<std::uint32_t>(end));
  }
};

/// Segments of up to `most` values, one behind the other with gaps, then in any order.
pairs apart(std::size_t n, unsigned most, bool in_order = false) {
  std::mt19937 bits(static_cast<unsigned>(n) + most);
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t at = bits() % 7; at < n; at += bits() % 3) {
    const std::size_t begin = at;
    at = std::min<std::size_t>(n, at + bits() % (most + 1));
    all.emplace_back(begin, at);
    if (all.size() > 2 * n) break;
  }
  if (!in_order) std::shuffle(all.begin(), all.end(), bits);
  pairs result;
  for (const auto& [begin, end] : all) result.add(begin, end);
  return result;
}

template <class V, class Acc, class Op>
std::vector<Acc> sums_of(const std::vector<V>& values, const pairs& of, Acc init, Op op) {
  std::vector<Acc> sums;
  for (std::size_t s = 0; s < of.size(); ++s) {
    Acc sum = op.template identity<Acc>();
    for (std::size_t i = of.begins[s]; i < of.ends[s]; ++i) sum = op(sum, Acc(values[i]));
    sums.push_back(op(init, sum));
  }
  return sums;
}
template <class T>
std::vector<position<T>> least_of(const std::vector<T>& values, const pairs& of) {
  std::vector<position<T>> least;
  for (std::size_t s = 0; s < of.size(); ++s) {
    position<T> best{T{}, ~std::uint64_t{0}};
    for (std::size_t i = of.begins[s]; i < of.ends[s]; ++i) {
      best = better<minimum>{}(best, position<T>{values[i], i});
    }
    least.push_back(best);
  }
  return least;
}
/// The scans of each segment; -1 of what is in none.
template <class Op>
std::pair<std::vector<int>, std::vector<int>> scans_of(const std::vector<int>& values,
                                                       const pairs& of, int init, Op op) {
  std::pair result{std::vector<int>(values.size(), -1), std::vector<int>(values.size(), -1)};
  for (std::size_t s = 0; s < of.size(); ++s) {
    int sum = op.template identity<int>();
    for (std::size_t i = of.begins[s]; i < of.ends[s]; ++i) {
      result.second[i] = op(init, sum);
      result.first[i] = sum = op(sum, values[i]);
    }
  }
  return result;
}

/// Reductions, least values and, unless segments overlap, scans of segments in the form `given`,
/// which are `of`.
template <class Given>
void expect_calls(const std::vector<int>& values, const Given& given, const pairs& of,
                  bool scanned = true) {
  SCOPED_TRACE(testing::Message() << values.size() << " values in " << of.size() << " segments");
  const device_buffer<int> in(values, 1);
  const device_buffer<int> sums(of.size(), 1);
  const device_buffer<position<int>> least(of.size());
  const device_buffer<std::size_t> refused(std::vector<std::size_t>{77});
  ASSERT_TRUE(
      segmented_reduce(device, in.values(), given, sums.room(), 3, plus{}, refused.data()).ok());
  EXPECT_EQ(sums.read(), sums_of(values, of, 3, plus{}));
  EXPECT_EQ(refused.read()[0], 0U);
  ASSERT_TRUE(segmented_argmin(device, in.values(), given, least.room(), refused.data()).ok());
  EXPECT_EQ(least.read(), least_of(values, of));
  if (!scanned) return;
  const std::vector<int> untouched(values.size(), -1);
  const device_buffer<int> inclusive(untouched, 3), exclusive(untouched);
  const auto expected = scans_of(values, of, 5, maximum{});
  ASSERT_TRUE(
      segmented_inclusive_scan(device, in.values(), given, inclusive.room(), maximum{}).ok());
  EXPECT_EQ(inclusive.read(), expected.first);
  ASSERT_TRUE(
      segmented_exclusive_scan(device, in.values(), given, exclusive.room(), 5, maximum{}).ok());
  EXPECT_EQ(exclusive.read(), expected.second);
}

// Small tiles of positions have 1,280 places, those of int 5,888; 2,048 lengths are added up at
// once.
constexpr std::size_t sizes[] = {0, 1, 33, 1279, 1280, 5888, 9000, 20'011};

TEST_F(device_segment_forms, one_length) {
  for (const std::size_t n : sizes) {
    for (const std::size_t length : {0U, 1U, 3U, 700U, 6000U}) {
      const std::size_t count = length == 0 ? 17 : n / length;
      pairs of;
      for (std::size_t s = 0; s < count; ++s) of.add(s * length, (s + 1) * length);
      expect_calls(random_values<int>(n), segments_of_length(length, count), of);
    }
  }
}

TEST_F(device_segment_forms, lengths) {
  for (const std::size_t n : sizes) {
    for (const unsigned most : {0U, 1U, 5U, 3000U}) {
      std::mt19937 bits(static_cast<unsigned>(n));
      std::vector<std::int16_t> lengths;
      pairs of;
      for (std::size_t at = 0; at < n && lengths.size() < 9000;) {
        const std::size_t length = std::min<std::size_t>(bits() % (most + 1), n - at);
        lengths.push_back(static_cast<std::int16_t>(length));
        of.add(at, at + length);
        at += length;
      }
      const device_buffer<std::int16_t> given(lengths);
      expect_calls(random_values<int>(n), segments_of_lengths(given.values()), of);
    }
  }
}

TEST_F(device_segment_forms, between_begins_and_ends_in_any_order) {
  std::vector<std::size_t> lengths(std::begin(sizes), std::end(sizes));
  if (!on_cpu) lengths.insert(lengths.end(), {1'048'576, 6'000'017});
  for (const std::size_t n : lengths) {
    for (const unsigned most : {1U, 9U, 400U, 30'000U}) {
      const pairs of = apart(n, most, most == 9);
      const device_buffer<std::uint32_t> begins(of.begins), ends(of.ends);
      expect_calls(random_values<int>(n), segments_between(begins.values(), ends.values()), of);
    }
  }
}

TEST_F(device_segment_forms, a_giant_among_short_ones) {
  const std::size_t n = on_cpu ? 40'000 : 70'000'001, half = n / 2;  // by tiles, or by chunks
  pairs of;
  for (std::size_t s = 0; s < 3000; ++s) of.add(n - 3 * s - 3, n - 3 * s);
  of.add(5, half);
  for (std::size_t s = 0; s < 1000; ++s) of.add(half + s, half + s);
  const device_buffer<std::uint32_t> begins(of.begins), ends(of.ends);
  expect_calls(random_values<int>(n), segments_between(begins.values(), ends.values()), of);
}

TEST_F(device_segment_forms, segments_that_overlap_with_more_values_in_all_than_there_are) {
  const std::size_t n = 3000, window = 100;
  pairs of;
  for (std::size_t s = 0; s + window <= n; ++s) of.add(s, s + window);
  const device_buffer<std::uint32_t> begins(of.begins), ends(of.ends);
  const auto values = random_values<int>(n);
  const std::size_t total = window * of.size();
  expect_calls(values, segments_between(begins.values(), ends.values(), total), of, false);

  // One value less: the last segment is refused.
  const device_buffer<int> in(values), sums(of.size());
  const device_buffer<std::size_t> refused(1);
  ASSERT_TRUE(segmented_reduce(device, in.values(),
                               segments_between(begins.values(), ends.values(), total - 1),
                               sums.room(), 0, plus{}, refused.data())
                  .ok());
  EXPECT_EQ(refused.read()[0], 1U);
}

TEST_F(device_segment_forms, the_order_of_values_is_kept) {
  const std::size_t n = 5003;
  std::vector<affine> maps(n);
  const auto bits = random_values<std::uint32_t>(2 * n);
  for (std::size_t i = 0; i < n; ++i) maps[i] = {bits[2 * i], bits[2 * i + 1]};
  for (const unsigned most : {2U, 300U, 10'000U}) {
    const pairs of = apart(n, most);
    const device_buffer<std::uint32_t> begins(of.begins), ends(of.ends);
    const device_buffer<affine> in(maps), out(of.size());
    ASSERT_TRUE(segmented_reduce(device, in.values(),
                                 segments_between(begins.values(), ends.values()), out.room(),
                                 affine{3, 4}, then{})
                    .ok());
    EXPECT_EQ(out.read(), sums_of(maps, of, affine{3, 4}, then{}));
  }
}

TEST_F(device_segment_forms, in_the_canonical_order_forms_agree) {
  const std::size_t n = 9000;
  const device_buffer<float> in(random_values<float>(n));
  std::vector<std::uint32_t> offsets{0}, lengths;
  for (std::size_t s = 0; offsets.back() < n; ++s) {
    lengths.push_back(static_cast<std::uint32_t>(std::min(n - offsets.back(), s % 40 * (s % 40))));
    offsets.push_back(offsets.back() + lengths.back());
  }
  const std::vector<std::uint32_t> first(offsets.begin(), offsets.end() - 1),
      last(offsets.begin() + 1, offsets.end());
  const device_buffer<std::uint32_t> at(offsets), of_each(lengths), begins(first), ends(last);
  const std::size_t segments = lengths.size();
  const temp_storage memory(canonical_segmented_temp_storage_bytes<float>(n, segments));
  const auto where = device.with(determinism::gpu_to_gpu);
  const device_buffer<float> expected(segments), by_lengths(segments), between(segments);
  ASSERT_TRUE(segmented_reduce(where, in.values(), at.values(), expected.room()).ok());
  ASSERT_TRUE(segmented_reduce(where.with(memory), in.values(),
                               segments_of_lengths(of_each.values()), by_lengths.room())
                  .ok());
  ASSERT_TRUE(segmented_reduce(where.with(memory), in.values(),
                               segments_between(begins.values(), ends.values()), between.room())
                  .ok());
  EXPECT_EQ(by_lengths.read(), expected.read());
  EXPECT_EQ(between.read(), expected.read());
}

TEST_F(device_segment_forms, extremes_of_segments) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{3, 1, 1, nan, 7, nan, 0.0F, -0.0F, 5};
  const device_buffer<float> in(values);
  const device_buffer<int> at(std::vector<int>{0, 3, 3, 6, 8, 9});
  const device_buffer<position<float>> least(5), most(5);
  ASSERT_TRUE(segmented_argmin(device, in.values(), at.values(), least.room()).ok());
  ASSERT_TRUE(segmented_argmax(device, in.values(), at.values(), most.room()).ok());
  const auto index_of = [](const auto& found) {
    std::vector<std::uint64_t> result;
    for (const auto& p : found.read()) result.push_back(p.index);
    return result;
  };
  constexpr std::uint64_t none = ~std::uint64_t{0};
  EXPECT_EQ(index_of(least), (std::vector<std::uint64_t>{1, none, 3, 6, 8}));
  EXPECT_EQ(index_of(most), (std::vector<std::uint64_t>{0, none, 3, 6, 8}));
  EXPECT_EQ(least.read()[0].value, 1.0F);
  ASSERT_TRUE(
      segmented_argmin(device.with(determinism::gpu_to_gpu), in.values(), at.values(), most.room())
          .ok());
  EXPECT_EQ(index_of(most), index_of(least));
}

TEST_F(device_segment_forms, a_number_of_segments_on_the_device_and_one_temp_storage) {
  const std::size_t n = 20'000;
  pairs of = apart(n, 12);
  std::vector<std::uint32_t> lengths;
  for (std::size_t s = 0; s < of.size(); ++s) lengths.push_back(of.ends[s] - of.begins[s]);
  const auto values = random_values<int>(n);
  const device_buffer<int> in(values), sums(of.size());
  const device_buffer<std::uint32_t> begins(of.begins), ends(of.ends), given(lengths);
  const temp_storage memory(segmented_temp_storage_bytes<int>(n, of.size()));
  const auto expected = sums_of(values, of, 0, plus{});
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{700}, of.size()}) {
    const device_buffer<std::size_t> size(std::vector<std::size_t>{count});
    ASSERT_TRUE(segmented_reduce(
                    device.with(memory), in.values(),
                    segments_between(device_sized(begins.values(), size.data()), ends.values()),
                    sums.room())
                    .ok());
    const auto found = sums.read();
    for (std::size_t s = 0; s < count; ++s) ASSERT_EQ(found[s], expected[s]) << s;
    ASSERT_TRUE(segmented_reduce(device.with(memory), in.values(),
                                 segments_of_lengths(device_sized(given.values(), size.data())),
                                 sums.room())
                    .ok());
    std::size_t at = 0;
    const auto in_a_row = sums.read();
    for (std::size_t s = 0; s < count; at += lengths[s++]) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(at);
      ASSERT_EQ(in_a_row[s], std::accumulate(first, first + lengths[s], 0, plus{})) << s;
    }
  }
}

TEST_F(device_segment_forms, a_call_in_temp_storage_allocates_nothing_and_replays_in_a_graph) {
  const std::size_t n = 20'000;
  const pairs of = apart(n, 12);
  const auto values = random_values<int>(n);
  const device_buffer<int> in(values), sums(of.size());
  const device_buffer<std::uint32_t> begins(of.begins), ends(of.ends);
  const temp_storage memory(segmented_temp_storage_bytes<int>(n, of.size()));
  const own_stream s;
  const captured graph(s.stream, [&] {
    EXPECT_TRUE(segmented_reduce(device.on(s.stream).with(memory), in.values(),
                                 segments_between(begins.values(), ends.values()), sums.room())
                    .ok());
  });
  EXPECT_EQ(graph.nodes, 3U);  // clears status words, adds up lengths, reduces
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(graph.launch_in(s.stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(s.stream), cudaSuccess);
    EXPECT_EQ(sums.read(), sums_of(values, of, 0, plus{}));
  }
}

/// How many segments a reduction and a scan refuse: as many.
template <class Given>
std::size_t refused_of(std::size_t n, const Given& given, std::size_t segments) {
  const device_buffer<int> in(std::vector<int>(n, 1)), sums(segments), scanned(n);
  const device_buffer<std::size_t> refused(2);
  EXPECT_TRUE(
      segmented_reduce(device, in.values(), given, sums.room(), 0, plus{}, refused.data()).ok());
  EXPECT_TRUE(segmented_inclusive_scan(device, in.values(), given, scanned.room(), plus{},
                                       refused.data() + 1)
                  .ok());
  const auto counts = refused.read();
  EXPECT_EQ(counts[0], counts[1]);
  return counts[0];
}

TEST_F(device_segment_forms, wrong_lengths_are_counted) {
  const auto refused = [](const std::vector<std::int64_t>& lengths) {
    const device_buffer<std::int64_t> given(lengths);
    return refused_of(9000, segments_of_lengths(given.values()), lengths.size());
  };
  std::vector<std::int64_t> lengths(3000, 3);
  EXPECT_EQ(refused(lengths), 0U);
  lengths[1500] = 4;
  EXPECT_EQ(refused(lengths), 1U);  // the last one leaves the range
  lengths[1500] = -1;
  EXPECT_EQ(refused(lengths), 1U);
  lengths[1500] = 9001;
  lengths[3] = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(refused(lengths), 2U);
  std::fill(lengths.begin(), lengths.end(), 9000);
  EXPECT_EQ(refused(lengths), 2999U);
}

TEST_F(device_segment_forms, wrong_pairs_are_counted) {
  const std::size_t n = 9000;
  const auto refused = [&](const std::vector<int>& first, const std::vector<int>& last) {
    const device_buffer<int> begins(first), ends(last);
    return refused_of(n, segments_between(begins.values(), ends.values()), first.size());
  };
  std::vector<int> begins, ends;
  for (int s = 0; s < 3000; ++s) {
    begins.push_back(3 * s);
    ends.push_back(3 * s + 3);
  }
  EXPECT_EQ(refused(begins, ends), 0U);
  std::swap(begins[70], ends[70]);  // ends before it begins
  EXPECT_EQ(refused(begins, ends), 1U);
  ends[2999] = 9001;  // leaves the range
  EXPECT_EQ(refused(begins, ends), 2U);
  begins[0] = -1;
  EXPECT_EQ(refused(begins, ends), 3U);
  EXPECT_EQ(refused(ends, begins), 2999U);
  std::vector<int> bits;
  for (const auto b : random_values<std::int32_t>(6000)) bits.push_back(b);
  EXPECT_GE(refused({bits.begin(), bits.begin() + 3000}, {bits.begin() + 3000, bits.end()}), 2900U);
}

TEST_F(device_segment_forms, what_is_refused_says_why) {
  const device_buffer<int> in(std::vector<int>(10, 1)), out(10), few(2);
  const device_buffer<int> three(std::vector<int>{1, 2, 3}), two(std::vector<int>{1, 2});
  expect_refused(segmented_reduce(device, in.values(), segments_of_length(4, 3), out.room()), 12,
                 10, "values");
  expect_refused(segmented_reduce(device, in.values(), segments_of_length(1, 3), few.room()), 3, 2,
                 "values");
  expect_refused(
      segmented_reduce(device, in.values(), segments_of_lengths(three.values()), few.room()), 3, 2,
      "values");
  const segments_between uneven(three.values(), two.values());
  expect_refused(segmented_reduce(device, in.values(), uneven, out.room()), 3, 2, "values");
  constexpr std::size_t too_many = ~std::size_t{0} - 1;
  const segments_between endless(three.values(), three.values(), too_many);
  expect_refused(segmented_reduce(device, in.values(), endless, out.room()), too_many,
                 std::size_t{1} << 62, "values");
  const temp_storage small(256);
  expect_refused(segmented_reduce(device.with(small), in.values(),
                                  segments_of_lengths(three.values()), out.room()),
                 segmented_temp_storage_bytes<int>(10, 3), 256);
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
