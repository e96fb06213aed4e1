// Runs rungs of the sort ladder side by side on one problem: each result checked key by key, each
// rung measured.
#pragma once

#include <span>
#include <vector>

#include "ladder/reference/reduce.hpp"
#include "ladder/run/driver.hpp"

namespace warpfold::ladder {

struct sort_problem {
  host_values keys;
  bool pairs = false;  // u32 values travel with the keys
  bool descending = false;
  unsigned block = 256;   // threads per block: 32, 64, … 1024
  unsigned samples = 30;  // timed runs of each rung, where times mean something
};

/// The rungs of the host (00 and 02), then every rung of `rungs` that the machine can run; the
/// others are listed with the reason. Each row carries its depth: the comparisons that follow one
/// another on the way of one key, at most. A result that is wrong is a row that says so.
/// Throws usage_error for a problem that makes no sense, device_error for lack of memory.
std::vector<measure::measurement> run_sort_ladder(const sort_problem& what, machine& where,
                                                  std::span<const rung* const> rungs,
                                                  const report_progress& report = {});

/// The rungs of the host.
std::span<const description> sort_rungs_of_host();

}  // namespace warpfold::ladder
