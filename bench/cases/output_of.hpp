// What other programs print.
#pragma once

#include <cstdio>
#include <string>

#include "warpfold/error.hpp"

namespace warpfold::bench {

/// Throws error where the command fails.
inline std::string output_of(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string out;
  for (int c = pipe == nullptr ? EOF : std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    out += static_cast<char>(c);
  }
  if (pipe == nullptr || pclose(pipe) != 0) throw error("failed: " + command);
  return out;
}

}  // namespace warpfold::bench
