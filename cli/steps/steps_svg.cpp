#include "cli/steps/steps_svg.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "cli/steps/steps_text.hpp"
#include "cli/svg.hpp"
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

class picture {
 public:
  picture(const walkthrough& w, std::string_view title) : w_(w) {
    measure_columns();
    y_ = margin + 16;
    svg_.text({margin, y_}, title, {.color = "ink", .size = 15, .bold = true});
    title_width_ = 2 * margin + 8.2 * static_cast<double>(measure::display_width(title));
    y_ += 16;
  }

  std::string draw() {
    for (std::size_t a = 0; a < w_.arrays.size(); ++a) now_[a] = w_.arrays[a].cells;
    for (const step& s : w_.steps) draw_step(s);
    draw_legend();
    const double width = left_ + static_cast<double>(columns_) * pitch_ + margin;
    return svg_.document(std::max({width, title_width_, 600.0}), y_);
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

  static std::string warp_color(unsigned thread) { return fmt::format("w{}", thread / 32 % 2); }

  // --- what is drawn

  /// A row of cells; those written in the step bear the colour of the warp that wrote them.
  void row(std::size_t array, const std::map<std::size_t, unsigned>& written) {
    const step_cells& cells = now_[array];
    svg_.text({left_ - 10, y_ + 18}, w_.arrays[array].name,
              {.color = "dim", .size = 13, .anchor = "end"});
    for (std::size_t i = 0; i < shown_cells(w_, cells); ++i) {
      const auto by = written.find(i);
      const std::string fill = by == written.end() ? "cell" : fmt::format("t{}", by->second % 2);
      svg_.rectangle({cell_x(i) - pitch_ / 2, y_}, pitch_, cell_height, fill, "edge");
    }
    for (std::size_t i = 0; i < shown_cells(w_, cells); ++i) {
      const auto by = written.find(i);
      svg_.text({cell_x(i), y_ + 18}, w_.arrays[array].text(cells, i),
                {.color = cells[i] ? "ink" : "dim",
                 .size = 14,
                 .anchor = "middle",
                 .bold = by != written.end()});
    }
    row_of_[array] = y_;
    y_ += cell_height;
  }

  void draw_lanes(double y, const std::set<unsigned>& at_work) {
    for (unsigned t = 0; t < w_.block; ++t) {
      const std::string fill = at_work.contains(t) ? warp_color(t) : "idle";
      svg_.circle({lane_x(t), y}, lane_radius, fill);
    }
    for (unsigned t = 0; t < w_.block; ++t) {
      svg_.text({lane_x(t), y + 4}, fmt::format("{}", t),
                {.color = at_work.contains(t) ? "on" : "dim", .size = 11, .anchor = "middle"});
    }
  }

  void outline(const step_cell& c) {
    svg_.rectangle({cell_x(c.index) - pitch_ / 2 + 1, row_of_[c.array] + 1}, pitch_ - 2,
                   cell_height - 2, "none", "bad-line", 2);
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
    double y = middle + 11.5 - 7.5 * static_cast<double>(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i, y += 15) {
      const bool is_step = i == 0 && lines[i].starts_with("Step");
      const bool red = conflicts && i + 1 == lines.size();
      svg_.text({margin, y}, lines[i],
                {.color = red       ? "bad"
                          : is_step ? "ink"
                                    : "dim",
                 .size = is_step ? 14.0 : 12.0,
                 .bold = is_step || red});
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
        const std::string color = bad.contains(c) ? "bad" : warp_color(m.thread);
        svg_.arrow({lane_x(m.thread), edge}, {cell_x(c.index), end}, color, writes ? 1.8 : 1.1);
        if (bad.contains(c)) outline(c);
      }
    }
  }

  void draw_legend() {
    y_ += 26;
    svg_.text({margin, y_}, result_text(w_),
              {.color = w_.verdict.right ? "w0" : "bad", .size = 14, .bold = true});
    y_ += 18;
    svg_.text({margin, y_},
              "thin: a lane reads · bold: it writes · colour: its warp · grey: idle · "
              "red: bank conflict",
              {.color = "dim", .size = 12});
    y_ += 16;
  }

  const walkthrough& w_;
  svg_drawing svg_;
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
