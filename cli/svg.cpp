#include "cli/svg.hpp"

#include <cmath>

#include <fmt/format.h>

#include "simt/page/drawing.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

/// Attributes have the light colours, or those of the theme. Without a theme a style sheet turns
/// the classes dark where the viewer prefers that.
using simt::drawing::paint;

const paint& paint_of(std::string_view name) {
  for (const auto& p : simt::drawing::fills) {
    if (p.name == name) return p;
  }
  for (const auto& p : simt::drawing::lines) {
    if (p.name == name) return p;
  }
  throw error(fmt::format("svg: there is no colour {}", name));
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

/// To a tenth, without ".0".
std::string short_text(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string style_sheet() {
  std::string dark;
  for (const auto& p : simt::drawing::fills) dark += fmt::format(".{}{{fill:{}}}", p.name, p.dark);
  for (const auto& p : simt::drawing::lines)
    dark += fmt::format(".{}{{stroke:{}}}", p.name, p.dark);
  return "<style>@media (prefers-color-scheme: dark){" + dark + "}</style>\n";
}

}  // namespace

/// Shapes of one style that come one after the other share a group, which bears it.
void svg_drawing::add(std::string style, std::string shape) {
  if (style != style_) {
    body_ += (style_.empty() ? "<g " : "</g>\n<g ") + style + ">\n";
    style_ = std::move(style);
  }
  body_ += std::move(shape) + "\n";
}

void svg_drawing::text(svg_point at, std::string_view what, const svg_text& how) {
  add(fmt::format("class=\"{}\" fill=\"{}\" font-size=\"{:.0f}\" text-anchor=\"{}\"{}", how.color,
                  color_of(how.color), how.size, how.anchor,
                  how.bold ? " font-weight=\"bold\"" : ""),
      fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", short_text(at.x), short_text(at.y), what));
}

void svg_drawing::rectangle(svg_point corner, double width, double height, std::string_view fill,
                            std::string_view line, double line_width) {
  add(fmt::format("class=\"{} {}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{:.0f}\"", fill, line,
                  color_of(fill), color_of(line), line_width),
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", short_text(corner.x),
                  short_text(corner.y), short_text(width), short_text(height)));
}

void svg_drawing::circle(svg_point middle, double radius, std::string_view fill) {
  add(fmt::format("class=\"{}\" fill=\"{}\"", fill, color_of(fill)),
      fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{:.0f}\"/>", short_text(middle.x),
                  short_text(middle.y), radius));
}

void svg_drawing::line(const std::vector<svg_point>& points, std::string_view color, double width,
                       bool dashed) {
  std::string list;
  for (const auto& p : points) list += short_text(p.x) + "," + short_text(p.y) + " ";
  if (!list.empty()) list.pop_back();
  add(fmt::format("class=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" "
                  "stroke-linejoin=\"round\"{}",
                  color, color_of(color), width, dashed ? " stroke-dasharray=\"6 4\"" : ""),
      "<polyline points=\"" + list + "\"/>");
}

void svg_drawing::arrow(svg_point from, svg_point to, std::string_view color, double width) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const svg_point along{(to.x - from.x) / length, (to.y - from.y) / length};
  const double head = 2.5 + 2.5 * width, half = width / 2, wide = head / 2;
  const svg_point neck{to.x - along.x * head, to.y - along.y * head};
  const auto beside = [&](svg_point p, double distance) {
    return short_text(p.x - along.y * distance) + "," + short_text(p.y + along.x * distance);
  };
  // One outline, filled: no style sheet could mistake the colour of a stroke for that of a fill.
  add(fmt::format("class=\"{}\" fill=\"{}\"", color, color_of(color)),
      fmt::format("<polygon points=\"{} {} {} {},{} {} {} {}\"/>", beside(from, half),
                  beside(neck, half), beside(neck, wide), short_text(to.x), short_text(to.y),
                  beside(neck, -wide), beside(neck, -half), beside(from, -half)));
}

std::string_view svg_drawing::color_of(std::string_view name) const {
  const paint& p = paint_of(name);
  return theme_ == svg_theme::dark ? p.dark : p.light;
}

std::string svg_drawing::document(double width, double height, const svg_caption& caption) const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
             "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" "
             "role=\"img\" aria-label=\"{2}\">\n<title>{2}</title>\n",
             width, height, escaped(caption.title)) +
         (caption.description.empty() ? ""
                                      : "<desc>" + escaped(caption.description) + "</desc>\n") +
         (theme_ == svg_theme::automatic ? style_sheet() : "") +
         fmt::format("<rect class=\"bg\" width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
                     color_of("bg")) +
         body_ + (style_.empty() ? "" : "</g>\n") + "</svg>\n";
}

}  // namespace warpfold::cli
