// The scope that observes this thread's launches.
#pragma once

#include <cstdint>

#include "simt/launch.hpp"

namespace simt::detail {

/// The innermost `observe` of this thread; where it has none, the last one of any; or nullptr.
observe* current_scope();
/// It is no thread's own any more: the last choice of all of them.
void leave_to_all_threads(const observe& scope);
/// In launches of this host thread: what shuffles take from a lane that has ended or does not
/// exist. Other than 0 in trials of whether a launch uses such values.
extern thread_local std::uint64_t trial_value;
/// Whether a kernel runs, or what it left is being gathered.
bool is_launching();

}  // namespace simt::detail
