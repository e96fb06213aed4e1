#include "cli/ladder/scaling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "cli/ladder/scaling_json.hpp"
#include "cli/output.hpp"
#include "ladder/run/scaling.hpp"
#include "measure/progress.hpp"
#include "measure/table.hpp"
#include "measure/text.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

using ladder::scaling_point;
using ladder::scaling_row;
using measure::cell;
using measure::column;
using rows_view = std::span<const scaling_row>;

const cell nothing{"–", measure::tone::dim};

template <class F>
column each(std::string header, bool number, rows_view rows, F&& cell_of) {
  column c{std::move(header), number, {}};
  for (const auto& row : rows) c.cells.push_back(row.points.empty() ? nothing : cell_of(row));
  return c;
}

const scaling_point* point_at(const scaling_row& row, std::size_t n) {
  for (const auto& p : row.points) {
    if (p.n == n) return &p;
  }
  return nullptr;
}

/// Up to five sizes, the least and the greatest among them.
std::vector<std::size_t> sizes_of(rows_view rows) {
  std::size_t least = 0, most = 0;
  for (const auto& row : rows) {
    if (row.points.empty()) continue;
    least = row.points.front().n;
    most = std::max(most, row.points.back().n);
  }
  std::vector<std::size_t> sizes;
  const auto first = static_cast<unsigned>(std::countr_zero(least));
  const auto last = static_cast<unsigned>(std::countr_zero(most));
  for (unsigned i = 0; i < 5; ++i) {
    const std::size_t n = std::size_t{1} << (first + (last - first) * i / 4);
    if (sizes.empty() || sizes.back() != n) sizes.push_back(n);
  }
  return sizes;
}

/// Counted over the rung's own formula, where it is farthest from 1.
double own_ratio(const scaling_row& row) {
  double worst = 1;
  for (const auto& p : row.points) {
    if (std::abs(p.uses / p.own - 1) > std::abs(worst - 1)) worst = p.uses / p.own;
  }
  return worst;
}

bool is_as_its_formula_says(const scaling_row& row) {
  return row.which->work == nullptr || own_ratio(row) == 1;
}

std::string size_text(std::size_t n) { return fmt::format("2^{}", std::countr_zero(n)); }

std::string table_of(std::string_view title, rows_view rows) {
  const auto sizes = sizes_of(rows);
  std::vector<column> columns{each("rung", false, rows, [](const scaling_row& row) {
    return cell{fmt::format("{:02} {}", row.which->about.number, row.which->about.name)};
  })};
  columns.push_back(each("textbook", false, rows, [](const scaling_row& row) {
    return row.which->textbook.of == nullptr ? nothing
                                             : cell{std::string(row.which->textbook.text)};
  }));
  for (const std::size_t n : sizes) {
    columns.push_back(each("ratio at\n" + size_text(n), true, rows, [n](const scaling_row& row) {
      const auto* const p = point_at(row, n);
      if (p == nullptr || row.which->textbook.of == nullptr) return nothing;
      return cell{fmt::format("{:.3f}", p->uses / row.which->textbook.of(static_cast<double>(n)))};
    }));
  }
  columns.push_back(each("ratio to\nits own", true, rows, [](const scaling_row& row) {
    if (row.which->work == nullptr) return nothing;
    return cell{fmt::format("{:.3f}", own_ratio(row)),
                is_as_its_formula_says(row) ? measure::tone::plain : measure::tone::bad};
  }));
  columns.push_back(each("uses grow\nlike", false, rows, [](const scaling_row& row) {
    const auto g = growth_of_work(row.points);
    return g ? cell{g->text()} : nothing;
  }));
  columns.push_back(
      each("depth\n" + size_text(sizes.back()), true, rows, [&](const scaling_row& row) {
        const auto* const p = point_at(row, sizes.back());
        return p != nullptr ? cell{measure::with_separators(p->depth)} : nothing;
      }));
  columns.push_back(each("depth grows\nlike", false, rows, [](const scaling_row& row) {
    const auto g = growth_of_depth(row.points);
    return g ? cell{g->text()} : nothing;
  }));
  return measure::table(title, std::move(columns), measure::style_of_output());
}

std::string cost_table(std::span<const ladder::cost_row> rows, std::size_t n) {
  const auto values = static_cast<double>(n);
  std::vector<column> columns{{"sum by", false, {}}, {"threads", true, {}}, {"depth", true, {}},
                              {"formula", true, {}}, {"cost", true, {}},    {"cost / n", true, {}}};
  for (const auto& row : rows) {
    columns[0].cells.push_back({row.who});
    columns[1].cells.push_back({measure::with_separators(row.threads)});
    columns[2].cells.push_back({measure::with_separators(row.depth)});
    columns[3].cells.push_back({measure::with_separators(row.formula, row.formula < 1e5 ? 1 : 0)});
    columns[4].cells.push_back({measure::with_separators(row.cost())});
    columns[5].cells.push_back({fmt::format("{:.2f}", row.cost() / values)});
  }
  return measure::table(
      fmt::format(
          "cost of the sum of {} values: threads x depth (formula: n/threads + log2 threads)",
          size_text(n)),
      std::move(columns), measure::style_of_output());
}

}  // namespace

int run_scaling(const ladder::ladder_entry& here, std::span<const ladder::rung* const> rungs,
                std::size_t most, unsigned block, const std::string& json) {
  if (!std::has_single_bit(most) || most < (std::size_t{1} << 12)) {
    throw usage_error(
        fmt::format("--scaling --n {}: n grows from 2^10 to a power of two, 2^12 at least", most));
  }
  ladder::check_block(block);
  if (rungs.empty())
    throw usage_error("--scaling: rungs on the host launch no kernels; name others");
  measure::progress progress(true);
  const auto report = [&](std::string_view what, std::size_t index, std::size_t total) {
    progress.update(what, index, total);
  };
  const auto small = scale_in_one_block(here, rungs, report);
  const auto large = scale(here, rungs, most, block, report);
  std::string text = table_of(
      fmt::format("{} · one block takes all values · CPU machine", name_of(here.kind)), small);
  text +=
      "\n" + table_of(fmt::format("{} · block {} · CPU machine", name_of(here.kind), block), large);
  const auto cost = here.cost != nullptr ? here.cost(most, block) : std::vector<ladder::cost_row>();
  if (!cost.empty()) text += "\n" + cost_table(cost, most);
  progress.erase();
  if (!json.empty()) put(json, scaling_json(here, {block, small, large, cost}));
  if (json != "-") std::fwrite(text.data(), 1, text.size(), stdout);
  bool right = true;
  for (const auto* rows : {&small, &large}) {
    for (const auto& row : *rows) {
      right = right && is_as_its_formula_says(row) &&
              std::all_of(row.points.begin(), row.points.end(),
                          [](const scaling_point& p) { return p.right; });
    }
  }
  return right ? 0 : 1;
}

}  // namespace warpfold::cli
