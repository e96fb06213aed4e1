// What the tests of the device library share: on the CPU machine every launch runs with its checks
// on and must have no finding; on CUDA they skip where there is no device.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/library/device/device_buffer.hpp"
#include "tests/library/device/machine_checks.hpp"
#include "warpfold/workspace.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {

class device_test : public testing::Test {
 protected:
#if defined(SIMT_KERNELS)
  static constexpr bool on_cpu = true;
#else
  static constexpr bool on_cpu = false;
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no CUDA device";
  }
#endif

 private:
  machine_checks checks_;
};

/// The status says these sizes, and so does what it throws.
inline void expect_refused(const status& refused, std::size_t needed, std::size_t given,
                           const char* unit = "bytes") {
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(refused.needed(), needed) << refused.reason();
  EXPECT_EQ(refused.given(), given) << refused.reason();
  try {
    refused.throw_if_failed("the call");
    FAIL() << "it should throw";
  } catch (const device_error& e) {
    const std::string numbers =
        std::to_string(needed) + " " + unit + " needed, " + std::to_string(given) + " given";
    EXPECT_NE(std::string(e.what()).find(numbers), std::string::npos) << e.what();
  }
}

/// Random bits as values of T: any integer, or a float of moderate size.
template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 bits(seed + n);
  std::vector<T> values(n);
  for (T& v : values) {
    if constexpr (std::is_integral_v<T>) {
      v = static_cast<T>(bits());
    } else {
      v = static_cast<T>(static_cast<double>(static_cast<std::int32_t>(bits())) / 65536.0);
    }
  }
  return values;
}

/// x -> a x + b: associative, not commutative.
struct affine {
  std::uint32_t a, b;
  friend bool operator==(const affine&, const affine&) = default;
};
struct then {
  template <class T>
  __host__ __device__ T operator()(const T& f, const T& g) const {
    return {f.a * g.a, g.a * f.b + g.b};
  }
  template <class T>
  __host__ __device__ static T identity() {
    return {1, 0};
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
