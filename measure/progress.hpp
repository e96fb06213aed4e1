// One line on the terminal that says what is under way, and is gone when it is done.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include <unistd.h>

namespace warpfold::measure {

/// Whether `descriptor` is a terminal that understands escape sequences, which TERM=dumb is not.
bool is_able_terminal(int descriptor);
/// The same, unless NO_COLOR is set (https://no-color.org): then text has no attributes at all.
bool shows_color(int descriptor);

class progress {
 public:
  /// Shows nothing unless `enabled` and unless `descriptor` is a terminal that can erase a line.
  explicit progress(bool enabled, int descriptor = STDERR_FILENO);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// "[ 3/14] 12 sequential": `what` is the `index`-th of `total`, counted from 1. Calls that
  /// come within a tenth of a second of the last shown one are dropped.
  void update(std::string_view what, std::size_t index, std::size_t total);

  /// Erases the line; do so before anything else is printed to the terminal.
  void erase();

 private:
  bool enabled_;
  int descriptor_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace warpfold::measure
