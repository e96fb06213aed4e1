// What the CPU machine predicts, as a measurement carries it.
#pragma once

#include "measure/measurement.hpp"
#include "simt/prediction.hpp"

namespace warpfold::ladder {

measure::prediction as_measured(const simt::prediction& p);

}  // namespace warpfold::ladder
