// The kernels' tests: their results, and from a report their costs and whether they are right in
// every order.
#include <algorithm>
#include <numeric>

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simt/report.hpp>

#include "kernels.hpp"

using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::vector<float> counting_up(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

/// Each test begins on a device that nothing has happened to. What fails within simt::inspect is
/// forgotten at its end; a kernel that fails elsewhere makes every later call fail, as on a GPU,
/// until the device is reset.
class kernels : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudaGetLastError(), cudaSuccess); }
  void TearDown() override { cudaDeviceReset(); }
};

TEST_F(kernels, transpose_moves_every_value) {
  const int width = 70, height = 45;  // no multiples of a tile
  const std::vector<float> in = counting_up(width * height);
  for (const bool padded : {false, true}) {
    std::vector<float> out;
    const simt::report report = simt::inspect([&] { out = transpose(in, width, height, padded); });
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) ASSERT_EQ(out[x * height + y], in[y * width + x]);
    }
    EXPECT_THAT(report.findings(), IsEmpty());
  }
}

TEST_F(kernels, transpose_without_padding_lanes_wait_for_one_bank) {
  const simt::report report =
      simt::inspect([] { transpose(counting_up(256 * 128), 256, 128, false); });
  EXPECT_EQ(report.total().shared_load.conflicts, 31U * 256 * 128 / 32);
  EXPECT_THAT(report.summary(), HasSubstr("transpose.cu:26 · 32-way bank conflict"));
}

TEST_F(kernels, transpose_with_padding_none_does) {
  const simt::report report =
      simt::inspect([] { transpose(counting_up(256 * 128), 256, 128, true); });
  EXPECT_EQ(report.shared_bank_conflicts(), 0);
  EXPECT_EQ(report.global_load_efficiency(), 100);
  EXPECT_EQ(report.global_store_efficiency(), 100);
}

TEST_F(kernels, histogram_counts_every_byte) {
  std::vector<unsigned char> bytes(10000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * i);
  std::array<unsigned, 256> counts{};
  const simt::report report = simt::inspect([&] { counts = histogram(bytes); });
  for (int b = 0; b < 256; ++b) {
    EXPECT_EQ(counts[b], std::count(bytes.begin(), bytes.end(), static_cast<unsigned char>(b)));
  }
  EXPECT_THAT(report.findings(), IsEmpty());
}

TEST_F(kernels, stencil_weighs_the_neighbours) {
  const std::vector<float> in = counting_up(1000);
  std::vector<float> out;
  const simt::report report = simt::inspect([&] { out = stencil(in, {1, 2, 3, 4, 3, 2, 1}); });
  for (std::size_t i = 3; i + 3 < in.size(); ++i) EXPECT_EQ(out[i], 16 * in[i]);
  EXPECT_EQ(out[0], 4 * 0 + 3 * 1 + 2 * 2 + 1 * 3);
  EXPECT_THAT(report.findings(), IsEmpty());
  EXPECT_EQ(report.shared_bank_conflicts(), 0);
}

TEST_F(kernels, dot_adds_up_in_any_order) {
  const std::vector<float> a(10000, 2), b(10000, 3);
  for (const std::uint64_t seed : {0, 1, 2, 3}) {  // of blocks, warps and lanes
    const simt::report report =
        simt::inspect([&] { EXPECT_EQ(dot(a, b), 60000); }, {.check = true, .seed = seed});
    EXPECT_THAT(report.findings(), IsEmpty());
  }
}

TEST_F(kernels, dot_reads_each_value_once) {
  const std::vector<float> a(1 << 16, 1), b(1 << 16, 1);
  const simt::report report = simt::inspect([&] { dot(a, b); });
  EXPECT_EQ(report.kernel("dot").total.global_load.sectors, 2 * a.size() * sizeof(float) / 32);
}

}  // namespace
