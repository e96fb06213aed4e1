// Sizes around those at which 31 and 32 bits end, on a GPU: the CPU machine would take hours.
#include <algorithm>
#include <array>
#include <vector>

#include "tests/library/device/device_test.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"
#include "warpfold/sort.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_large : public device_test, public testing::WithParamInterface<std::size_t> {
 protected:
  void SetUp() override {
#if defined(SIMT_KERNELS)
    GTEST_SKIP() << "takes hours on the CPU machine";
#else
    device_test::SetUp();
    if (IsSkipped()) return;
    std::size_t free = 0, total = 0;
    ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    if (free < std::size_t{24} << 30) GTEST_SKIP() << "the device has less than 24 GiB to spare";
    values.resize(GetParam());
    std::uint32_t x = 12345;
    for (std::uint8_t& v : values) {
      x = x * 1664525U + 1013904223U;
      v = static_cast<std::uint8_t>(x >> 24);
    }
#endif
  }

  std::vector<std::uint8_t> values;
};

TEST_P(device_large, sum) {
  std::uint64_t sum = 0;
  for (const std::uint8_t v : values) sum += v;
  const device_buffer<std::uint8_t> in(values, 3);
  EXPECT_EQ(reduce(device, in.values(), std::uint64_t{0}), sum);
}

TEST_P(device_large, places_of_the_extremes) {
  std::fill(values.begin(), values.end(), std::uint8_t{9});
  values.back() = 1;
  const device_buffer<std::uint8_t> in(values, 1);
  EXPECT_EQ(argmin(device, in.values()).index, values.size() - 1);
  EXPECT_EQ(argmax(device, in.values()).index, 0U);
}

TEST_P(device_large, prefix_sums_in_place) {
  const device_buffer<std::uint8_t> in(values, 5);
  ASSERT_TRUE(exclusive_scan(device, in.values(), in.room(), std::uint8_t{7}).ok());
  std::uint8_t sum = 7;
  for (std::uint8_t& v : values) {
    const std::uint8_t value = v;
    v = sum;
    sum = static_cast<std::uint8_t>(sum + value);
  }
  EXPECT_TRUE(in.read() == values);  // EXPECT_EQ would print them
}

TEST_P(device_large, sort) {
  std::array<std::size_t, 256> count{};
  for (const std::uint8_t v : values) ++count[v];
  const device_buffer<std::uint8_t> in(values, 1);
  ASSERT_TRUE(sort(device, in.room()).ok());
  auto next = values.begin();
  for (unsigned v = 0; v < 256; ++v) {
    next = std::fill_n(next, count[v], static_cast<std::uint8_t>(v));
  }
  EXPECT_TRUE(in.read() == values);
}

__host__ __device__ std::uint32_t key_of_number(std::size_t i) {
  return static_cast<std::uint32_t>((i * 0x9e3779b97f4a7c15U) >> 30);
}
__global__ void number_pairs_kernel(std::uint32_t* keys, std::uint32_t* items, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  keys[i] = key_of_number(i);
  items[i] = static_cast<std::uint32_t>(i);
}
/// Rows that ascend by key and item, each item with its key, are all of them, in their order.
__global__ void check_pairs_kernel(const std::uint32_t* keys, const std::uint32_t* items,
                                   std::size_t n, unsigned* wrong) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const bool after =
      i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && items[i - 1] < items[i]);
  if (!after || items[i] >= n || key_of_number(items[i]) != keys[i]) atomicAdd(wrong, 1U);
}

TEST_P(device_large, pairs) {
  const std::size_t n = GetParam();
  if (n > std::size_t{1} << 32) GTEST_SKIP() << "an item of 4 bytes can't number all rows";
  std::size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  if (free < 20 * n) GTEST_SKIP() << "the device has less than 20 bytes a row to spare";
  const device_buffer<std::uint32_t> keys(n), items(n);
  const device_buffer<unsigned> wrong(std::vector<unsigned>{0});
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  const detail::launch_config config{.grid = blocks, .block = 256};
  ASSERT_TRUE(detail::try_launch(config, number_pairs_kernel, keys.data(), items.data(), n).ok());
  ASSERT_TRUE(sort_by_key(device, keys.room(), items.room()).ok());
  ASSERT_TRUE(
      detail::try_launch(config, check_pairs_kernel, keys.data(), items.data(), n, wrong.data())
          .ok());
  EXPECT_EQ(wrong.read(), (std::vector{0U}));
}

INSTANTIATE_TEST_SUITE_P(sizes, device_large,
                         testing::Values((std::size_t{1} << 31) - 1, (std::size_t{1} << 31) + 1,
                                         (std::size_t{1} << 32) + 1));

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
