// What a command line of nvcc's asks for, in clang's words.
#pragma once

#include <string>
#include <vector>

#include "quoting.hpp"

namespace simt::driver {

enum class language { cuda, cxx, c, object };

struct input {
  std::string file;
  language as = language::object;
};

enum class stage { preprocess, compile, link, device_link, archive, dependencies };

/// What is asked instead of anything being compiled.
enum class question { none, version, help, architectures, architecture_codes };

/// The rule for make that names the files which a source includes.
struct dependency_rule {
  std::string kind;      // -M, -MM, -MD or -MMD; none: it is not asked for
  std::string file;      // named by -MF
  std::string database;  // named by -MJ: for clangd
  words targets;         // as options; none: the object
  bool phony = false;    // a rule for each header, too
};

struct plan {
  stage until = stage::link;
  question asks = question::none;
  std::string output;       // empty: as the compiler's habit is
  std::string output_ends;  // of what is preprocessed, where no output is named
  std::string directory;    // where objects go that have no output named
  std::string standard;     // "" or "c++17"
  std::string archiver = "ar";
  words for_preprocessor;  // -I, -D, -include …
  words for_compiler;      // -g, -f…, -W…
  words for_host;          // -O…, of host code only: kernels have their own
  words for_linker;        // -L, -l, -Wl, …
  words architectures;     // as "80"
  words macros_of_cuda;    // what options of nvcc's define in CUDA sources
  dependency_rule rule;
  std::vector<input> inputs;    // in their order
  bool shows_commands = false;  // -v, --dryrun
  bool runs_commands = true;
  bool cleans = false;              // removes what it would make
  bool starts = false;              // the program, once it is linked
  words starts_with;                // its arguments
  bool relocatable = false;         // links an object
  bool shares_device_code = false;  // -rdc=true, -dc
  bool debugs = false;              // kernels have variables in a debugger, too
};

/// Reads nvcc's and a host compiler's flags; what has no meaning here is dropped.
plan read_command_line(const words& arguments);

}  // namespace simt::driver
