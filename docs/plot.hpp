// Speed over size, or time over ranks, as a picture: panels beside each other, each with a few
// curves and a ceiling.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/svg.hpp"

struct curve {
  std::string name, color;                               // a colour of svg_drawing: w0, w1
  std::vector<std::pair<std::size_t, double>> points{};  // x, y; x ascending
};

struct panel {
  std::string title;
  std::vector<curve> curves;
  double ceiling = 0;                     // GB/s; 0: none is known
  std::string unit = "GB/s", over = "n";  // of y and x
  bool is_free_above = false;             // names go there, not where the curves end
};

/// 2 or 10 to some power, as an axis has it.
void svg_power(warpfold::cli::svg_drawing& svg, warpfold::cli::svg_point at, const char* base,
               int exponent, const char* anchor);

/// An SVG with x to powers of two and y to powers of ten.
std::string plot(const std::vector<panel>& panels);
