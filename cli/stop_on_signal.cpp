#include "cli/stop_on_signal.hpp"

#include <atomic>

#include "data/hidden_name.hpp"

namespace warpfold::cli {
namespace {

std::atomic<int> caught = 0;

sigset_t handled() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, s);
  return set;
}

/// Of those, what the caller asked to ignore, as nohup does with SIGHUP. A blocked signal comes
/// nevertheless.
sigset_t ignored() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (sigaction(s, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) sigaddset(&set, s);
  }
  return set;
}

void raise_unblocked(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  std::raise(signal);
}

}  // namespace

stop_on_signal::stop_on_signal(bool at_once) {
  sigset_t set = handled();
  sigaddset(&set, SIGPIPE);  // the write fails then
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  waiting_ = std::jthread([this, at_once, not_meant = ignored()](const std::stop_token& over) {
    const sigset_t waited = handled();
    for (int signal = 0; sigwait(&waited, &signal) == 0 && !over.stop_requested();) {
      if (sigismember(&not_meant, signal) == 1) continue;
      if (at_once) caught = signal;
      if (caught != 0) {
        data::remove_hidden_files();
        raise_again();
      }
      caught = signal;
      asked_.request_stop();
    }
  });
}

stop_on_signal::~stop_on_signal() {
  waiting_.request_stop();
  pthread_kill(waiting_.native_handle(), SIGTERM);  // ends the wait
  waiting_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int end_by(int signal) {
  std::signal(signal, SIG_DFL);
  raise_unblocked(signal);
  return 128 + signal;
}

int raise_again() { return end_by(caught); }

void raise_broken_pipe() { raise_unblocked(SIGPIPE); }

}  // namespace warpfold::cli
