// nvcc's options, each once: their names, whether a value follows, and what they are here.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace simt::driver {

/// What an option asks for.
enum class sense {
  ignored,       // about a device's code, or the toolkit's own working
  refused,       // it can't be had here
  handed_on,     // to the host compiler, as it is
  architecture,  // __CUDA_ARCH__
  archiver,
  architectures,  // lists them
  architecture_codes,
  archive,
  clean,
  compile,
  compiler_options,
  cuda,
  debug,
  debug_device,
  define,
  dependencies,
  dependencies_aside,  // of what is compiled
  dependency_file,     // or the compilation database
  dependency_phony,
  dependency_target,
  device_link,
  directory,
  dry_run,
  error_kinds,
  extended_lambda,
  forward_to_both,
  forward_to_compiler,
  forward_to_linker,
  help,
  include_file,
  include_path,
  language,
  library,
  library_path,
  link,
  linker_options,
  linker_script,
  no_exceptions,
  optimise,
  options_file,
  output,
  per_unit,  // compiles; functions of the device are the file's own
  preprocess,
  relaxed_constexpr,
  relocatable,
  run,
  run_arguments,
  share,
  shared_device_code,  // compiles; files share functions of the device
  shares_device_code,  // with true or false
  standard,
  system_path,
  undefine,
  verbose,
  version,
};

struct option {
  std::string_view name;   // with two dashes; none: nvcc has it no longer, or never had
  std::string_view brief;  // as most write it
  std::string_view value;  // what --help calls its value, if it has one
  sense is;
  std::string_view note;  // on what it does here
};

/// All of them.
std::span<const option> options();

/// A word of a command line: `-O3`, `--threads=2`, `-gencode`.
struct option_word {
  const option* known = nullptr;  // none: it is not nvcc's
  bool has_value = false;         // in this word
  std::string value;
};
option_word read_option(const std::string& word);

/// What `--help` says.
std::string help();

}  // namespace simt::driver
