#include "bench/harness/benchmark.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "warpfold/error.hpp"

namespace warpfold::bench {

measure::measurement bench_case::record(std::string_view who) const {
  measure::measurement row;
  row.ladder = algorithm_names[static_cast<std::size_t>(what)];
  row.name = who;
  row.reference = !who.starts_with("warpfold");
  row.type = name_of(type);
  row.n = n;
  row.useful_bytes = useful_bytes();
  if (what == algorithm::sort) {
    row.op = pairs ? "pairs" : "keys";
    row.form = stable ? "stable" : order_names[static_cast<std::size_t>(order)];
  } else {
    row.op = operation_names[static_cast<std::size_t>(op)];
    if (what == algorithm::scan) row.form = exclusive ? "exclusive" : "inclusive";
  }
  return row;
}

bool is_asked(std::span<const std::string> against, std::string_view peer) {
  return std::find(against.begin(), against.end(), peer) != against.end();
}

namespace {

void check_memory(const backend& where, const bench_case& c) {
  const std::size_t needed = where.memory_for(c), there = where.free_memory();
  if (needed <= there) return;
  throw device_error(fmt::format(
      "--n {} of {} needs about {} MiB of memory with its copies, and {} MiB are free; take a "
      "smaller --n",
      c.n, name_of(c.type), needed >> 20, there >> 20));
}

}  // namespace

measurements run(backend& where, const benchmark& wanted, const report_progress& report) {
  std::vector<bench_case> cases;
  for (const value_type type : wanted.types) {
    for (const std::size_t n : wanted.sizes) {
      bench_case c = wanted.common;
      c.type = type;
      c.n = n;
      check_memory(where, c);
      cases.push_back(c);
    }
  }
  const std::size_t steps = cases.size() + 1;
  report("the memory's speed", 1, steps);
  const bool reads = wanted.common.what == algorithm::reduce;
  const double ceiling = reads ? where.read_rate() : where.copy_rate();
  const std::string device = where.about().device;
  measurements rows;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bench_case& c = cases[i];
    report(fmt::format("{} {}", c.n, name_of(c.type)), i + 2, steps);
    for (auto& row : where.run(c, wanted.against)) {
      row.device = device;
      (reads ? row.read_ceiling_gbs : row.copy_ceiling_gbs) = ceiling;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace warpfold::bench
