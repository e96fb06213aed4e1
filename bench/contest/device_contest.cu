#include <algorithm>
#include <limits>
#include <utility>

#include "bench/contest/device_contest.hpp"

namespace warpfold::bench {
namespace {

/// Runs of one contestant: which calls have been made since the slots were made anew, and how many
/// results were wrong.
class checked_runs {
 public:
  checked_runs(device_place& where, const device_slots& slots, const device_contestant& who)
      : where_(where), slots_(slots), who_(who) {}

  void call(std::size_t i) {
    who_.run(i % slots_.count);
    used_ = std::max(used_, i % slots_.count + 1);
  }
  /// Checks the slots that were used.
  void check() {
    if (used_ == 0) return;
    where_.wait();
    if (who_.settle) who_.settle();
    wrong_ += slots_.wrong(used_);
    results_ += used_;
    used_ = 0;
  }
  /// Checks what is there, and makes all slots new.
  void renew() {
    check();
    slots_.renew();
    where_.empty_cache();
    where_.wait();
  }
  /// Before the i-th call of those that come one by one.
  void before_call(std::size_t i) {
    if (i % slots_.count == 0) renew();
  }
  /// A graph that was captured has not run yet.
  void forget() { used_ = 0; }
  void use(std::size_t calls) { used_ = std::min(calls, slots_.count); }

  [[nodiscard]] measure::verdict verdict() const {
    constexpr char good[] = "as expected in every run";
    if (wrong_ == 0) return {true, good, good, 0, 0};
    return {false, std::to_string(wrong_) + " of " + std::to_string(results_) + " results wrong",
            good, std::numeric_limits<double>::infinity(), 0};
  }

 private:
  device_place& where_;
  const device_slots& slots_;
  const device_contestant& who_;
  std::size_t used_ = 0, wrong_ = 0, results_ = 0;
};

/// Single calls of each contestant, in turns: what drifts on the machine then drifts for all.
std::vector<measure::measurement> time_singles(const problem& p, device_place& where,
                                               const device_slots& slots,
                                               std::span<const device_contestant> contestants) {
  std::vector<checked_runs> runs;
  for (const device_contestant& who : contestants) runs.emplace_back(where, slots, who);
  std::vector<samples> times(contestants.size());
  const unsigned turns = std::min(10U, p.samples);
  for (unsigned turn = 0; turn < turns; ++turn) {
    const unsigned count = p.samples * (turn + 1) / turns - p.samples * turn / turns;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      std::size_t next = 0;
      const samples some =
          where.clock.stream_calls([&](std::size_t i) { runs[k].call(i); }, static_cast<int>(count),
                                   [&] { runs[k].before_call(next++); });
      runs[k].check();
      times[k].insert(times[k].end(), some.begin(), some.end());
    }
  }
  std::vector<measure::measurement> rows;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    auto row = p.record(contestants[k].name);
    row.call = "single";
    row.timing = measure::timing{std::move(times[k])};
    row.verdict = runs[k].verdict();
    rows.push_back(std::move(row));
  }
  return rows;
}

measure::measurement time_graph(const problem& p, device_place& where, const device_slots& slots,
                                const device_contestant& who) {
  checked_runs runs(where, slots, who);
  bool captured = false;
  auto row = p.record(who.name);
  row.call = "graph";
  row.timing = measure::timing{where.clock.graph_calls(
      [&](std::size_t i) { runs.call(i); }, static_cast<int>(slots.calls_per_graph),
      static_cast<int>(std::max(3U, p.samples / 6)),
      [&] {
        if (!captured) runs.forget();
        captured = true;
        runs.renew();
        runs.use(slots.calls_per_graph);
      })};
  runs.check();
  row.verdict = runs.verdict();
  return row;
}

}  // namespace

bool is_asked(std::span<const std::string> against, std::string_view peer) {
  return std::find(against.begin(), against.end(), peer) != against.end();
}

std::vector<measure::measurement> time_on_device(const problem& p, device_place& where,
                                                 const device_slots& slots,
                                                 std::span<const device_contestant> contestants) {
  std::vector<measure::measurement> rows = time_singles(p, where, slots, contestants);
  for (const device_contestant& who : contestants) {
    if (who.in_graph) rows.push_back(time_graph(p, where, slots, who));
  }
  return rows;
}

}  // namespace warpfold::bench
