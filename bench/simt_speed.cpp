// How fast the CPU machine runs rung 12, a tree of 256 values in shared memory: threads a second,
// bare, with every counter on, and with all checks too.
#include <cstdint>
#include <cstdlib>

#include <benchmark/benchmark.h>

#include "ladder/machine.hpp"
#include "simt/launch.hpp"

namespace {

using namespace warpfold::ladder;

void rung_12(benchmark::State& state, bool count, bool check) {
  const auto machine = make_simt_machine();
  const rung& sequential = *machine->reduce_rungs()[11];
  const shape s{.n = static_cast<std::size_t>(state.range(0)),
                .block = 256,
                .processors = machine->processors(),
                .value_bytes = 4};
  const device_memory in(*machine, s.n * 4);
  const device_memory out(*machine, sequential.partials(s) * 4);
  machine->fill(in.get(), 1, in.bytes());
  const simt::observe scope({.count = count, .check = check});
  for (auto _ : state) {
    sequential.launch({.type = warpfold::value_type::i32,
                       .op = operation::sum,
                       .shape = s,
                       .in = in.get(),
                       .out = out.get(),
                       .scratch = nullptr,
                       .stream = nullptr});
    if (!scope.findings.empty()) std::abort();
    if (*static_cast<const std::uint32_t*>(out.get()) != 256 * 0x01010101U) std::abort();
  }
  state.counters["threads/s"] =
      benchmark::Counter(static_cast<double>(s.n), benchmark::Counter::kIsIterationInvariantRate);
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
