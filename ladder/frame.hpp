// What all ladders share in running their rungs side by side: fresh inputs, the loop over the
// rungs, the samples of one rung.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ladder/machine.hpp"
#include "ladder/rung.hpp"
#include "measure/measurement.hpp"

namespace warpfold::ladder {

/// Called before each row: its name, its index from 1, and how many there are.
using report_progress = std::function<void(std::string_view, std::size_t, std::size_t)>;

/// Throws usage_error unless a block may have so many threads.
void check_block(unsigned threads);

/// Copies of the input on the device: enough that none is in the cache when its turn comes.
class rotating_input {
 public:
  rotating_input(const void* data, std::size_t bytes, machine& where);

  /// A fresh copy of the input. An in-place rung spoils it: then all are made anew in time.
  void* next(bool will_be_spoilt);
  /// Before another rung: everything as it was.
  void restart() { turn_ = copies_.size(); }

 private:
  machine& where_;
  std::size_t bytes_;
  std::vector<device_memory> original_, copies_;
  std::size_t turn_ = 0;
  bool spoilt_ = false;
};

/// One rung made ready for one problem on one machine.
class attempt {
 public:
  attempt() = default;
  attempt(const attempt&) = delete;
  attempt& operator=(const attempt&) = delete;
  virtual ~attempt() = default;

  /// Puts all launches into the stream. `in` is the device copy of the input.
  virtual void launch(void* in) = 0;
  /// Whether what the last launches left is right.
  virtual measure::verdict judge() = 0;
  /// Makes an old result impossible to take for a new one.
  virtual void poison_outputs() = 0;
  [[nodiscard]] virtual std::size_t output_bytes() const = 0;
  [[nodiscard]] virtual unsigned launches() const = 0;
};

/// Runs the attempt once counted, once in each further order of the machine, then `samples` times
/// against the clock where there is one, and keeps the worst verdict. Outputs of many gigabytes in
/// all are judged after the first and the last run only.
void measure_attempt(attempt& up, const rung& r, rotating_input& inputs, machine& where,
                     unsigned samples, measure::measurement& m);

/// Runs `once` three times against the clock of the host.
measure::timing time_on_host(const std::function<void()>& once);

/// Why a rung with `most_values` did not run.
std::string too_many(const description& about);

/// The facts that a row takes over from its rung.
measure::measurement row_of(std::string_view ladder, const description& about);

/// A row for each rung that the machine can run, measured by `run`; the others with the reason.
/// `begin` makes the row that `run` completes.
void climb_rungs(std::span<const rung* const> rungs, machine& where, const report_progress& report,
                 const std::function<measure::measurement(const description&)>& begin,
                 const std::function<void(const rung&, measure::measurement&)>& run,
                 std::vector<measure::measurement>& rows);

}  // namespace warpfold::ladder
