// How fast the CPU machine runs rung 12, a tree of 256 values in shared memory: bare, with every
// counter on, and with all checks too. Each thread reads 4 bytes.
#include "bench/cases/rung_12.hpp"
#include "bench/harness/host_timer.hpp"
#include "bench/harness/program.hpp"

namespace warpfold::bench {
namespace {

void run_all(session& s) {
  rung_12 many(std::size_t{1} << 24, 256), few(std::size_t{1} << 20, 256);
  const std::vector<candidate> bare{many.observed("bare", {})};
  const std::vector<candidate> watched{
      few.observed("counters", {.count = true}),
      few.observed("counters and checks", {.count = true, .check = true})};
  s.add(time_on_host(s.samples(3), {}, bare));
  s.add(time_on_host(s.samples(5), {}, watched));
}

}  // namespace

const bench_program program{"simt", "", "", run_all, nullptr, host_run_info};

}  // namespace warpfold::bench
