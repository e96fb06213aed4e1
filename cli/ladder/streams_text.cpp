#include "cli/ladder/streams_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "measure/facts.hpp"
#include "measure/text.hpp"

namespace warpfold::cli {

namespace {

using measure::cell;
using measure::column;
using measure::measurement;

double median_us(const measurement& m) { return m.timing ? m.timing->median() : 0; }

double counter_of(const measurement& m, std::string_view name) {
  const double* const value = m.find(name);
  return value != nullptr ? *value : std::numeric_limits<double>::quiet_NaN();
}

template <class F>
column numbers(std::string header, std::span<const measurement> rows, int decimals, F value_of) {
  column c{std::move(header), true, {}};
  for (const auto& m : rows) {
    const double value = value_of(m);
    const int places = decimals >= 0 ? decimals : measure::decimals_for(value);
    c.cells.push_back(std::isfinite(value) ? cell{measure::with_separators(value, places)}
                                           : cell{"–", measure::tone::dim});
  }
  return c;
}

template <class F>
column words(std::string header, std::span<const measurement> rows, F text_of) {
  column c{std::move(header), false, {}};
  for (const auto& m : rows) c.cells.push_back(text_of(m));
  return c;
}

cell result_of(const measurement& m) {
  if (measure::is_right(m)) return {"✓ " + m.verdict.result, measure::tone::good};
  return {fmt::format("WRONG {}, not {}", m.verdict.result, m.verdict.expected),
          measure::tone::bad};
}

char sign_of(const simt::timeline_span& s) {
  if (s.where == simt::engine::host) {
    const std::string_view what = s.what;
    return what == "stages" ? '=' : what == "works" ? '#' : what == "polls" ? '?' : '.';
  }
  constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
  return s.label < 0 ? '*' : digits[static_cast<std::size_t>(s.label) % digits.size()];
}

/// Each column shows who had most of it; what is shorter than a column is not left out.
std::string lane_of(std::span<const simt::timeline_span> spans, simt::engine where, double total,
                    std::size_t width) {
  std::string line(width, ' ');
  std::vector<double> share(width, 0);
  const double column_us = total / static_cast<double>(width);
  for (const auto& s : spans) {
    if (s.where != where || !(s.begin_us <= total)) continue;
    const auto first = static_cast<std::size_t>(std::max(0.0, s.begin_us) / column_us);
    for (std::size_t i = first; i < width; ++i) {
      const double from = static_cast<double>(i) * column_us;
      const double part = std::min(s.end_us, from + column_us) - std::max(s.begin_us, from);
      if (i > first && part <= 0) break;
      if (line[i] != ' ' && part <= share[i]) continue;
      if (line[i] == ' ' && i > first && part < column_us / 2) continue;
      line[i] = sign_of(s);
      share[i] = part;
    }
  }
  return line;
}

}  // namespace

std::vector<column> streams_columns(std::span<const measurement> rows, measure::view where) {
  std::vector<column> all;
  all.push_back(words("rung", rows, [](const auto& m) { return cell{measure::rung_label(m)}; }));
  const bool document = where == measure::view::document;
  if (document) all.push_back(words("idea", rows, [](const auto& m) { return cell{m.idea}; }));
  all.push_back(numbers("time, µs", rows, -1, median_us));
  const auto rate = [](const measurement& m) {
    return median_us(m) > 0 ? m.gigabytes_per_second() : std::numeric_limits<double>::quiet_NaN();
  };
  all.push_back(numbers("GB/s", rows, 1, rate));
  all.push_back(numbers("% of\nlink", rows, 1, [&](const measurement& m) {
    return 100 * rate(m) / counter_of(m, ladder::streams_counters::link);
  }));
  all.push_back(numbers("copying,\nµs", rows, -1, [](const measurement& m) {
    return counter_of(m, ladder::streams_counters::copying);
  }));
  all.push_back(numbers("summing,\nµs", rows, -1, [](const measurement& m) {
    return counter_of(m, ladder::streams_counters::summing);
  }));
  all.push_back(numbers("% over-\nlapped", rows, 1, [](const measurement& m) {
    return counter_of(m, ladder::streams_counters::overlap);
  }));
  if (!document) all.push_back(words("result", rows, result_of));
  return all;
}

std::string streams_title(std::span<const measurement> rows) {
  const auto& m = rows.front();
  return fmt::format("streams · sum of {} {} · {} · {}{}",
                     measure::with_separators(static_cast<double>(m.n)), m.type, m.form,
                     m.backend == measure::backend_kind::simt ? "schedule of the " : "", m.device);
}

std::string speeds_text(const simt::engine_speeds& s) {
  const auto gbs = [](double value) {
    return measure::with_separators(value, value < 100 ? 1 : 0);
  };
  return fmt::format(
      "GB/s: in {}, out {}, kernel {}, pageable {}, host {}; µs: {:.1f} a call, {:.1f} before an "
      "operation\n",
      gbs(s.copy_in_gbs), gbs(s.copy_out_gbs), gbs(s.kernel_gbs), gbs(s.pageable_gbs),
      gbs(s.host_gbs), s.call_us, s.latency_us);
}

std::string rung_text(const measurement& m) {
  const double us = median_us(m);
  return fmt::format("{} · {} µs · {:.1f} GB/s", measure::rung_label(m),
                     measure::with_separators(us, measure::decimals_for(us)),
                     us > 0 ? m.gigabytes_per_second() : 0);
}

std::string timeline_text(const ladder::streams_row& row, std::size_t width) {
  std::string text = rung_text(row.record) + "\n";
  double total = 0;
  for (const auto& s : row.spans) total = std::max(total, s.end_us);
  if (!(total > 0)) return text;
  constexpr std::pair<simt::engine, const char*> lanes[] = {{simt::engine::copy_in, "in"},
                                                            {simt::engine::compute, "sum"},
                                                            {simt::engine::copy_out, "out"},
                                                            {simt::engine::host, "host"}};
  for (const auto& [where, name] : lanes) {
    std::string line = lane_of(row.spans, where, total, width);
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) text += fmt::format("  {:<4}  {}\n", name, line);
  }
  return text;
}

}  // namespace warpfold::cli
