#include "cli/ladder/streams_svg.hpp"

#include <algorithm>
#include <iterator>

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

  void rung(const ladder::streams_row& row) {
    double total = 0;
    for (const auto& s : row.spans) total = std::max(total, s.end_us);
    y_ += 24;
    const std::string heading = rung_text(row.record);
    rungs_ += (rungs_.empty() ? "" : "; ") + heading;
    svg_.text({margin, y_}, heading, {.color = "ink", .size = 13, .bold = true});
    y_ += 8;
    if (!(total > 0)) return;
    lane(row, simt::engine::copy_in, "in", total);
    lane(row, simt::engine::compute, "sum", total);
    lane(row, simt::engine::copy_out, "out", total);
    lane(row, simt::engine::host, "host", total);
  }

  std::string document() {
    y_ += 22;
    svg_.text({margin, y_},
              "Colours are streams, grey is the default one; numbers are chunks. Each rung has the "
              "scale of its own time.",
              {.color = "dim", .size = 12});
    return svg_.document(left + wide + margin, y_ + margin, {title_, rungs_});
  }

 private:
  void lane(const ladder::streams_row& row, simt::engine where, std::string_view name,
            double total) {
    const auto is_here = [&](const auto& s) { return s.where == where; };
    if (std::none_of(row.spans.begin(), row.spans.end(), is_here)) return;
    svg_.text({left - 10, y_ + 15}, name, {.color = "dim", .size = 12, .anchor = "end"});
    svg_.rectangle({left, y_}, wide, lane_height, "cell", "none");
    for (const auto& s : row.spans) {
      if (!is_here(s)) continue;
      const double x = left + wide * s.begin_us / total;
      const double width = std::max(1.5, wide * (s.end_us - s.begin_us) / total);
      const paint p = paint_of(s);
      svg_.rectangle({x, y_}, width, lane_height, p.fill, width > 6 ? "edge" : "none");
      const std::string text = where == simt::engine::host ? s.what : fmt::format("{}", s.label);
      if (s.label < 0 && where != simt::engine::host) continue;
      if (width < 8.0 * static_cast<double>(text.size()) + 4) continue;
      svg_.text({x + width / 2, y_ + 15}, text, {.color = p.text, .size = 12, .anchor = "middle"});
    }
    y_ += lane_height + lane_gap;
  }

  std::string title_, rungs_;
  svg_drawing svg_;
  double y_ = 0;
};

}  // namespace

std::string streams_svg(std::span<const ladder::streams_row> rows, std::string_view title,
                        svg_theme theme) {
  picture p(title, theme);
  for (const auto& row : rows) p.rung(row);
  return p.document();
}

}  // namespace warpfold::cli
