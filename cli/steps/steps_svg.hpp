// The steps of a rung as a picture for slides: rows of cells, between them the lanes, and from each
// lane at work lines to the cells that it reads and arrows to those that it writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/svg.hpp"
#include "ladder/steps/steps.hpp"

namespace warpfold::cli {

/// All steps, one below the other. Throws usage_error for more values or threads than a picture
/// holds.
std::string steps_svg(const ladder::walkthrough& w, std::string_view title, svg_theme theme);

/// A picture a step, all of one width.
std::vector<std::string> step_svgs(const ladder::walkthrough& w, std::string_view title,
                                   svg_theme theme);

}  // namespace warpfold::cli
