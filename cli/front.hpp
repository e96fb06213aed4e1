// The commands that there are, as cli/CMakeLists.txt lists them.
#pragma once

#include <span>

#include "cli/command_name.hpp"

namespace warpfold::cli {

std::span<const command_name> commands();

}  // namespace warpfold::cli
