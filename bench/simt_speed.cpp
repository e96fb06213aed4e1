// How fast the CPU machine runs rung 12, a tree of 256 values in shared memory: threads a second,
// bare, with every counter on, and with all checks too.
#include <cstdlib>

#include <benchmark/benchmark.h>

#include "bench/rung_12.hpp"
#include "simt/launch.hpp"

namespace {

void rung_12(benchmark::State& state, bool count, bool check) {
  warpfold::bench::rung_12 rung(static_cast<std::size_t>(state.range(0)), 256);
  const simt::observe scope({.count = count, .check = check});
  for (auto _ : state) {
    rung.launch();
    if (!scope.findings.empty()) std::abort();
  }
  state.counters["threads/s"] = benchmark::Counter(static_cast<double>(state.range(0)),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(rung_12, bare, false, false)
    ->Arg(1 << 24)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(1)
    ->Repetitions(3)
    ->ReportAggregatesOnly();
BENCHMARK_CAPTURE(rung_12, counters, true, false)
    ->Arg(1 << 20)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(1)
    ->Repetitions(5)
    ->ReportAggregatesOnly();
BENCHMARK_CAPTURE(rung_12, counters_and_checks, true, true)
    ->Arg(1 << 20)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(1)
    ->Repetitions(5)
    ->ReportAggregatesOnly();

}  // namespace

BENCHMARK_MAIN();
