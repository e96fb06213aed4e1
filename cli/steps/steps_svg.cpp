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
#include "simt/page/drawing.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

using ladder::step;
using ladder::step_cell;
using ladder::step_cells;
using ladder::walkthrough;

constexpr std::size_t most_columns = 64, most_rows = 8;
using simt::drawing::cell_height;
using simt::drawing::lane_radius;
using simt::drawing::margin;

class picture {
 public:
  picture(const walkthrough& w, std::string_view title, svg_theme theme)
      : w_(w), title_(title), theme_(theme) {
    measure_columns();
    for (std::size_t a = 0; a < w_.arrays.size(); ++a) now_[a] = w_.arrays[a].cells;
  }

  std::string all_steps() {
    std::string headings;
    begin(title_);
    for (const step& s : w_.steps) {
      draw_step(s);
      headings += (headings.empty() ? "" : "; ") + heading_of(w_, s);
    }
    draw_legend(result_text(w_));
    return end(title_, headings);
  }

  std::vector<std::string> one_by_one() {
    std::vector<std::string> pictures;
    for (const step& s : w_.steps) {
      const std::string heading = heading_of(w_, s);
      begin(title_);
      draw_step(s);
      draw_legend(&s == &w_.steps.back() ? result_text(w_) : "");
      pictures.push_back(end(title_ + ": " + heading, ""));
    }
    return pictures;
  }

 private:
  void begin(std::string_view heading) {
    svg_ = svg_drawing(theme_);
    widest_text_ = 8.2 * static_cast<double>(measure::display_width(heading));
    shows_movers_ = shows_idle_ = shows_conflicts_ = false;
    fresh_.clear();
    row_of_.clear();
    y_ = margin + 16;
    svg_.text({margin, y_}, heading, {.color = "ink", .size = 15, .bold = true});
    y_ += 16;
  }

  std::string end(std::string_view caption, std::string_view description) {
    const double width = left_ + static_cast<double>(columns_) * pitch_ + margin;
    return svg_.document(std::max(width, widest_text_ + 2 * margin), y_, {caption, description});
  }

  struct reach {
    std::set<std::size_t> read;                                      // arrays
    std::map<std::size_t, std::map<std::size_t, unsigned>> written;  // array, cell, warp
    std::set<unsigned> workers, movers;                              // threads
    double up = 0, down = 0;                                         // how far to the side lines go
  };

  // --- where things are

  void measure_columns() {
    std::size_t widest = 2, label = 0;
    double side = 0;
    const std::size_t values = w_.arrays.front().cells.size();
    per_row_ = values > most_columns && w_.block <= most_columns ? w_.block : 2 * most_columns;
    columns_ = static_cast<std::size_t>(std::ceil(w_.block * spread()));
    std::size_t rows = 1;
    const auto look_at = [&](std::size_t array, const step_cells& cells) {
      const std::size_t n = shown_cells(w_, cells);
      columns_ = std::max(columns_, std::min(n, per_row_));
      rows = std::max(rows, (n + per_row_ - 1) / per_row_);
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
    if (rows > most_rows || w_.block > most_columns) {
      throw usage_error(fmt::format(
          "--svg: {} values and a block of {} threads are more than a picture holds; give at most "
          "{} values",
          w_.arrays.front().cells.size(), w_.block, most_columns));
    }
    const double roomy = columns_ <= 8 ? 52 : columns_ <= 16 ? 42 : 2 * lane_radius + 8;
    pitch_ = std::max(roomy, 8.0 * static_cast<double>(widest) + 12);
    left_ = margin + std::max(7.5 * static_cast<double>(label), side) + 18;
  }

  /// An array of more cells than fit beside each other stands in rows as long as the block, so that
  /// each lane has its column.
  [[nodiscard]] double cell_x(std::size_t index) const {
    return left_ + (static_cast<double>(index % per_row_) + 0.5) * pitch_;
  }
  [[nodiscard]] double cell_y(const step_cell& c) const {
    return row_of_.at(c.array) + cell_height * static_cast<double>(c.index / per_row_);
  }
  /// Where a line to this cell ends: those to upper rows pass the numbers of the lower ones by.
  [[nodiscard]] svg_point read_end(const step_cell& c) const {
    const std::size_t last = (shown_cells(w_, now_.at(c.array)) - 1) / per_row_;
    const std::size_t passed = last - c.index / per_row_;
    const double side = pitch_ / 2 - 3 - 2.5 * static_cast<double>((passed + 1) / 2 - 1);
    const double aside = passed == 0 ? 0 : passed % 2 == 0 ? side : -side;
    return {cell_x(c.index) + aside, cell_y(c) + cell_height + 1};
  }
  /// Lanes stand side by side, or spread out where there are fewer of them than of the values.
  [[nodiscard]] double lane_x(unsigned thread) const {
    return left_ + (static_cast<double>(thread) + 0.5) * spread() * pitch_;
  }

  [[nodiscard]] double spread() const {
    const std::size_t beside = std::min(w_.arrays.front().cells.size(), per_row_);
    return std::max(1.0, std::floor(static_cast<double>(beside) / static_cast<double>(w_.block)));
  }

  static std::string warp_color(unsigned thread) { return fmt::format("w{}", thread / 32 % 2); }

  // --- what is drawn

  /// A row of cells; those written in the step bear the colour of the warp that wrote them.
  void row(std::size_t array, const std::map<std::size_t, unsigned>& written) {
    const step_cells& cells = now_[array];
    row_of_[array] = y_;
    svg_.text({left_ - 10, y_ + 18}, w_.arrays[array].name,
              {.color = "dim", .size = 13, .anchor = "end"});
    for (std::size_t i = 0; i < shown_cells(w_, cells); ++i) {
      const auto by = written.find(i);
      const std::string fill = by == written.end() ? "cell" : fmt::format("t{}", by->second % 2);
      svg_.rectangle({cell_x(i) - pitch_ / 2, cell_y({array, i})}, pitch_, cell_height, fill,
                     "edge");
    }
    for (std::size_t i = 0; i < shown_cells(w_, cells); ++i) {
      const auto by = written.find(i);
      svg_.text({cell_x(i), cell_y({array, i}) + 18}, w_.arrays[array].text(cells, i),
                {.color = cells[i] ? "ink" : "dim",
                 .size = 14,
                 .anchor = "middle",
                 .bold = by != written.end()});
    }
    y_ += cell_height * static_cast<double>(
                            (std::max<std::size_t>(1, shown_cells(w_, cells)) - 1) / per_row_ + 1);
  }

  /// In full colour who applies the operator, pale who only moves a value, grey who is idle.
  void draw_lanes(double y, const reach& r) {
    for (unsigned t = 0; t < w_.block; ++t) {
      const std::string fill = r.workers.contains(t)  ? warp_color(t)
                               : r.movers.contains(t) ? fmt::format("t{}", t / 32 % 2)
                                                      : "idle";
      svg_.circle({lane_x(t), y}, lane_radius, fill);
    }
    for (unsigned t = 0; t < w_.block; ++t) {
      const char* const color = r.workers.contains(t) ? "on" : r.movers.contains(t) ? "ink" : "dim";
      svg_.text({lane_x(t), y + 4}, fmt::format("{}", t),
                {.color = color, .size = 11, .anchor = "middle"});
    }
  }

  void outline(const step_cell& c) {
    svg_.rectangle({cell_x(c.index) - pitch_ / 2 + 1, cell_y(c) + 1}, pitch_ - 2, cell_height - 2,
                   "none", "bad-line", 2);
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
    draw_lanes(lanes_y, r);
    shows_movers_ |= !r.movers.empty();
    shows_idle_ |= r.workers.size() + r.movers.size() < w_.block;
    shows_conflicts_ |= s.conflicts > 0;
    draw_side(side, lanes_y, s.conflicts > 0);
    y_ = lanes_y + lane_radius + below + slack;
    for (const auto& after : s.after) now_[after.array] = after.cells;
    if (s.after.empty()) return;
    std::set<std::size_t> changed;
    for (const auto& after : s.after) changed.insert(after.array);
    draw_rows(changed, r.written);
    draw_arrows(s, lanes_y, bad, true);
  }

  [[nodiscard]] reach reach_of(const step& s) const {
    reach r;
    for (const auto& m : s.moves) {
      if (m.block != 0) continue;
      (m.applies || s.number == 0 ? r.workers : r.movers).insert(m.thread);
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
    if (adds_to_held(s)) lines.emplace_back("to a value it holds");
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
        const svg_point end = writes ? svg_point{cell_x(c.index), top_ - 1} : read_end(c);
        const std::string color = bad.contains(c) ? "bad" : warp_color(m.thread);
        const double aside = writes ? 0 : end.x - cell_x(c.index);
        svg_.arrow({lane_x(m.thread) + 0.6 * aside, edge}, end, color, writes ? 1.8 : 1.1);
        if (bad.contains(c)) outline(c);
      }
    }
  }

  void draw_legend(const std::string& result) {
    if (!result.empty()) {
      y_ += 26;
      svg_.text({margin, y_}, result,
                {.color = w_.verdict.right ? "w0" : "bad", .size = 14, .bold = true});
    }
    y_ += 18;
    std::string legend = "thin: a lane reads · bold: it writes · colour: its warp";
    if (shows_movers_) legend += " · pale: it only moves a value";
    if (shows_idle_) legend += " · grey: idle";
    if (shows_conflicts_) legend += " · red: bank conflict";
    svg_.text({margin, y_}, legend, {.color = "dim", .size = 12});
    widest_text_ =
        std::max(widest_text_, 6.6 * static_cast<double>(measure::display_width(legend)));
    y_ += 16;
  }

  const walkthrough& w_;
  std::string title_;
  svg_theme theme_;
  svg_drawing svg_;
  std::size_t columns_ = 0, per_row_ = 0;
  double pitch_ = 0, left_ = 0, y_ = 0, widest_text_ = 0;
  bool shows_movers_ = false, shows_idle_ = false, shows_conflicts_ = false;
  double top_ = 0;  // of the rows drawn last
  std::map<std::size_t, step_cells> now_;
  std::map<std::size_t, double> row_of_;  // where each array was drawn last
  std::set<std::size_t> fresh_;           // the arrays that stand right above
};

}  // namespace

std::string steps_svg(const walkthrough& w, std::string_view title, svg_theme theme) {
  return picture(w, title, theme).all_steps();
}

std::vector<std::string> step_svgs(const walkthrough& w, std::string_view title, svg_theme theme) {
  return picture(w, title, theme).one_by_one();
}

}  // namespace warpfold::cli
