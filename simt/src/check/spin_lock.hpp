// A lock for what takes less than a microsecond, one byte large.
#pragma once

#include <atomic>
#include <thread>

namespace simt::detail {

class spin_lock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) {
      for (unsigned looks = 0; taken_.load(std::memory_order_relaxed); ++looks) {
        // A holder that has lost its core needs one to get on.
        if (looks < looks_before_yielding) {
          pause();
        } else {
          std::this_thread::yield();
        }
      }
    }
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  static constexpr unsigned looks_before_yielding = 128;  // some microseconds

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
  }

  std::atomic<bool> taken_{false};
};

}  // namespace simt::detail
