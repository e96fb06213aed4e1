#include "bench/contest/contest.hpp"

#include <fmt/format.h>

#include "warpfold/error.hpp"

namespace warpfold::bench {

measure::measurement problem::record(std::string_view who) const {
  measure::measurement row;
  row.ladder = algorithm_names[static_cast<std::size_t>(what)];
  row.name = who;
  row.reference = who != "warpfold";
  row.type = name_of(type);
  row.n = n;
  row.useful_bytes = useful_bytes();
  if (what == algorithm::sort) {
    row.op = pairs ? "pairs" : "keys";
    row.form = order_names[static_cast<std::size_t>(order)];
  } else {
    row.op = operation_names[static_cast<std::size_t>(op)];
    if (what == algorithm::scan) row.form = exclusive ? "exclusive" : "inclusive";
  }
  return row;
}

namespace {

void check_memory(const backend& where, const problem& p) {
  const std::size_t needed = where.memory_for(p), there = where.free_memory();
  if (needed <= there) return;
  throw device_error(fmt::format(
      "--n {} of {} needs about {} MiB of memory with its copies, and {} MiB are free; take a "
      "smaller --n",
      p.n, name_of(p.type), needed >> 20, there >> 20));
}

}  // namespace

std::vector<measure::measurement> run(backend& where, const contest& wanted,
                                      const report_progress& report) {
  std::vector<problem> problems;
  for (const value_type type : wanted.types) {
    for (const std::size_t n : wanted.sizes) {
      problem p = wanted.common;
      p.type = type;
      p.n = n;
      check_memory(where, p);
      problems.push_back(p);
    }
  }
  const std::size_t steps = problems.size() + 1;
  report("the memory's speed", 1, steps);
  const bool reads = wanted.common.what == algorithm::reduce;
  const double ceiling = reads ? where.read_rate() : where.copy_rate();
  const std::string device = where.about().device;
  std::vector<measure::measurement> rows;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const problem& p = problems[i];
    report(fmt::format("{} {}", p.n, name_of(p.type)), i + 2, steps);
    for (auto& row : where.run(p, wanted.against)) {
      row.backend = where.name();
      row.device = device;
      (reads ? row.read_ceiling_gbs : row.copy_ceiling_gbs) = ceiling;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace warpfold::bench
