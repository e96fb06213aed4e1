// Drawing SVG that looks right in light and dark, and in programs that know no style sheets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpfold::cli {

struct svg_point {
  double x, y;
};

struct svg_text {
  std::string_view color;
  double size;
  std::string_view anchor = "start";
  bool bold = false;
};

/// `automatic` is light, or dark where the viewer prefers that.
enum class svg_theme { automatic, light, dark };

/// What a viewer that cannot show the picture says instead.
struct svg_caption {
  std::string_view title, description = {};
};

/// Colours go by name: bg, ink, dim, cell, idle, bad, on (what is written on a colour), w0 and w1
/// (warps), t0 and t1 (their tints); lines: edge, grid, bad-line, dim-line, w0-line, w1-line, none.
class svg_drawing {
 public:
  explicit svg_drawing(svg_theme theme = svg_theme::automatic) : theme_(theme) {}

  void text(svg_point at, std::string_view what, const svg_text& how);
  void rectangle(svg_point corner, double width, double height, std::string_view fill,
                 std::string_view line, double line_width = 1);
  void circle(svg_point middle, double radius, std::string_view fill);
  /// Through all points; `color` is one of lines.
  void line(const std::vector<svg_point>& points, std::string_view color, double width,
            bool dashed = false);
  /// With a head that grows with its width.
  void arrow(svg_point from, svg_point to, std::string_view color, double width);

  /// All of it on a background.
  [[nodiscard]] std::string document(double width, double height, const svg_caption& caption) const;

 private:
  void add(std::string style, std::string shape);

  [[nodiscard]] std::string_view color_of(std::string_view name) const;

  svg_theme theme_;
  std::string body_;
  std::string style_;  // of the group that is open
};

}  // namespace warpfold::cli
