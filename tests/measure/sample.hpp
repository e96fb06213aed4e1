// Measurements made up for tests.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "measure/measurement.hpp"

namespace warpfold::measure::tests {

inline measurement row(std::string_view backend, int number, std::string name) {
  measurement m;
  m.ladder = "reduce";
  m.number = number;
  m.name = std::move(name);
  m.idea = "one line on it";
  m.source = "document 002";
  m.backend = backend_named(backend).value();
  m.device = m.backend == backend_kind::cuda   ? "NVIDIA H100 80GB HBM3"
             : m.backend == backend_kind::simt ? "CPU machine, 2 threads"
                                               : "2 CPU threads";
  m.n = 1 << 22;
  m.type = "i32";
  m.op = "sum";
  m.block = m.backend == backend_kind::host ? 0 : 256;
  m.verdict = {true, "8386560", "8386560", 0, 0};
  m.useful_bytes = std::uint64_t{4} << 22;
  return m;
}

inline measurement timed(int number, std::string name, double us) {
  measurement m = row("cuda", number, std::move(name));
  m.timing = timing{{us * 0.9, us, us * 1.2}};
  m.read_ceiling_gbs = 3011.7;
  m.published = {{"G80, 2^22 int32", 2.083 * number}};
  return m;
}

inline measurement counted(int number, std::string name, double conflicts) {
  measurement m = row("simt", number, std::move(name));
  m.counters = {{std::string(counters::load_requests), 131072},
                {std::string(counters::load_sectors), 524288},
                {std::string(counters::store_sectors), 16384},
                {std::string(counters::load_efficiency), 100},
                {std::string(counters::shared_load_conflicts), conflicts},
                {std::string(counters::shared_store_conflicts), conflicts / 2},
                {std::string(counters::branch_uniformity), 99.97},
                {std::string(counters::active_lanes), 31.94},
                {std::string(counters::barriers), 147456}};
  return m;
}

inline std::vector<measurement> cuda_rows() {
  std::vector<measurement> rows{row("host", 0, "serial"),        row("host", 0, "recursive"),
                                timed(10, "interleaved", 58.92), timed(11, "strided", 32.8),
                                timed(12, "sequential", 25.92),  timed(13, "first_add", 13.74),
                                timed(14, "bulk_copy", 12),      timed(18, "library", 8.4)};
  rows[0].timing = timing{{2210}};
  rows[5].verdict = {true, "nan", "8386560", std::numeric_limits<double>::quiet_NaN(), 0};
  rows[6].skipped = "needs 9.0";
  rows[6].timing.reset();
  return rows;
}

inline std::vector<measurement> simt_rows() {
  return {row("host", 0, "serial"), counted(10, "interleaved", 0), counted(11, "strided", 1228800),
          counted(12, "sequential", 0)};
}

}  // namespace warpfold::measure::tests
