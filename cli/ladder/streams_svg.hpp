// The streams ladder as a picture: a lane for each engine of each rung.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/svg.hpp"
#include "ladder/streams/run.hpp"

namespace warpfold::cli {

/// What one engine did. Each operation shows its chunk; the host's show what they are.
struct timeline_lane {
  std::string name;
  std::vector<simt::timeline_span> spans;
};
/// Lanes that share a scale, under a heading.
struct timeline_lanes {
  std::string heading;
  std::vector<timeline_lane> lanes;
};
std::string timelines_svg(std::span<const timeline_lanes> all, std::string_view title,
                          svg_theme theme = svg_theme::automatic);

std::string streams_svg(std::span<const ladder::streams_row> rows, std::string_view title,
                        svg_theme theme = svg_theme::automatic);

}  // namespace warpfold::cli
