// Where a call runs: the first argument of every algorithm.
//
//   warpfold::host                      all cores of this machine
//   warpfold::host.threads(2)           two of them
//   warpfold::device                    the current CUDA device, in its default stream
//   warpfold::device.on(stream)         in a stream
//   warpfold::device.with(workspace)    without allocating
//   warpfold::host.with(determinism::gpu_to_gpu)     or the device: sums with the same bits
//   anywhere
#pragma once

#include <cstddef>

#include "warpfold/platform.hpp"
#include "warpfold/status.hpp"

namespace warpfold {

/// What is the same from one call to the next on the same data. Each level has a type of its own,
/// so that a call compiles what its level needs and no more.
namespace determinism {
/// The type of not_guaranteed.
struct not_guaranteed_level {};
/// Nothing, where results depend on the order (floating-point sums).
inline constexpr not_guaranteed_level not_guaranteed{};
/// The type of run_to_run.
struct run_to_run_level {};
/// Every bit, on the same GPU and build. The default.
inline constexpr run_to_run_level run_to_run{};
/// The type of gpu_to_gpu.
struct gpu_to_gpu_level {};
/// `reduce` and `transform_reduce` with plus to f32 or f64: every bit, on any machine, for any
/// order of the values. The sum is exact, init included, then rounded once (docs/exact.md).
/// Integers have the same bits anyway; every other call is as at run_to_run.
inline constexpr gpu_to_gpu_level gpu_to_gpu{};
}  // namespace determinism

/// A place of the host's, at determinism::gpu_to_gpu.
template <class Host>
struct exact_on : Host {
  /// The same with `limit` threads at most; 0: all cores.
  [[nodiscard]] constexpr exact_on threads(unsigned limit) const { return {Host::threads(limit)}; }
};

/// Runs on the host's threads.
struct host_execution {
  unsigned thread_limit = 0;  ///< How many threads at most; 0: all cores.

  /// The same with `limit` threads at most; 0: all cores.
  [[nodiscard]] constexpr host_execution threads(unsigned limit) const { return {limit}; }
  /// Sums with the same bits anywhere.
  [[nodiscard]] constexpr auto with(determinism::gpu_to_gpu_level) const {
    return exact_on<host_execution>{*this};
  }
};
/// All cores of this machine.
inline constexpr host_execution host{};

#if WARPFOLD_HAS_DEVICE
inline namespace WARPFOLD_MACHINE {

namespace detail {
/// What calls that name no stream run in. By its name: CUB's calls, which all of a program's
/// sources share, may have been compiled where null means another.
inline stream_type default_stream() {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
  return cudaStreamPerThread;
#else
  return nullptr;
#endif
}
}  // namespace detail

/// Device memory for one call at a time in one stream. It must be zero before its first use; every
/// call leaves it ready for the next, but a sort only for sorts. `workspace`
/// (warpfold/workspace.hpp) owns such memory.
struct workspace_view {
  void* data = nullptr;   ///< Device memory, aligned as cudaMalloc aligns; null: calls allocate.
  std::size_t bytes = 0;  ///< How much.
};

/// Runs on the current device. A value: `on` and `with` return changed copies.
class device_execution {
 public:
  /// The default stream (the thread's own, in sources compiled with --default-stream per-thread);
  /// memory is allocated in it.
  constexpr device_execution() = default;

  /// The same in `stream`: work runs after what is in it, and before what comes.
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
  /// The same: what holds at run_to_run costs nothing.
  [[nodiscard]] constexpr device_execution with(determinism::not_guaranteed_level) const {
    return *this;
  }
  /// The same: it is the default.
  [[nodiscard]] constexpr device_execution with(determinism::run_to_run_level) const {
    return *this;
  }
  /// Sums to f32 and f64 with the same bits on any machine.
  [[nodiscard]] constexpr auto with(determinism::gpu_to_gpu_level) const;

  /// The stream that calls put their work into.
  [[nodiscard]] stream_type stream() const {
    return stream_ != nullptr ? stream_ : detail::default_stream();
  }
  /// The memory that calls work in; none: each allocates its own in the stream.
  [[nodiscard]] constexpr workspace_view memory() const { return memory_; }

 private:
  stream_type stream_{};
  workspace_view memory_{};
};
/// The current CUDA device, in its default stream.
inline constexpr device_execution device{};

/// The same at determinism::gpu_to_gpu, which a copy into a device_execution loses.
class exact_device_execution : public device_execution {
 public:
  /// The same place at determinism::gpu_to_gpu.
  constexpr explicit exact_device_execution(const device_execution& where)
      : device_execution(where) {}

  /// The same in `stream`.
  [[nodiscard]] constexpr exact_device_execution on(stream_type stream) const {
    return exact_device_execution(device_execution::on(stream));
  }
  /// The same with memory of at least the size that the call's *_workspace_bytes says.
  [[nodiscard]] constexpr exact_device_execution with(workspace_view memory) const {
    return exact_device_execution(device_execution::with(memory));
  }
  /// Other levels, which take this one away.
  using device_execution::with;
};
constexpr auto device_execution::with(determinism::gpu_to_gpu_level) const {
  return exact_device_execution(*this);
}

}  // namespace WARPFOLD_MACHINE
#endif

}  // namespace warpfold
