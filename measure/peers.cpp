#include "measure/peers.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/facts.hpp"
#include "measure/figure.hpp"
#include "measure/text.hpp"

namespace warpfold::measure {
namespace {

/// The rows of one case.
struct bench_case {
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

std::vector<bench_case> cases_of(std::span<const measurement> rows) {
  std::vector<bench_case> cases;
  for (const measurement& row : rows) {
    auto found = std::find_if(cases.begin(), cases.end(), [&](const bench_case& c) {
      return key_of(*c.all.front()) == key_of(row);
    });
    if (found == cases.end()) found = cases.insert(cases.end(), bench_case{});
    found->all.push_back(&row);
    if (!row.reference) found->ours = &row;
  }
  return cases;
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

cell number(double value, int decimals) {
  if (!std::isfinite(value)) return {"–", tone::dim};
  return {with_separators(value, decimals < 0 ? decimals_for(value) : decimals)};
}

/// "scan sum inclusive 4,194,304 i32"
std::string case_text(const measurement& row) {
  const std::string form = row.form.empty() ? "" : " " + row.form;
  const std::string call = row.call.empty() || row.call == "single" ? "" : " " + row.call;
  return fmt::format("{}{} {} {}{}", row.ladder == "reduce" ? "" : row.ladder + " ", row.op + form,
                     with_separators(static_cast<double>(row.n)), row.type, call);
}

double ceiling_of(const measurement& row) {
  return row.copy_ceiling_gbs > 0 ? row.copy_ceiling_gbs : row.read_ceiling_gbs;
}

cell quartiles_cell(const bench_case& c) {
  if (std::isnan(median_us(c.ours))) return {"–", tone::dim};
  const timing& t = *c.ours->timing;
  return {significant(t.quantile(0.25)) + "–" + significant(t.quantile(0.75))};
}

cell rate_cell(const bench_case& c) {
  return number(std::isnan(median_us(c.ours)) ? none : c.ours->gigabytes_per_second(), -1);
}

cell share_cell(const bench_case& c) {
  const bool known = !std::isnan(median_us(c.ours)) && ceiling_of(*c.ours) > 0;
  return number(known ? c.ours->gigabytes_per_second() / ceiling_of(*c.ours) * 100 : none, 1);
}

cell verdict_cell(const bench_case& c) {
  for (const measurement* row : c.all) {
    if (is_right(*row)) continue;
    return {one_line(fmt::format("WRONG {}: {}", row->name, row->verdict.result)), tone::bad};
  }
  return {"✓", tone::good};
}

template <class Cell>
column column_of(std::string header, bool is_number, const std::vector<bench_case>& cases,
                 Cell cell_of) {
  column result{std::move(header), is_number, {}};
  for (const bench_case& c : cases) result.cells.push_back(cell_of(c));
  return result;
}

}  // namespace

std::vector<column> peer_columns(std::span<const measurement> rows) {
  const std::vector<bench_case> cases = cases_of(rows);
  std::vector<column> columns;
  const auto add = [&](std::string header, bool is_number, auto cell_of) {
    columns.push_back(column_of(std::move(header), is_number, cases, cell_of));
  };
  if (names_of(rows, &measurement::type).size() > 1) {
    add("type", false, [](const bench_case& c) { return cell{c.all.front()->type}; });
  }
  add("n", true,
      [](const bench_case& c) { return number(static_cast<double>(c.all.front()->n), 0); });
  if (names_of(rows, &measurement::call).size() > 1) {
    add("call", false, [](const bench_case& c) { return cell{c.all.front()->call}; });
  }
  add("time, µs", true, [](const bench_case& c) { return number(median_us(c.ours), -1); });
  add("quartiles", true, quartiles_cell);
  add("GB/s", true, rate_cell);
  const bool copies = std::any_of(rows.begin(), rows.end(),
                                  [](const auto& row) { return row.copy_ceiling_gbs > 0; });
  add(copies ? "% of\ncopy" : "% of\nread", true, share_cell);
  for (const std::string& peer : names_of(rows, &measurement::name, true)) {
    add(one_line(peer) + ",\nµs", true,
        [&](const bench_case& c) { return number(median_us(c.of(peer)), -1); });
    add("×", true,
        [&](const bench_case& c) { return number(median_us(c.of(peer)) / median_us(c.ours), 2); });
  }
  add("result", false, verdict_cell);
  return columns;
}

std::vector<column> case_columns(std::span<const measurement> rows, std::string_view ours) {
  std::vector<column> columns{{"job", false, {}},      {"who", false, {}}, {"time, ms", true, {}},
                              {"quartiles", true, {}}, {"GB/s", true, {}}, {"% of read", true, {}},
                              {"times ours", true, {}}};
  for (const measurement& row : rows) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const measurement& other) {
      return other.name == ours && key_of(other) == key_of(row);
    });
    const double us = median_us(&row), rate = row.gigabytes_per_second();
    const auto ms = [&](double q) { return significant(row.timing->quantile(q) / 1000); };
    const bool timed = !std::isnan(us), ceiling = timed && row.read_ceiling_gbs > 0;
    const cell none_here{"–", tone::dim};
    const cell cells[] = {{one_line(case_text(row))},
                          {one_line(row.name)},
                          timed ? cell{ms(0.5)} : cell{"WRONG", tone::bad},
                          timed ? cell{ms(0.25) + "–" + ms(0.75)} : none_here,
                          number(timed ? rate : none, -1),
                          number(ceiling ? rate / row.read_ceiling_gbs * 100 : none, 1),
                          number(same == rows.end() ? none : us / median_us(&*same), 2)};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return columns;
}

std::string peer_table(std::span<const measurement> rows, table_style style) {
  if (rows.empty()) return "";
  const measurement& first = rows.front();
  const std::string title =
      fmt::format("{} · {}{}{} of {} · {}", first.ladder, first.form, first.form.empty() ? "" : " ",
                  first.op, fmt::join(names_of(rows, &measurement::type), ", "), first.device);
  std::string out = table(one_line(title), peer_columns(rows), style);
  std::size_t samples = 0;
  for (const measurement& row : rows) {
    if (row.timing) samples = std::max(samples, row.timing->count());
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
