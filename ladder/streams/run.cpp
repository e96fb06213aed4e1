#include "ladder/streams/run.hpp"

#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "ladder/streams/cpu_values.hpp"
#include "ladder/streams/executor.hpp"
#include "ladder/streams/labels.hpp"
#include "ladder/streams/spans.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace streams_ladder {
namespace cpu_machine {
std::span<const rung* const> rungs();
std::unique_ptr<executor> make_executor(const executor_problem& p, const clock_function& now_us);
}  // namespace cpu_machine
namespace cuda_machine {
std::span<const rung* const> rungs();
std::unique_ptr<executor> make_executor(const executor_problem& p, const clock_function& now_us);
#ifndef WARPFOLD_WITH_CUDA
std::span<const rung* const> rungs() { return {}; }
std::unique_ptr<executor> make_executor(const executor_problem&, const clock_function&) {
  throw device_error(
      "--backend cuda: this warpfold was built without CUDA; use --backend simt, or build it with "
      "./dev run on a machine with a GPU and nvcc");
}
#endif
}  // namespace cuda_machine
}  // namespace streams_ladder

namespace {

using streams_ladder::executor;
using streams_ladder::observer;
using streams_ladder::outcome;

double steady_us() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Roundings between a value and the sum: of a thread's share, of those of a block, of the chunks.
double depth_of(const streams_problem& p) {
  constexpr double fewest_threads = 128;
  return static_cast<double>(p.values.n) / p.chunks / fewest_threads + 64 + p.chunks;
}

class streams_runner {
 public:
  explicit streams_runner(const streams_problem& p) : p_(p), truth_(p.values, operation::sum) {
    if (!p.on_gpu) line_.emplace(p.speeds);
    const streams_ladder::executor_problem problem{.type = p.values.type,
                                                   .values = p.values.data,
                                                   .n = p.values.n,
                                                   .chunks = p.chunks,
                                                   .passes = p.passes,
                                                   .add_on_host = streams_ladder::add_on_host};
    executor_ = p.on_gpu ? streams_ladder::cuda_machine::make_executor(problem, steady_us)
                         : streams_ladder::cpu_machine::make_executor(
                               problem, [this] { return line_->now_us(); });
    speeds_ = p.speeds;
    device_ = executor_->device();
  }

  /// On a GPU the samples go round all rungs, so that a slow spell of the link hits all alike.
  std::vector<streams_row> run(std::span<const streams_rung* const> rungs) {
    std::vector<streams_row> rows;
    for (const streams_rung* r : rungs) rows.push_back(start(*r));
    if (p_.on_gpu) speeds_ = executor_->measure_speeds();  // by now the link is awake
    for (unsigned i = 0; p_.on_gpu && i < std::max(1U, p_.samples); ++i) {
      for (std::size_t k = 0; k < rungs.size(); ++k) {
        observer nobody;
        judge(executor_->run(*rungs[k], nobody), rows[k].record, true);
      }
    }
    for (std::size_t k = 0; k < rungs.size(); ++k) finish(*rungs[k], rows[k]);
    return rows;
  }

  [[nodiscard]] const simt::engine_speeds& speeds() const { return speeds_; }
  [[nodiscard]] const std::string& device() const { return device_; }

 private:
  /// The record, and a first run: on the CPU machine, whose clock is virtual, the only one.
  streams_row start(const streams_rung& r) {
    streams_row row;
    measure::measurement& m = row.record;
    m.ladder = "streams";
    m.number = r.about.number;
    m.name = r.about.name;
    m.idea = r.about.idea;
    m.source = r.about.source;
    m.backend = p_.on_gpu ? measure::backend_kind::cuda : measure::backend_kind::simt;
    m.device = device_;
    m.n = p_.values.n;
    m.type = name_of(p_.values.type);
    m.op = "sum";
    m.form = fmt::format("{} chunks", p_.chunks);
    if (p_.passes > 1) m.form += fmt::format(", {} passes", p_.passes);
    m.useful_bytes = p_.values.n * size_of(p_.values.type);
    m.timing.emplace();
    m.verdict.right = true;
    if (p_.on_gpu) {
      observer nobody;
      judge(executor_->run(r, nobody), m, false);
    } else {
      streams_ladder::timeline_labels labels(*line_);
      judge(executor_->run(r, labels), m, true);
      row.spans = labels.spans();
    }
    return row;
  }

  void finish(const streams_rung& r, streams_row& row) {
    observer nobody;
    if (p_.on_gpu) row.spans = executor_->trace(r, nobody);
    const auto busy = streams_ladder::occupation_of(row.spans);
    row.record.counters = {{std::string(streams_counters::copying), busy.copying},
                           {std::string(streams_counters::summing), busy.summing},
                           {std::string(streams_counters::overlap), busy.overlap_percent()},
                           {std::string(streams_counters::link), speeds_.copy_in_gbs}};
  }

  /// The worst verdict is kept.
  void judge(const outcome& o, measure::measurement& m, bool timed) {
    if (timed) m.timing->samples_us.push_back(o.us);
    const auto verdict = truth_.judge(streams_ladder::sum_of(p_.values.type, o.sums), depth_of(p_));
    if (m.verdict.right) m.verdict = verdict;
  }

  const streams_problem& p_;
  reference truth_;
  std::optional<simt::timeline> line_;
  std::unique_ptr<executor> executor_;
  simt::engine_speeds speeds_;
  std::string device_;
};

}  // namespace

void check_streams_problem(const streams_problem& p) {
  if (p.chunks == 0 || p.chunks > most_chunks) {
    throw usage_error(fmt::format("--chunks {}: 1 to {}", p.chunks, most_chunks));
  }
  if (p.passes == 0 || p.passes > 1000) {
    throw usage_error(fmt::format("--passes {}: 1 to 1000", p.passes));
  }
  for (const double gbs : {p.speeds.copy_in_gbs, p.speeds.copy_out_gbs, p.speeds.kernel_gbs,
                           p.speeds.pageable_gbs, p.speeds.host_gbs}) {
    if (!(gbs > 0)) throw usage_error("--h2d and the other speeds must be more than 0 GB/s");
  }
  if (!(p.speeds.call_us > 0) || !(p.speeds.latency_us >= 0)) {
    throw usage_error("--call must be more than 0 µs, --latency 0 or more");
  }
  if (p.speeds.copy_engines != 1 && p.speeds.copy_engines != 2) {
    throw usage_error("--copy-engines: 1 or 2");
  }
}

std::span<const streams_rung* const> streams_rungs(bool on_gpu) {
  return on_gpu ? streams_ladder::cuda_machine::rungs() : streams_ladder::cpu_machine::rungs();
}

streams_result run_streams_ladder(const streams_problem& p,
                                  std::span<const streams_rung* const> rungs) {
  check_streams_problem(p);
  streams_runner runner(p);
  auto rows = runner.run(rungs);
  return {runner.speeds(), runner.device(), std::move(rows)};
}

}  // namespace warpfold::ladder
