#include "cli/steps/network_svg.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "cli/steps/steps_text.hpp"
#include "measure/text.hpp"
#include "simt/page/drawing.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

using ladder::step;
using ladder::step_cells;
using ladder::walkthrough;

constexpr std::size_t most_wires = 64;
constexpr double spacing = simt::drawing::wire_spacing;
using simt::drawing::comparator_gap;
using simt::drawing::margin;

struct comparator {
  std::size_t low, high;
  bool swapped;
};

/// A step: the comparators, and the keys after it by wire.
struct layer {
  unsigned number;
  std::vector<std::vector<comparator>> columns;  // in one column no two lines overlap
  std::vector<std::string> keys;
};

/// Comparators side by side, as few columns as it takes.
std::vector<std::vector<comparator>> in_columns(std::vector<comparator> all) {
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
  std::vector<std::vector<comparator>> columns;
  for (const comparator& c : all) {
    const auto free = std::find_if(columns.begin(), columns.end(),
                                   [&](const auto& column) { return column.back().high < c.low; });
    if (free == columns.end()) {
      columns.push_back({c});
    } else {
      free->push_back(c);
    }
  }
  return columns;
}

std::vector<std::string> texts(const walkthrough& w, std::size_t array, const step_cells& cells,
                               std::size_t n) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(w.arrays[array].text(cells, i));
  return all;
}

std::vector<layer> layers_of(const walkthrough& w) {
  const std::size_t n = w.arrays.front().cells.size();
  const auto refuse = [] {
    throw usage_error(
        "--network: this rung is not a network of comparators; use sort/odd-even, bitonic-global, "
        "bitonic-shared or bitonic-warp");
  };
  std::vector<layer> layers;
  std::vector<std::string> keys = texts(w, 0, w.arrays.front().cells, n);
  for (const step& s : w.steps) {
    if (s.number == 0) continue;
    std::vector<comparator> all;
    std::set<std::size_t> arrays, written, lows;
    for (const auto* m : s.workers()) {
      const auto pair = m->applies ? m->joined() : std::nullopt;
      if (!pair) continue;
      arrays.insert(pair->first.array);
      const auto is_its_own = [&](const ladder::step_cell& c) {
        return c.index == pair->first.index || c.index == pair->second.index;
      };
      if (pair->second.index >= n || !std::all_of(m->writes.begin(), m->writes.end(), is_its_own)) {
        refuse();
      }
      for (const auto& c : m->writes) written.insert(c.array);
      if (lows.insert(pair->first.index).second) {
        all.push_back({pair->first.index, pair->second.index, false});
      }
    }
    if (arrays.size() > 1) refuse();
    for (const auto& after : s.after) {  // keys in registers may leave for memory in this step
      if (!arrays.contains(after.array) && !written.contains(after.array)) continue;
      const auto now = texts(w, after.array, after.cells, n);
      for (comparator& c : all) c.swapped = now[c.low] != keys[c.low];
      keys = now;
    }
    layers.push_back({s.number, in_columns(std::move(all)), keys});
  }
  if (layers.empty() || w.ladder != ladder::ladder_kind::sort || w.many_blocks) refuse();
  return layers;
}

class network_picture {
 public:
  network_picture(const walkthrough& w, std::string_view title, svg_theme theme)
      : w_(w),
        title_(title),
        svg_(theme),
        layers_(layers_of(w)),
        input_(texts(w, 0, w.arrays.front().cells, wires())) {
    if (wires() > most_wires) {
      throw usage_error(
          fmt::format("--network: {} keys are more than a picture holds; give at most {}", wires(),
                      most_wires));
    }
    for (const auto& key : input_) widest_ = std::max(widest_, measure::display_width(key));
  }

  std::string draw() {
    svg_.text({margin, margin + 16}, title_, {.color = "ink", .size = 15, .bold = true});
    double x = margin + 28;
    draw_keys(x, input_);
    x += key_width();
    double end = x;
    for (const layer& l : layers_) end += width_of(l);
    draw_wires(x, end);
    std::vector<std::string> before = input_;
    for (const layer& l : layers_) {
      draw_layer(x, l, before);
      x += width_of(l);
      before = l.keys;
    }
    draw_keys(x, before);
    const double bottom = wire_y(wires() - 1) + 34;
    svg_.text({margin, bottom}, result_text(w_),
              {.color = w_.verdict.right ? "w0" : "bad", .size = 14, .bold = true});
    svg_.text({margin, bottom + 18},
              "lines: comparators · orange: it swapped its keys · on the wires: keys that moved",
              {.color = "dim", .size = 12});
    const double title_width =
        2 * margin + 8.2 * static_cast<double>(measure::display_width(title_));
    return svg_.document(
        std::max({x + key_width() + margin, title_width, 600.0}), bottom + 34,
        {title_, fmt::format("{} keys, {} steps of comparators", wires(), layers_.size())});
  }

 private:
  [[nodiscard]] std::size_t wires() const { return w_.arrays.front().cells.size(); }
  [[nodiscard]] static double wire_y(std::size_t wire) {
    return margin + 66 + spacing * static_cast<double>(wire);
  }
  [[nodiscard]] double key_width() const { return 8.0 * static_cast<double>(widest_) + 14; }

  void draw_wires(double from, double to) {
    for (std::size_t i = 0; i < wires(); ++i) {
      svg_.text({margin + 16, wire_y(i) + 4}, fmt::format("{}", i),
                {.color = "dim", .size = 11, .anchor = "end"});
      svg_.line({{from, wire_y(i)}, {to, wire_y(i)}}, "edge", 1);
    }
  }

  void draw_keys(double x, const std::vector<std::string>& keys) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      svg_.text({x + key_width() / 2 - 2, wire_y(i) + 5}, keys[i],
                {.color = "ink", .size = 14, .anchor = "middle"});
    }
  }

  /// Of its comparators, and of the keys behind all but the last.
  [[nodiscard]] double width_of(const layer& l) const {
    const double lines = comparator_gap * static_cast<double>(l.columns.size() + 1);
    return &l == &layers_.back() ? lines : lines + key_width();
  }

  void draw_layer(double x, const layer& l, const std::vector<std::string>& before) {
    const double begin = x;
    x += comparator_gap;
    for (const auto& column : l.columns) {
      for (const comparator& c : column) {
        const std::string color = c.swapped ? "w1" : "w0";
        svg_.line({{x, wire_y(c.low)}, {x, wire_y(c.high)}}, color + "-line", 2);
        svg_.circle({x, wire_y(c.low)}, 4, color);
        svg_.circle({x, wire_y(c.high)}, 4, color);
      }
      x += comparator_gap;
    }
    svg_.text({(begin + x) / 2, margin + 44}, fmt::format("{}", l.number),
              {.color = "dim", .size = 12, .anchor = "middle", .bold = true});
    if (&l == &layers_.back()) return;
    for (std::size_t i = 0; i < l.keys.size(); ++i) {
      if (l.keys[i] == before[i]) continue;
      svg_.text({x + key_width() / 2 - 6, wire_y(i) - 4}, l.keys[i],
                {.color = "w1", .size = 11, .anchor = "middle"});
    }
  }

  const walkthrough& w_;
  std::string title_;
  svg_drawing svg_;
  std::vector<layer> layers_;
  std::vector<std::string> input_;
  std::size_t widest_ = 1;
};

}  // namespace

std::string network_svg(const walkthrough& w, std::string_view title, svg_theme theme) {
  return network_picture(w, title, theme).draw();
}

}  // namespace warpfold::cli
