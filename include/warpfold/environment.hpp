// Where a call runs: the first argument of every algorithm.
//
//   warpfold::host                      all cores of this machine
//   warpfold::host.threads(2)           two of them
//   warpfold::device                    the current CUDA device, in its default stream
//   warpfold::device.on(stream)         in a stream
//   warpfold::device.with(workspace)    without allocating
//   warpfold::device.with(determinism::not_guaranteed)
#pragma once

#include <cstddef>

#include "warpfold/platform.hpp"
#include "warpfold/status.hpp"

namespace warpfold {

/// What is the same from one call to the next on the same data.
enum class determinism {
  not_guaranteed,  // nothing, where results depend on the order (floating-point sums)
  run_to_run,      // every bit, on the same GPU and build
  gpu_to_gpu,      // every bit, on any machine: the sum is exact, then rounded once
};

/// Runs on the host's threads.
struct host_execution {
  unsigned thread_limit = 0;  // 0: all cores

  [[nodiscard]] constexpr host_execution threads(unsigned limit) const { return {limit}; }
};
inline constexpr host_execution host{};

#if WARPFOLD_HAS_DEVICE
inline namespace WARPFOLD_MACHINE {

/// Device memory for one call at a time in one stream. It must be zero before its first use; every
/// call leaves it ready for the next, but a sort only for sorts. `workspace`
/// (warpfold/workspace.hpp) owns such memory.
struct workspace_view {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// Runs on the current device. A value: `on` and `with` return changed copies.
class device_execution {
 public:
  constexpr device_execution() = default;

  [[nodiscard]] constexpr device_execution on(stream_type stream) const {
    device_execution changed = *this;
    changed.stream_ = stream;
    return changed;
  }
  device_execution on(int) const = delete;  // 0 and nullptr: leave `on` out for the default stream
  device_execution on(decltype(nullptr)) const = delete;
  /// Memory of at least the size that the call's *_workspace_bytes says.
  [[nodiscard]] constexpr device_execution with(workspace_view memory) const {
    device_execution changed = *this;
    changed.memory_ = memory;
    return changed;
  }
  [[nodiscard]] constexpr device_execution with(determinism level) const {
    device_execution changed = *this;
    changed.level_ = level;
    return changed;
  }

  [[nodiscard]] constexpr stream_type stream() const { return stream_; }
  [[nodiscard]] constexpr workspace_view memory() const { return memory_; }
  [[nodiscard]] constexpr determinism level() const { return level_; }

 private:
  stream_type stream_{};
  workspace_view memory_{};
  determinism level_ = determinism::run_to_run;
};
inline constexpr device_execution device{};

}  // namespace WARPFOLD_MACHINE
#endif

}  // namespace warpfold
