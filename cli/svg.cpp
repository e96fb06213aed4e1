#include "cli/svg.hpp"

#include <cmath>

#include <fmt/format.h>

#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

/// Attributes are the light colours, for viewers that know nothing else; a style sheet turns the
/// classes dark.
struct paint {
  std::string_view name, light, dark;
};
constexpr paint paints[] = {
    {"bg", "#ffffff", "#0d1117"},   {"ink", "#1f2328", "#e6edf3"},  {"dim", "#656d76", "#8d96a0"},
    {"cell", "#f6f8fa", "#161b22"}, {"idle", "#e3e6ea", "#2b3138"}, {"bad", "#cf222e", "#ff7b72"},
    {"w0", "#0969da", "#58a6ff"},   {"w1", "#bc4c00", "#f0883e"},   {"t0", "#ddf4ff", "#0c2d6b"},
    {"t1", "#ffe8d1", "#5a1e02"},   {"on", "#ffffff", "#0d1117"},   {"none", "none", "none"}};
constexpr paint lines[] = {{"edge", "#afb8c1", "#484f58"},    {"bad-line", "#cf222e", "#ff7b72"},
                           {"grid", "#e3e6ea", "#2b3138"},    {"dim-line", "#656d76", "#8d96a0"},
                           {"w0-line", "#0969da", "#58a6ff"}, {"w1-line", "#bc4c00", "#f0883e"}};

std::string_view light(std::string_view name) {
  for (const auto& p : paints) {
    if (p.name == name) return p.light;
  }
  for (const auto& p : lines) {
    if (p.name == name) return p.light;
  }
  throw error(fmt::format("svg: there is no colour {}", name));
}

std::string style_sheet() {
  std::string dark;
  for (const auto& p : paints) dark += fmt::format(".{}{{fill:{}}}", p.name, p.dark);
  for (const auto& p : lines) dark += fmt::format(".{}{{stroke:{}}}", p.name, p.dark);
  return "<style>@media (prefers-color-scheme: dark){" + dark + "}</style>\n";
}

}  // namespace

void svg_drawing::text(svg_point at, std::string_view what, const svg_text& how) {
  body_ += fmt::format(
      "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" font-size=\"{:.0f}\" "
      "text-anchor=\"{}\"{}>{}</text>\n",
      how.color, at.x, at.y, light(how.color), how.size, how.anchor,
      how.bold ? " font-weight=\"bold\"" : "", what);
}

void svg_drawing::rectangle(svg_point corner, double width, double height, std::string_view fill,
                            std::string_view line, double line_width) {
  body_ += fmt::format(
      "<rect class=\"{} {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill=\"{}\" stroke=\"{}\" stroke-width=\"{:.0f}\"/>\n",
      fill, line, corner.x, corner.y, width, height, light(fill), light(line), line_width);
}

void svg_drawing::circle(svg_point middle, double radius, std::string_view fill) {
  body_ +=
      fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.0f}\" fill=\"{}\"/>\n",
                  fill, middle.x, middle.y, radius, light(fill));
}

void svg_drawing::line(const std::vector<svg_point>& points, std::string_view color, double width,
                       bool dashed) {
  std::string list;
  for (const auto& p : points) list += fmt::format("{:.1f},{:.1f} ", p.x, p.y);
  if (!list.empty()) list.pop_back();
  body_ += fmt::format(
      "<polyline class=\"{}\" points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" "
      "stroke-linejoin=\"round\"{}/>\n",
      color, list, light(color), width, dashed ? " stroke-dasharray=\"6 4\"" : "");
}

void svg_drawing::arrow(svg_point from, svg_point to, std::string_view color, double width) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const svg_point along{(to.x - from.x) / length, (to.y - from.y) / length};
  const double head = 2.5 + 2.5 * width, half = width / 2, wide = head / 2;
  const svg_point neck{to.x - along.x * head, to.y - along.y * head};
  const auto beside = [&](svg_point p, double distance) {
    return fmt::format("{:.1f},{:.1f}", p.x - along.y * distance, p.y + along.x * distance);
  };
  // One outline, filled: no style sheet could mistake the colour of a stroke for that of a fill.
  body_ += fmt::format(
      "<polygon class=\"{}\" points=\"{} {} {} {:.1f},{:.1f} {} {} {}\" fill=\"{}\"/>\n", color,
      beside(from, half), beside(neck, half), beside(neck, wide), to.x, to.y, beside(neck, -wide),
      beside(neck, -half), beside(from, -half), light(color));
}

std::string svg_drawing::document(double width, double height) const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
             "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\">\n",
             width, height) +
         style_sheet() +
         fmt::format("<rect class=\"bg\" width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
                     light("bg")) +
         body_ + "</svg>\n";
}

}  // namespace warpfold::cli
