#include <cmath>

#include "bench/calibrate/calibrate.hpp"
#include "warpfold/error.hpp"

namespace warpfold::bench {

namespace {

/// The host makes the launches: how long that takes is no constant of the device's units.
bool is_of_host(const std::string& name) { return name == "launch_us" || name == "next_launch_us"; }

}  // namespace

void refuse_unsteady(const std::vector<measured_constant>& measured, double most_spread) {
  std::string unsteady;
  for (const auto& c : measured) {
    if (c.spread <= most_spread || is_of_host(c.name)) continue;
    unsteady += (unsteady.empty() ? "" : ", ") + c.name + " by " +
                std::to_string(std::lround(100 * c.spread)) + " %";
  }
  if (unsteady.empty()) return;
  throw device_error(
      "calibrate: the device is busy, or its clock is not steady: its runs differ for " + unsteady +
      "; try again when nothing else runs there, or say --spread");
}

}  // namespace warpfold::bench
