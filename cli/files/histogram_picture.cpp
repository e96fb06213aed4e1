#include "cli/files/histogram_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/svg.hpp"

namespace warpfold::cli {
namespace {

/// Short, as an axis has it.
std::string label(double value) { return fmt::format("{:.5g}", value); }

/// What the bars stand for, and the range that has room for all of them and 0.
struct heights {
  std::vector<double> of;
  double low = 0, high = 0;

  explicit heights(const files::histogram_of_file& h) {
    for (std::size_t k = 0; k < h.bin_count; ++k) {
      const double value = files::as_double(h.value(k));
      of.push_back(std::isfinite(value) ? value : 0);
      low = std::min(low, of.back());
      high = std::max(high, of.back());
    }
    if (low == high) high = 1;
  }
};

/// Of `eighths` of a character.
std::string bar(std::size_t eighths) {
  constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string text;
  for (; eighths >= 8; eighths -= 8) text += "█";
  return text.append(parts[eighths]);
}

/// About five round numbers from `low` to `high`.
std::vector<double> ticks(double low, double high) {
  const double least = (high - low) / 5, power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double round : {5 * power, 2 * power, power}) step = round >= least ? round : step;
  std::vector<double> all;
  const auto first = std::lround(std::ceil(low / step)),
             last = std::lround(std::floor(high / step));
  for (auto k = first; k <= last; ++k) all.push_back(static_cast<double>(k) * step);
  return all;
}

}  // namespace

std::string histogram_text(const files::histogram_of_file& h) {
  constexpr double bar_eighths = 8 * 40;
  const heights height(h);
  struct line {
    std::string low, high, value;
  };
  std::vector<line> lines;
  std::size_t edge_width = 0, value_width = 0;
  for (std::size_t k = 0; k < h.bin_count; ++k) {
    lines.push_back({label(files::as_double(h.edge(k))), label(files::as_double(h.edge(k + 1))),
                     files::text_of(h.value(k))});
    edge_width = std::max({edge_width, lines[k].low.size(), lines[k].high.size()});
    value_width = std::max(value_width, lines[k].value.size());
  }
  std::string text;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const double share = std::max(0.0, height.of[k]) / height.high;
    text += fmt::format("{:>{}} {:>{}} {:>{}}", lines[k].low, edge_width, lines[k].high, edge_width,
                        lines[k].value, value_width);
    const auto eighths = static_cast<std::size_t>(std::lround(share * bar_eighths));
    text += (eighths > 0 ? " " : "") + bar(eighths) + "\n";
  }
  return text;
}

std::string histogram_svg(const files::histogram_of_file& h) {
  constexpr double width = 640, height = 360, left = 84, right = 24, top = 44, bottom = 40;
  const heights bars(h);
  const auto bins = static_cast<double>(h.bin_count);
  const auto x = [&](double k) { return left + k / bins * (width - left - right); };
  const auto y = [&](double value) {
    return top + (bars.high - value) / (bars.high - bars.low) * (height - top - bottom);
  };
  const std::string title = fmt::format("{} values in {} bins", h.value_count, h.bin_count);
  svg_drawing svg;
  svg.text({left, 26}, title, {.color = "ink", .size = 14, .bold = true});
  for (const double value : ticks(bars.low, bars.high)) {
    svg.line({{left, y(value)}, {width - right, y(value)}}, "grid", 1);
    svg.text({left - 7, y(value) + 4}, label(value), {.color = "dim", .size = 12, .anchor = "end"});
  }
  const double gap = bins <= 100 ? 1 : 0;
  for (std::size_t k = 0; k < h.bin_count; ++k) {
    const double from = y(std::max(0.0, bars.of[k])), to = y(std::min(0.0, bars.of[k])),
                 at = x(static_cast<double>(k)), end = x(static_cast<double>(k + 1));
    if (from < to) svg.rectangle({at, from}, end - at - gap, to - from, "w0", "none");
  }
  svg.line({{left, y(0)}, {width - right, y(0)}}, "edge", 1);
  const std::size_t step = (h.bin_count - 1) / 8 + 1;
  for (std::size_t k = 0; k <= h.bin_count; k += step) {
    const double at = x(static_cast<double>(k)), floor = height - bottom;
    svg.line({{at, floor}, {at, floor + 4}}, "edge", 1);
    svg.text({at, floor + 20}, label(files::as_double(h.edge(k))),
             {.color = "dim", .size = 12, .anchor = "middle"});
  }
  const auto most = std::max_element(bars.of.begin(), bars.of.end()) - bars.of.begin();
  const auto fullest = static_cast<std::size_t>(most);
  return svg.document(
      width, height,
      {title, fmt::format("{} bins from {} to {}; the fullest, from {} to {}: {}", h.bin_count,
                          files::text_of(h.edge(0)), files::text_of(h.edge(h.bin_count)),
                          files::text_of(h.edge(fullest)), files::text_of(h.edge(fullest + 1)),
                          files::text_of(h.value(fullest)))});
}

}  // namespace warpfold::cli
