// Where a call runs: the first argument of every algorithm.
//
//   warpfold::host                      all cores of this machine
//   warpfold::host.threads(2)           two of them
//   warpfold::device                    the current CUDA device, in its default stream
//   warpfold::device.on(stream)         in a stream
//   warpfold::device.with(workspace)    reductions and scans allocate nothing
//   warpfold::device.with(temp_storage) sorts allocate nothing
//   warpfold::device.with(workspace).with(temp_storage)      none of them does
//   warpfold::host.with(determinism::gpu_to_gpu)     or the device: sums with the same bits
//   anywhere
#pragma once

#include <cstddef>
#include <type_traits>

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
/// Every bit, on any machine; a NaN is a NaN. `reduce`, `transform_reduce` and `mean` sum to f32
/// and f64 exactly, init included, then round once, for any order of the values (docs/exact.md).
/// Other reductions, scans, `reduce_rows` and statistics meet their values in an order that their
/// number alone fixes (docs/canonical.md); an operator of one's own gives the same bits there if it
/// does so for two values. Sorts, extremes, and integers with the library's operators have the same
/// bits anyway. Calls by key, and those across ranks and GPUs, whose result depends on which values
/// meet first don't compile at this level.
inline constexpr gpu_to_gpu_level gpu_to_gpu{};
}  // namespace determinism

/// A place of the host's at a level of determinism that is not the default.
template <class Level, class Host>
struct host_execution_with : Host {
  /// The same with `limit` threads at most; 0: all cores.
  [[nodiscard]] constexpr host_execution_with threads(unsigned limit) const {
    return {Host::threads(limit)};
  }
};

/// Runs on the host's threads.
struct host_execution {
  unsigned thread_limit = 0;  ///< How many threads at most; 0: all cores.

  /// The same with `limit` threads at most; 0: all cores.
  [[nodiscard]] constexpr host_execution threads(unsigned limit) const { return {limit}; }
  /// Sums with the same bits anywhere.
  [[nodiscard]] constexpr auto with(determinism::gpu_to_gpu_level) const {
    return host_execution_with<determinism::gpu_to_gpu_level, host_execution>{*this};
  }
};
/// All cores of this machine.
inline constexpr host_execution host{};

#if WARPFOLD_HAS_DEVICE
inline namespace WARPFOLD_MACHINE {

namespace detail {
/// The default stream that all threads share. By its name, as below.
inline stream_type legacy_stream() {
#if defined(__CUDACC__) && !defined(__SIMT__)
  return cudaStreamLegacy;
#else
  return nullptr;
#endif
}
/// What calls that name no stream run in. By its name: functions that all of a program's sources
/// share may have been compiled where null means another.
inline stream_type default_stream() {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
  return cudaStreamPerThread;
#else
  return nullptr;
#endif
}
}  // namespace detail

/// Cleared device memory for reductions, scans and exact sums. It must be zero before its first
/// use; every call leaves it ready for the next, whatever that is. It serves one call at a time:
/// calls in several streams at once need one each, or they hang or give wrong results. (Debug
/// builds of device code, nvcc -G, and the CPU machine stop a kernel that meets another in its
/// workspace.) Once given, it is the calls' until it is cleared anew. `workspace`
/// (warpfold/workspace.hpp) owns such memory.
struct workspace_view {
  void* data = nullptr;   ///< Device memory, at a multiple of 256 bytes; null: calls allocate.
  std::size_t bytes = 0;  ///< How much.
};

/// Device memory for sorts, in any state before and after a call. It serves one call at a time.
/// `temp_storage` (warpfold/workspace.hpp) owns such memory.
struct temp_storage_view {
  void* data = nullptr;   ///< Device memory, at a multiple of 256 bytes; null: calls allocate.
  std::size_t bytes = 0;  ///< How much.
};

/// Both, for places that calls of either kind share.
struct both_memories {
  workspace_view cleared;     ///< For reductions, scans and exact sums.
  temp_storage_view scratch;  ///< For sorts.
};

/// Of a place that was given no memory: calls allocate what they need, if any, in the stream.
struct own_memory {
  void* data = nullptr;   ///< None.
  std::size_t bytes = 0;  ///< None.
};

/// Runs on the current device. A value: `on` and `with` return changed copies. The level of
/// determinism and the kind of memory are types, so that a call that can't keep the one, or must
/// not work in the other, does not compile.
template <class Level, class Memory>
class device_execution_with {
 public:
  /// The default stream (the thread's own, in sources compiled with --default-stream per-thread).
  constexpr device_execution_with() = default;
  /// In this stream, null being the default one, with this memory.
  constexpr device_execution_with(detail::stream_type stream, Memory memory)
      : stream_(stream), memory_(memory) {}

  /// The same in `stream`: work runs after what is in it, and before what comes.
  [[nodiscard]] constexpr device_execution_with on(detail::stream_type stream) const {
    return {stream, memory_};
  }
  /// Does not compile: `device` is no function. Write `device.on(stream)`.
  template <class Stream>
  device_execution_with operator()(const Stream&) const {
    static_assert(!sizeof(Stream), "device is no function: write device.on(stream)");
    return *this;
  }
  // 0 and nullptr: leave `on` out for the default stream.
  device_execution_with on(int) const = delete;
  device_execution_with on(decltype(nullptr)) const = delete;

  /// The same with memory of at least the size that the call's *_workspace_bytes says: reductions,
  /// scans and exact sums allocate nothing. Sorts don't compile, unless they have temp_storage,
  /// too.
  [[nodiscard]] constexpr auto with(workspace_view memory) const {
    if constexpr (std::is_same_v<Memory, temp_storage_view>)
      return in(both_memories{memory, memory_});
    else if constexpr (std::is_same_v<Memory, both_memories>)
      return in(both_memories{memory, memory_.scratch});
    else
      return in(memory);
  }
  /// The same with memory of at least sort_temp_storage_bytes: sorts allocate nothing. Other calls
  /// don't compile, unless they have a workspace, too.
  [[nodiscard]] constexpr auto with(temp_storage_view memory) const {
    if constexpr (std::is_same_v<Memory, workspace_view>)
      return in(both_memories{memory_, memory});
    else if constexpr (std::is_same_v<Memory, both_memories>)
      return in(both_memories{memory_.cleared, memory});
    else
      return in(memory);
  }

  /// The same at run_to_run: what holds there costs nothing.
  [[nodiscard]] constexpr auto with(determinism::not_guaranteed_level) const {
    return with(determinism::run_to_run);
  }
  /// The same at run_to_run, the default.
  [[nodiscard]] constexpr auto with(determinism::run_to_run_level) const {
    return device_execution_with<determinism::run_to_run_level, Memory>(stream_, memory_);
  }
  /// The same at gpu_to_gpu.
  [[nodiscard]] constexpr auto with(determinism::gpu_to_gpu_level) const {
    return device_execution_with<determinism::gpu_to_gpu_level, Memory>(stream_, memory_);
  }

  /// The stream that calls put their work into.
  [[nodiscard]] detail::stream_type stream() const {
    return stream_ != nullptr ? stream_ : detail::default_stream();
  }
  /// The memory that calls work in.
  [[nodiscard]] constexpr Memory memory() const { return memory_; }

 private:
  template <class Given>
  [[nodiscard]] constexpr auto in(Given memory) const {
    return device_execution_with<Level, Given>(stream_, memory);
  }

  detail::stream_type stream_{};
  Memory memory_{};
};
/// Runs on the current device, at run_to_run; calls allocate.
using device_execution = device_execution_with<determinism::run_to_run_level, own_memory>;
/// The current CUDA device, in its default stream.
inline constexpr device_execution device{};

namespace detail {
template <class Where>
inline constexpr bool is_device_place = false;
template <class Level, class Memory>
inline constexpr bool is_device_place<device_execution_with<Level, Memory>> = true;
}  // namespace detail

/// A place of the device's: `device`, or one that `on` and `with` made from it.
template <class Where>
concept device_place = detail::is_device_place<Where>;

}  // namespace WARPFOLD_MACHINE
#endif

}  // namespace warpfold
