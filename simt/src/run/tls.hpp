// What the hooks read and write at every basic block and access: one set for each OS thread.
#pragma once

#include <cstdint>

#include "simt/src/observer.hpp"

namespace simt::detail {

struct thread_state {
  std::uint32_t* guard_cursor = nullptr;  // where the next basic block's number goes
  std::uint32_t* guard_limit = nullptr;
  class observer* observer = nullptr;  // nullptr: no kernel runs, or nobody looks on
  bool logging = false;                // the observer reads the guards: none may be dropped
  bool restless = false;               // lanes yield now and then
  unsigned slices = 0;                 // how often the guards that nobody reads were full
  std::uintptr_t shared_base = 0;      // of the running lane's block
  std::uintptr_t cluster_base = 0;     // of its cluster: one stride for each block
  std::uintptr_t cluster_bytes = 0;
  lane* current = nullptr;  // the running lane
  struct warp* warp = nullptr;
};
extern constinit thread_local thread_state tls [[gnu::tls_model("initial-exec")]];

/// Until the hooks are aimed at a lane again, nothing is logged and nobody is told.
void disable_hooks();

/// Disables the hooks while it lives. Needed wherever the machine does more than a little for a
/// lane: the linker may have given it a kernel file's copy of a standard function.
class hooks_disabled {
 public:
  hooks_disabled() : kept_(tls) { disable_hooks(); }
  ~hooks_disabled() { tls = kept_; }
  hooks_disabled(const hooks_disabled&) = delete;
  hooks_disabled& operator=(const hooks_disabled&) = delete;

 private:
  thread_state kept_;
};

[[noreturn]] void fail_outside(const char* what);
/// The running lane; an error when `what` stands outside a kernel.
inline lane& running(const char* what) {
  if (tls.current == nullptr) [[unlikely]]
    fail_outside(what);
  return *tls.current;
}

}  // namespace simt::detail
