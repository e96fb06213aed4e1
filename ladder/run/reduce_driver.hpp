// Runs rungs of the reduce ladder side by side on one problem: each checked, each measured.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ladder/machines/machine.hpp"
#include "ladder/reference/reduce.hpp"
#include "ladder/run/driver.hpp"
#include "ladder/rung.hpp"
#include "measure/measurement.hpp"

namespace warpfold::ladder {

/// How partials become one value: launch again until one is left, or copy them to the host and
/// reduce them there.
enum class finish : std::uint8_t { relaunch, host };

struct reduce_problem {
  host_values values;
  operation op = operation::sum;
  unsigned block = 256;  // threads per block: 32, 64, … 1024
  ladder::finish finish = ladder::finish::relaunch;
  unsigned samples = 30;  // timed runs of each rung, where times mean something
  bool depth = false;     // also measure how many applications follow one another
};

/// The two host references (rung 00), then every rung of `rungs` that the machine can run; the
/// others are listed with the reason. A result that is wrong is a row that says so, not an error.
/// Throws usage_error for a problem that makes no sense, device_error for lack of memory.
std::vector<measure::measurement> run_reduce_ladder(const reduce_problem& p, machine& where,
                                                    std::span<const rung* const> rungs,
                                                    const report_progress& report = {});

/// The rungs of the host.
std::span<const description> reduce_rungs_of_host();

}  // namespace warpfold::ladder
