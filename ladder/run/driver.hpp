// Shared by all ladders to run their rungs side by side: fresh inputs, the loop over the rungs, the
// samples of one rung.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ladder/kind.hpp"
#include "ladder/machines/machine.hpp"
#include "ladder/rung.hpp"
#include "measure/measurement.hpp"

namespace warpfold::ladder {

/// Called before each row: its name, its index from 1, and how many there are.
using report_progress = std::function<void(std::string_view, std::size_t, std::size_t)>;

/// Throws usage_error unless `threads` is a block size of the ladders: 32, 64, … 1024.
void check_block(unsigned threads);

/// Throws usage_error unless a histogram may have so many bins: 1 to 2^24.
void check_bins(std::size_t bins);

/// Whether one block, or one cluster, takes all values of `s`.
bool one_block_takes(const rung& r, const shape& s);

/// How many copies of an input of so many bytes turn about on a device whose cache has
/// `cache_bytes`.
std::size_t input_copies(std::size_t bytes, std::size_t cache_bytes);

/// Copies of the input on the device: enough that the next one is no longer in the cache.
class rotating_input {
 public:
  rotating_input(const void* data, std::size_t bytes, machine& where);

  /// A fresh copy of the input. An in-place rung spoils it: all copies are made anew before it is
  /// used again.
  void* next(bool will_be_spoilt);
  /// Restores all copies before another rung runs.
  void restart() { next_ = copies_.size(); }

 private:
  machine& where_;
  std::size_t bytes_;
  std::vector<device_memory> original_, copies_;
  std::size_t next_ = 0;
  bool spoilt_ = false;
};

/// One rung made ready for one problem on one machine.
class rung_runner {
 public:
  rung_runner(const rung_runner&) = delete;
  rung_runner& operator=(const rung_runner&) = delete;
  virtual ~rung_runner() = default;

  /// Puts all launches into the stream. `in` is the device copy of the input.
  virtual void launch(void* in) = 0;
  /// Whether what the last launches left is right.
  virtual measure::verdict judge() = 0;
  /// The longest chain of operator uses that leads to one result; 0 where it was not measured.
  [[nodiscard]] virtual double depth() const { return 0; }

  /// Makes an old result impossible to take for a new one.
  void poison_outputs();
  [[nodiscard]] std::size_t output_bytes() const { return outputs_.front().bytes(); }
  [[nodiscard]] unsigned launches() const { return launches_; }

 protected:
  /// Allocates zeroed scratch memory and `outputs` outputs of `output_bytes` each.
  rung_runner(const rung& r, machine& where, const shape& s, std::size_t output_bytes,
              unsigned outputs = 1);
  /// Waits for the launches, then copies the bytes at `from` to the host.
  std::vector<std::byte> fetch(const void* from, std::size_t bytes);

  const rung& rung_;
  machine& where_;
  shape shape_;
  std::vector<device_memory> outputs_;
  device_memory scratch_;
  unsigned launches_ = 0;
};

/// One problem, and what a ladder does with it.
struct ladder_plan {
  ladder_kind ladder = ladder_kind::reduce;
  std::size_t n = 0;
  unsigned block = 0, samples = 0;
  const void* input = nullptr;  // as the device gets it
  std::size_t input_bytes = 0;
  std::string_view finish;  // how partials become one value; empty where there are none
  /// Fills in what all rows of the problem have in common.
  std::function<void(measure::measurement&)> describe;
  /// The rungs of the host; `run_on_host` runs one and fills in time, verdict and counters.
  std::span<const description> on_host;
  std::function<void(const description&, measure::measurement&)> run_on_host;
  /// Why a rung can't work on the problem; empty where it can, and null where all can.
  std::function<std::string(const rung&)> obstacle;
  std::function<std::unique_ptr<rung_runner>(const rung&)> prepare;
  std::function<measure::verdict()> of_nothing;  // where n is 0
};

/// Why the rung does not take values of this type, or the operation; empty where it does.
std::string obstacle_to(const rung& r, value_type type, operation op);

/// A row for each rung of the host and each of `rungs` that the machine can run; the others with
/// the reason. Each rung runs once counted, then `samples` times against the clock where there is
/// one; the worst verdict is kept. Outputs of many gigabytes in all are judged after the first and
/// the last run only. Throws usage_error for a block that there is not, device_error for lack of
/// memory.
std::vector<measure::measurement> run_rungs(const ladder_plan& plan, machine& where,
                                            std::span<const rung* const> rungs,
                                            const report_progress& report);

/// Runs `once` three times against the clock of the host.
measure::timing time_on_host(const std::function<void()>& once);

}  // namespace warpfold::ladder
