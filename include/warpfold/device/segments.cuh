// Reductions and scans of segments on a CUDA device, in one pass over memory and up to three
// launches, whatever the lengths: one giant segment among many short ones, or only empty ones.
//
//   segmented_reduce(device.on(stream).with(memory), values, offsets, out, init, op)
//
// Segment i is values[offsets[i]] to values[offsets[i + 1] - 1]: `offsets` has one more than there
// are segments, integers of any type that never decrease. In their place calls take
// segments_of_length, segments_of_lengths and segments_between (warpfold/segment_forms.hpp). All
// ranges are device memory; `offsets` may be `device_sized`. A call returns at once and never
// synchronises; with memory it allocates nothing, and it can be captured in a graph either way.
// Memory: a workspace (segmented_workspace_bytes, canonical_segmented_workspace_bytes);
// segments_of_lengths and segments_between leave data in it, and take temp_storage
// (segmented_temp_storage_bytes, canonical_segmented_temp_storage_bytes). Values are accumulated in
// the type of the output (f16 and bf16 in f32), in their order: the operator need only be
// associative, and has an identity. Results are the same from run to run.
//
// Wrong segments are found on the device: those that end before they begin, or leave the range, or
// with which all segments have more values than the call allows. Nothing outside the ranges is read
// or written, results are unspecified, and `*refused`, if given, is their number, otherwise 0.
#pragma once

#include <cstddef>
#include <type_traits>

#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/segments/dispatch.cuh"
#include "warpfold/device/select.cuh"
#include "warpfold/device/sized.cuh"
#include "warpfold/results.hpp"
#include "warpfold/same_bits.hpp"
#include "warpfold/segment_forms.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of workspace for a call on up to n values and `offsets` offsets, one more than segments,
/// with an output of Out; of an exclusive scan, with an init of Out.
template <class Out>
constexpr std::size_t segmented_workspace_bytes(std::size_t n, std::size_t offsets) {
  return detail::segment_status_bytes<accumulator_for<Out>>(n, offsets);
}

/// The same for a reduction at determinism::gpu_to_gpu that combines values in the canonical order.
template <class Out>
constexpr std::size_t canonical_segmented_workspace_bytes(std::size_t n) {
  return detail::canonical_status_bytes<accumulator_for<Out>>(n);
}

/// Bytes of temp_storage for a call on up to n values and `segments` segments_of_lengths or
/// segments_between, with an output of Out; of an exclusive scan, with an init of Out. n is the
/// `total` of segments_between that have one.
template <class Out>
constexpr std::size_t segmented_temp_storage_bytes(std::size_t n, std::size_t segments) {
  const std::size_t words = segmented_workspace_bytes<Out>(n, segments + 1);
  return detail::summed_storage(words, segments).bytes;
}

/// The same for a reduction at determinism::gpu_to_gpu that combines values in the canonical order.
template <class Out>
constexpr std::size_t canonical_segmented_temp_storage_bytes(std::size_t n, std::size_t segments) {
  return detail::summed_storage(canonical_segmented_workspace_bytes<Out>(n), segments).bytes;
}

/// Segments: offsets, or another form of segments.
template <class Segments>
concept any_segments = sized_values<Segments> || segment_form<Segments>;

namespace detail {

template <segment_output Output, device_place Where, values Values, any_segments Segments,
          values Out, class Acc, class Op, class Map>
status call_on_segments(const Where& where, const Values& values, const Segments& segments,
                        Out&& out, const Acc& init, Op op, Map map, std::size_t* refused) {
  if constexpr (can_run<Map>() && can_reduce<Op, Acc>() && can_write<Out>()) {
    constexpr bool canonical = Output == segment_output::reductions && is_canonical<Where, Op, Acc>;
    if constexpr (!canonical) require_same_bits<Where, Op, Acc>();
    const auto in = device_view(values);
    const std::size_t room = std::ranges::size(out);
    status state =
        Output == segment_output::reductions
            ? refuse_fewer("the output of a reduction is shorter than its segments",
                           most_segments(segments), room)
            : refuse_fewer("the output of a scan is shorter than its input", in.size(), room);
    if (state.ok() && refused != nullptr) {
      state = zero_async(refused, sizeof *refused, where.stream());
    }
    if (!state.ok()) return state;
    return segment_call<canonical, Acc, Where>{where, in.size(), refused}.on(
        segments, [&](const work_place& place, const auto& source, std::size_t total) {
          using source_type = std::remove_cvref_t<decltype(source)>;
          const segment_problem<Output, value_of<Values>, source_type, value_of<Out>, Acc, Op, Map>
              problem{in.data(), total, source, std::ranges::data(out), refused, init, op, map};
          return launch_on_segments<canonical>(place, problem);
        });
  } else {
    return {};
  }
}

/// A value and its index.
template <class T>
struct to_position_words {
  static constexpr bool takes_index = true;
  __device__ position_words<T> operator()(const T& value, std::size_t index) const {
    return position_words<T>::of({value, index});
  }
};
template <class T, class Extreme>
struct position_words_op {
  static constexpr bool commutative = true;
  using words = position_words<T>;
  template <class>
  __host__ __device__ static words identity() {
    return words::of({T{}, nowhere});
  }
  __host__ __device__ words operator()(const words& a, const words& b) const {
    return words::of(better<Extreme>{}(a.get(), b.get()));
  }
};

template <class Extreme, device_place Where, values Values, any_segments Segments, values Out>
status best_of_segments(const Where& where, const Values& values, const Segments& segments,
                        Out&& out, std::size_t* refused) {
  using T = value_of<Values>;
  using op = position_words_op<T, Extreme>;
  constexpr bool holds = std::is_same_v<value_of<Out>, position<T>>;
  static_assert(holds, "out holds a position<T> for each segment, T being the type of the values");
  if constexpr (holds) {
    return call_on_segments<segment_output::reductions>(
        where.with(determinism::run_to_run), values, segments, out,
        op::template identity<position_words<T>>(), op{}, to_position_words<T>{}, refused);
  } else {
    return {};
  }
}

}  // namespace detail

/// out[i] = op(init, map(v), …) of the values v of segment i; init if it has none.
template <device_place Where, values Values, any_segments Segments, values Out, class Op, class Map>
status segmented_transform_reduce(const Where& where, const Values& values,
                                  const Segments& segments, Out&& out,
                                  std::type_identity_t<accumulator_for<value_of<Out>>> init, Op op,
                                  Map map, std::size_t* refused = nullptr) {
  return detail::call_on_segments<detail::segment_output::reductions>(where, values, segments, out,
                                                                      init, op, map, refused);
}
/// out[i] = op(init, v, …) of the values v of segment i; init if it has none.
template <device_place Where, values Values, any_segments Segments, values Out, class Op = plus>
status segmented_reduce(const Where& where, const Values& values, const Segments& segments,
                        Out&& out, std::type_identity_t<accumulator_for<value_of<Out>>> init = {},
                        Op op = {}, std::size_t* refused = nullptr) {
  using Acc = accumulator_for<value_of<Out>>;
  return segmented_transform_reduce(where, values, segments, out, init, op, detail::convert<Acc>{},
                                    refused);
}

/// out[i] = the smallest value of segment i and its index among all values: the first NaN, else the
/// first of equal ones; index 2^64 - 1 if it has none. `out` holds position<T>.
template <device_place Where, values Values, any_segments Segments, values Out>
status segmented_argmin(const Where& where, const Values& values, const Segments& segments,
                        Out&& out, std::size_t* refused = nullptr) {
  return detail::best_of_segments<minimum>(where, values, segments, out, refused);
}
/// The same for the largest value.
template <device_place Where, values Values, any_segments Segments, values Out>
status segmented_argmax(const Where& where, const Values& values, const Segments& segments,
                        Out&& out, std::size_t* refused = nullptr) {
  return detail::best_of_segments<maximum>(where, values, segments, out, refused);
}

/// out[i] = op(…) of the values of i's segment up to i. `out` may be `values`; values in no segment
/// stay unchanged.
template <device_place Where, values Values, any_segments Segments, values Out, class Op = plus>
status segmented_inclusive_scan(const Where& where, const Values& values, const Segments& segments,
                                Out&& out, Op op = {}, std::size_t* refused = nullptr) {
  using Acc = accumulator_for<value_of<Out>>;
  return detail::call_on_segments<detail::segment_output::inclusive>(
      where, values, segments, out, Acc{}, op, detail::convert<Acc>{}, refused);
}
/// out[i] = op(init, …) of the values of i's segment before i, accumulated in init's type; init at
/// the first. `out` may be `values`; values in no segment stay unchanged.
template <device_place Where, values Values, any_segments Segments, values Out, class Acc,
          class Op = plus>
status segmented_exclusive_scan(const Where& where, const Values& values, const Segments& segments,
                                Out&& out, Acc init, Op op = {}, std::size_t* refused = nullptr) {
  return detail::call_on_segments<detail::segment_output::exclusive>(
      where, values, segments, out, init, op, detail::convert<Acc>{}, refused);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
