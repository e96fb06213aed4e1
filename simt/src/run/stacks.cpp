#include "simt/src/run/stacks.hpp"

#include <algorithm>
#include <memory>

#include <signal.h>

namespace simt::detail {

namespace {

constexpr std::size_t spread_bytes = 4096;  // by which the tops differ

class signal_stack {
 public:
  signal_stack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    constexpr std::size_t bytes = std::size_t{64} * 1024;
    memory_ = std::make_unique<std::byte[]>(bytes);
    now = {.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = bytes};
    sigaltstack(&now, nullptr);
  }
  signal_stack(const signal_stack&) = delete;
  signal_stack& operator=(const signal_stack&) = delete;
  ~signal_stack() {
    if (!memory_) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace

std::size_t stack_bytes = least_stack_bytes;

void want_stack(std::size_t bytes) {
  const std::size_t whole = (bytes + spread_bytes - 1) / spread_bytes * spread_bytes + spread_bytes;
  stack_bytes = std::clamp(whole, stack_bytes, most_stack_bytes);
}

void want_stack_for_locals(std::size_t bytes) {
  if (bytes > least_stack_bytes / 4) want_stack(bytes + least_stack_bytes);
}

std::size_t stack_for_limit(std::size_t bytes) {
  constexpr std::size_t times = 4;
  return bytes * times;
}

std::size_t touched_stack_bytes() { return std::min(stack_bytes, least_stack_bytes) / 2; }

std::string stack_advice() {
  return "used more than its stack of " + std::to_string((stack_bytes - spread_bytes) / 1024) +
         " KiB; SIMT_STACK=256K or cudaDeviceSetLimit(cudaLimitStackSize, …) gives more, large "
         "arrays belong in device memory";
}

void take_signals_apart() {
  static thread_local const signal_stack own;
  static_cast<void>(own);
}

}  // namespace simt::detail
