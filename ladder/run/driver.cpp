#include "ladder/run/driver.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

#include <fmt/format.h>

#include "measure/facts.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

constexpr std::size_t all_judged_bytes = std::size_t{4} << 30;

/// The worse of two verdicts.
void keep_worst(measure::verdict& worst, const measure::verdict& v, bool first) {
  if (first || (worst.right && (!v.right || v.error > worst.error))) worst = v;
}

/// What is exact must be the same to the bit; a sum of floating-point numbers only right or wrong.
bool same(const measure::verdict& a, const measure::verdict& b) {
  return a.right == b.right && (a.bound != 0 || a.result == b.result);
}

/// Runs the rung in each further order of the profiler, up to the first that gives another result.
void try_orders(rung_runner& runner, const description& about, rotating_input& inputs,
                profiler& where, measure::measurement& m) {
  const measure::verdict first = m.verdict;
  for (const std::uint64_t seed : where.orders()) {
    runner.poison_outputs();
    void* const data = inputs.next(about.in_place);
    where.run_in_order(seed, [&] { runner.launch(data); });
    const measure::verdict now = runner.judge();
    keep_worst(m.verdict, now, false);
    if (same(first, now)) continue;
    where.note_difference(seed, fmt::format("{:02} {}", about.number, about.name), first, now);
    break;
  }
}

}  // namespace

void check_block(unsigned threads) {
  if (!std::has_single_bit(threads) || threads < 32 || threads > 1024) {
    throw usage_error(
        fmt::format("--block {}: must be 32, 64, 128, 256, 512 or 1024 threads", threads));
  }
}

void check_bins(std::size_t bins) {
  constexpr std::size_t most = std::size_t{1} << 24;
  if (bins < 1 || bins > most) {
    throw usage_error(fmt::format("--bins {}: must be 1 to 2^24", bins));
  }
}

bool one_block_takes(const rung& r, const shape& s) {
  if (r.about.most_values != 0 && s.n > r.about.most_values) return false;
  shape one = s;
  one.n = 1;
  return r.grid(s) == r.grid(one);
}

std::size_t input_copies(std::size_t bytes, std::size_t cache_bytes) {
  return std::clamp<std::size_t>(3 * cache_bytes / std::max<std::size_t>(1, bytes) + 1, 2, 64);
}

rotating_input::rotating_input(const void* data, std::size_t bytes, machine& where)
    : where_(where), bytes_(bytes) {
  const std::size_t copies =
      where.stopwatch() != nullptr ? input_copies(bytes_, where.cache_bytes()) : 1;
  original_.emplace_back(where, bytes_);
  where.write(original_[0].get(), data, bytes_);
  for (std::size_t i = 0; i < copies; ++i) {
    copies_.emplace_back(where, bytes_);
    where.copy(copies_[i].get(), original_[0].get(), bytes_);
  }
}

void* rotating_input::next(bool will_be_spoilt) {
  if (next_ == copies_.size()) {
    next_ = 0;
    if (spoilt_) {
      for (auto& c : copies_) where_.copy(c.get(), original_[0].get(), bytes_);
      spoilt_ = false;
    }
  }
  spoilt_ |= will_be_spoilt;
  return copies_[next_++].get();
}

rung_runner::rung_runner(const rung& r, machine& where, const shape& s, std::size_t output_bytes,
                         unsigned outputs)
    : rung_(r), where_(where), shape_(s), scratch_(where, r.scratch_bytes(s)) {
  for (unsigned i = 0; i < outputs; ++i) outputs_.emplace_back(where, output_bytes);
  where.fill(scratch_.get(), 0, scratch_.bytes());
}

void rung_runner::poison_outputs() {
  constexpr unsigned char poison = 0xA5;
  for (const auto& out : outputs_) where_.fill(out.get(), poison, out.bytes());
}

std::vector<std::byte> rung_runner::fetch(const void* from, std::size_t bytes) {
  where_.synchronize();
  std::vector<std::byte> there(bytes);
  where_.read(there.data(), from, bytes);
  return there;
}

measure::timing time_on_host(const std::function<void()>& once) {
  measure::timing timing;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    once();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    timing.samples_us.push_back(took.count());
  }
  return timing;
}

namespace {

measure::measurement row_of(const ladder_plan& plan, const description& about) {
  measure::measurement m;
  m.ladder = name_of(plan.ladder);
  m.n = plan.n;
  m.number = about.number;
  m.name = about.name;
  m.reference = about.reference;
  m.begins_series = about.begins_series;
  m.idea = about.idea;
  m.source = about.source;
  if (about.published.g80_gbs > 0) {
    m.published.push_back({"G80, 2^22 i32", about.published.g80_gbs});
  }
  if (about.published.k40m_gbs > 0) {
    m.published.push_back({"Tesla K40m, 2^26 i32", about.published.k40m_gbs});
  }
  plan.describe(m);
  return m;
}

/// Why a rung can't run; empty when it can.
std::string too_many(const ladder_plan& plan, const description& about) {
  if (about.most_values == 0 || plan.n <= about.most_values) return {};
  return fmt::format("takes at most {} values", about.most_values);
}
std::string obstacle(const ladder_plan& plan, const rung& r, const machine& where) {
  if (where.capability() < r.about.capability) {
    return fmt::format("needs {}.{}", r.about.capability / 10, r.about.capability % 10);
  }
  const std::string own = plan.obstacle ? plan.obstacle(r) : std::string();
  return own.empty() ? too_many(plan, r.about) : own;
}

measure::measurement host_row(const ladder_plan& plan, const description& about) {
  measure::measurement m = row_of(plan, about);
  m.backend = backend_kind::host;
  m.device = "one CPU core";
  m.skipped = too_many(plan, about);
  if (m.skipped.empty()) plan.run_on_host(about, m);
  return m;
}

void measure_rung(rung_runner& runner, const description& about, rotating_input& inputs,
                  machine& where, unsigned samples, measure::measurement& m) {
  if (runner.depth() > 0) {
    m.counters.push_back({std::string(measure::counters::depth), runner.depth()});
  }
  inputs.restart();
  runner.poison_outputs();
  void* const data = inputs.next(about.in_place);
  const auto launch = [&] { runner.launch(data); };  // also the warm-up
  if (auto* const profiler = where.profiler()) {
    for (auto& counted : profiler->count(measure::rung_label(m), launch))
      m.counters.push_back(std::move(counted));
    m.predicted = profiler->predicted();
    m.profiles = profiler->profiles();
  } else {
    launch();
  }
  keep_worst(m.verdict, runner.judge(), true);
  m.launches = runner.launches();
  if (auto* const profiler = where.profiler()) try_orders(runner, about, inputs, *profiler, m);
  auto* const stopwatch = where.stopwatch();
  if (stopwatch == nullptr || samples == 0) return;
  const bool judge_all = runner.output_bytes() < all_judged_bytes / samples;
  m.timing.emplace();
  for (unsigned i = 0; i < samples; ++i) {
    runner.poison_outputs();
    void* const fresh = inputs.next(about.in_place);
    where.synchronize();
    m.timing->samples_us.push_back(stopwatch->time_us([&] { runner.launch(fresh); }));
    if (judge_all || i + 1 == samples) keep_worst(m.verdict, runner.judge(), false);
  }
}

}  // namespace

std::string obstacle_to(const rung& r, value_type type, operation op) {
  return std::string(r.obstacle != nullptr ? r.obstacle(type, op) : "");
}

std::vector<measure::measurement> run_rungs(const ladder_plan& plan, machine& where,
                                            std::span<const rung* const> rungs,
                                            const report_progress& report) {
  check_block(plan.block);
  std::vector<measure::measurement> rows;
  for (const description& about : plan.on_host) rows.push_back(host_row(plan, about));
  rotating_input inputs(plan.input, plan.input_bytes, where);
  auto* const stopwatch = where.stopwatch();
  const double ceiling = stopwatch != nullptr ? stopwatch->read_ceiling_gbs() : 0;
  std::size_t index = 0;
  for (const rung* r : rungs) {
    if (report) {
      const auto& a = r->about;
      report(a.reference ? std::string(a.name) : fmt::format("{:02} {}", a.number, a.name), ++index,
             rungs.size());
    }
    measure::measurement m = row_of(plan, r->about);
    m.block = r->about.reference ? 0 : plan.block;
    m.finish = plan.finish;
    m.backend = where.backend();
    m.device = where.name();
    m.read_ceiling_gbs = ceiling;
    m.skipped = obstacle(plan, *r, where);
    if (m.skipped.empty() && plan.n == 0) {
      m.verdict = plan.of_nothing();
    } else if (m.skipped.empty()) {
      const auto runner = plan.prepare(*r);
      measure_rung(*runner, r->about, inputs, where, plan.samples, m);
    }
    rows.push_back(std::move(m));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair{a.reference, a.number} < std::pair{b.reference, b.number};
  });
  return rows;
}

}  // namespace warpfold::ladder
