#include "bench/contest/host_contest.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "bench/contest/host_memory.hpp"

namespace warpfold::bench {

bool against_tbb(std::span<const std::string> against) {
  return std::find(against.begin(), against.end(), "tbb") != against.end();
}

std::vector<measure::measurement> time_on_host(const problem& p, const host_slots& slots,
                                               std::span<const host_contestant> contestants) {
  struct call {
    std::size_t contestant, slot;
  };
  const std::size_t all_calls = contestants.size() * (p.samples + 1);
  std::vector<std::vector<double>> times(contestants.size());
  std::vector<std::string> mistakes(contestants.size());
  std::vector<std::size_t> wrong(contestants.size());
  cache_emptier empty_caches;
  for (std::size_t done = 0; done < all_calls;) {
    std::vector<call> round;
    while (round.size() < slots.count && done < all_calls) {
      round.push_back({done++ % contestants.size(), round.size()});
    }
    slots.renew();
    empty_caches();
    for (const auto& [who, slot] : round) {
      const auto start = std::chrono::steady_clock::now();
      contestants[who].run(slot);
      const std::chrono::duration<double, std::micro> time =
          std::chrono::steady_clock::now() - start;
      times[who].push_back(time.count());
    }
    for (const auto& [who, slot] : round) {
      const std::string mistake = slots.mistake(slot);
      if (mistake.empty()) continue;
      ++wrong[who];
      if (mistakes[who].empty()) mistakes[who] = mistake;
    }
  }
  std::vector<measure::measurement> rows;
  for (std::size_t who = 0; who < contestants.size(); ++who) {
    auto row = p.record(contestants[who].name);
    times[who].erase(times[who].begin());  // the first call starts threads and maps pages
    row.timing = measure::timing{times[who]};
    row.call = "single";
    row.verdict = {wrong[who] == 0, "as expected in every run", "as expected in every run", 0, 0};
    if (wrong[who] > 0) {
      row.verdict.result =
          fmt::format("{} of {} runs: {}", wrong[who], p.samples + 1, mistakes[who]);
      row.verdict.error = std::numeric_limits<double>::infinity();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace warpfold::bench
