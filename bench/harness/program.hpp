// The programs warpfold_bench_…: each is a case from cases/, which defines `program`. What they
// share, from the command line to the JSON, is in program.cpp.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/benchmark.hpp"

namespace warpfold::bench {

/// --name, --name=value and other words.
class arguments {
 public:
  /// Options that are not in `known` are refused, with `usage`. A value follows where `known` has
  /// a name with = behind it. Throws usage_error.
  arguments(int argc, char** argv, std::string_view known, std::string_view usage);

  [[nodiscard]] bool has(std::string_view name) const { return named_.contains(name); }
  [[nodiscard]] std::string text(std::string_view name) const;
  /// Whole numbers of `least` at least. Throws usage_error.
  [[nodiscard]] std::size_t number(std::string_view name, std::size_t otherwise,
                                   std::size_t least = 1) const;
  [[nodiscard]] std::size_t word(std::size_t which, std::size_t otherwise,
                                 std::size_t least = 1) const;
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }
  /// How the results were made; not where they went.
  [[nodiscard]] const std::string& command() const { return command_; }

 private:
  std::map<std::string, std::string, std::less<>> named_;
  std::vector<std::string> words_;
  std::string command_;
};

/// One run of a program.
class session {
 public:
  explicit session(const arguments& from) : args(from) {}

  const arguments& args;
  /// --samples, else a tenth of `otherwise` with --quick, else `otherwise`.
  [[nodiscard]] unsigned samples(unsigned otherwise) const;
  /// Keeps the rows, and says on stderr what came of each.
  void add(measurements rows);
  [[nodiscard]] measurements& rows() { return rows_; }

 private:
  measurements rows_;
};

struct bench_program {
  std::string_view name;     // warpfold_bench_<name>
  std::string_view options;  // its own, each behind a blank: " bytes= no-python"
  std::string_view usage;    // of these: "[--bytes=N] [FOLDER]"
  void (*run)(session& s);
  /// With --sweep: every shape of the kernels, to choose from; null where there is none.
  void (*sweep)(session& s);
  measure::run_info (*about)();
};
extern const bench_program program;

}  // namespace warpfold::bench
