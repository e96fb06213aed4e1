#include "bench/harness/host_timer.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "warpfold/error.hpp"

namespace warpfold::bench {
namespace {

/// Each core reads so much else that nothing of what was touched before is left in a cache.
class cache_emptier {
 public:
  cache_emptier() : words_(2 * cache_bytes() / sizeof(std::uint64_t), 1) {}

  void operator()() {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < cores; ++t) {
      threads.emplace_back([this, part = words_.size() / cores, t] {
        const auto first = words_.begin() + static_cast<std::ptrdiff_t>(part * t);
        seen_ +=
            std::accumulate(first, first + static_cast<std::ptrdiff_t>(part), std::uint64_t{0});
      });
    }
    for (std::thread& t : threads) t.join();
  }

 private:
  std::vector<std::uint64_t> words_;
  std::atomic<std::uint64_t> seen_ = 0;  // or the compiler would leave the reads out
};

}  // namespace

std::size_t cache_bytes() {
  if (const char* const own = std::getenv("WARPFOLD_CACHE_BYTES")) {
    const std::string_view text = own;
    std::size_t bytes = 0;
    const auto read = std::from_chars(text.begin(), text.end(), bytes);
    if (read.ec != std::errc{} || read.ptr != text.end() || bytes == 0) {
      throw usage_error("WARPFOLD_CACHE_BYTES=" + std::string(text) +
                        ": it takes a number of bytes");
    }
    return bytes;
  }
  const long found = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
  return found > 0 ? static_cast<std::size_t>(found) : std::size_t{32} << 20;
}

double time_us(const std::function<void()>& call, host_clock clock) {
  const clockid_t which = clock == host_clock::wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
  timespec begin{}, end{};
  clock_gettime(which, &begin);
  call();
  clock_gettime(which, &end);
  return static_cast<double>(end.tv_sec - begin.tv_sec) * 1e6 +
         static_cast<double>(end.tv_nsec - begin.tv_nsec) * 1e-3;
}

measurements time_on_host(unsigned samples, const slots& memory,
                          std::span<const candidate> candidates, host_clock clock) {
  struct call {
    std::size_t who, slot;
  };
  const std::size_t all_calls = candidates.size() * (samples + 1);
  std::vector<std::vector<double>> times(candidates.size());
  std::vector<checked_results> results;
  for (const candidate& c : candidates) results.emplace_back(memory, c);
  static cache_emptier empty_caches;  // its pages are mapped once
  for (std::size_t done = 0; done < all_calls;) {
    std::vector<call> round;
    while (round.size() < memory.count && done < all_calls) {
      round.push_back({done++ % candidates.size(), round.size()});
    }
    if (memory.renew) memory.renew();
    empty_caches();
    for (const auto& [who, slot] : round) {
      times[who].push_back(time_us([&, s = slot, w = who] { candidates[w].run(s); }, clock));
    }
    for (const auto& [who, slot] : round) results[who].check(slot, slot + 1);
  }
  measurements rows;
  for (std::size_t who = 0; who < candidates.size(); ++who) {
    auto row = candidates[who].record;
    times[who].erase(times[who].begin());  // the first call starts threads and maps pages
    row.timing = measure::timing{times[who]};
    row.call = "single";
    row.verdict = results[who].verdict();
    rows.push_back(std::move(row));
  }
  return rows;
}

measure::run_info host_run_info() {
  std::string processor = "unknown processor";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    processor = line.substr(line.find(':') + 2);
    break;
  }
  return {.device = fmt::format("{}, {} threads", processor, std::thread::hardware_concurrency()),
          .toolkit = WARPFOLD_BENCH_COMPILER};
}

}  // namespace warpfold::bench
