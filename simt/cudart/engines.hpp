// When operations would run on a device with a few engines.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <vector>

#include "simt/streams.hpp"

namespace simt::detail {

/// One thing that takes time on an engine, or a mark between such things, which takes none.
struct task {
  engine where = engine::compute;
  bool mark = false;
  double issued = 0;               // the host's clock at the call
  double us = 0;                   // how long it takes
  std::vector<std::size_t> after;  // what must have ended before
  double begin = -1, end = -1;     // negative as long as nobody knows
};

/// Takes tasks in the order of the calls, and finds out what begins when: only as far as it has to,
/// since what the host has yet to issue may come before what still waits.
class engines {
 public:
  engines(unsigned copy_engines, bool one_queue)
      : copy_engines_(copy_engines), one_queue_(one_queue) {}

  std::size_t add(task t);
  [[nodiscard]] const task& operator[](std::size_t id) const { return tasks_[id]; }
  [[nodiscard]] std::size_t count() const { return tasks_.size(); }

  /// Runs all that begins until this time.
  void run_until(double time);
  /// Runs until the task has ended, with the host waiting meanwhile; when that is.
  double run_until_end(std::size_t id);
  /// For a host that issues nothing more.
  void run_all();

 private:
  struct links {
    std::size_t missing = 0;             // of `after`: those of which no end is known
    double ready = 0;                    // the latest of the ends that are
    std::vector<std::size_t> followers;  // what waits for it
  };

  [[nodiscard]] std::size_t lane_of(engine e) const;
  /// Begins the next task, if that is before `limit`.
  bool step(double limit);
  void begin(std::size_t id, double at);

  unsigned copy_engines_;
  bool one_queue_;
  std::vector<task> tasks_;
  std::vector<links> links_;                         // of the task with the same number
  std::vector<std::size_t> ready_;                   // nothing is missing
  std::array<std::deque<std::size_t>, 5> in_order_;  // of calls, for each engine
  std::array<double, 5> free_{};                     // when it has ended what it works on
};

}  // namespace simt::detail
