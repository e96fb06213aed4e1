// The cases of the host. Beside the peers that a command can name, reductions know "read" and scans
// "copy": loops that do nothing else with the same memory, their ceiling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bench/harness/host_timer.hpp"

namespace warpfold::bench {

/// Sorts keys of these types in ascending order; from a source that other libraries are linked to.
struct key_sorter {
  std::string_view name;
  void (*sort)(value_type type, void* keys, std::size_t n);
};

measurements run_host_reduce(const bench_case& c, std::span<const std::string> against);
measurements run_host_scan(const bench_case& c, std::span<const std::string> against);
measurements run_host_sort(const bench_case& c, std::span<const std::string> against,
                           std::span<const key_sorter> others = {});
/// The place of the smallest value, and statistics.
measurements run_host_argmin(const bench_case& c, std::span<const std::string> against);
measurements run_host_statistics(const bench_case& c);

/// Calls in all: the timed ones and one before them.
inline std::size_t calls_of(const bench_case& c, std::size_t candidates) {
  return candidates * (c.samples + 1);
}

}  // namespace warpfold::bench
