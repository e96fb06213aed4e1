// The difference of two rungs, as a unified diff.
#pragma once

#include <span>
#include <string>

#include "ladder/rung.hpp"

namespace warpfold::cli {

/// Of "18_wide_loads": 18 and "wide-loads".
int number_of(const ladder::rung_source& rung);
std::string name_of(const ladder::rung_source& rung);

/// What of two rungs is compared.
enum class diff_of { kernel, host };

/// Compares the kernels without the files' descriptions, with the kernel's own name made the same;
/// or how the host launches them. `shared` are the files of helpers: those that only one of the two
/// uses follow, whole.
std::string rung_diff(const ladder::rung_source& from, const ladder::rung_source& to,
                      std::span<const ladder::rung_source> shared, diff_of what, bool color);

}  // namespace warpfold::cli
