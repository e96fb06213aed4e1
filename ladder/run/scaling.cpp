#include "ladder/run/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "measure/facts.hpp"
#include "measure/text.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

constexpr std::size_t fewest = std::size_t{1} << 10;
constexpr unsigned in_one_block[] = {64, 128, 256, 512, 1024};

/// Values in no order, of which sums do not overflow.
std::vector<std::uint32_t> values_for(std::size_t n) {
  std::vector<std::uint32_t> values(n);
  std::uint32_t state = 1;
  for (auto& v : values) v = (state = state * 1664525U + 1013904223U) >> 22;
  return values;
}

/// The rung's own formula, over all launches until one value is left.
double own_work(const ladder_entry& ladder, const rung& r, shape s) {
  if (r.work == nullptr) return 0;
  double work = r.work(s);
  while (ladder.to_one_value && r.partials(s) > 1) {
    s.n = r.partials(s);
    work += r.work(s);
  }
  return work;
}

/// Adds a point to each row whose rung ran.
void add_points(const ladder_entry& ladder, machine& where, std::span<scaling_row> rows,
                std::size_t n, unsigned block) {
  std::vector<const rung*> rungs;
  for (const auto& row : rows) rungs.push_back(row.which);
  const auto measured = ladder.run_once(values_for(n), block, where, rungs);
  for (auto& row : rows) {
    const auto m = std::find_if(measured.begin(), measured.end(), [&](const auto& candidate) {
      return candidate.backend == backend_kind::simt && candidate.name == row.which->about.name;
    });
    if (m == measured.end() || !m->skipped.empty()) continue;
    const auto counted = [&](std::string_view name) {
      const double* const value = m->find(name);
      return value != nullptr ? *value : 0;
    };
    const shape s{.n = n, .block = block, .processors = where.processors(), .value_bytes = 4};
    row.points.push_back({.n = n,
                          .block = block,
                          .uses = counted(measure::counters::applications),
                          .own = own_work(ladder, *row.which, s),
                          .depth = counted(measure::counters::depth),
                          .barriers = counted(measure::counters::barriers),
                          .launches = m->launches,
                          .right = measure::is_right(*m)});
  }
}

std::vector<scaling_row> rows_for(std::span<const rung* const> rungs) {
  std::vector<scaling_row> rows;
  for (const rung* r : rungs) rows.push_back({.which = r, .points = {}});
  return rows;
}

struct candidate {
  const char* of;
  double (*at)(double n);
};

/// Least squares of the relative errors, so that small n count as
/// much as great ones.
std::optional<growth> fit(std::span<const scaling_point> points,
                          std::span<const candidate> candidates, double scaling_point::*y,
                          bool with_constant) {
  std::optional<growth> best;
  if (points.size() < 3) return best;
  for (const candidate& c : candidates) {
    double ff = 0, f1 = 0, one = 0, fy = 0, y1 = 0;  // sums of products, each over y squared
    for (const scaling_point& p : points) {
      const double f = c.at(static_cast<double>(p.n)) / (p.*y), unit = 1 / (p.*y);
      ff += f * f;
      f1 += f * unit;
      one += unit * unit;
      fy += f;
      y1 += unit;
    }
    growth g{.of = c.of};
    const double determinant = ff * one - f1 * f1;
    if (with_constant && determinant > 1e-12 * ff * one) {
      g.coefficient = (fy * one - y1 * f1) / determinant;
      g.constant = (ff * y1 - f1 * fy) / determinant;
    } else {
      g.coefficient = fy / ff;
    }
    for (const scaling_point& p : points) {
      const double fitted = g.coefficient * c.at(static_cast<double>(p.n)) + g.constant;
      g.miss = std::max(g.miss, std::abs(fitted - p.*y) / (p.*y));
    }
    // The slower growth, unless it is clearly off.
    if (!best || (best->miss > 0.02 && g.miss < best->miss / 2)) best = g;
  }
  return best;
}

constexpr candidate work_candidates[] = {
    {"n", [](double n) { return n; }},
    {"n log2 n", [](double n) { return n * std::log2(n); }},
    {"n log2² n", [](double n) { return n * std::log2(n) * std::log2(n); }},
    {"n²", [](double n) { return n * n; }}};
constexpr candidate depth_candidates[] = {
    {"log2 n", [](double n) { return std::log2(n); }},
    {"log2² n", [](double n) { return std::log2(n) * std::log2(n); }},
    {"n", [](double n) { return n; }}};

}  // namespace

std::vector<scaling_row> scale(const ladder_entry& ladder, std::span<const rung* const> rungs,
                               std::size_t most, unsigned block, const report_progress& report) {
  const auto machine = make_simt_machine({.work_only = true});
  auto rows = rows_for(rungs);
  const auto sizes = static_cast<std::size_t>(std::log2(most / fewest)) + 1;
  for (std::size_t i = 0; i < sizes; ++i) {
    const std::size_t n = fewest << i;
    if (report) report(fmt::format("{} values", n), i + 1, sizes);
    add_points(ladder, *machine, rows, n, block);
  }
  return rows;
}

std::vector<scaling_row> scale_in_one_block(const ladder_entry& ladder,
                                            std::span<const rung* const> rungs,
                                            const report_progress& report) {
  const auto machine = make_simt_machine({.work_only = true});
  auto rows = rows_for(rungs);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (report) report(rows[i].which->about.name, i + 1, rows.size());
    for (const unsigned n : in_one_block) {
      shape s{.n = n, .block = 32, .processors = machine->processors(), .value_bytes = 4};
      while (s.block < 1024 && !one_block_takes(*rows[i].which, s)) s.block *= 2;
      add_points(ladder, *machine, {&rows[i], 1}, n, s.block);
    }
  }
  return rows;
}

std::string growth::text() const {
  const auto number = [](double value) {
    return measure::with_separators(value, measure::decimals_for(value));
  };
  std::string all;
  if (coefficient > 0.001) all = number(coefficient) + " " + of;
  if (all.empty() || std::abs(constant) >= 0.05) {
    const char* const sign = constant < 0 ? "- " : all.empty() ? "" : "+ ";
    all += (all.empty() ? "" : " ") + (sign + number(std::abs(constant)));
  }
  if (miss >= 0.005) all += fmt::format(" ±{:.0f} %", 100 * miss);
  return all;
}

std::optional<growth> growth_of_work(std::span<const scaling_point> points) {
  return fit(points, work_candidates, &scaling_point::uses, false);
}

std::optional<growth> growth_of_depth(std::span<const scaling_point> points) {
  return fit(points, depth_candidates, &scaling_point::depth, true);
}

}  // namespace warpfold::ladder
