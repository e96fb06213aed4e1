#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "simt/prediction.hpp"

namespace {

/// A kernel that adds two arrays: 2^20 values of 4 bytes.
simt::launch_profile addition() {
  simt::launch_profile p;
  p.kernel = "add";
  p.grid = {4096, 1, 1};
  p.block = {256, 1, 1};
  p.launches = 1;
  p.integers = 4 * 32768;
  p.floats = 32768;
  p.global_rounds = 4096;
  p.global_lines = 3 * 32768;
  p.counted.global_load = {.requests = 65536, .sectors = 262144};
  p.counted.global_store = {.requests = 32768, .sectors = 131072};
  p.counted.warps = 32768;
  p.reads.by_distance.back() = 262144;
  p.writes.by_distance.back() = 131072;
  return p;
}

TEST(Prediction, HasEveryDeviceOfTheList) {
  const std::vector profiles{addition()};
  for (const auto& name : simt::device_model_names()) {
    const simt::device_model d = simt::find_device_model(name);
    const auto p = simt::predict(profiles, d);
    EXPECT_EQ(p.no_ground, "") << name;
    const double bytes = 12.0 * 1048576;
    EXPECT_GT(p.us, bytes / (d.memory_gbs + 1e6 * d.l2_mib) * 1e-3) << name;
    EXPECT_LT(p.us, 20 + 3 * bytes / d.memory_gbs * 1e-3) << name;
  }
}

TEST(Prediction, SaysWhatADeviceCannot) {
  const simt::device_model g80 = simt::find_device_model("g80");
  auto p = addition();
  p.shuffles = 1;
  EXPECT_EQ(simt::predict(std::vector{p}, g80).text(),
            "no prediction for g80: add shuffles, and it can't");
  p.shuffles = 0;
  p.doubles = 1;
  EXPECT_EQ(simt::predict(std::vector{p}, g80).text(),
            "no prediction for g80: add computes with f64, and it can't");
}

TEST(Prediction, WaitsBetweenKernelsOfAStream) {
  auto twice = addition();
  twice.launches = 2;
  simt::device_model d = simt::find_device_model("a100");
  d.next_launch_us = 0.1;
  const double at_1 = simt::predict(std::vector{twice}, d).us;
  d.gap_us += 2;
  EXPECT_NEAR(simt::predict(std::vector{twice}, d).us, at_1 + 2, 1e-9);
}

/// As a profiler does: the busiest unit, if it does 60 % of what it can.
TEST(Prediction, NamesTheUnitThatIsBusiest) {
  const simt::device_model h100 = simt::find_device_model("h100");
  const auto limit_of = [&](const simt::launch_profile& p) {
    return simt::name_of(simt::predict(std::vector{p}, h100).kernel_by);
  };
  auto p = addition();
  p.grid = {16384, 1, 1};
  p.reads.by_distance.back() = 8 * 262144;
  EXPECT_EQ(limit_of(p), "DRAM");
  p.integers = 4000 * 32768;
  EXPECT_EQ(limit_of(p), "issue");
  p = addition();
  p.global_rounds = 100 * 4096;  // a hundred loads one after another: no unit is busy
  EXPECT_EQ(limit_of(p), "latency");
  EXPECT_EQ(simt::predict(std::vector{addition()}, h100).by, simt::limiter::launch);
}

/// A warp waits for the furthest of its lines: some misses in many lines are as long as a miss.
TEST(Prediction, LoadsOfManyLinesWaitForTheLastOne) {
  const simt::device_model h100 = simt::find_device_model("h100");
  auto p = addition();
  p.global_rounds = 100 * 4096;
  p.reads.by_distance.back() = 262144 / 8;
  const auto latency_us = [&] {
    const auto at = static_cast<std::size_t>(simt::limiter::latency);
    return simt::predict(std::vector{p}, h100).parts_us[at];
  };
  const double of_one_line = latency_us();
  p.global_lines = 32 * 3 * 32768;
  EXPECT_GT(latency_us(), 3 * of_one_line);
  p.reads.by_distance.back() = 262144;
  const double all_missed = latency_us();
  p.global_lines = 3 * 32768;
  EXPECT_EQ(latency_us(), all_missed);
}

/// The cache is full of what was written before: each sector that is written drives one out.
TEST(Prediction, WritesCostTheirBytes) {
  const simt::device_model h100 = simt::find_device_model("h100");
  auto p = addition();
  const auto dram_us = [&] {
    const auto at = static_cast<std::size_t>(simt::limiter::dram);
    return simt::predict(std::vector{p}, h100).parts_us[at];
  };
  p.reads.by_distance.back() = 0;
  EXPECT_NEAR(dram_us(), 131072 * 32 / h100.write_gbs * 1e-3, 1e-9);
}

std::string message_of(const std::string& name, const std::string& text) {
  try {
    simt::parse_device_model(name, text);
  } catch (const simt::device_file_error& e) {
    return e.what();
  }
  return "";
}

TEST(DeviceFiles, AreAllRead) {
  for (const auto& name : simt::device_model_names())
    EXPECT_GT(simt::find_device_model(name).clock_ghz, 0);
}

TEST(DeviceFiles, SayWhatIsMissingOrAbsurd) {
  EXPECT_EQ(message_of("x", "[]"),
            "device x: this is no JSON object; docs/json.md has what a device file holds");
  EXPECT_EQ(message_of("x", R"({"product": "X"})"), "device x: \"published\" is missing");
  EXPECT_EQ(message_of("x", R"({"product": "X", "published": {"source": "s"}})"),
            "device x: the constant \"capability\" is missing");
  EXPECT_EQ(
      message_of(
          "x",
          R"({"product": "X", "published": {"source": "s", "capability": 90, "processors": -1}})"),
      "device x: \"processors\" is -1, and no device has less than 1 or more than 1000");
  EXPECT_THROW(simt::find_device_model("h1000"), simt::device_file_error);
}

}  // namespace
