// Runs rungs of the streams ladder: it owns the memory for one problem, the clock, and the engines'
// speeds. There is one for each machine, from the same source.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ladder/streams/rung.hpp"
#include "simt/timeline.hpp"

namespace warpfold::ladder::streams_ladder {

struct executor_problem {
  value_type type;
  const void* values;  // ordinary memory
  std::size_t n;
  unsigned chunks, passes;
  void (*add_on_host)(value_type, const void* values, std::size_t count, void* sum);
};

struct outcome {
  double us = 0;                // of the host's clock, from the first call to the sums' arrival
  std::vector<std::byte> sums;  // values of the problem's type, to be added up
};

class executor {
 public:
  executor() = default;
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  virtual ~executor() = default;

  [[nodiscard]] virtual std::string device() const = 0;  // "NVIDIA H100 80GB HBM3"
  /// Runs the rung once, in memory where no old result can be taken for a new one.
  virtual outcome run(const rung& r, observer& listener) = 0;
  /// Runs it once more with an event before and after each operation, in the operation's own
  /// stream; who worked when.
  virtual std::vector<simt::timeline_span> trace(const rung& r, observer& listener) = 0;
  /// Of the device and the link, measured with copies and kernels of a chunk each.
  virtual simt::engine_speeds measure_speeds() = 0;
};

/// Microseconds from some moment on.
using clock_function = std::function<double()>;

}  // namespace warpfold::ladder::streams_ladder
