// How a command is called.
#pragma once

#include <string_view>

namespace warpfold::cli {

/// "ladder reduce", and what the command is for in one line.
struct command_name {
  std::string_view words, about;
};

}  // namespace warpfold::cli
