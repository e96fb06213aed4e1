// The values and the ends of segments as one sequence, each end behind the values before it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/detail/striped_tile.cuh"
#include "warpfold/device/segments/source.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// What neighbours in the merged sequence come to: whether a segment ends among them, and the
/// reduction of the values after the last end.
template <class Acc>
struct segment_partial {
  std::uint32_t ended;
  Acc value;
};
template <class Op>
struct segment_op {
  Op op;

  template <class Partial>
  __device__ Partial operator()(const Partial& a, const Partial& b) const {
    return {a.ended | b.ended, b.ended != 0 ? b.value : op(a.value, b.value)};
  }
  template <class Partial>
  __device__ Partial identity() const {
    return {0, op.template identity<decltype(Partial::value)>()};
  }
};

enum class segment_output { reductions, inclusive, exclusive };

/// A map that takes a value and its index.
template <class Map>
concept takes_index = requires { Map::takes_index; };

template <segment_output Output, class V, class Source, class Out, class Acc, class Op, class Map>
struct segment_problem {
  static constexpr segment_output output = Output;
  using value_type = V;
  using acc_type = Acc;

  const V* in;
  std::size_t n;         // values of all segments, at most
  Source source;         // the segments
  Out* out;              // a value a segment, or a value a value
  std::size_t* refused;  // segments whose offsets are wrong, if that is to be counted
  Acc init;
  Op op;
  Map map;

  /// What the value at `at` comes to.
  __device__ __forceinline__ auto mapped(const V& value, const V* at) const {
    if constexpr (takes_index<Map>) {
      return map(value, static_cast<std::size_t>(at - in));
    } else {
      return map(value);
    }
  }
};

/// The whole sequence. Offsets are the caller's and may be anything: what is read or written
/// because of them is bounded by n and the number of segments.
template <class Problem>
struct merged_segments {
  const Problem& problem;
  std::size_t segments, first, values;

  __device__ __forceinline__ explicit merged_segments(const Problem& p) : problem(p) {
    segments = p.source.size();
    first = segments == 0 ? 0 : smaller(p.source.offset(0), p.n);
    values = segments == 0 ? 0 : end_of(segments - 1);
  }
  [[nodiscard]] __device__ __forceinline__ std::size_t length() const { return segments + values; }
  /// Where a segment ends, counted from the first value.
  [[nodiscard]] __device__ __forceinline__ std::size_t end_of(std::size_t segment) const {
    const std::size_t end = problem.source.offset(segment + 1);
    return end < first ? 0 : smaller(end, problem.n) - first;
  }
  static __device__ __forceinline__ std::size_t smaller(std::size_t a, std::size_t b) {
    return a < b ? a : b;
  }
  /// How many ends come before place `at` of the sequence, by half a warp; `from` of them at least.
  [[nodiscard]] __device__ __forceinline__ std::size_t ends_before(std::size_t at,
                                                                   std::size_t from) const {
    constexpr unsigned lanes = warp_size / 2;
    const unsigned lane = threadIdx.x % lanes, shift = threadIdx.x % warp_size / lanes * lanes;
    std::size_t low = at > values ? at - values : 0, high = smaller(at, segments);
    low = low < from ? smaller(from, high) : low;
    while (__any_sync(all_lanes, low < high)) {
      const std::size_t step = (high - low + lanes - 1) / lanes;
      const std::size_t probe = low + (lane + 1) * step - 1;
      const bool reached = probe >= high || end_of(probe) + probe >= at;
      const unsigned all = __ballot_sync(all_lanes, reached) >> shift & ((1U << lanes) - 1);
      const unsigned first_reached = __ffs(static_cast<int>(all | 1U << lanes)) - 1;
      if (low < high) {
        high = smaller(high, low + (first_reached + 1) * step - 1);
        low = smaller(low + first_reached * step, high);
      }
    }
    return low;
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
