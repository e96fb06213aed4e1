// The compiler with the source step in between.
#pragma once

#include <string>
#include <vector>

namespace simt::source_step {

using words = std::vector<std::string>;

/// Runs a command and returns its exit code; 127 and a line on stderr if it can't be started.
int run(words command);

/// A compiler's command with `-c FILE` and `-o FILE`: preprocesses the file, rewrites what comes
/// out and compiles that. Returns the exit code.
int compile(const words& command);

}  // namespace simt::source_step
