// usage: warpfold_bench_host [--bytes=N] [--keys=N] [--repetitions=N] [--json=FILE]
//                            [Google benchmark's own]
// Runs are taken in random order, so that a busy spell of the machine hits all alike; of reductions
// and scans, which are short, five times as many.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include <benchmark/benchmark.h>

#include "bench/host/job.hpp"
#include "bench/host/processor.hpp"
#include "commit.hpp"  // generated at each build
#include "measure/json.hpp"
#include "warpfold/error.hpp"

namespace warpfold::bench {
namespace {

std::string label(const measure::measurement& row) {
  return row.ladder + "/" + row.type + "/" + row.op + (row.form.empty() ? "" : "/" + row.form) +
         "/" + row.name;
}

void run(benchmark::State& state, const job& j) {
  for (auto _ : state) {
    if (j.prepare) j.prepare();
    const auto start = std::chrono::steady_clock::now();
    j.run();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(time.count());
    if (!j.is_right()) {
      state.SkipWithError("wrong result");
      break;
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(j.record.useful_bytes));
}

/// Keeps every sample, and shows what Google benchmark makes of them all.
class recorder : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> shown;
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) {
        shown.push_back(run);
        continue;
      }
      samples_[run.run_name.function_name].push_back(
          run.error_occurred
              ? -1
              : run.real_accumulated_time / static_cast<double>(run.iterations) * 1e6);
    }
    if (!shown.empty()) ConsoleReporter::ReportRuns(shown);
  }
  [[nodiscard]] const std::vector<double>& samples_of(const std::string& name) const {
    static const std::vector<double> none;
    const auto found = samples_.find(name);
    return found == samples_.end() ? none : found->second;
  }

 private:
  std::map<std::string, std::vector<double>> samples_;
};

struct options {
  sizes size;
  int repetitions = 15;
  std::string json, command = "warpfold_bench_host";
  std::vector<char*> others;  // for Google benchmark
};

options parse(int argc, char** argv) {
  options o;
  o.others.push_back(argv[0]);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&](std::string_view name) {
      return word.starts_with(name) ? argv[i] + name.size() : nullptr;
    };
    if (const char* bytes = value("--bytes=")) {
      o.size.bytes = std::strtoull(bytes, nullptr, 0);
    } else if (const char* keys = value("--keys=")) {
      o.size.keys = std::strtoull(keys, nullptr, 0);
    } else if (const char* repetitions = value("--repetitions=")) {
      o.repetitions = std::atoi(repetitions);
    } else if (const char* json = value("--json=")) {
      o.json = json;
      continue;  // where the results went is not how they were made
    } else {
      o.others.push_back(argv[i]);
    }
    o.command += " " + std::string(word);
  }
  if (o.size.bytes < 64 || o.size.keys < 1 || o.repetitions < 1) {
    throw usage_error(
        "warpfold_bench_host: --bytes must be 64 at least, --keys and --repetitions "
        "1 at least");
  }
  return o;
}

int bench(int argc, char** argv) {
  options o = parse(argc, argv);
  std::vector<job> jobs;
  add_reductions(jobs, o.size);
  add_scans(jobs, o.size);
  add_sorts(jobs, o.size);
#if defined(WARPFOLD_BENCH_HIGHWAY)
  add_highway_sorts(jobs, o.size);
#endif
  char interleaved[] = "--benchmark_enable_random_interleaving=true";
  o.others.insert(o.others.begin() + 1, interleaved);
  int count = static_cast<int>(o.others.size());
  benchmark::Initialize(&count, o.others.data());
  if (benchmark::ReportUnrecognizedArguments(count, o.others.data())) return 2;
  for (const job& j : jobs) {
    benchmark::RegisterBenchmark(label(j.record).c_str(),
                                 [&j](benchmark::State& state) { run(state, j); })
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(j.record.ladder == "sort" ? o.repetitions : 5 * o.repetitions)
        ->Unit(benchmark::kMillisecond)
        ->ReportAggregatesOnly(false);
  }
  recorder seen;
  benchmark::RunSpecifiedBenchmarks(&seen);

  std::vector<measure::measurement> rows;
  bool all_right = true;
  for (const job& j : jobs) {
    const auto& samples = seen.samples_of(label(j.record));
    if (samples.empty()) continue;  // filtered out
    auto row = j.record;
    row.backend = "host";
    row.timing = measure::timing{samples};
    row.verdict.right = std::find(samples.begin(), samples.end(), -1) == samples.end();
    row.verdict.result = row.verdict.right ? "as expected in every run" : "wrong";
    row.verdict.expected = "as expected in every run";
    all_right = all_right && row.verdict.right;
    rows.push_back(std::move(row));
  }
  // The fastest that the same memory was read, or where that was not read, other memory.
  std::map<std::string, double> ceilings;
  double any = 0;
  for (const auto& row : rows) {
    if (row.op != "read") continue;
    double& best = ceilings[row.type];
    best = std::max(best, row.gigabytes_per_second());
    any = std::max(any, best);
  }
  for (auto& row : rows) {
    const auto same = ceilings.find(row.type);
    row.read_ceiling_gbs = same != ceilings.end() ? same->second : any;
  }
  const std::string device =
      processor() + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads";
  for (auto& row : rows) row.device = device;
  if (!o.json.empty()) {
    std::ofstream file(o.json, std::ios::binary);
    file << measure::json_document(rows, {.device = device,
                                          .driver = "",
                                          .toolkit = WARPFOLD_BENCH_COMPILER,
                                          .commit = commit,
                                          .command = o.command});
    if (!file) throw data_error(o.json + ": can't be written");
  }
  return all_right ? 0 : 1;
}

}  // namespace
}  // namespace warpfold::bench

int main(int argc, char** argv) {
  try {
    return warpfold::bench::bench(argc, argv);
  } catch (const warpfold::usage_error& e) {
    std::cerr << e.what() << '\n';
    return 2;
  } catch (const std::exception& e) {
    std::cerr << "warpfold_bench_host: " << e.what() << '\n';
    return 4;
  }
}
