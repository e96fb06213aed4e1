#include "measure/columns.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "measure/facts.hpp"
#include "measure/figure.hpp"
#include "measure/text.hpp"

namespace warpfold::measure {
namespace {

using rows_view = std::span<const measurement>;
using values = std::vector<double>;  // one a row; NaN where the column does not apply
using format = std::function<std::string(double)>;

template <class F>
values each(rows_view rows, F&& value_of) {
  values result;
  for (const measurement& row : rows) {
    result.push_back(row.skipped.empty() ? static_cast<double>(value_of(row)) : none);
  }
  return result;
}

template <class F>
column words(std::string header, rows_view rows, F&& cell_of) {
  column result{std::move(header), false, {}};
  for (const measurement& row : rows) result.cells.push_back(cell_of(row));
  return result;
}

column numbers(std::string header, const values& figures, const format& text_of) {
  column result{std::move(header), true, {}};
  for (const double value : figures) {
    result.cells.push_back(std::isfinite(value) ? cell{text_of(value)} : cell{"–", tone::dim});
  }
  return result;
}

// --- formats

format fixed(int decimals) {
  return [=](double value) { return with_separators(value, decimals); };
}

/// Exact as long as the whole column fits in seven digits.
format counts(const values& figures) {
  const bool fit = std::none_of(figures.begin(), figures.end(), [](double v) { return v >= 1e7; });
  if (fit) return fixed(0);
  return [](double value) { return humanised(value); };
}

/// One decimal, but never 100.0 for what falls short of it.
std::string percent(double value) {
  return with_separators(value < 100 ? std::min(value, 99.9) : value, 1);
}

// --- figures

values each(rows_view rows, figure f) {
  return each(rows, [&](const measurement& row) { return value_of(row, f); });
}

double median_us(const measurement& row) { return value_of(row, figure::time); }

/// How many times faster each rung is than the one measured before it in its series, and than the
/// first of all. Wrong results count for nothing, and neither do rows of another backend.
std::pair<values, values> speedups(rows_view rows) {
  const backend_kind backend = main_backend(rows);
  std::pair<values, values> result;
  double first = none, previous = none;
  for (const measurement& row : rows) {
    const bool compared = row.backend == backend && is_right(row) && !row.reference;
    const double us = compared ? median_us(row) : none;
    if (std::isnan(first)) first = us;
    result.first.push_back(row.begins_series ? none : previous / us);
    result.second.push_back(first / us);
    if (!std::isnan(us)) previous = us;
  }
  return result;
}

/// How fast each row is, in percent of the fastest reference.
values of_references(rows_view rows) {
  double best = none;
  for (const measurement& row : rows) {
    const double us = row.reference && is_right(row) ? median_us(row) : none;
    if (!std::isnan(us)) best = std::isnan(best) ? us : std::min(best, us);
  }
  const backend_kind backend = main_backend(rows);
  return each(rows, [&](const measurement& row) {
    return row.backend == backend ? best / median_us(row) * 100 : none;
  });
}

// --- columns

column rung_column(rows_view rows) {
  return words("rung", rows,
               [](const measurement& row) { return cell{one_line(rung_label(row))}; });
}

column idea_column(rows_view rows) {
  return words("idea", rows, [](const measurement& row) { return cell{one_line(row.idea)}; });
}

cell result_cell(const measurement& row) {
  if (!row.skipped.empty()) return {one_line(row.skipped), tone::dim};
  if (is_right(row)) return {one_line("✓ " + row.verdict.result), tone::good};
  return {one_line(fmt::format("WRONG {}, not {}", row.verdict.result, row.verdict.expected)),
          tone::bad};
}

column result_column(rows_view rows) { return words("result", rows, result_cell); }

/// In a document, where right results are a matter of course: whatever is not one.
column remark_column(rows_view rows) {
  return words("remark", rows, [](const measurement& row) {
    return is_right(row) ? cell{"–", tone::dim} : result_cell(row);
  });
}

void add_time_columns(std::vector<column>& columns, rows_view rows) {
  values time = each(rows, figure::time);
  // One unit for the column: milliseconds once the fastest takes as long.
  const bool milliseconds =
      std::none_of(time.begin(), time.end(), [](double us) { return us < 1000; });
  if (milliseconds) {
    for (double& value : time) value /= 1000;
  }
  columns.push_back(numbers(milliseconds ? "time, ms" : "time, µs", time, significant));

  const values rate = each(rows, [](const measurement& row) {
    return row.useful_bytes > 0 && median_us(row) > 0 ? row.gigabytes_per_second() : none;
  });
  columns.push_back(numbers("GB/s", rate, significant));

  const auto [step, cumulative] = speedups(rows);
  columns.push_back(numbers("step ×", step, fixed(2)));
  columns.push_back(numbers("cumulative ×", cumulative, fixed(2)));

  columns.push_back(numbers("% of\nCUB", of_references(rows), fixed(1)));

  const backend_kind backend = main_backend(rows);
  const values share = each(rows, [&](const measurement& row) {
    const bool applies = row.backend == backend && row.read_ceiling_gbs > 0 && median_us(row) > 0;
    return applies ? row.gigabytes_per_second() / row.read_ceiling_gbs * 100 : none;
  });
  columns.push_back(numbers("% of read\nceiling", share, fixed(1)));
}

column counted_column(rows_view rows, figure f) {
  std::string header(header_of(f));
  const values v = each(rows, f);
  switch (f) {
    case figure::sectors_per_request: return numbers(std::move(header), v, fixed(2));
    case figure::active_lanes:
    case figure::steps_per_warp: return numbers(std::move(header), v, fixed(1));
    case figure::load_efficiency:
    case figure::branch_uniformity:
    case figure::occupancy: return numbers(std::move(header), v, percent);
    case figure::bytes_moved:
    case figure::bulk_bytes:
      return numbers(std::move(header), v, [](double value) { return humanised(value, "B"); });
    default: return numbers(std::move(header), v, counts(v));
  }
}

void add_columns(std::vector<column>& columns, rows_view rows,
                 std::initializer_list<figure> figures) {
  for (const figure f : figures) columns.push_back(counted_column(rows, f));
}

/// Predicted times carry a mark: "~12.4".
void add_predicted_columns(std::vector<column>& columns, rows_view rows) {
  const values time = each(rows, [](const measurement& row) {
    return row.predicted && row.predicted->no_ground.empty() ? row.predicted->median_us : none;
  });
  const auto marked = [](double value) { return "~" + significant(value); };
  columns.push_back(numbers("time,\nµs", time, marked));
  const values rate = each(rows, [](const measurement& row) {
    const bool known = row.predicted && row.predicted->no_ground.empty();
    return known ? static_cast<double>(row.useful_bytes) / row.predicted->median_us * 1e-3 : none;
  });
  columns.push_back(numbers("GB/s", rate, [](double value) {
    return value < 9.95 ? fmt::format("~{:#.2g}", value) : fmt::format("~{:.0f}", value);
  }));
  values step, cumulative;
  double first = none, previous = none;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double us = is_right(rows[i]) ? time[i] : none;
    if (std::isnan(first)) first = us;
    step.push_back(rows[i].begins_series ? none : previous / us);
    cumulative.push_back(first / us);
    if (!std::isnan(us)) previous = us;
  }
  const auto factor = [](double value) { return "~" + with_separators(value, 2); };
  columns.push_back(numbers("step\n×", step, factor));
  columns.push_back(numbers("cumul.\n×", cumulative, factor));
  columns.push_back(words("limit", rows, [](const measurement& row) {
    if (!row.predicted || !row.predicted->no_ground.empty()) return cell{"–", tone::dim};
    return cell{short_limit(*row.predicted)};
  }));
}

/// A ladder that shows its work has no room for how well the lanes of a warp work together.
void add_machine_columns(std::vector<column>& columns, rows_view rows) {
  using enum figure;
  const bool shows_work = std::any_of(rows.begin(), rows.end(), [](const measurement& row) {
    return row.find(counters::depth) != nullptr;
  });
  const bool predicts = std::any_of(
      rows.begin(), rows.end(), [](const measurement& row) { return row.predicted.has_value(); });
  const std::string_view ladder = rows.front().ladder;
  if (predicts && ladder == "histogram") {
    add_columns(columns, rows,
                {operator_uses, depth, atomics, atomic_sectors, atomic_conflicts, bank_conflicts,
                 barriers});
  } else if (predicts && ladder == "select") {
    add_columns(columns, rows,
                {operator_uses, atomics, atomic_sectors, load_requests, store_requests, barriers,
                 bytes_moved});
  } else if (predicts) {
    if (shows_work) add_columns(columns, rows, {operator_uses, depth});
    add_columns(columns, rows, {sectors_per_request, bank_conflicts, branch_uniformity, barriers});
  } else if (shows_work) {
    add_columns(columns, rows,
                {operator_uses, depth, launches, load_requests, sectors_per_request, bank_conflicts,
                 barriers, bytes_moved});
  } else {
    add_columns(columns, rows,
                {load_requests, sectors_per_request, load_efficiency, bank_conflicts,
                 branch_uniformity, steps_per_warp, barriers, bytes_moved});
  }
}

void add_published_columns(std::vector<column>& columns, rows_view rows) {
  std::vector<std::string> machines;
  for (const measurement& row : rows) {
    for (const published_figure& figure : row.published) {
      if (std::find(machines.begin(), machines.end(), figure.machine) == machines.end()) {
        machines.push_back(figure.machine);
      }
    }
  }
  for (const std::string& machine : machines) {
    values rate;
    for (const measurement& row : rows) {  // also of skipped rows: it was measured elsewhere
      const auto found =
          std::find_if(row.published.begin(), row.published.end(),
                       [&](const published_figure& figure) { return figure.machine == machine; });
      rate.push_back(found == row.published.end() ? none : found->gigabytes_per_second);
    }
    columns.push_back(numbers(one_line(machine) + ", GB/s", rate, significant));
  }
}

bool says_nothing(const column& c) {
  return std::all_of(c.cells.begin(), c.cells.end(),
                     [](const cell& shown) { return shown.text.empty() || shown.text == "–"; });
}

}  // namespace

backend_kind main_backend(rows_view rows) {
  for (const auto backend : {backend_kind::cuda, backend_kind::simt}) {
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const auto& row) { return row.backend == backend; }))
      return backend;
  }
  return backend_kind::host;
}

std::string short_limit(const prediction& predicted) {
  return predicted.limiter.substr(0, predicted.limiter.find(" wavefronts"));
}

std::vector<column> columns_of(rows_view rows, view where) {
  std::vector<column> columns;
  if (main_backend(rows) == backend_kind::simt) {
    add_predicted_columns(columns, rows);
    add_machine_columns(columns, rows);
  } else {
    if (where == view::document) columns.push_back(idea_column(rows));
    add_time_columns(columns, rows);
    add_columns(columns, rows, {figure::operator_uses, figure::depth});
    if (where == view::terminal) {
      add_columns(columns, rows, {figure::sectors_per_request, figure::bank_conflicts});
    } else {
      add_published_columns(columns, rows);
    }
  }
  if (where == view::document) columns.push_back(remark_column(rows));
  columns.erase(std::remove_if(columns.begin(), columns.end(), says_nothing), columns.end());
  columns.insert(columns.begin(), rung_column(rows));
  if (where == view::terminal) columns.push_back(result_column(rows));
  return columns;
}

std::string text_of(const measurement& row, figure f) {
  return counted_column({&row, 1}, f).cells.front().text;
}

std::vector<column> further_columns(rows_view rows) {
  using enum figure;
  const std::vector<column> shown = columns_of(rows, view::terminal);
  std::vector<column> columns{rung_column(rows)};
  for (const figure f : {launches, operator_uses, depth, load_requests, sectors_per_request,
                         load_efficiency, store_requests, shared_requests, bank_conflicts,
                         branch_uniformity, active_lanes, steps_per_warp, barriers, atomics,
                         atomic_sectors, atomic_conflicts, bulk_bytes, occupancy, bytes_moved}) {
    const bool is_shown = std::any_of(shown.begin(), shown.end(),
                                      [&](const column& c) { return c.header == header_of(f); });
    column c = counted_column(rows, f);
    if (!is_shown && !says_nothing(c)) columns.push_back(std::move(c));
  }
  return columns;
}

}  // namespace warpfold::measure
