// The difference of two rungs' kernels, as a unified diff.
#pragma once

#include <string>

#include "ladder/rung.hpp"

namespace warpfold::cli {

/// Of "18_wide_loads": 18 and "wide-loads".
int number_of(const ladder::rung_source& rung);
std::string name_of(const ladder::rung_source& rung);

/// Compares the kernels themselves (without the files' descriptions), with the kernel's own name
/// made the same. Empty when they are equal.
std::string kernel_diff(const ladder::rung_source& from, const ladder::rung_source& to, bool color);

}  // namespace warpfold::cli
