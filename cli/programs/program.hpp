// Somebody's CUDA program: compiled by simt++ for the CPU machine, and run there.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"

namespace warpfold::cli::programs {

using strings = std::vector<std::string>;

/// simt++: beside this program as installed, or where it was built.
std::string driver();

/// What `run` and `check` have in common.
struct program_options {
  strings sources;    // and options of the compiler, as simt++ takes them
  strings arguments;  // the program's
  std::string output;
  std::string device, devices, limit, stack, report;  // values of the machine's variables
};
void describe_program(options& to, program_options& o);

/// What the environment says beside these.
using variables = std::vector<std::pair<std::string, std::string>>;

/// How the program ended.
struct ending {
  int code = 0;
  int signal = 0;  // 0: none
};
/// Compiles, and runs. Throws usage_error where there is nothing to compile, data_error where it
/// does not compile or can't be run; simt++ has said why.
ending run_program(const program_options& o, variables more);

/// Ends as the program did where a signal has ended it; else its code.
int same_ending(const ending& how);

}  // namespace warpfold::cli::programs
