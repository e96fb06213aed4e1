// The OS threads that run launches, and how one of them goes about its share.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "simt/src/run/model.hpp"

namespace simt::detail {

/// Throws launch_error for a shape no device takes.
void check_shape(const launch_config& config);
/// What no device takes of a grid and its blocks, and of clusters in it; or nothing.
std::string wrong_shape(const launch_config& config);
std::string wrong_clusters(const launch_config& config);

/// In which the clusters begin; empty: ascending.
std::vector<std::uint32_t> order_of_clusters(std::uint64_t clusters, std::uint64_t seed);

/// All the workers that there are.
unsigned most_workers();

/// Keeps other launches off the workers while it lives.
std::unique_lock<std::mutex> occupy_machine();

/// Of the launch: what shuffles take from a lane that has ended or does not exist.
extern std::uint64_t absent_value;

/// Runs the grid on the first `workers` of the machine, which the caller occupies. What went wrong
/// is in `g`; what was counted without an observer comes back.
counters run_on_machine(grid& g, unsigned workers);

}  // namespace simt::detail
