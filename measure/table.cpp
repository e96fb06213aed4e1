#include "measure/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "measure/columns.hpp"
#include "measure/progress.hpp"
#include "measure/text.hpp"

namespace warpfold::measure {
namespace {

constexpr std::size_t gap = 2;  // blanks between columns
constexpr std::size_t shortest =
    12;  // what a rung or a result is cut to before columns are dropped

/// The upper and the lower line of a header; a single line is the lower one.
std::array<std::string_view, 2> lines_of(const column& c) {
  const std::string_view header = c.header;
  const std::size_t end = header.find('\n');
  if (end == std::string_view::npos) return {"", header};
  return {header.substr(0, end), header.substr(end + 1)};
}

std::size_t natural_width(const column& c) {
  std::size_t width = 0;
  for (const std::string_view line : lines_of(c)) width = std::max(width, display_width(line));
  for (const cell& shown : c.cells) width = std::max(width, display_width(shown.text));
  return width;
}

/// Widths whose sum fits; takes columns away where cutting is not enough.
std::vector<std::size_t> fit(std::vector<column>& columns, std::size_t available) {
  std::vector<std::size_t> widths;
  for (const column& c : columns) widths.push_back(natural_width(c));
  const auto excess = [&] {
    std::size_t sum = gap * (widths.size() - 1);
    for (const std::size_t width : widths) sum += width;
    return sum > available ? sum - available : 0;
  };
  const auto cut = [&](std::size_t& width, std::size_t least) {
    if (width > least) width -= std::min(width - least, excess());
  };
  cut(widths.back(), 2 * shortest);
  cut(widths.front(), shortest);
  cut(widths.back(), shortest);
  while (excess() > 0 && columns.size() > 2) {
    columns.erase(columns.end() - 2);
    widths.erase(widths.end() - 2);
  }
  cut(widths.back(), 1);
  cut(widths.front(), 1);
  return widths;
}

class painter {
 public:
  explicit painter(bool color) : color_(color) {}
  std::string operator()(std::string_view text, std::string_view code) const {
    if (!color_ || text.empty()) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }

  /// Verdicts show in their first word, dim cells as a whole.
  std::string operator()(std::string_view text, tone tone) const {
    if (tone == tone::plain) return std::string(text);
    if (tone == tone::dim) return (*this)(text, "2");
    const std::size_t word = std::min(text.find(' '), text.size());
    return (*this)(text.substr(0, word), tone == tone::good ? "32" : "1;31")
        .append(text.substr(word));
  }

 private:
  bool color_;
};

/// `painted`, which shows as `text`, with blanks up to `width`.
std::string padded(std::string_view painted, std::string_view text, std::size_t width, bool right) {
  const std::string blanks(width - display_width(text), ' ');
  return right ? blanks + std::string(painted) : std::string(painted) + blanks;
}

const measurement& main_row(std::span<const measurement> rows) {
  const backend_kind backend = main_backend(rows);
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const measurement& row) { return row.backend == backend; });
}

std::string title(std::span<const measurement> rows) {
  const measurement& row = main_row(rows);
  std::string result =
      fmt::format("{} · {}{}{} of {} {}", row.ladder, row.form, row.form.empty() ? "" : " ", row.op,
                  with_separators(static_cast<double>(row.n)), row.type);
  unsigned least = 0, most = 0;  // threads per block
  for (const measurement& other : rows) {
    if (other.block == 0) continue;
    least = least == 0 ? other.block : std::min(least, other.block);
    most = std::max(most, other.block);
  }
  if (least > 0) result += fmt::format(" · block {}", least);
  if (most > least) result += fmt::format(" to {}", most);
  if (!row.device.empty()) result += " · " + row.device;
  return one_line(result);
}

/// Whose times are predicted, and how far off such predictions were, by what limits them.
std::string predicted_foot(std::span<const measurement> rows) {
  const prediction* any = nullptr;
  bool none_known = true;
  std::vector<std::string> errors;
  for (const measurement& row : rows) {
    if (!row.predicted || !row.predicted->no_ground.empty()) continue;
    any = &*row.predicted;
    const bool known = !std::isnan(any->error_pct);
    none_known &= !known;
    const std::string error =
        short_limit(*any) + (known ? fmt::format(" {:.0f}", any->error_pct) : " ?");
    if (std::find(errors.begin(), errors.end(), error) == errors.end()) errors.push_back(error);
  }
  if (any == nullptr) return "";
  std::string foot = fmt::format("~ is predicted for {}, not measured", any->device);
  if (none_known) return foot + ", and its error there is not known.";
  foot += "; mean error found, %:";
  constexpr std::size_t most = 120;
  std::size_t line = display_width(foot);
  for (const std::string& error : errors) {
    const char* const before = &error == &errors.front() ? " " : ", ";
    if (line + 2 + error.size() >= most) {
      foot += ",\n  " + error;
      line = 2 + error.size();
    } else {
      foot += before + error;
      line += 2 + error.size();
    }
  }
  return foot + ".";
}

/// What the times are, and what 100 % of the ceiling is; empty where nothing was timed.
std::string foot(std::span<const measurement> rows) {
  const backend_kind backend = main_backend(rows);
  std::size_t samples = 0;
  double ceiling = 0;
  for (const measurement& row : rows) {
    if (row.backend != backend || !row.timing) continue;
    samples = std::max(samples, row.timing->count());
    ceiling = std::max(ceiling, row.read_ceiling_gbs);
  }
  if (backend == backend_kind::simt) return predicted_foot(rows);
  if (samples == 0) return "";
  std::string result =
      samples == 1 ? "Times are single runs" : fmt::format("Times are medians of {}", samples);
  if (ceiling > 0) {
    result += fmt::format("; the read ceiling, measured alongside, is {} GB/s",
                          with_separators(ceiling, decimals_for(ceiling)));
  }
  return one_line(fmt::format("{} on {}.", result, main_row(rows).device));
}

}  // namespace

table_style style_of_output() {
  constexpr int nothing_is_cut = 4096;
  if (isatty(STDOUT_FILENO) != 1) return {.width = nothing_is_cut};
  winsize window{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
  return {.color = shows_color(STDOUT_FILENO),
          .width = known ? window.ws_col : table_style{}.width};
}

std::string table(std::string_view title, std::vector<column> columns, table_style style) {
  const auto available = static_cast<std::size_t>(std::max(style.width, 8));
  const painter paint(style.color);
  const std::vector<std::size_t> widths = fit(columns, available);

  std::string out = paint(truncated(title, available), "1") + "\n";
  const auto line = [&](auto&& cell_of) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out.append(i == 0 ? 0 : gap, ' ').append(cell_of(columns[i], widths[i]));
    }
    out += '\n';
  };
  for (const std::size_t which : {0, 1}) {
    const auto blank = [&](const column& c) { return lines_of(c)[which].empty(); };
    if (std::all_of(columns.begin(), columns.end(), blank)) continue;
    line([&](const column& c, std::size_t width) {
      const std::string text = truncated(lines_of(c)[which], width);
      return padded(paint(text, "1"), text, width, c.number);
    });
  }
  line([&](const column&, std::size_t width) {
    std::string rule;
    for (std::size_t i = 0; i < width; ++i) rule += "─";
    return paint(rule, "2");
  });
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    line([&](const column& c, std::size_t width) {
      const std::string text = truncated(c.cells[row].text, width);
      return padded(paint(text, c.cells[row].tone), text, width, c.number);
    });
  }
  return out;
}

std::string table(std::span<const measurement> rows, table_style style) {
  if (rows.empty()) return "";
  const std::string out = table(title(rows), columns_of(rows, view::terminal), style);
  const auto available = static_cast<std::size_t>(std::max(style.width, 8));
  const std::string below = truncated(foot(rows), available);
  return below.empty() ? out : out + painter(style.color)(below, "2") + "\n";
}

std::string further_table(std::span<const measurement> rows, table_style style) {
  if (rows.empty()) return "";
  style.width = std::min(style.width, table_style{}.width);
  const auto available = static_cast<std::size_t>(std::max(style.width, 8));
  std::vector<column> all = further_columns(rows);
  std::string text;
  std::vector<column> part{all.front()};  // the rungs stand before each part
  std::size_t width = natural_width(all.front());
  const auto finish = [&] {
    if (part.size() == 1) return;
    text += text.empty() ? table("further counters", std::move(part), style)
                         : "\n" + table("further counters, continued", std::move(part), style);
    part = {all.front()};
    width = natural_width(all.front());
  };
  for (std::size_t i = 1; i < all.size(); ++i) {
    const std::size_t more = gap + natural_width(all[i]);
    if (width + more > available) finish();
    width += more;
    part.push_back(all[i]);
  }
  finish();
  return text;
}

}  // namespace warpfold::measure
