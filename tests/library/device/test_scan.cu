// The device scans through their public calls, on the CPU machine and on CUDA.
#include <cmath>

#include "tests/library/device/device_test.hpp"
#include "warpfold/scan.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_scan : public device_test {};

template <class T, class Acc, class Op>
std::vector<T> scanned(const std::vector<T>& values, Acc sum, bool exclusive, Op op) {
  std::vector<T> result;
  for (const T& v : values) {
    const Acc next = op(sum, static_cast<Acc>(v));
    result.push_back(static_cast<T>(exclusive ? sum : next));
    sum = next;
  }
  return result;
}

template <class T, class Acc, class Op>
void expect_scans(const std::vector<T>& values, std::size_t in_offset, std::size_t out_offset,
                  Acc init, Op op) {
  SCOPED_TRACE(testing::Message() << values.size() << " values of " << sizeof(T) << " bytes from "
                                  << in_offset << " to " << out_offset);
  const device_buffer<T> in(values, in_offset), out(values.size(), out_offset);
  ASSERT_TRUE(exclusive_scan(device, in.values(), out.room(), init, op).ok());
  EXPECT_EQ(out.read(), scanned(values, init, true, op));
  ASSERT_TRUE(inclusive_scan(device, in.values(), out.room(), op, init).ok());
  EXPECT_EQ(out.read(), scanned(values, init, false, op));
  EXPECT_EQ(in.read(), values);
  ASSERT_TRUE(inclusive_scan(device, in.values(), in.room(), op).ok());  // in place
  EXPECT_EQ(in.read(), scanned(values, op.template identity<Acc>(), false, op));
}

template <class T>
void expect_sums(std::size_t n, std::size_t in_offset = 0, std::size_t out_offset = 0) {
  expect_scans(random_values<T>(n), in_offset, out_offset, T{3}, plus{});
}

TEST_F(device_scan, any_number_of_values) {
  for (const std::size_t n : {0U, 1U, 2U, 31U, 33U, 1023U, 1024U, 1025U, 2048U, 5003U, 33333U}) {
    expect_sums<std::int32_t>(n);
    expect_sums<std::uint8_t>(n);
    expect_sums<std::int16_t>(n);
    expect_sums<std::int64_t>(n);
  }
}

TEST_F(device_scan, without_an_init_it_begins_with_zero) {
  const auto values = random_values<std::int32_t>(5000);
  const device_buffer<std::int32_t> in(values), out(values.size());
  ASSERT_TRUE(exclusive_scan(device, in.values(), out.room()).ok());
  EXPECT_EQ(out.read(), scanned(values, 0, true, plus{}));
}

TEST_F(device_scan, every_shape_around_its_tiles) {
  // Of 4-byte values: a wave of up to 16 small tiles of 4096 on the CPU machine, one of up to 8
  // wide tiles of 16384, then a ring. A GPU has more multiprocessors, and so later changes.
  for (const std::size_t n : {4095U, 4096U, 4097U, 8192U, 65535U, 65536U, 65537U, 81920U, 131071U,
                              131072U, 131073U, 131072U + 3072U * 131U}) {
    expect_sums<std::int32_t>(n);
  }
  for (const std::size_t n : {2047U, 2048U, 2049U, 32769U, 65537U}) expect_sums<std::int64_t>(n);
  for (const std::size_t n : {16383U, 16385U, 131073U}) expect_sums<std::uint8_t>(n);
  if (!on_cpu) {
    for (const std::size_t n : {2097151U, 2097153U, 4194304U, 4194305U, 4325377U,
                                2097152U + 6144U * 1000U + 1U, 30000001U}) {
      expect_sums<std::int32_t>(n);
    }
  }
}

TEST_F(device_scan, starts_at_any_value) {
  for (const std::size_t n : {1U, 15U, 4099U}) {
    for (std::size_t offset = 0; offset < 16; ++offset)
      expect_sums<std::uint8_t>(n, offset, offset);
    for (const std::size_t out : {0U, 1U, 3U}) expect_sums<std::int32_t>(n, 1, out);
  }
  for (const std::size_t n : {65533U, 65536U, 131069U, 131072U}) {  // the last value pushed out
    for (const std::size_t offset : {1U, 3U}) expect_sums<std::int32_t>(n, offset, offset);
  }
}

TEST_F(device_scan, keeps_the_order) {
  for (const std::size_t n : {1U, 1000U, 5000U, 20011U}) {
    std::vector<affine> values(n);
    const auto bits = random_values<std::uint32_t>(2 * n);
    for (std::size_t i = 0; i < n; ++i) values[i] = {bits[2 * i] | 1U, bits[2 * i + 1]};
    expect_scans(values, 0, 0, affine{7, 9}, then{});
    expect_scans(values, 1, 0, affine{7, 9}, then{});
  }
}

struct wide {
  std::int64_t part[5];
  friend bool operator==(const wide&, const wide&) = default;
};
struct add_wide {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    T sum{};
    for (int k = 0; k < 5; ++k) sum.part[k] = a.part[k] + b.part[k];
    return sum;
  }
  template <class T>
  __host__ __device__ static T identity() {
    return T{};
  }
};

TEST_F(device_scan, takes_values_of_forty_bytes) {
  for (const std::size_t n : {1U, 129U, 3001U}) {
    std::vector<wide> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto v = static_cast<std::int64_t>(i);
      values[i] = {{v, -v, v * v, 1, v % 7}};
    }
    expect_scans(values, 0, 0, wide{{1, 2, 3, 4, 5}}, add_wide{});
  }
}

TEST_F(device_scan, the_same_bits_from_run_to_run) {
  const auto values = random_values<float>(100003);
  const device_buffer<float> in(values), out(values.size());
  ASSERT_TRUE(inclusive_scan(device, in.values(), out.room()).ok());
  const auto first = out.read();
  for (int run = 0; run < (on_cpu ? 2 : 50); ++run) {
    ASSERT_TRUE(inclusive_scan(device, in.values(), out.room()).ok());
    EXPECT_EQ(out.read(), first);
  }
  double sum = 0, magnitude = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += static_cast<double>(values[i]);
    magnitude += std::abs(static_cast<double>(values[i]));
    ASSERT_NEAR(first[i], sum, static_cast<double>(i + 1) * 0x1p-24 * magnitude) << i;
  }
}

TEST_F(device_scan, a_workspace_serves_call_after_call) {
  const workspace memory(scan_workspace_bytes<int>(50000));
  for (const std::size_t n : {50000U, 7U, 49999U, 50000U}) {
    const auto values = random_values<int>(n);
    const device_buffer<int> in(values), out(n);
    ASSERT_TRUE(exclusive_scan(device.with(memory), in.values(), out.room(), 0).ok());
    EXPECT_EQ(out.read(), scanned(values, 0, true, plus{}));
  }
}

TEST_F(device_scan, starts_its_tags_again_after_the_last) {
  const workspace memory(scan_workspace_bytes<int>(50000));
  const workspace_view view = memory;
  const std::uint64_t nearly = std::uint64_t{0xfffffffd} << 32;
  ASSERT_TRUE(detail::copy_async(view.data, &nearly, sizeof nearly, device.stream()).ok());
  const auto values = random_values<int>(50000);
  const device_buffer<int> in(values), out(values.size());
  for (int launch = 0; launch < 5; ++launch) {
    ASSERT_TRUE(inclusive_scan(device.with(memory), in.values(), out.room()).ok());
    EXPECT_EQ(out.read(), scanned(values, 0, false, plus{})) << launch;
  }
}

TEST_F(device_scan, refuses_what_does_not_fit) {
  const device_buffer<int> in(std::vector<int>(100)), out(99);
  expect_refused(inclusive_scan(device, in.values(), out.room()), 100, 99, "values");
  const workspace memory(160);
  const device_buffer<int> many(std::vector<int>(100000)), room(100000);
  EXPECT_FALSE(inclusive_scan(device.with(memory), many.values(), room.room()).ok());
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
