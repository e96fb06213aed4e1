// Device files: what they must hold, and what is said where they don't.
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "simt/prediction.hpp"

namespace {

std::string message_of(const std::string& name, const std::string& text) {
  try {
    simt::parse_device_model(name, text);
  } catch (const simt::device_file_error& e) {
    return e.what();
  }
  return "";
}

TEST(device_files, say_what_is_missing_or_absurd) {
  EXPECT_EQ(message_of("x", "[]"),
            "device x: not a JSON object; docs/json.md describes device files");
  EXPECT_EQ(message_of("x", R"({"product": "X"})"), "device x: \"published\" is missing");
  EXPECT_EQ(message_of("x", R"({"product": "X", "published": {"source": "s"}})"),
            "device x: the constant \"capability\" is missing");
  EXPECT_EQ(
      message_of(
          "x",
          R"({"product": "X", "published": {"source": "s", "capability": 90, "processors": -1}})"),
      "device x: \"processors\" is -1, and must be from 1 to 1000");
  EXPECT_THROW(simt::find_device_model("h1000"), simt::device_file_error);
  EXPECT_THROW(simt::find_device_model("/"), simt::device_file_error);
}

std::string h100_with(const std::string& errors) {
  std::ifstream in(WARPFOLD_SOURCE_DIR "/data/devices/h100.json");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.substr(0, text.rfind("\"error_pct\"")) + "\"error_pct\": " + errors + "}";
}

/// An error that no validation found would stand beside each prediction.
TEST(device_files, refuse_errors_that_are_none) {
  EXPECT_EQ(message_of("x", h100_with(R"({"DRAM": 7})")), "");
  EXPECT_EQ(message_of("x", h100_with(R"({"DRAM": -50})")),
            "device x: the error_pct of \"DRAM\" is -50, and must be a number from 0 to 1000");
  EXPECT_EQ(message_of("x", h100_with(R"({"DRAMM": 5})")),
            "device x: \"error_pct\" has \"DRAMM\", which is not a limiter");
  const auto blind = [](const std::string& errors) {
    return message_of("x", h100_with(R"({"DRAM": 7}, "blind_error_pct": )" + errors));
  };
  EXPECT_EQ(blind(R"({"memory": {"mean": 24, "9_of_10": 52}})"), "");
  EXPECT_EQ(
      blind(R"({"memory": {"mean": 24}})"),
      "device x: the blind_error_pct of \"memory\" is null, and must be a number from 0 to 1000");
  EXPECT_EQ(blind(R"({"DRAM": {"mean": 24, "9_of_10": 52}})"),
            "device x: \"blind_error_pct\" has \"DRAM\", which is not a limiter");
}

/// The ladders' own error is no claim about kernels of others.
TEST(device_files, predictions_say_the_error_that_was_found_blind) {
  const std::string errors =
      R"({"launch": 7}, "blind_error_pct": {"latency or launch": {"mean": 24, "9_of_10": 52}})";
  const auto device = simt::parse_device_model("x", h100_with(errors));
  simt::launch_profile p;
  p.grid = {1, 1, 1};
  p.block = {32, 1, 1};
  p.launches = 1;
  const std::string text = simt::predict({&p, 1}, device).text();
  EXPECT_NE(text.find(" on x, limited by launch (blind mean error 24 %, 9 of 10 within 52 %)"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("±"), std::string::npos) << text;
}

}  // namespace
