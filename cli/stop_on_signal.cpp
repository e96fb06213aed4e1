#include "cli/stop_on_signal.hpp"

#include <atomic>

namespace warpfold::cli {
namespace {

std::atomic<int> caught = 0;

sigset_t handled() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, s);
  return set;
}

}  // namespace

stop_on_signal::stop_on_signal() {
  const sigset_t set = handled();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  waiting_ = std::jthread([this](const std::stop_token& over) {
    const sigset_t waited = handled();
    for (int signal = 0; sigwait(&waited, &signal) == 0 && !over.stop_requested();) {
      if (caught != 0) raise_again();
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

int raise_again() {
  const int signal = caught;
  std::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  std::raise(signal);
  return 128 + signal;
}

}  // namespace warpfold::cli
