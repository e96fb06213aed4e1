// What a command's exception comes to: an exit code, and what to say.
#pragma once

#include <exception>
#include <string>

namespace warpfold::cli {

/// Exit codes: 1 a check failed, 2 usage, 3 no usable device, 4 bad data or I/O, 5 internal.
struct failure {
  int code;
  std::string what;  // where the code is 1, lines that are complete
};

failure failure_of(const std::exception_ptr& thrown);

/// Says it on stderr; returns the exit code.
int say(const failure& f);
inline int say(int code, std::string what) { return say(failure{code, std::move(what)}); }

}  // namespace warpfold::cli
