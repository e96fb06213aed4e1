// warpfold calibrate: measures a device's constants, as the "measured" part of a device file.
#include "bench/calibrate/calibrate.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/parse.hpp"
#include "cli/provenance.hpp"

namespace warpfold::cli {

namespace {

double to_four_digits(double value) { return std::stod(fmt::format("{:.4g}", value)); }

int calibrate(double most_spread_pct) {
  const bench::device_constants found = bench::measure_device(most_spread_pct / 100);
  nlohmann::ordered_json constants, spreads;
  for (const auto& c : found.measured) {
    constants[c.name] = to_four_digits(c.value);
    spreads[c.name] = to_four_digits(100 * c.spread);
  }
  const measure::run_info run = provenance({.device = found.name,
                                            .driver = found.driver,
                                            .toolkit = found.toolkit,
                                            .commit = {},
                                            .command = {}});
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const nlohmann::ordered_json measured{
      {"command", run.command}, {"commit", run.commit},
      {"device", run.device},   {"driver", run.driver},
      {"toolkit", run.toolkit}, {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(now))},
      {"constants", constants}, {"spread_pct", spreads}};
  const std::string text = nlohmann::ordered_json{{"measured", measured}}.dump(2) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

double parse_spread(std::string_view option, std::string_view text) {
  const auto percent = parse_number<double>(option, text);
  if (percent > 0 && percent <= 100) return percent;
  throw usage_error(std::string(option) + " " + std::string(text) +
                    ": percent, above 0 and at most 100");
}

}  // namespace

void describe(options& to) {
  const auto most_spread_pct = std::make_shared<double>(5);
  to.value("--spread", *most_spread_pct, parse_spread,
           "Largest allowed difference of a microbenchmark's quartiles, in percent",
           {.shown = "5"});
  to.then([most_spread_pct] { return calibrate(*most_spread_pct); });
}

}  // namespace warpfold::cli
