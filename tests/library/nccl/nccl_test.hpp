// What tests of calls across GPUs share: ranks' parts, and every number of GPUs.
#pragma once

#include <cstring>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "tests/library/device/machine_checks.hpp"
#include "tests/library/parts.hpp"
#include "warpfold/nccl.hpp"

namespace warpfold::test {

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

inline int most_devices() {
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
  machine_checks checks_;
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
using value_kinds = testing::Types<std::int32_t, std::int64_t, float, double>;

}  // namespace warpfold::test
