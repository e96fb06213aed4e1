// A sorting network as lectures draw it: a wire for each key, a column for each step, in it the
// comparators as lines between two wires.
#pragma once

#include <string>
#include <string_view>

#include "cli/svg.hpp"
#include "ladder/steps/steps.hpp"

namespace warpfold::cli {

/// The keys stand on the wires before the first step, and after each step those that changed.
/// Throws usage_error for a rung whose steps are no comparators between keys of one array, and for
/// more keys than a picture holds.
std::string network_svg(const ladder::walkthrough& w, std::string_view title, svg_theme theme);

}  // namespace warpfold::cli
