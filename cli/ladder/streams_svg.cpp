#include "cli/ladder/streams_svg.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "cli/ladder/streams_text.hpp"
#include "cli/svg.hpp"
#include "simt/page/drawing.hpp"

namespace warpfold::cli {

namespace {

constexpr double left = 64, wide = 880, lane_height = simt::drawing::timeline_height,
                 lane_gap = simt::drawing::timeline_gap;
using simt::drawing::margin;

struct paint {
  std::string_view fill, text;
};

/// By stream; the host and the default stream are grey.
paint paint_of(const simt::timeline_span& s) {
  if (s.where == simt::engine::host) {
    return std::string_view(s.what) == "works" ? paint{"dim", "on"} : paint{"idle", "dim"};
  }
  if (s.stream == 0) return {"dim", "on"};
  const std::string_view fill =
      simt::drawing::stream_fills[(s.stream - 1) % std::size(simt::drawing::stream_fills)];
  return {fill, fill.front() == 't' ? "ink" : "on"};
}

class picture {
 public:
  picture(std::string_view title, svg_theme theme) : title_(title), svg_(theme) {
    y_ = margin + 14;
    svg_.text({margin, y_}, title, {.color = "ink", .size = 15, .bold = true});
    y_ += 10;
  }

  void draw(const timeline_lanes& all) {
    double total = 0;
    for (const auto& l : all.lanes) {
      for (const auto& s : l.spans) total = std::max(total, s.end_us);
    }
    y_ += 24;
    headings_ += (headings_.empty() ? "" : "; ") + all.heading;
    svg_.text({margin, y_}, all.heading, {.color = "ink", .size = 13, .bold = true});
    y_ += 8;
    if (!(total > 0)) return;
    for (const auto& l : all.lanes) {
      if (!l.spans.empty()) draw(l, total);
    }
  }

  std::string document() {
    y_ += 22;
    svg_.text({margin, y_},
              "Colours are streams, grey is the default one; numbers are chunks. Each timeline has "
              "its own scale.",
              {.color = "dim", .size = 12});
    return svg_.document(left + wide + margin, y_ + margin, {title_, headings_});
  }

 private:
  void draw(const timeline_lane& lane, double total) {
    svg_.text({left - 10, y_ + 15}, lane.name, {.color = "dim", .size = 12, .anchor = "end"});
    svg_.rectangle({left, y_}, wide, lane_height, "cell", "none");
    for (const auto& s : lane.spans) {
      const double x = left + wide * s.begin_us / total;
      const double width = std::max(1.5, wide * (s.end_us - s.begin_us) / total);
      const paint p = paint_of(s);
      svg_.rectangle({x, y_}, width, lane_height, p.fill, width > 6 ? "edge" : "none");
      const bool host = s.where == simt::engine::host;
      const std::string text = host ? s.what : fmt::format("{}", s.label);
      if (s.label < 0 && !host) continue;
      if (width < 8.0 * static_cast<double>(text.size()) + 4) continue;
      svg_.text({x + width / 2, y_ + 15}, text, {.color = p.text, .size = 12, .anchor = "middle"});
    }
    y_ += lane_height + lane_gap;
  }

  std::string title_, headings_;
  svg_drawing svg_;
  double y_ = 0;
};

}  // namespace

std::string timelines_svg(std::span<const timeline_lanes> all, std::string_view title,
                          svg_theme theme) {
  picture p(title, theme);
  for (const auto& lanes : all) p.draw(lanes);
  return p.document();
}

std::string streams_svg(std::span<const ladder::streams_row> rows, std::string_view title,
                        svg_theme theme) {
  constexpr std::pair<simt::engine, const char*> engines[] = {{simt::engine::copy_in, "in"},
                                                              {simt::engine::compute, "sum"},
                                                              {simt::engine::copy_out, "out"},
                                                              {simt::engine::host, "host"}};
  std::vector<timeline_lanes> all;
  for (const auto& row : rows) {
    auto& lanes = all.emplace_back(timeline_lanes{rung_text(row.record), {}}).lanes;
    for (const auto& [where, name] : engines) {
      auto& lane = lanes.emplace_back(timeline_lane{name, {}});
      std::copy_if(row.spans.begin(), row.spans.end(), std::back_inserter(lane.spans),
                   [where = where](const auto& s) { return s.where == where; });
    }
  }
  return timelines_svg(all, title, theme);
}

}  // namespace warpfold::cli
