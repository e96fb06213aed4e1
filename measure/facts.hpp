// Texts that are the same in every view of a measurement: the rung's name and the verdict.
#pragma once

#include <string>

#include "measure/measurement.hpp"

namespace warpfold::measure {

/// "12 sequential"; a reference has its name alone
std::string rung_label(const measurement& row);

/// Whether the rung ran and its result holds: said to be right, with an error inside the bound or
/// the very text that was expected, and a NaN if and only if one was due.
bool is_right(const measurement& row);

}  // namespace warpfold::measure
