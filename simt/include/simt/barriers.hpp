// cuda::barrier, cuda::latch and the semaphores. Their own words are no accesses of the kernel: a
// device has instructions for them. Who waits is ordered after those that arrived.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/atomics.hpp"

namespace cuda {

namespace detail {

#define SIMT_UNSEEN [[gnu::noinline, clang::no_sanitize("coverage")]]

/// How many have still to come, and how often all have.
class phases {
 public:
  static constexpr std::uint64_t most = (std::uint64_t{1} << 20) - 1;

  SIMT_UNSEEN void begin(std::ptrdiff_t expected, const char* file, int line) {
    const auto n = static_cast<std::uint64_t>(expected);
    if (n > most) simt::detail::fail_here(file, line, "a barrier counts up to 1048575 threads");
    __atomic_store_n(&word_, n << 20 | n, __ATOMIC_SEQ_CST);
  }
  [[nodiscard]] SIMT_UNSEEN std::uint64_t phase() const {
    return __atomic_load_n(&word_, __ATOMIC_SEQ_CST) >> 40;
  }

  /// So many come, of which `leave` will not come again. The last one calls `complete`. Returns the
  /// phase that they came in.
  template <class F>
  SIMT_UNSEEN std::uint64_t arrive(std::uint64_t n, std::uint64_t leave, F complete) {
    simt::detail::release();
    std::uint64_t seen = __atomic_load_n(&word_, __ATOMIC_SEQ_CST);
    for (;;) {
      const std::uint64_t pending = seen & most;
      if (pending == 0) {  // the last one is completing it
        simt::detail::yield_lane();
        seen = __atomic_load_n(&word_, __ATOMIC_SEQ_CST);
        continue;
      }
      if (pending < n) {
        simt::detail::fail_here(__builtin_FILE(), __builtin_LINE(),
                                "more threads arrive at a barrier than it was made for");
      }
      const std::uint64_t now = seen - n - (leave << 20);
      if (__atomic_compare_exchange_n(&word_, &seen, now, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
        if (pending == n) finish(now, complete);
        return seen >> 40;
      }
    }
  }

  [[nodiscard]] SIMT_UNSEEN bool is_over(std::uint64_t phase) const {
    if (this->phase() == phase) return false;
    simt::detail::acquire();
    return true;
  }
  SIMT_UNSEEN void wait(std::uint64_t phase) const {
    while (!is_over(phase)) simt::detail::yield_lane();
  }
  SIMT_UNSEEN void wait_parity(bool odd) const {
    while (!is_over_parity(odd)) simt::detail::yield_lane();
  }
  [[nodiscard]] SIMT_UNSEEN bool is_over_parity(bool odd) const {
    if (((phase() & 1) != 0) == odd) return false;
    simt::detail::acquire();
    return true;
  }

 private:
  template <class F>
  SIMT_UNSEEN void finish(std::uint64_t now, F complete) {
    simt::detail::acquire();
    complete();
    simt::detail::release();
    const std::uint64_t expected = now >> 20 & most;
    __atomic_store_n(&word_, ((now >> 40) + 1) << 40 | expected << 20 | expected, __ATOMIC_SEQ_CST);
  }

  std::uint64_t word_;  // phase, expected, still to come: 24, 20, 20 bits
};

#undef SIMT_UNSEEN

struct nothing {
  void operator()() const {}
};

}  // namespace detail

template <thread_scope Scope = thread_scope_system, class Completion = detail::nothing>
class barrier {
 public:
  using arrival_token = std::uint64_t;

  barrier() = default;
  explicit barrier(std::ptrdiff_t expected, Completion completion = {},
                   const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : completion_(completion) {
    phases_.begin(expected, file, line);
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  [[nodiscard]] arrival_token arrive(std::ptrdiff_t n = 1) {
    return phases_.arrive(static_cast<std::uint64_t>(n), 0, completion_);
  }
  void wait(arrival_token token) const { phases_.wait(token); }
  void wait_parity(bool odd) const { phases_.wait_parity(odd); }
  void arrive_and_wait() { wait(arrive()); }
  void arrive_and_drop() { phases_.arrive(1, 1, completion_); }
  [[nodiscard]] bool try_wait(arrival_token token) const {
    if (phases_.is_over(token)) return true;
    simt::detail::yield_lane();
    return phases_.is_over(token);
  }
  [[nodiscard]] bool try_wait_parity(bool odd) const {
    if (phases_.is_over_parity(odd)) return true;
    simt::detail::yield_lane();
    return phases_.is_over_parity(odd);
  }
  [[nodiscard]] static constexpr std::ptrdiff_t max() {
    return static_cast<std::ptrdiff_t>(detail::phases::most);
  }

  friend void init(barrier* b, std::ptrdiff_t expected, Completion completion = {},
                   const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    b->phases_.begin(expected, file, line);
    b->completion_ = completion;
  }

 private:
  detail::phases phases_;
  [[no_unique_address]] Completion completion_;
};

/// A barrier that is passed once.
template <thread_scope Scope = thread_scope_system>
class latch {
 public:
  explicit latch(std::ptrdiff_t expected) : barrier_(expected) {}
  void count_down(std::ptrdiff_t n = 1) { static_cast<void>(barrier_.arrive(n)); }
  [[nodiscard]] bool try_wait() const { return barrier_.try_wait(0); }
  void wait() const { barrier_.wait(0); }
  void arrive_and_wait(std::ptrdiff_t n = 1) {
    count_down(n);
    wait();
  }

 private:
  barrier<Scope> barrier_;
};

template <thread_scope Scope = thread_scope_system, std::ptrdiff_t Most = 0x7fffffff>
class counting_semaphore {
 public:
  explicit constexpr counting_semaphore(std::ptrdiff_t n) : left_(static_cast<int>(n)) {}
  [[nodiscard]] static constexpr std::ptrdiff_t max() { return Most; }
  void release(std::ptrdiff_t n = 1) { left_.fetch_add(static_cast<int>(n)); }
  [[nodiscard]] bool try_acquire() {
    int seen = left_.load();
    return seen > 0 && left_.compare_exchange_strong(seen, seen - 1);
  }
  void acquire() {
    while (!try_acquire()) __nanosleep(0);
  }

 private:
  atomic<int, Scope> left_;
};
template <thread_scope Scope = thread_scope_system>
using binary_semaphore = counting_semaphore<Scope, 1>;

}  // namespace cuda
