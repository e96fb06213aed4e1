#include <utility>

#include "bench/harness/device_timer.cuh"

namespace warpfold::bench {
namespace {

/// Runs of one candidate: which slots have been used since they were made anew.
class checked_runs {
 public:
  checked_runs(device_place& where, const slots& memory, const candidate& who)
      : where_(where), slots_(memory), who_(who), results_(memory, who) {}

  void call(std::size_t i) {
    who_.run(i % slots_.count);
    used_ = std::max(used_, i % slots_.count + 1);
  }
  /// Checks the slots that were used.
  void check() {
    if (used_ == 0) return;
    where_.wait();
    results_.check(0, used_);
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

  [[nodiscard]] measure::verdict verdict() const { return results_.verdict(); }

 private:
  device_place& where_;
  const slots& slots_;
  const candidate& who_;
  checked_results results_;
  std::size_t used_ = 0;
};

measure::measurement finished(const candidate& who, const char* call, samples times,
                              const checked_runs& runs) {
  auto row = who.record;
  row.backend = measure::backend_kind::cuda;
  row.call = call;
  row.timing = measure::timing{std::move(times)};
  row.verdict = runs.verdict();
  return row;
}

/// In turns: what drifts on the machine then drifts for all.
measurements time_singles(unsigned count, device_place& where, const slots& memory,
                          std::span<const candidate> candidates) {
  std::vector<checked_runs> runs;
  for (const candidate& who : candidates) runs.emplace_back(where, memory, who);
  std::vector<samples> times(candidates.size());
  const unsigned turns = std::min(10U, count);
  for (unsigned turn = 0; turn < turns; ++turn) {
    const unsigned now = count * (turn + 1) / turns - count * turn / turns;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      std::size_t next = 0;
      const samples some = where.clock.single_calls([&](std::size_t i) { runs[k].call(i); }, now,
                                                    [&] { runs[k].before_call(next++); });
      runs[k].check();
      times[k].insert(times[k].end(), some.begin(), some.end());
    }
  }
  measurements rows;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    rows.push_back(finished(candidates[k], "single", std::move(times[k]), runs[k]));
  }
  return rows;
}

measure::measurement time_graph(unsigned count, device_place& where, const slots& memory,
                                const candidate& who) {
  checked_runs runs(where, memory, who);
  bool captured = false;
  samples times = where.clock.graph_calls([&](std::size_t i) { runs.call(i); },
                                          memory.calls_per_graph, std::max(3U, count / 6),
                                          [&] {
                                            if (!captured) runs.forget();
                                            captured = true;
                                            runs.renew();
                                            runs.use(memory.calls_per_graph);
                                          });
  runs.check();
  return finished(who, "graph", std::move(times), runs);
}

}  // namespace

device_place open_device() {
  cuda_check(cudaSetDevice(0), "open the device");
  int bytes = 0;
  cuda_check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0), "ask for its cache");
  return device_place(static_cast<std::size_t>(std::max(bytes, 1 << 20)));
}

measurements time_on_device(unsigned count, device_place& where, const slots& memory,
                            std::span<const candidate> candidates) {
  measurements rows = time_singles(count, where, memory, candidates);
  for (auto& row : time_graphs(count, where, memory, candidates)) rows.push_back(std::move(row));
  return rows;
}

measurements time_graphs(unsigned count, device_place& where, const slots& memory,
                         std::span<const candidate> candidates) {
  measurements rows;
  for (const candidate& who : candidates) {
    if (who.in_graph) rows.push_back(time_graph(count, where, memory, who));
  }
  return rows;
}

}  // namespace warpfold::bench
