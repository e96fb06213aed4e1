// How the host's contests are timed: contestants take turns, each call on memory that no cache
// holds, and every result is checked.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/contest/contest.hpp"

namespace warpfold::bench {

struct host_contestant {
  std::string name;
  std::function<void(std::size_t slot)> run;
};

/// The slots that calls work in, each once; then all of them are checked, and made anew.
struct host_slots {
  std::size_t count;
  std::function<void()> renew;                      // inputs as they were, outputs poisoned
  std::function<std::string(std::size_t)> mistake;  // what is wrong in this slot; empty: nothing
};

std::vector<measure::measurement> time_on_host(const problem& p, const host_slots& slots,
                                               std::span<const host_contestant> contestants);

/// Whether the command asked for oneTBB's algorithms.
bool against_tbb(std::span<const std::string> against);

std::vector<measure::measurement> run_host_reduce(const problem& p,
                                                  std::span<const std::string> against);
std::vector<measure::measurement> run_host_scan(const problem& p,
                                                std::span<const std::string> against);
std::vector<measure::measurement> run_host_sort(const problem& p,
                                                std::span<const std::string> against);

/// Calls in all: the timed ones and one before them.
inline std::size_t calls_of(const problem& p, std::span<const std::string> against) {
  return (1 + against.size()) * (p.samples + 1);
}

}  // namespace warpfold::bench
