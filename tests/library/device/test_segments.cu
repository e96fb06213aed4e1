// Reductions and scans of segments, on the CPU machine and on CUDA.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/library/device/device_test.hpp"
#include "warpfold/segments.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_segments : public device_test {};

/// n values in segments of `least` to `most`, the first of which begins at `first`.
std::vector<std::uint32_t> offsets_of(std::size_t n, unsigned least, unsigned most,
                                      std::uint32_t first = 0) {
  std::mt19937 bits(static_cast<unsigned>(n) + most);
  std::vector<std::uint32_t> offsets{first};
  while (offsets.back() < n) {
    const std::size_t end = offsets.back() + least + bits() % (most - least + 1);
    offsets.push_back(static_cast<std::uint32_t>(std::min(end, n)));
  }
  return offsets;
}

template <class Acc, class V, class Offset, class Op>
void expect_segments(const std::vector<V>& values, const std::vector<Offset>& offsets, Acc init,
                     Op op, std::size_t shift = 0) {
  const std::size_t segments = offsets.size() - 1;
  SCOPED_TRACE(testing::Message() << values.size() << " values of " << sizeof(V) << " bytes in "
                                  << segments << " segments");
  const std::vector<Acc> untouched(values.size(), Acc{});
  std::vector<Acc> sums, inclusive(untouched), exclusive(untouched);
  for (std::size_t s = 0; s < segments; ++s) {
    Acc sum = op.template identity<Acc>();
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      exclusive[i] = op(init, sum);
      inclusive[i] = sum = op(sum, static_cast<Acc>(values[i]));
    }
    sums.push_back(op(init, sum));
  }
  const device_buffer<V> in(values, shift);
  const device_buffer<Offset> at(offsets);
  const device_buffer<std::size_t> refused(std::vector<std::size_t>{77});
  const device_buffer<Acc> out(segments, 1);
  ASSERT_TRUE(
      segmented_reduce(device, in.values(), at.values(), out.room(), init, op, refused.data())
          .ok());
  EXPECT_EQ(out.read(), sums);
  const device_buffer<Acc> scanned(untouched), from_init(untouched, shift);
  ASSERT_TRUE(segmented_inclusive_scan(device, in.values(), at.values(), scanned.room(), op).ok());
  EXPECT_EQ(scanned.read(), inclusive);
  ASSERT_TRUE(
      segmented_exclusive_scan(device, in.values(), at.values(), from_init.room(), init, op).ok());
  EXPECT_EQ(from_init.read(), exclusive);
  EXPECT_EQ(refused.read()[0], 0U);
}

// Small tiles have 5,888 places for values of 4 bytes, 2,816 for those of 8.
constexpr std::size_t sizes[] = {0, 1, 2, 33, 2815, 2816, 2817, 5887, 5888, 5889, 9000, 20'011};

TEST_F(device_segments, any_number_of_values_in_segments_of_any_length) {
  for (const std::size_t n : sizes) {
    for (const unsigned most : {1U, 3U, 40U, 5000U, 100'000U}) {
      expect_segments(random_values<std::int32_t>(n), offsets_of(n, 0, most), 3, plus{}, most % 4);
      expect_segments(random_values<std::int64_t>(n), offsets_of(n, most, most), std::int64_t{-5},
                      plus{}, 1);
    }
    expect_segments(random_values<std::int16_t>(n), offsets_of(n, 1, 9), std::int16_t{2}, maximum{},
                    3);
  }
  if (!on_cpu) {
    for (const std::size_t n : {1'048'576U, 3'000'017U, 20'000'003U}) {
      for (const unsigned most : {2U, 60U, 100'000U}) {
        expect_segments(random_values<std::int32_t>(n), offsets_of(n, 0, most), 3, plus{});
      }
    }
  }
}

TEST_F(device_segments, empty_ones_and_a_giant) {
  for (const std::size_t empty : {1U, 5888U, 9001U}) {
    std::vector<std::uint64_t> offsets(empty + 1, 0);
    expect_segments(std::vector<int>{}, offsets, 7, plus{});
    for (const std::uint64_t giant : {1U, 20'000U}) {  // between empty ones
      auto with_giant = offsets;
      with_giant.insert(with_giant.end(), empty, giant);
      expect_segments(random_values<std::int32_t>(giant), with_giant, 7, plus{});
    }
  }
}

TEST_F(device_segments, values_before_the_first_and_behind_the_last_segment_do_not_count) {
  auto offsets = offsets_of(9000, 0, 30, 1001);
  expect_segments(random_values<std::int32_t>(10'000), offsets, 0, plus{});
}

TEST_F(device_segments, the_order_of_values_is_kept) {
  for (const std::size_t n : {1U, 999U, 5003U}) {
    std::vector<affine> maps(n);
    const auto bits = random_values<std::uint32_t>(2 * n);
    for (std::size_t i = 0; i < n; ++i) maps[i] = {bits[2 * i], bits[2 * i + 1]};
    for (const unsigned most : {2U, 300U, 10'000U}) {
      expect_segments(maps, offsets_of(n, 0, most), affine{3, 4}, then{});
    }
  }
}

TEST_F(device_segments, floating_point_sums_have_the_same_bits_in_every_run) {
  const std::size_t n = on_cpu ? 20'000 : 3'000'000;
  const auto offsets = offsets_of(n, 0, 9000);
  const device_buffer<float> in(random_values<float>(n)), out(offsets.size() - 1);
  const device_buffer<std::uint32_t> at(offsets);
  std::vector<std::uint32_t> first;
  for (int run = 0; run < (on_cpu ? 3 : 200); ++run) {
    ASSERT_TRUE(segmented_reduce(device, in.values(), at.values(), out.room()).ok());
    const auto sums = out.read();
    std::vector<std::uint32_t> bits(sums.size());
    std::memcpy(bits.data(), sums.data(), sums.size() * sizeof(float));
    if (run == 0) first = bits;
    ASSERT_EQ(bits, first) << "run " << run;
  }
}

TEST_F(device_segments, wrong_offsets_are_counted_and_nothing_is_written_outside) {
  const std::size_t n = 9000;
  const device_buffer<int> in(std::vector<int>(n, 1)), scanned(n);
  for (const unsigned kind : {0U, 1U, 2U, 3U}) {
    auto offsets = offsets_of(n, 0, 5);
    if (kind == 0) offsets[offsets.size() / 2] = 0;               // falls
    if (kind == 1) offsets.back() = 1U << 31;                     // passes the values
    if (kind == 2) std::reverse(offsets.begin(), offsets.end());  // falls everywhere
    if (kind == 3)
      for (auto& o : offsets) o = o * 2654435761U;  // anything
    const device_buffer<std::uint32_t> at(offsets);
    const device_buffer<int> out(offsets.size() - 1);
    const device_buffer<std::size_t> refused(1);
    ASSERT_TRUE(
        segmented_reduce(device, in.values(), at.values(), out.room(), 0, plus{}, refused.data())
            .ok());
    EXPECT_GE(refused.read()[0], 1U) << kind;
    ASSERT_TRUE(segmented_inclusive_scan(device, in.values(), at.values(), scanned.room(), plus{},
                                         refused.data())
                    .ok());
    EXPECT_GE(refused.read()[0], 1U) << kind;
  }
}

TEST_F(device_segments, a_number_of_offsets_on_the_device_and_one_workspace) {
  const auto offsets = offsets_of(20'000, 0, 12);
  const device_buffer<int> in(std::vector<int>(20'000, 1)), out(offsets.size() - 1);
  const device_buffer<std::uint32_t> at(offsets);
  const workspace memory(segmented_workspace_bytes<int>(20'000, offsets.size()));
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{700}, offsets.size()}) {
    const device_buffer<std::size_t> size(std::vector<std::size_t>{count});
    ASSERT_TRUE(segmented_reduce(device.with(memory), in.values(),
                                 device_sized(at.values(), size.data()), out.room())
                    .ok());
    const auto sums = out.read();
    for (std::size_t s = 0; s + 1 < count; ++s) {
      ASSERT_EQ(sums[s], static_cast<int>(offsets[s + 1] - offsets[s])) << s;
    }
  }
}

struct is_odd {
  __host__ __device__ int operator()(std::uint32_t v) const { return static_cast<int>(v % 2); }
};

TEST_F(device_segments, a_transformation_and_what_is_refused) {
  const device_buffer<std::uint32_t> in(std::vector<std::uint32_t>{1, 2, 3, 5, 7});
  const device_buffer<int> at(std::vector<int>{0, 2, 2, 5}), out(3), few(2);
  ASSERT_TRUE(
      segmented_transform_reduce(device, in.values(), at.values(), out.room(), 10, plus{}, is_odd{})
          .ok());
  EXPECT_EQ(out.read(), (std::vector<int>{11, 10, 13}));
  expect_refused(segmented_reduce(device, in.values(), at.values(), few.room()), 3, 2, "values");
  expect_refused(segmented_inclusive_scan(device, in.values(), at.values(), out.room()), 5, 3,
                 "values");
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
