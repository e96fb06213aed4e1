// Speed over size as a picture: panels beside each other, each with a few curves and a ceiling.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

struct curve {
  std::string name, color;                               // a colour of svg_drawing: w0, w1
  std::vector<std::pair<std::size_t, double>> points{};  // n, GB/s; n ascending
};

struct panel {
  std::string title;
  std::vector<curve> curves;
  double ceiling = 0;  // GB/s; 0: none is known
};

/// An SVG with n to powers of two and GB/s to powers of ten.
std::string plot(const std::vector<panel>& panels);
