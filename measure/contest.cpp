#include "measure/contest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/facts.hpp"
#include "measure/text.hpp"

namespace warpfold::measure {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// The rows of one line of the table.
struct job {
  const measurement* ours = nullptr;
  std::vector<const measurement*> all;

  [[nodiscard]] const measurement* of(const std::string& name) const {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto* row) { return row->name == name; });
    return found == all.end() ? nullptr : *found;
  }
};

auto key_of(const measurement& row) {
  return std::tie(row.ladder, row.op, row.form, row.type, row.n, row.call);
}

std::vector<job> jobs_of(std::span<const measurement> rows) {
  std::vector<job> jobs;
  for (const measurement& row : rows) {
    auto found = std::find_if(jobs.begin(), jobs.end(),
                              [&](const job& j) { return key_of(*j.all.front()) == key_of(row); });
    if (found == jobs.end()) found = jobs.insert(jobs.end(), job{});
    found->all.push_back(&row);
    if (!row.reference) found->ours = &row;
  }
  return jobs;
}

std::vector<std::string> names_of(std::span<const measurement> rows, std::string measurement::*of,
                                  bool references_only = false) {
  std::vector<std::string> names;
  for (const measurement& row : rows) {
    if (references_only && !row.reference) continue;
    if (std::find(names.begin(), names.end(), row.*of) == names.end()) names.push_back(row.*of);
  }
  return names;
}

double median_us(const measurement* row) {
  const double us = row != nullptr && is_right(*row) && row->timing ? row->timing->median() : none;
  return us > 0 ? us : none;
}

std::string significant(double value) { return with_separators(value, decimals_for(value)); }

cell number(double value, int decimals) {
  if (!std::isfinite(value)) return {"–", tone::dim};
  return {with_separators(value, decimals < 0 ? decimals_for(value) : decimals)};
}

double ceiling_of(const measurement& row) {
  return row.copy_ceiling_gbs > 0 ? row.copy_ceiling_gbs : row.read_ceiling_gbs;
}

cell quartiles_cell(const job& j) {
  if (std::isnan(median_us(j.ours))) return {"–", tone::dim};
  const timing& t = *j.ours->timing;
  return {significant(t.quantile(0.25)) + "–" + significant(t.quantile(0.75))};
}

cell rate_cell(const job& j) {
  return number(std::isnan(median_us(j.ours)) ? none : j.ours->gigabytes_per_second(), -1);
}

cell share_cell(const job& j) {
  const bool known = !std::isnan(median_us(j.ours)) && ceiling_of(*j.ours) > 0;
  return number(known ? j.ours->gigabytes_per_second() / ceiling_of(*j.ours) * 100 : none, 1);
}

cell result_cell(const job& j) {
  for (const measurement* row : j.all) {
    if (is_right(*row)) continue;
    return {one_line(fmt::format("WRONG {}: {}", row->name, row->verdict.result)), tone::bad};
  }
  return {"✓", tone::good};
}

template <class Cell>
column column_of(std::string header, bool is_number, const std::vector<job>& jobs, Cell cell_of) {
  column result{std::move(header), is_number, {}};
  for (const job& j : jobs) result.cells.push_back(cell_of(j));
  return result;
}

}  // namespace

std::vector<column> contest_columns(std::span<const measurement> rows) {
  const std::vector<job> jobs = jobs_of(rows);
  std::vector<column> columns;
  const auto add = [&](std::string header, bool is_number, auto cell_of) {
    columns.push_back(column_of(std::move(header), is_number, jobs, cell_of));
  };
  if (names_of(rows, &measurement::type).size() > 1) {
    add("type", false, [](const job& j) { return cell{j.all.front()->type}; });
  }
  add("n", true, [](const job& j) { return number(static_cast<double>(j.all.front()->n), 0); });
  if (names_of(rows, &measurement::call).size() > 1) {
    add("call", false, [](const job& j) { return cell{j.all.front()->call}; });
  }
  add("time, µs", true, [](const job& j) { return number(median_us(j.ours), -1); });
  add("quartiles", true, quartiles_cell);
  add("GB/s", true, rate_cell);
  const bool copies = std::any_of(rows.begin(), rows.end(),
                                  [](const auto& row) { return row.copy_ceiling_gbs > 0; });
  add(copies ? "% of\ncopy" : "% of\nread", true, share_cell);
  for (const std::string& peer : names_of(rows, &measurement::name, true)) {
    add(one_line(peer) + ",\nµs", true,
        [&](const job& j) { return number(median_us(j.of(peer)), -1); });
    add("×", true,
        [&](const job& j) { return number(median_us(j.of(peer)) / median_us(j.ours), 2); });
  }
  add("result", false, result_cell);
  return columns;
}

std::string contest_table(std::span<const measurement> rows, table_style style) {
  if (rows.empty()) return "";
  const measurement& first = rows.front();
  const std::string title =
      fmt::format("{} · {}{}{} of {} · {}", first.ladder, first.form, first.form.empty() ? "" : " ",
                  first.op, fmt::join(names_of(rows, &measurement::type), ", "), first.device);
  std::string out = table(one_line(title), contest_columns(rows), style);
  std::size_t samples = 0;
  for (const measurement& row : rows) {
    if (row.timing) samples = std::max(samples, row.timing->samples_us.size());
  }
  out += fmt::format("Medians and quartiles of {} samples; inputs in no cache.", samples);
  if (ceiling_of(first) > 0) {
    out += fmt::format(" A {} reaches {} GB/s here.",
                       first.copy_ceiling_gbs > 0 ? "copy" : "plain read",
                       significant(ceiling_of(first)));
  }
  return out + "\n";
}

}  // namespace warpfold::measure
