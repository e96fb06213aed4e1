// SIGINT, SIGTERM and SIGHUP as a request to stop, and SIGPIPE as an error of the write, so that
// temporary files are removed on the way.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace warpfold::cli {

/// For as long as it lives; made before other threads are, which inherit that they leave these
/// signals to it. The second signal ends the program at once, but for removing hidden files.
class stop_on_signal {
 public:
  /// `at_once`: the first signal does that, too; for a process that may be waiting for others.
  explicit stop_on_signal(bool at_once = false);
  ~stop_on_signal();
  stop_on_signal(const stop_on_signal&) = delete;
  stop_on_signal& operator=(const stop_on_signal&) = delete;

  [[nodiscard]] std::stop_token token() const { return asked_.get_token(); }

 private:
  sigset_t before_{};
  std::stop_source asked_;
  std::jthread waiting_;
};

/// Ends the program as this signal does by default; returns 128 plus its number if that fails.
int end_by(int signal);

/// The same with the signal that was caught.
int raise_again();

/// Ends the program as a write to a pipe without a reader does by default; returns where the caller
/// ignores that signal.
void raise_broken_pipe();

}  // namespace warpfold::cli
