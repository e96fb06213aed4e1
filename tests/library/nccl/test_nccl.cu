// Calls across GPUs against those on one: every number of them that there is, random splits with
// empty parts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include "tests/library/device/machine_checks.hpp"
#include "tests/library/parts.hpp"
#include "warpfold/nccl.hpp"

using namespace warpfold;  // NOLINT(google-build-using-namespace)
using test::affine, test::random_split, test::random_values, test::then;

namespace {

/// Values in the memory of the current device.
template <class T>
class on_device {
 public:
  explicit on_device(std::span<const T> values)
      : memory_(values.size() + 1, "a test's values"), size_(values.size()) {
    detail::copy_async(memory_.data(), values.data(), values.size_bytes(), device.stream())
        .throw_if_failed("a copy");
    detail::wait_for(device.stream()).throw_if_failed("a copy");
  }
  [[nodiscard]] std::span<T> view() const { return {memory_.data(), size_}; }
  template <class Place>
  [[nodiscard]] std::vector<T> read(const Place& place) const {
    std::vector<T> values(size_);
    detail::copy_async(values.data(), memory_.data(), size_ * sizeof(T), place.here().stream())
        .throw_if_failed("a copy");
    detail::wait_for(place.here().stream()).throw_if_failed("a copy");
    return values;
  }

 private:
  detail::device_buffer<T> memory_;
  std::size_t size_;
};

int most_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
  return count;
}

class nccl : public testing::Test {
 protected:
  void SetUp() override {
#if defined(SIMT_KERNELS)
    ASSERT_GT(most_devices(), 1) << "SIMT_DEVICES says how many";
#else
    if (most_devices() == 0) GTEST_SKIP() << "no CUDA device";
#endif
  }

 private:
  test::machine_checks checks_;
};

/// f(place, part) for each rank's part of the values, and of the second ones beside them.
template <class T, class F>
void on_parts(const all_devices& devices, std::span<const T> values,
              const std::vector<std::size_t>& bounds, const F& f) {
  devices.run([&](auto place) {
    const auto r = static_cast<std::size_t>(place.rank());
    const on_device<T> part(values.subspan(bounds[r], bounds[r + 1] - bounds[r]));
    f(place, part);
  });
}

/// What every rank gets, which must be the same.
template <class Result, class T, class F>
Result same_on_all(const all_devices& devices, std::span<const T> values,
                   const std::vector<std::size_t>& bounds, const F& f) {
  std::vector<Result> results(static_cast<std::size_t>(devices.size()));
  on_parts(devices, values, bounds, [&](auto place, const on_device<T>& part) {
    results[static_cast<std::size_t>(place.rank())] = f(place, part.view());
  });
  for (const Result& r : results) {
    EXPECT_EQ(std::memcmp(&r, &results[0], sizeof r), 0) << "ranks differ";
  }
  return results[0];
}

/// f(devices, random) for each number of devices, some times with other splits.
template <class F>
void for_each_count(const F& f, int times = 2) {
  std::mt19937 random(27);
  for (int count = 1; count <= most_devices(); ++count) {
    const all_devices devices(count);
    for (int k = 0; k < times; ++k) f(devices, random);
  }
}

template <class T>
class nccl_types : public nccl {};
using value_kinds = testing::Types<std::int32_t, std::int64_t, float, double>;
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

/// Each rank's keys and items after a sort, one behind the other.
template <class K, class V, class Less>
void expect_sorted(const all_devices& devices, const std::vector<K>& keys,
                   const std::vector<V>& items, const std::vector<std::size_t>& bounds,
                   const Less& less) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
  devices.run([&](auto place) {
    const auto r = static_cast<std::size_t>(place.rank());
    const std::size_t begin = bounds[r], n = bounds[r + 1] - begin;
    const on_device<K> k(std::span(keys).subspan(begin, n));
    const on_device<V> v(std::span(items).subspan(begin, n));
    const on_device<K> alone(std::span(keys).subspan(begin, n));
    const status by_key = stable_sort_by_key(place, k.view(), v.view(), less);
    ASSERT_TRUE(by_key.ok()) << by_key.reason();
    const status s = sort(place, alone.view(), less);
    ASSERT_TRUE(s.ok()) << s.reason();
    const auto got_keys = k.read(place), got_alone = alone.read(place);
    const auto got_items = v.read(place);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t from = order[begin + i];
      wrong += std::memcmp(&got_keys[i], &keys[from], sizeof(K)) != 0 ||
                       std::memcmp(&got_items[i], &items[from], sizeof(V)) != 0 ||
                       std::memcmp(&got_alone[i], &keys[from], sizeof(K)) != 0
                   ? 1
                   : 0;
    }
    EXPECT_EQ(wrong, 0U) << "rank " << r << " of " << place.size() << ", " << n << " rows";
  });
}

TYPED_TEST(nccl_types, sorts_are_stable) {
  using T = TypeParam;
  int kind = 0;
  for_each_count(
      [&](const all_devices& devices, std::mt19937& random) {
        const std::size_t n = random() % 4000 + 1;
        auto keys = random_values<T>(n, random);
        switch (kind++ % 5) {
          case 1: std::fill(keys.begin(), keys.end(), T{7}); break;
          case 2:
            for (T& k : keys) k = static_cast<T>(random() % 3);
            break;
          case 3: std::sort(keys.begin(), keys.end()); break;
          case 4: std::sort(keys.begin(), keys.end(), std::greater<>()); break;
          default: break;
        }
        std::vector<std::uint32_t> items(n);
        std::iota(items.begin(), items.end(), 0);
        const auto bounds = random_split(n, devices.size(), random);
        expect_sorted(devices, keys, items, bounds, ascending{});
        if (kind % 3 == 0) expect_sorted(devices, keys, items, bounds, descending{});
      },
      5);
}

struct last_digit_first {
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    return a % 10 < b % 10;
  }
};
struct three_words {
  std::uint32_t word[3];
};

TEST_F(nccl, sorts_by_an_order_of_ones_own_and_rows_too_large_to_be_merged) {
  for_each_count([](const all_devices& devices, std::mt19937& random) {
    const std::size_t n = random() % 3000 + 1;
    std::vector<std::uint32_t> keys(n);
    std::vector<three_words> items(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = static_cast<std::uint32_t>(random() % 1000);
      items[i] = {{static_cast<std::uint32_t>(i), 1, 2}};
    }
    std::vector<std::uint64_t> places(n);
    std::iota(places.begin(), places.end(), 0);
    std::vector<std::uint8_t> bytes(n);
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
    const auto bounds = random_split(n, devices.size(), random);
    expect_sorted(devices, keys, bytes, bounds, ascending{});
    expect_sorted(devices, keys, places, bounds, last_digit_first{});
    expect_sorted(devices, keys, items, bounds, ascending{});
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
