// The difference of two rungs' kernels, as a unified diff.
#pragma once

#include <span>
#include <string>

#include "ladder/rung.hpp"

namespace warpfold::cli {

/// Compares the kernels themselves (without the files' descriptions), with the kernel's own name
/// made the same. Empty when they are equal.
std::string kernel_diff(std::span<const ladder::rung_source> sources, const ladder::rung& from,
                        const ladder::rung& to, bool color);

}  // namespace warpfold::cli
