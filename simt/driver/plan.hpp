// What a command line of nvcc's asks for, in clang's words.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace simt::driver {

using words = std::vector<std::string>;

/// A command line that can't be followed; the message says what to do.
class usage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class language { cuda, cxx, c, object };

struct input {
  std::string file;
  language as = language::object;
};

enum class stage { preprocess, compile, link, archive, dependencies };

struct plan {
  stage until = stage::link;
  std::string output;           // empty: as the compiler's habit is
  std::string output_ends;      // of what is preprocessed, where no output is named
  std::string standard;         // "" or "-std=…"
  words for_preprocessor;       // -I, -D, -include …
  words for_compiler;           // -g, -f…, -W…
  words for_optimiser;          // -O…, of host code only: kernels have their own
  words dependencies;           // -MD, -MF …
  words for_linker;             // -L, -l, -Wl, …
  std::vector<input> inputs;    // in their order
  bool shows_commands = false;  // -v, --dryrun
  bool runs_commands = true;
  bool asks_version = false;
  bool shares_device_code = false;  // -rdc=true, -dc
  bool debugs = false;              // kernels have variables in a debugger, too
};

/// Reads nvcc's and a host compiler's flags; what has no meaning here is dropped.
plan read_command_line(const words& arguments);

}  // namespace simt::driver
