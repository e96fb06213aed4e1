// Calls on keys across GPUs against those on one.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include "tests/library/nccl/nccl_test.hpp"

using namespace warpfold;        // NOLINT(google-build-using-namespace)
using namespace warpfold::test;  // NOLINT(google-build-using-namespace)

namespace {

TEST_F(nccl, runs_of_equal_keys_that_straddle_ranks) {
  for_each_count(
      [](const all_devices& devices, std::mt19937& random) {
        const std::size_t n = random() % 3000 + 1, length = random() % 3 == 0 ? 2 * n : 40;
        std::vector<int> keys;
        std::vector<affine> values(n), expected;
        for (affine& f : values) f = {static_cast<std::uint32_t>(random()) | 1U, 5};
        std::vector<std::size_t> begins;  // of the runs
        for (int k = 0; keys.size() < n; ++k) {
          keys.insert(keys.end(), std::min(n - keys.size(), random() % length + 1), k % 3);
        }
        for (std::size_t i = 0; i < n; ++i) {
          const bool begins_one = i == 0 || keys[i] != keys[i - 1];
          if (begins_one) begins.push_back(i);
          expected.push_back(begins_one ? values[i] : then{}(expected.back(), values[i]));
        }
        begins.push_back(n);
        const auto bounds = random_split(n, devices.size(), random);
        devices.run([&](auto place) {
          const auto r = static_cast<std::size_t>(place.rank());
          const std::size_t begin = bounds[r], size = bounds[r + 1] - begin;
          const on_device<int> in{std::span(keys).subspan(begin, size)};
          const on_device<int> out_keys{std::span(keys).subspan(begin, size)};
          const on_device<affine> of{std::span(values).subspan(begin, size)};
          const on_device<affine> out{std::span(values).subspan(begin, size)};
          const std::size_t runs =
              reduce_by_key(place, in.view(), of.view(), out_keys.view(), out.view(), then{});
          const auto first = std::lower_bound(begins.begin(), begins.end() - 1, begin);
          const auto last = std::lower_bound(first, begins.end() - 1, begin + size);
          ASSERT_EQ(runs, static_cast<std::size_t>(last - first)) << "rank " << r;
          const auto got_keys = out_keys.read(place);
          const auto got = out.read(place);
          for (std::size_t i = 0; i < runs; ++i) {
            const auto run = first + static_cast<std::ptrdiff_t>(i);
            EXPECT_EQ(got_keys[i], keys[*run]);
            EXPECT_EQ(got[i], expected[run[1] - 1]);
          }
        });
      },
      4);
}

TEST_F(nccl, a_run_of_f16_is_rounded_once) {
  const all_devices devices(std::min(3, most_devices()));
  const std::vector<int> keys(2049);
  const std::vector<__half> ones(keys.size(), __half(1.0F)), none(1);
  devices.run([&](auto place) {
    const on_device<int> part{std::span(keys)}, out_keys{std::span(keys).first(1)};
    const on_device<__half> values{std::span(ones)}, sum{std::span(none)};
    const std::size_t runs =
        reduce_by_key(place, part.view(), values.view(), out_keys.view(), sum.view());
    ASSERT_EQ(runs, place.rank() == 0 ? 1U : 0U);
    if (runs == 1) {
      const __half expected(2049.0F * static_cast<float>(place.size()));
      EXPECT_EQ(static_cast<float>(sum.read(place)[0]), static_cast<float>(expected));
    }
  });
}

TEST_F(nccl, groups_of_equal_keys_in_their_order) {
  for_each_count([](const all_devices& devices, std::mt19937& random) {
    const std::size_t n = random() % 3000 + 1;
    std::vector<float> keys(n);
    std::vector<int> values(n);
    for (float& k : keys)
      k = static_cast<float>(random() % 50) * (random() % 2 == 0 ? 1.0F : -0.0F);
    for (int& v : values) v = static_cast<int>(random() % 1000);
    struct group {
      int sum = 0, first = 0, most = -1;
      std::uint64_t most_at = 0, count = 0;
    };
    std::map<float, group> expected;  // -0 is +0
    for (int sign = 0; sign < 2; ++sign) {
      for (std::size_t i = 0; i < n; ++i) {
        if (std::signbit(keys[i]) == (sign == 1)) continue;
        group& g = expected[keys[i]];
        g.sum += values[i];
        g.count += 1;
        if (values[i] > g.most || (values[i] == g.most && i < g.most_at)) {
          g.most = values[i], g.most_at = i;
        }
      }
    }
    for (int sign = 1; sign >= 0; --sign) {  // a sort puts -0 before +0
      for (std::size_t i = n; i-- > 0;) {
        if (std::signbit(keys[i]) == (sign == 0)) expected[keys[i]].first = values[i];
      }
    }
    const auto bounds = random_split(n, devices.size(), random);
    std::vector<std::size_t> counts(static_cast<std::size_t>(devices.size()));
    std::vector<std::vector<float>> got(counts.size());
    devices.run([&](auto place) {
      const auto r = static_cast<std::size_t>(place.rank());
      const std::size_t begin = bounds[r], size = bounds[r + 1] - begin;
      const on_device<float> in{std::span(keys).subspan(begin, size)};
      const on_device<int> of{std::span(values).subspan(begin, size)};
      const on_device<float> out_keys{std::span(keys).subspan(begin, size)};
      const std::vector<int> room(size);
      const std::vector<std::uint64_t> wide(size);
      const on_device<int> sums{std::span(room)}, firsts{std::span(room)};
      const on_device<std::uint64_t> at{std::span(wide)}, sizes{std::span(wide)};
      const std::size_t groups =
          group_by(place, in.view(), out_keys.view(), sum_of(of.view(), sums.view()),
                   first_of(of.view(), firsts.view()), argmax_of(of.view(), at.view()),
                   count_of(sizes.view()));
      got[r] = out_keys.read(place);
      got[r].resize(groups);
      const auto sum = sums.read(place), first = firsts.read(place);
      const auto most_at = at.read(place), count = sizes.read(place);
      for (std::size_t i = 0; i < groups; ++i) {
        const group& g = expected.at(got[r][i]);
        EXPECT_EQ(sum[i], g.sum);
        EXPECT_EQ(first[i], g.first);
        EXPECT_EQ(most_at[i], g.most_at);
        EXPECT_EQ(count[i], g.count);
      }
    });
    std::vector<float> all;
    for (const auto& of : got) all.insert(all.end(), of.begin(), of.end());
    ASSERT_EQ(all.size(), expected.size());
    EXPECT_TRUE(std::equal(all.begin(), all.end(), expected.begin(),
                           [](float key, const auto& g) { return key == g.first; }));
  });
}

}  // namespace
