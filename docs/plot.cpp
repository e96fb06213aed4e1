#include "docs/plot.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace {

using warpfold::cli::svg_drawing;
using warpfold::cli::svg_point;

constexpr double panel_width = 460, panel_height = 330;
constexpr double left = 56, right = 22, top = 44, bottom = 48;

/// Where a panel's figures stand in the picture.
class scale {
 public:
  scale(const panel& p, double at) : at_(at) {
    for (const auto& c : p.curves) {
      for (const auto& [n, rate] : c.points) {
        first_ = std::min(first_, std::log2(n)), last_ = std::max(last_, std::log2(n));
        low_ = std::min(low_, std::floor(std::log10(rate)));
        high_ = std::max(high_, std::log10(std::max(rate, p.ceiling)));
      }
    }
    high_ = std::max(high_ + 0.12, low_ + 1);
  }
  [[nodiscard]] double x(double log_n) const {
    return at_ + left + (log_n - first_) / (last_ - first_) * (panel_width - left - right);
  }
  [[nodiscard]] double y(double rate) const {
    return top + (high_ - std::log10(rate)) / (high_ - low_) * (panel_height - top - bottom);
  }
  [[nodiscard]] double first() const { return first_; }
  [[nodiscard]] double last() const { return last_; }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  double at_;
  double first_ = 64, last_ = 0, low_ = 9, high_ = 0;
};

void draw_axes(svg_drawing& svg, const panel& p, const scale& s, double at) {
  const double from = at + left, to = at + panel_width - right, floor = panel_height - bottom;
  svg.text({from, 26}, p.title, {.color = "ink", .size = 14, .bold = true});
  for (int k = static_cast<int>(s.low()); k <= s.high(); ++k) {
    const double y = s.y(std::pow(10, k));
    svg.line({{from, y}, {to, y}}, "grid", 1);
    svg.text({from - 7, y + 4}, fmt::format("{:g}", std::pow(10, k)),
             {.color = "dim", .size = 12, .anchor = "end"});
  }
  for (int e = static_cast<int>(std::ceil(s.first())); e <= s.last(); e += 4) {
    svg.line({{s.x(e), floor}, {s.x(e), floor + 4}}, "edge", 1);
    svg_power(svg, {s.x(e), floor + 20}, "2", e, "middle");
  }
  svg.line({{from, floor}, {to, floor}}, "edge", 1);
  svg.text({at + 8, top - 4}, p.unit, {.color = "dim", .size = 12});
  svg.text({(from + to) / 2, floor + 38}, p.over, {.color = "dim", .size = 12, .anchor = "middle"});
}

void draw_panel(svg_drawing& svg, const panel& p, double at) {
  const scale s(p, at);
  draw_axes(svg, p, s, at);
  const double to = at + panel_width - right;
  if (p.ceiling > 0) {
    const double y = s.y(p.ceiling);
    svg.line({{at + left, y}, {to, y}}, "dim-line", 1.5, true);
    svg.text({at + left + 6, y - 6}, fmt::format("ceiling, {:.0f} GB/s", p.ceiling),
             {.color = "dim", .size = 12});
  }
  const double names = p.is_free_above ? at + left + 14 : to - 84;
  // The last curve is on top, and so is its name.
  double legend = p.is_free_above ? top + 18 * static_cast<double>(p.curves.size())
                                  : panel_height - bottom - 14;
  for (const auto& c : p.curves) {
    std::vector<svg_point> points;
    for (const auto& [n, rate] : c.points) {
      points.push_back({s.x(std::log2(n)), s.y(rate)});
    }
    svg.line(points, c.color + "-line", 2);
    for (const auto& point : points) svg.circle(point, 3, c.color);
    svg.circle({names, legend - 4}, 4, c.color);
    svg.text({names + 10, legend}, c.name, {.color = "ink", .size = 13});
    legend -= 18;
  }
}

}  // namespace

void svg_power(svg_drawing& svg, svg_point at, const char* base, int exponent, const char* anchor) {
  svg.text(at, fmt::format("{}<tspan dy=\"-5\" font-size=\"9\">{}</tspan>", base, exponent),
           {.color = "dim", .size = 12, .anchor = anchor});
}

std::string plot(const std::vector<panel>& panels) {
  svg_drawing svg;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    draw_panel(svg, panels[i], panel_width * static_cast<double>(i));
  }
  std::string title = panels.at(0).unit + " over " + panels.at(0).over, description;
  for (const auto& p : panels) {
    title += (&p == panels.data() ? ": " : "; ") + p.title;
    for (const auto& c : p.curves) {
      if (c.points.empty()) continue;
      description +=
          fmt::format("{}, {}: {:.0f} {} of {} {}. ", p.title, c.name, c.points.back().second,
                      p.unit, c.points.back().first, p.over == "n" ? "values" : p.over);
    }
  }
  return svg.document(panel_width * static_cast<double>(panels.size()), panel_height,
                      {title, description});
}
