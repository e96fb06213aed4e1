// The steps of a rung as a picture for slides: rows of cells, between them the lanes, and from each
// lane at work lines to the cells that it reads and arrows to those that it writes.
#pragma once

#include <string>
#include <string_view>

#include "ladder/steps/steps.hpp"

namespace warpfold::cli {

/// SVG in light colours, in dark ones where the viewer prefers them. Throws usage_error for more
/// values or threads than a picture holds.
std::string steps_svg(const ladder::walkthrough& w, std::string_view title);

}  // namespace warpfold::cli
