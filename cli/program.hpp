// Programs beside this one: a command is one each, "ladder reduce" is warpfold-ladder-reduce.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace warpfold::cli {

/// Becomes the program of this name in this one's folder, with these arguments; returns only by
/// throwing. Where WARPFOLD_BUILD names a program, that one is called first, with `program` and the
/// name, to build it.
[[noreturn]] void become(const std::string& program, std::span<const std::string> arguments);

struct program_output {
  int code = 0;
  std::string text;  // of standard output
};

/// Runs the program of this name in this one's folder, with these arguments, and waits for it; it
/// is built as by become. `quiet`: what it says on stderr is dropped. Throws `error` where it can't
/// be run or ends by a signal.
program_output output_of(const std::string& program, std::span<const std::string> arguments,
                         bool quiet = false);

/// How a program ended: with a code, or by a signal that is not 0.
struct ending {
  int code = 0, signal = 0;
  bool asked_for = false;  // whether that signal was passed on
};

/// Runs the program of this name in this one's folder, with these arguments, in this one's place:
/// signals that ask this process to end are passed on, and the program is asked to end where this
/// process is killed. Such signals stay blocked here. Throws `error` where it can't be started.
ending run_in_place(const std::string& program, std::span<const std::string> arguments);

/// Thrown by a command whose work is another program's: main becomes that one, with the same
/// arguments.
struct other_program {
  std::string name;
  std::string otherwise = {};  // what to say, with exit code 3, where that one need not be there
  /// Where there is one, main does not become the program but runs it in its place, and ends with
  /// the exit code that this makes of the end.
  std::function<int(const ending&)> ended = {};
};

/// "ladder reduce" as a program's name.
std::string program_of(std::string_view words);

}  // namespace warpfold::cli
