// The streams ladder as a picture: a lane for each engine of each rung.
#pragma once

#include <span>
#include <string>

#include "cli/svg.hpp"
#include "ladder/streams/run.hpp"

namespace warpfold::cli {

std::string streams_svg(std::span<const ladder::streams_row> rows, std::string_view title,
                        svg_theme theme = svg_theme::automatic);

}  // namespace warpfold::cli
