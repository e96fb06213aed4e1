// Histograms as pictures: bars of characters, and SVG.
#pragma once

#include <cstddef>
#include <string>

#include "files/histogram.hpp"

namespace warpfold::cli {

/// More bins make no picture.
inline constexpr std::size_t most_drawn_bins = 4096;

/// A line for each bin: its edges, its count or sum, a bar.
std::string histogram_text(const files::histogram_of_file& h);

std::string histogram_svg(const files::histogram_of_file& h);

}  // namespace warpfold::cli
