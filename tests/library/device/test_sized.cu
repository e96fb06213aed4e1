// Reductions and scans of values whose number is in device memory, on the CPU machine and on CUDA.
#include <algorithm>
#include <numeric>

#include "tests/library/device/device_test.hpp"
#include "tests/library/device/stream_jobs.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"

#if defined(SIMT_KERNELS)
#include "simt/schedules.hpp"
#endif

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_sized_calls : public device_test {};

/// Bounds of every shape of grid, from the fewest values on.
std::vector<std::size_t> bounds(bool on_cpu) {
  std::vector<std::size_t> all{0, 1, 200, 5'003, 33'333, 70'001, 150'001};
  if (!on_cpu) all.insert(all.end(), {600'011, 2'300'003, 9'000'011});
  return all;
}
/// None, few, around the edges of loads and tiles, all, and more than there are.
std::vector<std::size_t> sizes_within(std::size_t most) {
  std::vector<std::size_t> sizes{0, most, most + 7, ~std::size_t{0}};
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{33}, std::size_t{4'097}, most / 16, most / 2 + 1, most - 1}) {
    if (n < most) sizes.push_back(n);
  }
  return sizes;
}

/// A number in device memory.
struct number {
  explicit number(std::size_t n) : at(std::vector<std::size_t>{n}) {}
  [[nodiscard]] const std::size_t* get() const { return at.data(); }
  device_buffer<std::size_t> at;
};

template <class T, class Op>
void expect_reductions(std::size_t most, std::size_t offset = 0) {
  const auto values = terms<T>(most, 3);
  const T init = terms<T>(1, 5).front();
  const device_buffer<T> in(values, offset), out(1);
  const workspace memory(reduce_workspace_bytes<T>());
  for (const std::size_t size : sizes_within(most)) {
    SCOPED_TRACE(testing::Message()
                 << size << " of at most " << most << " values of " << sizeof(T) << " bytes");
    const number n(size);
    ASSERT_TRUE(
        reduce_into(device.with(memory), device_sized(in.values(), n.get()), out.data(), init, Op{})
            .ok());
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(size, most));
    EXPECT_EQ(out.read()[0], std::accumulate(values.begin(), end, init, Op{}));
  }
}

TEST_F(device_sized_calls, reductions) {
  for (const std::size_t most : bounds(on_cpu)) {
    expect_reductions<std::int32_t, plus>(most);  // adds up in one word
    expect_reductions<std::uint8_t, maximum>(most, 3);
    expect_reductions<float, plus>(most, 1);
    expect_reductions<affine, then>(most);
  }
}

struct square {
  __host__ __device__ std::int64_t operator()(std::int32_t v) const { return std::int64_t{v} * v; }
};

TEST_F(device_sized_calls, the_other_reductions) {
  const std::size_t most = on_cpu ? 70'001 : 5'000'011;
  const auto values = random_values<std::int32_t>(most);
  const device_buffer<std::int32_t> in(values, 1);
  for (const std::size_t size : {std::size_t{1}, std::size_t{2'000}, most, most + 1}) {
    SCOPED_TRACE(size);
    const std::vector<std::int32_t> first(
        values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(size, most)));
    const device_buffer<std::int32_t> alone(first, 1);
    const number n(size);
    const auto given = device_sized(in.values(), n.get());
    const auto plain = alone.values();
    EXPECT_EQ(reduce(device, given), reduce(device, plain));
    EXPECT_EQ(min(device, given), min(device, plain));
    EXPECT_EQ(max(device, given), max(device, plain));
    EXPECT_EQ(minmax(device, given).max, minmax(device, plain).max);
    EXPECT_EQ(argmin(device, given).index, argmin(device, plain).index);
    EXPECT_EQ(argmax(device, given).index, argmax(device, plain).index);
    EXPECT_NEAR(mean(device, given), mean(device, plain), 1e-3);
    const auto s = statistics(device, given), expected = statistics(device, plain);
    EXPECT_EQ(s.count, expected.count);
    EXPECT_EQ(s.max.index, expected.max.index);
    EXPECT_NEAR(s.variance, expected.variance, 1e-9 * expected.variance);
    EXPECT_EQ(transform_reduce(device, given, std::int64_t{1}, bit_xor{}, square{}),
              transform_reduce(device, plain, std::int64_t{1}, bit_xor{}, square{}));
  }
  const number none(0);
  const auto nothing = device_sized(in.values(), none.get());
  EXPECT_EQ(reduce(device, nothing, 4), 4);
  EXPECT_THROW((void)argmin(device, nothing), usage_error);
  EXPECT_THROW((void)mean(device, nothing), usage_error);
  EXPECT_THROW((void)statistics(device, nothing), usage_error);
}

template <class T, class Op>
void expect_scans(std::size_t most, std::size_t in_offset = 0, std::size_t out_offset = 0) {
  const auto values = terms<T>(most, 3), before = terms<T>(most, 4);
  const T init = terms<T>(1, 5).front();
  const device_buffer<T> in(values, in_offset);
  const workspace memory(scan_workspace_bytes<T>(most));
  for (const std::size_t size : sizes_within(most)) {
    SCOPED_TRACE(testing::Message() << size << " of at most " << most << " values of " << sizeof(T)
                                    << " bytes from " << in_offset << " to " << out_offset);
    const number n(size);
    const auto count = static_cast<std::ptrdiff_t>(std::min(size, most));
    auto expected = before;
    std::exclusive_scan(values.begin(), values.begin() + count, expected.begin(), init, Op{});
    const device_buffer<T> out(before, out_offset);
    ASSERT_TRUE(exclusive_scan(device.with(memory), device_sized(in.values(), n.get()), out.room(),
                               init, Op{})
                    .ok());
    EXPECT_EQ(out.read(), expected);
    const device_buffer<T> both(values, in_offset);
    expected = values;
    std::inclusive_scan(values.begin(), values.begin() + count, expected.begin(), Op{}, init);
    ASSERT_TRUE(inclusive_scan(device.with(memory), device_sized(both.values(), n.get()),
                               both.room(), Op{}, init)
                    .ok());
    EXPECT_EQ(both.read(), expected);
  }
}

TEST_F(device_sized_calls, scans) {
  for (const std::size_t most : bounds(on_cpu)) {
    expect_scans<std::int32_t, plus>(most);
    expect_scans<std::uint8_t, plus>(most, 5, 5);
    expect_scans<double, plus>(most, 1, 1);
    expect_scans<std::int32_t, maximum>(most, 1, 2);  // without the copy engine
    expect_scans<affine, then>(most);
  }
  if (!on_cpu) expect_scans<std::int32_t, plus>(20'000'011);  // of the largest tiles
}

TEST_F(device_sized_calls, an_output_must_have_room_for_all_there_may_be) {
  const device_buffer<int> in(std::vector<int>(100)), out(99);
  const number n(5);
  expect_refused(inclusive_scan(device, device_sized(in.values(), n.get()), out.room()), 100, 99,
                 "values");
}

TEST_F(device_sized_calls, a_captured_chain_is_replayed_with_other_numbers) {
  const std::size_t most = on_cpu ? 70'001 : 3'000'017;
  const auto values = terms<std::int32_t>(most, 3);
  const device_buffer<std::int32_t> in(values), sums(values), total(1);
  const device_buffer<std::size_t> size(1);
  const workspace memory(
      std::max(scan_workspace_bytes<std::int32_t>(most), reduce_workspace_bytes<std::int32_t>()));
  const own_stream own;
  const auto on = device.on(own.stream).with(memory);
  const captured graph(own.stream, [&] {
    EXPECT_TRUE(inclusive_scan(on, device_sized(in.values(), size.data()), sums.room()).ok());
    EXPECT_TRUE(reduce_into(on, device_sized(sums.values(), size.data()), total.data()).ok());
  });
  for (const std::size_t n : {most, std::size_t{0}, most / 16, std::size_t{5}, most + 3}) {
    SCOPED_TRACE(n);
    ASSERT_TRUE(detail::copy_async(size.data(), &n, sizeof n, own.stream).ok());
    ASSERT_EQ(graph.launch_in(own.stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(own.stream), cudaSuccess);
    const auto count = static_cast<std::ptrdiff_t>(std::min(n, most));
    std::vector<std::int32_t> expected(values.begin(), values.begin() + count);
    std::inclusive_scan(expected.begin(), expected.end(), expected.begin(), plus{});
    EXPECT_EQ(total.read()[0], std::accumulate(expected.begin(), expected.end(), 0, plus{}));
    auto front = sums.read();
    front.resize(expected.size());
    EXPECT_EQ(front, expected);
  }
}

TEST_F(device_sized_calls, tags_start_again_after_the_last) {
  const std::size_t most = on_cpu ? 150'001 : 5'000'011;
  const std::size_t bytes =
      std::max(scan_workspace_bytes<float>(most), reduce_workspace_bytes<float>());
  const auto values = terms<float>(most, 3);
  const device_buffer<float> in(values), out(values), total(1);
  for (const std::size_t size : {std::size_t{0}, std::size_t{3'000}, most / 8, most}) {
    SCOPED_TRACE(size);
    const workspace memory(bytes);
    const workspace_view view = memory;
    const std::uint64_t nearly = std::uint64_t{0xfffffffd} << 32;
    ASSERT_TRUE(detail::copy_async(view.data, &nearly, sizeof nearly, device.stream()).ok());
    const number n(size);
    const auto given = device_sized(in.values(), n.get());
    const float sum = std::accumulate(
        values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size), 0.0F, plus{});
    for (int launch = 0; launch < 4; ++launch) {
      ASSERT_TRUE(inclusive_scan(device.with(memory), given, out.room()).ok());
      ASSERT_TRUE(reduce_into(device.with(memory), given, total.data()).ok());
      EXPECT_EQ(total.read()[0], sum);
      if (size > 0) EXPECT_EQ(out.read()[size - 1], sum);
    }
  }
}

#if defined(SIMT_KERNELS)
TEST_F(device_sized_calls, the_same_in_eight_orders) {
  const std::size_t most = 150'001;
  const device_buffer<float> in(random_values<float>(most)), out(most), total(1);
  for (const std::size_t size : {std::size_t{2'000}, std::size_t{40'003}, most}) {
    const number n(size);
    for (const std::size_t bound : {std::size_t{60'000}, most}) {
      SCOPED_TRACE(testing::Message() << size << " of " << bound);
      const auto within = device_sized(in.values().first(bound), n.get());
      for (const auto& f : simt::try_schedules(
               8, [&] { ASSERT_TRUE(inclusive_scan(device, within, out.room()).ok()); },
               out.room().first(std::min(size, bound)))) {
        ADD_FAILURE() << f.text();
      }
      for (const auto& f : simt::try_schedules(
               8, [&] { ASSERT_TRUE(reduce_into(device, within, total.data()).ok()); },
               total.room())) {
        ADD_FAILURE() << f.text();
      }
    }
  }
}
#endif

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
