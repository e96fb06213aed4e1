// The version. The build reads it from here, and it is nowhere else.
#pragma once

#include <string_view>

#include "warpfold/language.hpp"

namespace warpfold {

/// "major.minor.patch"
inline constexpr std::string_view version = "0.1.0";

}  // namespace warpfold
