#include "cli/steps_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "cli/steps_text.hpp"
#include "measure/text.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

using ladder::step;
using ladder::step_cell;
using ladder::step_cells;
using ladder::walkthrough;

constexpr std::size_t most_columns = 64;
constexpr double cell_height = 26, lane_radius = 11, margin = 16;

/// Attributes are the light colours, for viewers that know nothing else; a style sheet turns the
/// classes dark.
struct paint {
  const char* name;
  const char* light;
  const char* dark;
};
constexpr paint fills[] = {
    {"bg", "#ffffff", "#0d1117"},   {"ink", "#1f2328", "#e6edf3"},  {"dim", "#656d76", "#8d96a0"},
    {"cell", "#f6f8fa", "#161b22"}, {"idle", "#e3e6ea", "#2b3138"}, {"bad", "#cf222e", "#ff7b72"},
    {"w0", "#0969da", "#58a6ff"},   {"w1", "#bc4c00", "#f0883e"},   {"t0", "#ddf4ff", "#0c2d6b"},
    {"t1", "#ffe8d1", "#5a1e02"},   {"on", "#ffffff", "#0d1117"}};
constexpr paint strokes[] = {{"edge", "#afb8c1", "#484f58"},
                             {"s0", "#0969da", "#58a6ff"},
                             {"s1", "#bc4c00", "#f0883e"},
                             {"sbad", "#cf222e", "#ff7b72"}};

std::string_view light(std::string_view name) {
  for (const auto& p : fills) {
    if (p.name == name) return p.light;
  }
  for (const auto& p : strokes) {
    if (p.name == name) return p.light;
  }
  throw error(fmt::format("steps: no colour {}", name));
}

std::string style_sheet() {
  std::string dark;
  for (const auto& p : fills) dark += fmt::format(".{}{{fill:{}}}", p.name, p.dark);
  for (const auto& p : strokes) dark += fmt::format(".{}{{stroke:{}}}", p.name, p.dark);
  return "<style>@media (prefers-color-scheme: dark){" + dark + "}</style>\n";
}

struct point {
  double x, y;
};

class picture {
 public:
  picture(const walkthrough& w, std::string_view title) : w_(w) {
    measure_columns();
    y_ = margin + 16;
    text({margin, y_}, title, "ink", 15, "start", true);
    title_width_ = 2 * margin + 8.2 * static_cast<double>(measure::display_width(title));
    y_ += 16;
  }

  std::string draw() {
    for (std::size_t a = 0; a < w_.arrays.size(); ++a) now_[a] = w_.arrays[a].cells;
    for (const step& s : w_.steps) draw_step(s);
    draw_legend();
    const double width = left_ + static_cast<double>(columns_) * pitch_ + margin;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
               "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\">\n",
               std::max({width, title_width_, 600.0}), y_) +
           style_sheet() +
           fmt::format("<rect class=\"bg\" width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
                       light("bg")) +
           body_ + "</svg>\n";
  }

 private:
  // --- where things are

  void measure_columns() {
    std::size_t widest = 2, label = 0;
    double side = 0;
    columns_ = static_cast<std::size_t>(std::ceil(w_.block * spread()));
    const auto look_at = [&](std::size_t array, const step_cells& cells) {
      const std::size_t n = shown_cells(w_, cells);
      columns_ = std::max(columns_, n);
      if (n > 0) label = std::max(label, measure::display_width(w_.arrays[array].name));
      for (std::size_t i = 0; i < n; ++i) {
        widest = std::max(widest, measure::display_width(w_.arrays[array].text(cells, i)));
      }
    };
    for (std::size_t a = 0; a < w_.arrays.size(); ++a) look_at(a, w_.arrays[a].cells);
    for (const step& s : w_.steps) {
      for (const auto& after : s.after) look_at(after.array, after.cells);
      for (const std::string& line : side_lines(s)) {
        side = std::max(side, 6.3 * static_cast<double>(measure::display_width(line)));
      }
    }
    if (columns_ > 2 * most_columns || w_.block > most_columns) {
      throw usage_error(fmt::format(
          "--svg: {} values and a block of {} threads are more than a picture holds; give at most "
          "{} values",
          w_.arrays.front().cells.size(), w_.block, most_columns));
    }
    const double roomy = columns_ <= 8 ? 52 : columns_ <= 16 ? 42 : 2 * lane_radius + 8;
    pitch_ = std::max(roomy, 8.0 * static_cast<double>(widest) + 12);
    left_ = margin + std::max(7.5 * static_cast<double>(label), side) + 18;
  }

  [[nodiscard]] double cell_x(std::size_t index) const {
    return left_ + (static_cast<double>(index) + 0.5) * pitch_;
  }
  /// Lanes stand side by side, or spread out where there are fewer of them than of the values.
  [[nodiscard]] double lane_x(unsigned thread) const {
    return left_ + (static_cast<double>(thread) + 0.5) * spread() * pitch_;
  }

  [[nodiscard]] double spread() const {
    return std::max(1.0, std::floor(static_cast<double>(w_.arrays.front().cells.size()) /
                                    static_cast<double>(w_.block)));
  }

  // --- what is drawn

  void text(point at, std::string_view what, std::string_view color, double size,
            std::string_view anchor, bool bold = false) {
    body_ += fmt::format(
        "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" font-size=\"{:.0f}\" "
        "text-anchor=\"{}\"{}>{}</text>\n",
        color, at.x, at.y, light(color), size, anchor, bold ? " font-weight=\"bold\"" : "", what);
  }

  void arrow(point from, point to, unsigned warp, bool bad, bool writes) {
    const std::string tone = bad ? "bad" : fmt::format("w{}", warp % 2);
    const std::string stroke = bad ? "sbad" : fmt::format("s{}", warp % 2);
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const point along{(to.x - from.x) / length, (to.y - from.y) / length};
    const double head = writes ? 7 : 5;
    const point neck{to.x - along.x * head, to.y - along.y * head};
    body_ += fmt::format(
        "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
        "stroke=\"{}\" stroke-width=\"{}\"/>",
        stroke, from.x, from.y, neck.x, neck.y, light(stroke), writes ? "1.8" : "1.1");
    const double half = head / 2;
    body_ += fmt::format(
        "<polygon class=\"{}\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" "
        "fill=\"{}\"/>\n",
        tone, to.x, to.y, neck.x - along.y * half, neck.y + along.x * half, neck.x + along.y * half,
        neck.y - along.x * half, light(tone));
  }

  /// A row of cells; those written in the step bear the colour of the warp that wrote them.
  void row(std::size_t array, const std::map<std::size_t, unsigned>& written) {
    const step_cells& cells = now_[array];
    text({left_ - 10, y_ + 18}, w_.arrays[array].name, "dim", 13, "end");
    for (std::size_t i = 0; i < shown_cells(w_, cells); ++i) {
      const auto by = written.find(i);
      const std::string fill = by == written.end() ? "cell" : fmt::format("t{}", by->second % 2);
      body_ += fmt::format(
          "<rect class=\"{} edge\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" "
          "fill=\"{}\" stroke=\"{}\"/>",
          fill, cell_x(i) - pitch_ / 2, y_, pitch_, cell_height, light(fill), light("edge"));
      text({cell_x(i), y_ + 18}, w_.arrays[array].text(cells, i), cells[i] ? "ink" : "dim", 14,
           "middle", by != written.end());
    }
    row_of_[array] = y_;
    y_ += cell_height;
  }

  void draw_lanes(double y, const std::set<unsigned>& at_work) {
    for (unsigned t = 0; t < w_.block; ++t) {
      const bool works = at_work.contains(t);
      const std::string fill = works ? fmt::format("w{}", t / 32 % 2) : "idle";
      body_ +=
          fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>",
                      fill, lane_x(t), y, lane_radius, light(fill));
      text({lane_x(t), y + 4}, fmt::format("{}", t), works ? "on" : "dim", 11, "middle");
    }
  }

  void outline(const step_cell& c) {
    body_ += fmt::format(
        "<rect class=\"sbad\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" "
        "fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
        cell_x(c.index) - pitch_ / 2 + 1, row_of_[c.array] + 1, pitch_ - 2, cell_height - 2,
        light("sbad"));
  }

  /// How far a row must be from the lanes for lines of this reach to be told apart.
  static double gap(double reach) { return std::clamp(18 + reach * 0.11, 26.0, 84.0); }

  void draw_step(const step& s) {
    const reach r = reach_of(s);
    if (!std::includes(fresh_.begin(), fresh_.end(), r.read.begin(), r.read.end())) {
      y_ += fresh_.empty() ? 0 : 12;
      draw_rows(r.read, {});
    }
    const double above = r.read.empty() && fresh_.empty() ? 4 : gap(r.up);
    const double below = gap(r.down);
    const auto side = side_lines(s);
    // The words beside the lanes need their room too.
    const double need = 15.0 * static_cast<double>(side.size()) + 6;
    const double slack = std::max(0.0, (need - above - below - 2 * lane_radius) / 2);
    const double lanes_y = y_ + above + slack + lane_radius;
    const std::set<step_cell> bad(s.in_conflict.begin(), s.in_conflict.end());
    draw_arrows(s, lanes_y, bad, false);
    draw_lanes(lanes_y, r.at_work);
    draw_side(side, lanes_y, s.conflicts > 0);
    y_ = lanes_y + lane_radius + below + slack;
    for (const auto& after : s.after) now_[after.array] = after.cells;
    if (s.after.empty()) return;
    std::set<std::size_t> changed;
    for (const auto& after : s.after) changed.insert(after.array);
    draw_rows(changed, r.written);
    draw_arrows(s, lanes_y, bad, true);
  }

  struct reach {
    std::set<std::size_t> read;                                      // arrays
    std::map<std::size_t, std::map<std::size_t, unsigned>> written;  // array, cell, warp
    std::set<unsigned> at_work;                                      // threads
    double up = 0, down = 0;                                         // how far to the side lines go
  };
  [[nodiscard]] reach reach_of(const step& s) const {
    reach r;
    for (const auto& m : s.moves) {
      if (m.block != 0) continue;
      r.at_work.insert(m.thread);
      for (const auto& c : m.reads) {
        if (!is_shown(c, now_.at(c.array))) continue;
        r.read.insert(c.array);
        r.up = std::max(r.up, std::abs(cell_x(c.index) - lane_x(m.thread)));
      }
      for (const auto& c : m.writes) {
        r.written[c.array][c.index] = m.thread / 32;
        r.down = std::max(r.down, std::abs(cell_x(c.index) - lane_x(m.thread)));
      }
    }
    return r;
  }

  [[nodiscard]] bool is_shown(const step_cell& c, const step_cells& cells) const {
    return c.index < shown_cells(w_, cells);
  }

  /// What stands beside the lanes: the step, its pattern, how values came, conflicts.
  [[nodiscard]] std::vector<std::string> side_lines(const step& s) const {
    std::vector<std::string> lines;
    if (s.number > 0) lines.push_back(fmt::format("Step {}", s.number));
    std::string pattern = pattern_text(w_, s);
    constexpr std::string_view dot = " · ";
    if (const auto at = pattern.find(dot); at != std::string::npos) {
      lines.push_back(pattern.substr(0, at));
      pattern = pattern.substr(at + dot.size());
    }
    if (!pattern.empty()) lines.push_back(pattern);
    if (!s.taken_by.empty()) lines.push_back(s.taken_by);
    if (s.conflicts > 0) lines.push_back(fmt::format("{} bank conflicts", s.conflicts));
    return lines;
  }

  void draw_side(const std::vector<std::string>& lines, double middle, bool conflicts) {
    double y = middle + 4 - 7.5 * static_cast<double>(lines.size() - 1);
    for (std::size_t i = 0; i < lines.size(); ++i, y += 15) {
      const bool step_line = i == 0 && lines[i].starts_with("Step");
      const bool red = conflicts && i + 1 == lines.size();
      text({margin, y}, lines[i],
           red         ? "bad"
           : step_line ? "ink"
                       : "dim",
           step_line ? 14 : 12, "start", step_line || red);
    }
  }

  /// Values go where their keys go; lines to the keys say it all.
  [[nodiscard]] bool travels_along(std::size_t array) const {
    return w_.arrays[array].name.find("values") != std::string::npos;
  }

  /// Keys stand below what travels with them.
  void draw_rows(const std::set<std::size_t>& arrays,
                 const std::map<std::size_t, std::map<std::size_t, unsigned>>& written) {
    std::vector<std::size_t> order(arrays.begin(), arrays.end());
    std::stable_partition(order.begin(), order.end(),
                          [&](std::size_t a) { return travels_along(a); });
    top_ = y_;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto cells = written.find(order[i]);
      if (i > 0) y_ += 4;
      row(order[i], cells == written.end() ? std::map<std::size_t, unsigned>{} : cells->second);
    }
    fresh_ = arrays;
  }

  void draw_arrows(const step& s, double lanes_y, const std::set<step_cell>& bad, bool writes) {
    const double edge = writes ? lanes_y + lane_radius : lanes_y - lane_radius;
    for (const auto& m : s.moves) {
      if (m.block != 0) continue;
      for (const auto& c : writes ? m.writes : m.reads) {
        if (!is_shown(c, now_[c.array]) || travels_along(c.array)) continue;
        const double end = writes ? top_ - 1 : row_of_[c.array] + cell_height + 1;
        arrow({lane_x(m.thread), edge}, {cell_x(c.index), end}, m.thread / 32, bad.contains(c),
              writes);
        if (bad.contains(c)) outline(c);
      }
    }
  }

  void draw_legend() {
    y_ += 26;
    text({margin, y_}, result_text(w_), w_.verdict.right ? "w0" : "bad", 14, "start", true);
    y_ += 18;
    text(
        {margin, y_},
        "thin: a lane reads · bold: it writes · colour: its warp · grey: idle · red: bank conflict",
        "dim", 12, "start");
    y_ += 16;
  }

  const walkthrough& w_;
  std::string body_;
  std::size_t columns_ = 0;
  double pitch_ = 0, left_ = 0, y_ = 0, title_width_ = 0;
  double top_ = 0;  // of the rows drawn last
  std::map<std::size_t, step_cells> now_;
  std::map<std::size_t, double> row_of_;  // where each array was drawn last
  std::set<std::size_t> fresh_;           // the arrays that stand right above
};

}  // namespace

std::string steps_svg(const walkthrough& w, std::string_view title) {
  return picture(w, title).draw();
}

}  // namespace warpfold::cli
