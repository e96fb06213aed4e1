// A command of `warpfold`: one program, whose file says what it takes and what it does.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/command_name.hpp"

namespace warpfold::cli {

/// Returns the command's exit code: 0 ok, 1 a check failed. Errors are thrown; main turns them into
/// the other codes, and `interrupted` into the signal that asked for it.
using action = std::function<int()>;

struct option_details {
  bool required = false;
  std::string shown = {};  // the default, where --help shall show it
  std::string group = {};  // the heading that --help lists it under
};

/// What a command takes on its command line, each option read into the command's own struct.
class options {
 public:
  options(const std::string& name, const std::string& about);
  ~options();
  options(const options&) = delete;
  options& operator=(const options&) = delete;

  /// An option with a value, or, where `names` has no dash, a word by its place. `read` makes the
  /// value of the text, given alone or behind the option's name, and throws usage_error.
  template <class T, class Read>
  void value(const std::string& names, T& to, Read read, const std::string& help,
             option_details more = {}) {
    take(
        names,
        [&to, read, name = long_name(names)](const std::string& text) {
          if constexpr (std::invocable<Read&, std::string_view, std::string_view>) {
            to = read(name, text);
          } else {
            to = read(text);
          }
        },
        help, std::move(more));
  }
  void value(const std::string& names, std::string& to, const std::string& help,
             option_details more = {}) {
    value(
        names, to, [](std::string_view text) { return std::string(text); }, help, std::move(more));
  }
  /// Words by their place, one or more; or an option that may be given more than once.
  void values(const std::string& names, std::vector<std::string>& to, const std::string& help,
              option_details more = {});
  /// An option with one value or more, which may be given more than once.
  void list(const std::string& names, std::vector<std::string>& to, const std::string& help);
  /// All words that are none of these options, in their order: options of another program, too.
  void words(const std::string& name, std::vector<std::string>& to, const std::string& help);
  /// All words behind a `--`.
  void rest(const std::string& name, std::vector<std::string>& to, const std::string& help);
  void flag(const std::string& names, bool& to, const std::string& help, option_details more = {});
  /// A command below this one.
  options& command(const std::string& name, const std::string& about);
  /// Who says what is wrong with a command line, and gives the exit code; else this does, on a line
  /// of standard error, and gives 2.
  using refusal = std::function<int(const std::string& what)>;
  void refused_by(refusal say);
  /// What runs when the command line was read. A command with commands below it has none.
  void then(action run);

  /// The exit code of a command line that asks for help or can't be read, after saying so; else
  /// that of the command. `--man` alone prints a manual page, `--complete` and the words so far
  /// what may come next, a line each with what it is for.
  int run(int argc, char** argv);

 private:
  struct parser;
  explicit options(std::unique_ptr<parser> below);
  static std::string long_name(const std::string& names);
  void take(const std::string& names, std::function<void(const std::string&)> read,
            const std::string& help, option_details more);

  std::unique_ptr<parser> parser_;
};

/// Each command's own: its options and what it does.
void describe(options& to);

/// This program's, from cli/CMakeLists.txt.
extern const command_name this_command;

}  // namespace warpfold::cli
