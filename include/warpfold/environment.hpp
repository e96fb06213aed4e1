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

/// Levels of determinism: which results are equal in every call on the same data. Each level is a
/// type, so that a call compiles only the code of its level.
namespace determinism {
/// The type of not_guaranteed.
struct not_guaranteed_level {};
/// Results that depend on the order (floating-point sums) may differ.
inline constexpr not_guaranteed_level not_guaranteed{};
/// The type of run_to_run.
struct run_to_run_level {};
/// Equal bits on the same GPU and build. The default.
inline constexpr run_to_run_level run_to_run{};
/// The type of gpu_to_gpu.
struct gpu_to_gpu_level {};
/// Equal bits on any machine; any NaN equals any other. `reduce`, `transform_reduce` and `mean` sum
/// to f32 and f64 exactly, init included, and round once, for any order of the values
/// (docs/exact.md). Other reductions, scans, `reduce_rows` and statistics combine their values in
/// the canonical order, which depends only on their number (docs/canonical.md); a user-defined
/// operator gives the same bits there if it does so for two values. Sorts, extremes, and integers
/// with the library's operators have the same bits at every level. Calls by key and by segment on a
/// device, and calls across GPUs, do not compile at this level if their result depends on the order
/// of the values.
inline constexpr gpu_to_gpu_level gpu_to_gpu{};
}  // namespace determinism

/// The host at another level of determinism than the default.
template <class Level, class Host>
struct host_execution_with : Host {
  /// The same with `limit` threads at most; 0: all cores.
  [[nodiscard]] constexpr host_execution_with threads(unsigned limit) const {
    return {Host::threads(limit)};
  }
};

/// Runs on the host's threads.
struct host_execution {
  unsigned thread_limit = 0;  ///< Maximum number of threads; 0: all cores.

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
/// use; every call leaves it ready for the next call of any kind. It serves one call at a time:
/// concurrent calls in several streams need one each; otherwise they hang or give wrong results.
/// (Debug builds of device code, nvcc -G, and the CPU machine stop a kernel that finds another one
/// in its workspace.) From the first call on, its contents belong to the calls until it is cleared
/// again. `workspace` (warpfold/workspace.hpp) owns such memory.
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

/// Both, for a place that calls of either kind use.
struct both_memories {
  workspace_view cleared;     ///< For reductions, scans and exact sums.
  temp_storage_view scratch;  ///< For sorts.
};

/// The memory of a place without any: calls allocate what they need in the stream.
struct own_memory {
  void* data = nullptr;   ///< None.
  std::size_t bytes = 0;  ///< None.
};

/// Runs on the current device. A value: `on` and `with` return changed copies. The level of
/// determinism and the kind of memory are types: a call that cannot keep the level, or cannot use
/// the memory, does not compile.
template <class Level, class Memory>
class device_execution_with {
 public:
  /// The default stream (the thread's own, in sources compiled with --default-stream per-thread).
  constexpr device_execution_with() = default;
  /// In this stream, null being the default one, with this memory.
  constexpr device_execution_with(detail::stream_type stream, Memory memory)
      : stream_(stream), memory_(memory) {}

  /// The same in `stream`: the work runs in the order of the stream.
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

  /// The same with memory of at least the size that the call's *_workspace_bytes returns:
  /// reductions, scans and exact sums allocate nothing. Sorts do not compile without temp_storage.
  [[nodiscard]] constexpr auto with(workspace_view memory) const {
    if constexpr (std::is_same_v<Memory, temp_storage_view>)
      return in(both_memories{memory, memory_});
    else if constexpr (std::is_same_v<Memory, both_memories>)
      return in(both_memories{memory, memory_.scratch});
    else
      return in(memory);
  }
  /// The same with memory of at least sort_temp_storage_bytes: sorts allocate nothing. Other calls
  /// do not compile without a workspace.
  [[nodiscard]] constexpr auto with(temp_storage_view memory) const {
    if constexpr (std::is_same_v<Memory, workspace_view>)
      return in(both_memories{memory_, memory});
    else if constexpr (std::is_same_v<Memory, both_memories>)
      return in(both_memories{memory_.cleared, memory});
    else
      return in(memory);
  }

  /// The same at run_to_run, which costs no more.
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
