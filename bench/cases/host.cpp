// The host's algorithms on more bytes than any cache holds, beside std's, beside Highway's where it
// is here, and beside loops that only read or copy.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "bench/cases/host_cases.hpp"
#include "bench/harness/program.hpp"
#if WARPFOLD_BENCH_HIGHWAY
#include "bench/peers/highway.hpp"
#endif

namespace warpfold::bench {
namespace {

std::span<const key_sorter> other_sorters() {
#if WARPFOLD_BENCH_HIGHWAY
  return highway_sorters();
#else
  return {};
#endif
}

void reductions_and_scans(session& s, value_type type) {
  bench_case c{.what = algorithm::reduce, .type = type, .samples = s.samples(75)};
  c.n = s.args.number("bytes", std::size_t{1} << 28, 64) / size_of(type);
  const std::vector<std::string> tbb{"tbb"}, reads{"read", "tbb"}, copies{"tbb", "copy"};
  s.add(run_host_reduce(c, reads));
  s.add(run_host_argmin(c, tbb));
  s.add(run_host_statistics(c));
  c.what = algorithm::scan;
  s.add(run_host_scan(c, copies));
}

void sorts(session& s, value_type type) {
  bench_case c{.what = algorithm::sort, .type = type, .samples = s.samples(15)};
  c.n = s.args.number("keys", std::size_t{1} << 24);
  const std::vector<std::string> tbb{"tbb"};
  s.add(run_host_sort(c, tbb, other_sorters()));
  c.order = key_order::own;
  s.add(run_host_sort(c, tbb));
  if (type != value_type::u32) return;
  c.order = key_order::ascending, c.pairs = c.stable = true;
  s.add(run_host_sort(c, tbb));
}

/// The fastest that the values of the same type were read.
void add_ceilings(measurements& rows) {
  std::map<std::string, double> best;
  for (const auto& row : rows) {
    if (row.op == "read") best[row.type] = std::max(best[row.type], row.gigabytes_per_second());
  }
  double any = 0;
  for (const auto& [type, rate] : best) any = std::max(any, rate);
  for (auto& row : rows) {
    row.read_ceiling_gbs = best.contains(row.type) ? best[row.type] : any;
  }
}

void run_all(session& s) {
  for (const value_type t : {value_type::f32, value_type::f64, value_type::i32}) {
    reductions_and_scans(s, t);
  }
  for (const value_type t : key_types) sorts(s, t);
  add_ceilings(s.rows());
}

}  // namespace

const bench_program program{"host",  " bytes= keys=", "[--bytes=N] [--keys=N]",
                            run_all, nullptr,         host_run_info};

}  // namespace warpfold::bench
