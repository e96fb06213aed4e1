// warpfold calibrate: measures a device's constants, as the "measured" part of a device file.
#include "bench/calibrate/calibrate.hpp"

#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace warpfold::cli {

namespace {

int calibrate() {
  const bench::device_constants found = bench::measure_device();
  nlohmann::ordered_json constants;
  for (const auto& c : found.measured) constants[c.name] = c.value;
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const nlohmann::ordered_json measured{{"command", "warpfold calibrate"},
                                        {"device", found.name},
                                        {"driver", found.driver},
                                        {"toolkit", found.toolkit},
                                        {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(now))},
                                        {"constants", constants}};
  const std::string text = nlohmann::ordered_json{{"measured", measured}}.dump(2) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace

void describe(options& to) { to.then(calibrate); }

}  // namespace warpfold::cli
