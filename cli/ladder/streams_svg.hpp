// The streams ladder as a picture: a lane for each engine of each rung.
#pragma once

#include <span>
#include <string>

#include "ladder/streams/run.hpp"

namespace warpfold::cli {

std::string streams_svg(std::span<const ladder::streams_row> rows, std::string_view title);

}  // namespace warpfold::cli
