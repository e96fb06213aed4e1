// A kernel that touches an address where there is no memory, or divides an integer by zero, ends
// with an error instead of the program.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include <ucontext.h>

#include "simt/shift.hpp"
#include "simt/src/memory/guard.hpp"
#include "simt/src/run/cluster.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/hooks.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

struct sigaction before_segv, before_bus, before_ill, before_fpe;
constexpr char shift_mark[] = "\x0f\x0bshift";  // include/simt/shift.hpp
constinit thread_local std::uintptr_t fault_address [[gnu::tls_model("initial-exec")]] = 0;
constinit thread_local std::uintptr_t fault_position [[gnu::tls_model("initial-exec")]] = 0;
constinit thread_local int fault_signal [[gnu::tls_model("initial-exec")]] = 0;

std::string what_faulted() {
  if (fault_signal == SIGFPE) return "divides an integer by zero, or the least integer by -1";
  char address[2 + 16 + 1];
  std::snprintf(address, sizeof address, "0x%zx", static_cast<std::size_t>(fault_address));
  return std::string("accesses address ") + address + ", which is not device memory";
}

/// Where the lane goes on instead.
[[noreturn]] void land() {
  lane& self = *tls.current;
  std::string what;
  const lane* const deep = block_of(self).cluster->overflowed();
  const fault kind = fault_signal == SIGFPE ? fault::other : fault::address;
  {
    const hooks_disabled quiet;
    what = what_faulted();
    if (worker& w = worker_of(self); w.whole_blocks) {
      w.stray = stray_thread{number_of(block_of(self)), fault_position + 1, kind,
                             where_is(block_of(self)) + ", a thread of it: " + what};
      abandon(self);
    }
    grid_of(self).note_position(fault_position + 1);
  }
  if (deep != nullptr) fail_stack(*deep);
  fail(self, what, kind);
}

/// The host's access to guarded memory, which happens again and succeeds.
bool is_touch_of_host(int signal, const siginfo_t* info, const mcontext_t& machine) {
  if (signal != SIGSEGV) return false;
#if defined(__x86_64__)
  constexpr greg_t write_bit = 2;
  const bool writes = (machine.gregs[REG_ERR] & write_bit) != 0;
  const auto position = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  const bool writes = false;  // it isn't said here
  const auto position = static_cast<std::uintptr_t>(machine.pc);
#endif
  return note_host_touch(reinterpret_cast<std::uintptr_t>(info->si_addr), writes, position);
}

#if defined(__x86_64__)
/// A lane shifts by too much: goes on behind the mark.
void on_illegal_instruction(int signal, siginfo_t*, void* context) {
  auto& position = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  if (std::memcmp(reinterpret_cast<const void*>(position), shift_mark, sizeof shift_mark - 1) !=
      0) {
    sigaction(signal, &before_ill, nullptr);
    return;  // it happens again, and is dealt with as ever
  }
  if (tls.observer != nullptr) tls.observer->wide_shift(static_cast<std::uintptr_t>(position) + 1);
  position += sizeof shift_mark - 1;
}
#endif

/// What was there before this machine's own: the signal comes again, and is dealt with as ever.
void restore(int signal) {
  sigaction(signal,
            signal == SIGSEGV  ? &before_segv
            : signal == SIGBUS ? &before_bus
                               : &before_fpe,
            nullptr);
}

/// Where the lane may go on below `top`, or from its stack's own top where it has left that: what
/// lies there is given up.
std::uintptr_t within_own_stack(std::uintptr_t top) {
  constexpr std::uintptr_t red_zone = 128, room = 8192;
  const lane& self = *tls.current;
  const auto begin = reinterpret_cast<std::uintptr_t>(self.warp->stacks) + self.index * stack_bytes;
  const bool left = top - begin >= stack_bytes || top - begin < room;
  return (left ? begin + stack_bytes - room : top) - red_zone;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  if (tls.current == nullptr && is_touch_of_host(signal, info, machine)) return;
  if (tls.current == nullptr) {  // no kernel's
    restore(signal);
    if (before_crash != nullptr) before_crash();
    return;
  }
  fault_signal = signal;
  fault_address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t acting = std::exchange(acting_at, 0);
  constexpr std::uintptr_t alignment = 16;
#if defined(__x86_64__)
  fault_position = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  const auto stack = within_own_stack(static_cast<std::uintptr_t>(machine.gregs[REG_RSP]));
  machine.gregs[REG_RSP] = static_cast<greg_t>(stack / alignment * alignment - sizeof(void*));
  machine.gregs[REG_RIP] = reinterpret_cast<greg_t>(&land);
#elif defined(__aarch64__)
  fault_position = machine.pc;
  machine.sp = within_own_stack(machine.sp) / alignment * alignment;
  machine.pc = reinterpret_cast<std::uintptr_t>(&land);
#else
  restore(signal);
#endif
  if (acting != 0) fault_position = acting;
}

}  // namespace

unsigned char watch_shifts = 0;
void (*before_crash)() = nullptr;

void catch_faults() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before_segv);
    sigaction(SIGBUS, &action, &before_bus);
    sigaction(SIGFPE, &action, &before_fpe);
#if defined(__x86_64__)
    action.sa_sigaction = on_illegal_instruction;
    sigaction(SIGILL, &action, &before_ill);
#endif
  });
}

}  // namespace simt::detail
