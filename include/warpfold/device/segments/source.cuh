// Where segments lie, as kernels take it. The values of all segments, one segment behind the other,
// are a sequence: segment i is offset(i) to offset(i + 1) - 1 of it. In the range of values it lies
// shift(i) further on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/detail/value_count.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// By offsets.
template <class Offset>
struct offset_source {
  static_assert(std::is_integral_v<Offset>, "offsets are integers");
  static constexpr bool is_in_a_row = true;  // no shifts
  const Offset* offsets;                     // one more than segments
  value_count count;                         // of the offsets

  [[nodiscard]] std::size_t most() const { return count.n == 0 ? 0 : count.n - 1; }
  [[nodiscard]] __device__ __forceinline__ std::size_t size() const {
    const std::size_t n = count.load();
    return n == 0 ? 0 : n - 1;
  }
  [[nodiscard]] __device__ __forceinline__ std::size_t offset(std::size_t i) const {
    return static_cast<std::size_t>(offsets[i]);
  }
  static __device__ __forceinline__ std::size_t shift(std::size_t) { return 0; }
};

/// Of one length.
struct length_source {
  static constexpr bool is_in_a_row = true;
  std::size_t length, count;

  [[nodiscard]] std::size_t most() const { return count; }
  [[nodiscard]] __device__ __forceinline__ std::size_t size() const { return count; }
  [[nodiscard]] __device__ __forceinline__ std::size_t offset(std::size_t i) const {
    return i * length;
  }
  static __device__ __forceinline__ std::size_t shift(std::size_t) { return 0; }
};

/// By lengths that an earlier launch added up (ends.cuh).
struct end_source {
  static constexpr bool is_in_a_row = true;
  const std::uint64_t* ends;
  value_count count;  // of the segments

  [[nodiscard]] std::size_t most() const { return count.n; }
  [[nodiscard]] __device__ __forceinline__ std::size_t size() const { return count.load(); }
  [[nodiscard]] __device__ __forceinline__ std::size_t offset(std::size_t i) const {
    return i == 0 ? 0 : ends[i - 1];
  }
  static __device__ __forceinline__ std::size_t shift(std::size_t) { return 0; }
};

/// By begins and ends, their lengths added up likewise. A segment that has values lies in the
/// range.
template <class Begin>
struct pair_source : end_source {
  static constexpr bool is_in_a_row = false;
  const Begin* begins;

  /// Modulo 2^64.
  [[nodiscard]] __device__ __forceinline__ std::size_t shift(std::size_t i) const {
    return static_cast<std::size_t>(begins[i]) - offset(i);
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
