// Reductions, scans and rows across GPUs against those on one: every number of them that there is,
// random splits with empty parts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/library/nccl/nccl_test.hpp"

using namespace warpfold;        // NOLINT(google-build-using-namespace)
using namespace warpfold::test;  // NOLINT(google-build-using-namespace)

namespace {

template <class T>
class nccl_types : public nccl {};
TYPED_TEST_SUITE(nccl_types, value_kinds, );

TYPED_TEST(nccl_types, reductions_are_those_of_one_gpu) {
  using T = TypeParam;
  for_each_count([](const all_devices& devices, std::mt19937& random) {
    const std::size_t n = random() % 5000 + 1;
    auto values = random_values<T>(n, random);
    const auto bounds = random_split(n, devices.size(), random);
    const std::span<const T> all(values);
    const on_device<T> whole(all);
    const auto view = whole.view();
    const auto sum =
        same_on_all<T>(devices, all, bounds, [](auto p, auto v) { return reduce(p, v, T{3}); });
    if constexpr (std::is_integral_v<T>) {
      EXPECT_EQ(sum, reduce(device, view, T{3}));
    } else {
      double size = 0;
      for (const T v : values) size += std::fabs(static_cast<double>(v));
      EXPECT_NEAR(sum, reduce(device, view, T{3}), size * (sizeof(T) == 4 ? 1e-4 : 1e-12));
      const auto gpu_to_gpu = [](auto p) {
        return across(p.comm(), p.here().with(determinism::gpu_to_gpu));
      };
      EXPECT_EQ(same_on_all<T>(devices, all, bounds,
                               [&](auto p, auto v) { return reduce(gpu_to_gpu(p), v, T{3}); }),
                reduce(device.with(determinism::gpu_to_gpu), view, T{3}));
      EXPECT_EQ(same_on_all<double>(devices, all, bounds,
                                    [&](auto p, auto v) { return mean(gpu_to_gpu(p), v); }),
                mean(device.with(determinism::gpu_to_gpu), view));
      EXPECT_EQ(
          same_on_all<T>(devices, all, bounds, [](auto p, auto v) { return exact_sum(p, v); }),
          exact_sum(device, view));
      EXPECT_EQ(
          same_on_all<T>(devices, all, bounds, [](auto p, auto v) { return exact_mean(p, v); }),
          exact_mean(device, view));
      EXPECT_EQ(
          same_on_all<T>(devices, all, bounds, [](auto p, auto v) { return exact_dot(p, v, v); }),
          exact_dot(device, view, view));
    }
    const auto extremes =
        same_on_all<min_max<T>>(devices, all, bounds, [](auto p, auto v) { return minmax(p, v); });
    EXPECT_EQ(extremes, minmax(device, view));
    EXPECT_EQ(same_on_all<T>(devices, all, bounds, [](auto p, auto v) { return min(p, v); }),
              extremes.min);
    EXPECT_EQ(same_on_all<T>(devices, all, bounds, [](auto p, auto v) { return max(p, v); }),
              extremes.max);
    const auto least =
        same_on_all<position<T>>(devices, all, bounds, [](auto p, auto v) { return argmin(p, v); });
    const auto most =
        same_on_all<position<T>>(devices, all, bounds, [](auto p, auto v) { return argmax(p, v); });
    EXPECT_EQ(least, argmin(device, view));
    EXPECT_EQ(most, argmax(device, view));
    const auto about = same_on_all<summary<T>>(devices, all, bounds,
                                               [](auto p, auto v) { return statistics(p, v); });
    const auto of_one = statistics(device, view);
    EXPECT_EQ(about.count, n);
    EXPECT_EQ(about.min, of_one.min);
    EXPECT_EQ(about.max, of_one.max);
    EXPECT_NEAR(about.variance, of_one.variance, of_one.variance * 1e-9);
    const double size = std::sqrt(of_one.variance) + std::fabs(of_one.mean);
    EXPECT_NEAR(about.mean, of_one.mean, size * 1e-9);
    EXPECT_NEAR(
        same_on_all<double>(devices, all, bounds, [](auto p, auto v) { return mean(p, v); }),
        mean(device, view), size * 1e-9);
  });
}

TYPED_TEST(nccl_types, scans_are_those_of_one_gpu) {
  using T = TypeParam;
  for_each_count([](const all_devices& devices, std::mt19937& random) {
    // Few values are one wave of tiles, more go through the pipelined kernel.
    const std::size_t n = random() % 2 == 0 ? random() % 3000 + 1 : 40000 + random() % 3000;
    std::vector<T> values(n), expected(n);
    for (T& v : values) v = static_cast<T>(random() % 8);  // sums of few bits: no rounding
    const auto bounds = random_split(n, devices.size(), random);
    for (const bool exclusive : {false, true}) {
      if (exclusive) {
        std::exclusive_scan(values.begin(), values.end(), expected.begin(), T{5});
      } else {
        std::inclusive_scan(values.begin(), values.end(), expected.begin());
      }
      on_parts(devices, std::span<const T>(values), bounds,
               [&](auto place, const on_device<T>& part) {
                 const auto v = part.view();
                 const status s =
                     exclusive ? exclusive_scan(place, v, v, T{5}) : inclusive_scan(place, v, v);
                 ASSERT_TRUE(s.ok()) << s.reason();
                 const auto got = part.read(place);
                 const auto at =
                     static_cast<std::ptrdiff_t>(bounds[static_cast<std::size_t>(place.rank())]);
                 EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin() + at))
                     << "rank " << place.rank() << " of " << place.size();
               });
    }
  });
}

TEST_F(nccl, keeps_the_order_where_the_operator_needs_it) {
  for_each_count([](const all_devices& devices, std::mt19937& random) {
    const std::size_t n = random() % 3000 + 1;
    std::vector<affine> values(n), expected(n);
    for (affine& f : values) {
      f = {static_cast<std::uint32_t>(random()) | 1U, static_cast<std::uint32_t>(random() % 1000)};
    }
    const auto bounds = random_split(n, devices.size(), random);
    const affine init{3, 4};
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), then{}, init);
    EXPECT_EQ(
        same_on_all<affine>(devices, std::span<const affine>(values), bounds,
                            [&](auto place, auto v) { return reduce(place, v, init, then{}); }),
        expected.back());
    on_parts(devices, std::span<const affine>(values), bounds,
             [&](auto place, const on_device<affine>& part) {
               const auto v = part.view();
               ASSERT_TRUE(inclusive_scan(place, v, v, then{}, init).ok());
               const auto got = part.read(place);
               const auto at =
                   static_cast<std::ptrdiff_t>(bounds[static_cast<std::size_t>(place.rank())]);
               EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin() + at));
             });
  });
}
TEST_F(nccl, rows_are_their_ranks_own) {
  const all_devices devices(most_devices());
  devices.run([&](auto place) {
    const std::vector<float> ones(static_cast<std::size_t>(place.rank() + 1) * 100, 1.0F);
    const on_device<float> values{std::span(ones)};
    const std::vector<float> none(static_cast<std::size_t>(place.rank() + 1));
    const on_device<float> sums{std::span(none)};
    ASSERT_TRUE(reduce_rows(place, values.view(), none.size(), 100, sums.view()).ok());
    for (const float sum : sums.read(place)) EXPECT_EQ(sum, 100.0F);
  });
}

/// A communicator of one rank, the current device, that does not block.
ncclComm_t communicator_that_does_not_block() {
  ncclComm_t comm = nullptr;
#if defined(SIMT_KERNELS)
  EXPECT_EQ(ncclCommInitAll(&comm, 1, nullptr), ncclSuccess);
  ncclStandInDoesNotBlock(comm);
#else
  ncclUniqueId id;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  (void)ncclCommInitRankConfig(&comm, 1, id, 0, &config);
#endif
  return comm;
}

TEST_F(nccl, waits_for_a_communicator_that_does_not_block) {
  const ncclComm_t comm = communicator_that_does_not_block();
  {
    const auto place = across(comm, device);
    std::vector<std::int32_t> values(1000);
    std::iota(values.rbegin(), values.rend(), 0);
    const on_device<std::int32_t> part{std::span<const std::int32_t>(values)};
    EXPECT_EQ(reduce(place, part.view(), 0), 499500);
    EXPECT_TRUE(sort(place, part.view()).ok());
    std::sort(values.begin(), values.end());
    EXPECT_EQ(part.read(place), values);
  }
  (void)ncclCommDestroy(comm);
}

TEST_F(nccl, of_no_values_at_all) {
  const all_devices devices(most_devices());
  devices.run([&](auto place) {
    const on_device<float> nothing{std::span<const float>()};
    EXPECT_EQ(reduce(place, nothing.view(), 4.0F), 4.0F);
    EXPECT_EQ(exact_sum(place, nothing.view()), 0.0F);
    EXPECT_TRUE(sort(place, nothing.view()).ok());
    EXPECT_TRUE(exclusive_scan(place, nothing.view(), nothing.view(), 0.0F).ok());
    EXPECT_EQ(reduce_by_key(place, nothing.view(), nothing.view(), nothing.view(), nothing.view()),
              0U);
    EXPECT_THROW((void)argmin(place, nothing.view()), usage_error);
    EXPECT_THROW((void)mean(place, nothing.view()), usage_error);
    EXPECT_THROW((void)statistics(place, nothing.view()), usage_error);
  });
}

}  // namespace
