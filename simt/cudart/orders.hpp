// SIMT_SCHEDULES: each launch of a program in several orders of blocks, warps and lanes.
#pragma once

#include "simt/launch.hpp"

namespace simt::detail {

/// As run_grid. Where the program asks for several orders: first in the others, which add their
/// findings, and a note where one leaves something else in the device's memory than the first;
/// what stays is the first one's.
bool run_in_orders(const launch_config& config, const void* kernel, entry body, void* arguments);

}  // namespace simt::detail
