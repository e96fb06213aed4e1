// Calls on a device at determinism::gpu_to_gpu equal the reference of the canonical order to the
// bit: any size around tiles and groups of them, any alignment, with and without a workspace.
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <vector>

#include "tests/library/canonical/cases.hpp"
#include "tests/library/canonical/reference.hpp"
#include "tests/library/device/device_test.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"
#include "warpfold/segments.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

struct third_of {
  template <class T>
  __host__ __device__ float operator()(const T& value) const {
    return static_cast<float>(value) / 3;
  }
};

class device_canonical : public device_test {
 protected:
  static constexpr auto anywhere = device.with(determinism::gpu_to_gpu);
};

template <class T>
std::vector<T> canonical_values(std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = tests::value_at<T>(i);
  return values;
}
template <class T>
bool equal_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class T>
std::size_t first_other(const std::vector<T>& got, const std::vector<T>& expected,
                        std::size_t later = 0) {
  for (std::size_t i = later; i < got.size(); ++i) {
    if (!equal_bits(got[i], expected[i - later])) return i;
  }
  return got.size();
}

template <class Where, class T, class Op>
void expect_reference(Where where, std::size_t n, std::size_t offset, const T& init, const Op& op) {
  const auto values = canonical_values<T>(n);
  const device_buffer<T> memory(values, offset), results(n, offset);
  const auto in = memory.values();
  const auto out = results.room();
  const T root = n == 0 ? init : op(init, canonical::reduce(values.data(), n, op));
  EXPECT_TRUE(equal_bits(reduce(where, in, init, op), root)) << n << " from " << offset;
  std::vector<T> with_init(n), without(n);
  canonical::inclusive_scan(values.data(), n, with_init.data(), std::optional<T>(init), op);
  canonical::inclusive_scan(values.data(), n, without.data(), std::optional<T>(), op);
  inclusive_scan(where, in, out, op, init).throw_if_failed("a scan");
  EXPECT_EQ(first_other(results.read(), with_init), n) << n << " from " << offset;
  inclusive_scan(where, in, out, op).throw_if_failed("a scan");
  EXPECT_EQ(first_other(results.read(), without), n) << n << " from " << offset;
  exclusive_scan(where, in, out, init, op).throw_if_failed("a scan");
  if (n > 0) EXPECT_TRUE(equal_bits(results.read()[0], init));
  EXPECT_EQ(first_other(results.read(), with_init, n > 0 ? 1 : 0), n) << n << " from " << offset;
}

template <class T, class Op>
void expect_reference(std::initializer_list<std::size_t> sizes, const T& init, const Op& op) {
  const auto on = device.with(determinism::gpu_to_gpu);
  for (const std::size_t n : sizes) {
    expect_reference(on, n, 0, init, op);
    expect_reference(on, n, 1, init, op);
    const workspace memory(canonical_workspace_bytes<T>(n));
    expect_reference(on.with(memory), n, 0, init, op);
  }
}

TEST_F(device_canonical, sums) {
  expect_reference<float>({0, 1, 2, 31, 33, 127, 129, 1000, 4095, 4096, 4097, 12289, 70001}, 1.5F,
                          pairwise_plus{});
  expect_reference<double>({1, 65, 2049, 9000}, 1.5, pairwise_plus{});
}
// Blocks take tile after tile, and some end groups of them.
TEST_F(device_canonical, sums_of_many_values) {
  expect_reference<float>({600001, 4096 * 260}, 1.5F, pairwise_plus{});
  expect_reference<double>({300007}, 1.5, pairwise_plus{});
  expect_reference<tests::affine_f32>({300007}, {1, 0}, tests::compose_f32{});
}
TEST_F(device_canonical, a_scan_of_many_tiles) {
  const std::size_t n = 2048 * 1200 + 5;
  const auto values = canonical_values<double>(n);
  const device_buffer<double> in(values), out(n);
  std::vector<double> expected(n);
  canonical::inclusive_scan(values.data(), n, expected.data(), std::optional<double>(0.5), plus{});
  inclusive_scan(anywhere, in.values(), out.room(), plus{}, 0.5).throw_if_failed("a scan");
  EXPECT_EQ(first_other(out.read(), expected), n);
}
TEST_F(device_canonical, own_operators_in_order) {
  expect_reference<tests::affine_f32>({1, 2, 3, 63, 65, 512, 1023, 1025, 5001}, {1, 0},
                                      tests::compose_f32{});
  // Groups of groups of tiles.
  expect_reference<tests::matrix_f32>({1, 31, 129, 4096, 4097, 8191, 133000}, {1, 0, 0, 1},
                                      tests::matrix_product{});
  expect_reference<tests::triple>({1, 3, 33, 300, 2049}, {0, 0, 0}, tests::add_triples{});
}
TEST_F(device_canonical, a_map_and_another_type) {
  const auto values = canonical_values<std::uint8_t>(5001);
  const device_buffer<std::uint8_t> memory(values);
  std::vector<float> mapped;
  for (const auto v : values) mapped.push_back(static_cast<float>(v) / 3);
  const float got = transform_reduce(anywhere, memory.values(), 1.0F, pairwise_plus{}, third_of{});
  EXPECT_EQ(got, 1.0F + canonical::reduce(mapped.data(), mapped.size(), plus{}));
}
TEST_F(device_canonical, rows) {
  for (const std::size_t columns : {0, 1, 3, 4, 8, 33, 100, 128, 512, 1023, 1024, 1025, 40000}) {
    for (const std::size_t rows : {1, 2, 37}) {
      if (rows * columns > 100000) continue;
      const auto values = canonical_values<float>(rows * columns + 7);  // some behind the rows
      const device_buffer<float> memory(values), out(rows);
      reduce_rows(anywhere, memory.values().first(rows * columns), rows, columns, out.room(), 0.1F)
          .throw_if_failed("rows");
      const auto got = out.read();
      for (std::size_t r = 0; r < rows; ++r) {
        const float init = 0.1F;
        const float expected =
            columns == 0 ? init
                         : init + canonical::reduce(values.data() + r * columns, columns, plus{});
        EXPECT_EQ(got[r], expected) << "row " << r << " of " << columns;
      }
    }
  }
}
/// Segments of the lengths, one after the other.
template <class T, class Op>
void expect_segments(const std::vector<std::uint32_t>& lengths, const T& init, const Op& op,
                     bool in_workspace) {
  std::vector<std::uint32_t> offsets{0};
  for (const auto length : lengths) offsets.push_back(offsets.back() + length);
  const auto values = canonical_values<T>(offsets.back());
  const device_buffer<T> memory(values), out(lengths.size());
  const device_buffer<std::uint32_t> ends(offsets);
  const device_buffer<std::size_t> refused(1);
  const auto on = device.with(determinism::gpu_to_gpu);
  const auto call = [&](auto where) {
    segmented_reduce(where, memory.values(), ends.values(), out.room(), init, op, refused.data())
        .throw_if_failed("segments");
  };
  if (in_workspace) {
    const std::size_t n = values.size();
    const workspace room(
        std::max(canonical_segmented_workspace_bytes<T>(n), canonical_workspace_bytes<T>(n)));
    for (int k = 0; k < 2; ++k) call(on.with(room));
    // The workspace serves other calls afterwards.
    const T all = reduce(on.with(room), memory.values(), init, op);
    const T expected =
        values.empty() ? init : op(init, canonical::reduce(values.data(), values.size(), op));
    EXPECT_TRUE(equal_bits(all, expected));
  } else {
    call(on);
  }
  EXPECT_EQ(refused.read()[0], 0U);
  const auto got = out.read();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const T* const from = values.data() + offsets[i];
    const T expected = lengths[i] == 0 ? init : op(init, canonical::reduce(from, lengths[i], op));
    ASSERT_TRUE(equal_bits(got[i], expected)) << i << " of length " << lengths[i];
  }
}
TEST_F(device_canonical, segments_of_any_length) {
  std::vector<std::uint32_t> mixed;
  for (const std::uint32_t length : {0,   1,   2, 3, 15,   16,   17,   31, 33,    255, 256, 257,
                                     511, 513, 0, 0, 1000, 4096, 4097, 1,  20000, 7,   0}) {
    mixed.push_back(length);
  }
  for (const bool in_workspace : {false, true}) {
    expect_segments<float>(mixed, 0.5F, pairwise_plus{}, in_workspace);
    expect_segments<double>(mixed, 0.5, pairwise_plus{}, in_workspace);
  }
  expect_segments<tests::affine_f32>(mixed, {1, 0}, tests::compose_f32{}, true);
  expect_segments<tests::matrix_f32>(mixed, {1, 0, 0, 1}, tests::matrix_product{}, false);
  expect_segments<float>({}, 0.5F, pairwise_plus{}, false);
  expect_segments<float>(std::vector<std::uint32_t>(3000, 3), 0.5F, pairwise_plus{}, true);
  std::vector<std::uint32_t> some;
  for (std::uint32_t i = 0; i < 2000; ++i) some.push_back(i * 7 % 41);
  expect_segments<float>(some, 0.5F, pairwise_plus{}, false);
  expect_segments<float>(std::vector<std::uint32_t>(1000, 0), 0.5F, pairwise_plus{}, false);
}
TEST_F(device_canonical, giant_segments) {
  // 2^20 values are 4,096 chunks at most: a block joins more.
  expect_segments<float>({3, (1U << 20) + 1000, 0, 5, (1U << 20) + 1, 2}, 0.5F, pairwise_plus{},
                         true);
}
TEST_F(device_canonical, wrong_offsets_of_segments_are_counted) {
  const auto values = canonical_values<float>(10000);
  const device_buffer<float> memory(values);
  const std::vector<std::uint32_t> offsets{0, 5000, 100, 6000, 20000, 300, 10000};
  const device_buffer<std::uint32_t> ends(offsets);
  const device_buffer<float> out(offsets.size() - 1);
  const device_buffer<std::size_t> refused(1);
  segmented_reduce(anywhere, memory.values(), ends.values(), out.room(), 0.0F, pairwise_plus{},
                   refused.data())
      .throw_if_failed("segments");
  EXPECT_EQ(refused.read()[0], 3U);
}
TEST_F(device_canonical, statistics_of_nodes) {
  for (const std::size_t n : {1, 2, 3, 100, 4097}) {
    const auto values = canonical_values<float>(n);
    const device_buffer<float> memory(values);
    std::vector<detail::tree_moments> leaves;
    for (const float v : values) leaves.push_back(detail::to_tree_moments{}(v));
    const auto root = canonical::reduce(leaves.data(), n, detail::join_tree_moments{});
    const auto got = statistics(anywhere, memory.values());
    EXPECT_EQ(got.sum, root.sum);
    EXPECT_EQ(got.variance, root.squares / root.count) << n;
    EXPECT_EQ(got.min.value, *std::min_element(values.begin(), values.end()));
  }
}
TEST_F(device_canonical, sums_stay_exact) {
  const device_buffer<float> memory(std::vector<float>{1e30F, 1, -1e30F});
  const auto values = memory.values();
  EXPECT_EQ(reduce(anywhere, values), 1);
  EXPECT_EQ(reduce(anywhere, values, 0.0F, pairwise_plus{}), 0);
}
TEST_F(device_canonical, refuses_small_workspaces) {
  const device_buffer<float> memory(std::vector<float>(10, 1.0F));
  const workspace small(256);
  EXPECT_FALSE(
      reduce_into(anywhere.with(small), memory.values(), memory.data(), 0.0F, pairwise_plus{})
          .ok());
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
