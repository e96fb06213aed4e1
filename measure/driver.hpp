// The driver that timed a measurement.
#pragma once

#include <string>

namespace warpfold::measure {

/// The version of NVIDIA's kernel driver here, e.g. "580.159.04"; empty where there is none.
std::string nvidia_driver();

}  // namespace warpfold::measure
