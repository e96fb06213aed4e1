// What is in a device's cache where a measurement begins: the CPU machine takes it to be empty of
// what launches use, and full of what was written before.
#pragma once

#include <cstddef>
#include <vector>

#include "simt/prediction.hpp"

namespace warpfold::validation {

/// A rung that the ladder measures: what it leaves in the cache from sample to sample.
struct ladder_run {
  std::size_t bytes = 0;    // of the input
  bool in_place = false;    // the rung writes there
  std::size_t samples = 0;  // of which the median is taken
};
void as_the_ladder_leaves_it(std::vector<simt::launch_profile>& profiles, const ladder_run& run,
                             const simt::device_model& device);

/// A profiler empties the caches before each kernel: what one writes stays there, as far as that
/// fits beside what it reads.
void as_a_profiler_leaves_it(std::vector<simt::launch_profile>& profiles,
                             const simt::device_model& device);

}  // namespace warpfold::validation
