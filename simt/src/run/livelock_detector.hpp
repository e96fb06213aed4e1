// Tells a grid that is slow from one that hangs. A thread that comes back to the same place with
// the same registers and the same stack, while no thread has written a new value, repeats itself
// forever.
//
//   the worker's threads have all yielded ──> all_repeat():     each thread's state at its yield
//   a loop of a fast kernel has run long  ──> thread_repeats(): the running thread's state
//
// A launch ends when all workers that have anything to do find so. For the first, a worker observes
// all accesses of its threads: now and then, and only while none of them makes progress.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simt/src/observer.hpp"

namespace simt::detail {

struct worker;

/// The states of a warp's lanes when they yielded.
struct lane_states {
  std::array<std::uint64_t, 32> kept{};
  std::uint32_t repeats = 0;  // these have come back to what was kept
};

/// What the workers of a grid have found, under its mutex.
struct livelock_agreement {
  unsigned workers = 0;     // that have anything to do
  unsigned confirmed = 0;   // of these, since the epoch began
  std::uint64_t epoch = 0;  // a worker that finds a livelock, or no longer does, begins another one
  unsigned looping = 0;     // workers whose running thread repeats a loop
  bool said = false;        // that nothing makes progress: worker::say_waiting

  void begin_epoch() {
    ++epoch;
    confirmed = 0;
  }
  void leave() {
    --workers;
    begin_epoch();
  }
};

/// Of one worker.
class livelock_detector final : public observer {
 public:
  explicit livelock_detector(worker& w) : worker_(w) {}

  /// A launch begins.
  void begin() { loop_ = {}; }
  /// A thread has made progress.
  void reset();
  /// The worker has nothing to do any more.
  void leave();

  /// All threads of the worker have had their turn, and yielded again. True if no thread of the
  /// grid will ever do anything else.
  bool all_repeat();
  /// The running thread's loop, which writes nothing, has run long. True likewise.
  bool thread_repeats(const void* registers);

  [[nodiscard]] bool observes() const { return stage_ != stage::idle; }
  /// The running lane yields; from `frame` up lie its registers and its stack.
  void note_yield(const void* frame);

  void access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
              std::uintptr_t pc) override;
  void bulk_load(const void* shared, const void* global, std::size_t bytes,
                 std::uintptr_t pc) override;
  void bulk_store(const void* global, const void* shared, std::size_t bytes,
                  std::uintptr_t pc) override;

 private:
  /// Each includes those before it.
  enum class stage : std::uint8_t { idle, observing, found, confirmed };
  struct turns {                         // in which all threads have yielded
    std::uint64_t count = 0;             // since one made progress
    std::uint64_t first = 2, last = 10;  // of these the worker observes
    std::uint64_t observed = 0;          // since the states were kept anew
  };
  struct store {
    std::uintptr_t address = 0;  // 0: none
    std::array<std::byte, 16> before{};
    std::size_t bytes = 0;
  };
  struct loop {
    std::uint64_t progress = 0;  // of the grid, since `since`
    std::chrono::steady_clock::time_point since;
    std::uint64_t state = 0, asked = 0;  // of the running thread, and how often it asked
    bool repeats = false;                // it has come back to the state
  };

  void observe();
  void stop_observing();
  void keep_states_anew();
  void withdraw();
  void compare_last_store();
  void set_loop_repeats(bool is);
  [[nodiscard]] bool all_states_repeat() const;

  worker& worker_;
  observer* of_launch_ = nullptr;   // the launch's own observer
  std::unique_ptr<observer> both_;  // the two
  stage stage_ = stage::idle;
  bool changed_ = false;     // a store has written a new value
  bool keeps_next_ = false;  // the next states are kept
  turns turns_;
  std::uint64_t epoch_ = 0;  // of the grid's agreement
  store last_store_;         // it may not have happened yet
  loop loop_;
};

}  // namespace simt::detail
