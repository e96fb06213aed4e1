#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "simt/prediction.hpp"

namespace {

using nlohmann::json;

/// docs/time.md has these.
TEST(Prediction, IsAsFarOffAsTheDocsSay) {
  std::ifstream file(WARPFOLD_SOURCE_DIR "/bench/results/prediction_h100.json");
  const json stored = json::parse(file);
  const simt::device_model h100 = simt::find_device_model("h100");
  std::vector<double> errors;
  for (const json& row : stored.at("rows")) {
    const auto p = simt::predict(simt::parse_profiles(row.at("profiles").dump()), h100);
    if (!p.no_ground.empty()) continue;
    errors.push_back(100 * std::abs(p.us / row.at("median_us").get<double>() - 1));
  }
  ASSERT_EQ(errors.size(), 132U);
  std::sort(errors.begin(), errors.end());
  double sum = 0;
  for (const double e : errors) sum += e;
  EXPECT_NEAR(sum / static_cast<double>(errors.size()), 12.5, 0.05);
  EXPECT_NEAR(errors[static_cast<std::size_t>(0.9 * 131)], 24.4, 0.05);
  EXPECT_NEAR(errors.back(), 36.4, 0.05);
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
