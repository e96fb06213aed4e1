// The scope that observes this thread's launches.
#pragma once

#include "simt/launch.hpp"

namespace simt::detail {

/// The innermost `observe` of this thread, or nullptr.
observe* current_scope();

}  // namespace simt::detail
