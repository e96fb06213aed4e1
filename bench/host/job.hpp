// What the benchmarks of the host's algorithms measure: a job, and who does it. The jobs of one
// name have the same input and must have the same result; every timed run is checked.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measure/measurement.hpp"

namespace warpfold::bench {

struct job {
  measure::measurement record;    // without verdict and timing
  std::function<void()> prepare;  // not timed; may be empty
  std::function<void()> run;
  std::function<bool()> is_right;
};

/// Bytes of input for what is bound by memory, and keys to sort.
struct sizes {
  std::size_t bytes = std::size_t{1} << 28;
  std::size_t keys = std::size_t{1} << 24;
};

void add_reductions(std::vector<job>& jobs, const sizes& s);
void add_scans(std::vector<job>& jobs, const sizes& s);
void add_sorts(std::vector<job>& jobs, const sizes& s);
/// The sorts of warpfold::highway, from a source that is compiled with it.
void add_highway_sorts(std::vector<job>& jobs, const sizes& s);

}  // namespace warpfold::bench
