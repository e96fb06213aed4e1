// Launches of a checked program that run several times: with SIMT_SCHEDULES in several orders of
// blocks, warps and lanes, and with other values where shuffles took undefined ones.
#pragma once

#include "simt/launch.hpp"

namespace simt::detail {

/// As run_grid. Values from lanes that have ended or do not exist are findings only if other values
/// leave something else in the device's memory. Where the program asks for several orders: then in
/// the others, which add their findings, and a note where one leaves something else in the device's
/// memory than the first; what stays is the first one's.
bool run_in_orders(const launch_config& config, const void* kernel, entry body, void* arguments);

}  // namespace simt::detail
