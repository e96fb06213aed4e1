// Reductions and scans of segments on a CUDA device, in one pass over memory and one or two
// launches, whatever the lengths: one giant segment among many short ones, or only empty ones.
//
//   segmented_reduce(device.on(stream).with(memory), values, offsets, out, init, op)
//
// Segment i is values[offsets[i]] to values[offsets[i + 1] - 1]: `offsets` has one more than there
// are segments, integers of any type that never decrease. All ranges are device memory; `offsets`
// may be `device_sized`. A call returns at once and never synchronises; with a workspace
// (segmented_workspace_bytes, canonical_segmented_workspace_bytes) it allocates nothing, and it can
// be captured in a graph either way. Values are accumulated in the type of the output (f16 and bf16
// in f32), in their order: the operator need only be associative, and has an identity. Results are
// the same from run to run.
//
// Offsets that decrease or exceed the number of values are found on the device: nothing outside the
// ranges is read or written, results are unspecified, and `*refused`, if given, is the number of
// such offsets, otherwise 0.
#pragma once

#include <cstddef>
#include <type_traits>

#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/segments/canonical.cuh"
#include "warpfold/device/segments/kernel.cuh"
#include "warpfold/device/select.cuh"
#include "warpfold/device/sized.cuh"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of workspace for a call on up to n values and `offsets` offsets, with an output of Out.
template <class Out>
constexpr std::size_t segmented_workspace_bytes(std::size_t n, std::size_t offsets) {
  using Acc = accumulator_for<Out>;
  const std::size_t tiles = detail::segment_bytes<Acc>(n, offsets);
  return n < tuning::segment_chunks_from
             ? tiles
             : detail::at_least(tiles,
                                detail::canonical_segment_bytes<Acc>(n, detail::long_chunk_bits));
}

/// The same for a reduction at determinism::gpu_to_gpu that combines values in the canonical order.
template <class Out>
constexpr std::size_t canonical_segmented_workspace_bytes(std::size_t n) {
  return detail::canonical_segment_bytes<accumulator_for<Out>>(n,
                                                               tuning::canonical_least_chunk_bits);
}

namespace detail {

/// Whether there are so many values in so long segments that tiles are slower than chunks.
inline bool suits_chunks(std::size_t n, std::size_t segments) {
  return n >= tuning::segment_chunks_from && n / tuning::segment_chunks_length >= segments;
}

template <segment_output Output, device_place Where, values Values, sized_values Offsets,
          values Out, class Acc, class Op, class Map>
status call_on_segments(const Where& where, const Values& values, const Offsets& offsets, Out&& out,
                        const Acc& init, Op op, Map map, std::size_t* refused) {
  using offset = given_value_of<Offsets>;
  static_assert(std::is_integral_v<offset>, "offsets are integers");
  if constexpr (can_run<Map>() && can_reduce<Op, Acc>() && can_write<Out>()) {
    constexpr bool canonical = Output == segment_output::reductions && is_canonical<Where, Op, Acc>;
    if constexpr (!canonical) require_same_bits<Where, Op, Acc>();
    const auto in = device_view(values);
    const auto count = given_values<Offsets>::count(offsets);
    const std::size_t segments = count.n == 0 ? 0 : count.n - 1;
    const std::size_t room = std::ranges::size(out);
    const status state =
        Output == segment_output::reductions
            ? refuse_fewer("the output of a reduction is shorter than its segments", segments, room)
            : refuse_fewer("the output of a scan is shorter than its input", in.size(), room);
    if (!state.ok()) return state;
    const segment_problem<Output, value_of<Values>, offset, value_of<Out>, Acc, Op, Map> problem{
        in.data(),
        in.size(),
        given_values<Offsets>::most(offsets).data(),
        count,
        std::ranges::data(out),
        refused,
        init,
        op,
        map};
    const work_place place = for_cleared(where);
    if constexpr (canonical) {
      return reduce_chunks(place, problem,
                           {canonical_segmented_workspace_bytes<value_of<Out>>(in.size()),
                            "the workspace is smaller than "
                            "canonical_segmented_workspace_bytes<Out>(n)"});
    } else {
      if constexpr (Output == segment_output::reductions) {
        if (suits_chunks(in.size(), segments)) {
          return reduce_chunks(place, problem,
                               {segmented_workspace_bytes<value_of<Out>>(in.size(), count.n),
                                too_small_for_segments});
        }
      }
      return reduce_segments(place, problem);
    }
  } else {
    return {};
  }
}

}  // namespace detail

/// out[i] = op(init, map(v), …) of the values v of segment i; init if it has none.
template <device_place Where, values Values, sized_values Offsets, values Out, class Op, class Map>
status segmented_transform_reduce(const Where& where, const Values& values, const Offsets& offsets,
                                  Out&& out,
                                  std::type_identity_t<accumulator_for<value_of<Out>>> init, Op op,
                                  Map map, std::size_t* refused = nullptr) {
  return detail::call_on_segments<detail::segment_output::reductions>(where, values, offsets, out,
                                                                      init, op, map, refused);
}
/// out[i] = op(init, v, …) of the values v of segment i; init if it has none.
template <device_place Where, values Values, sized_values Offsets, values Out, class Op = plus>
status segmented_reduce(const Where& where, const Values& values, const Offsets& offsets, Out&& out,
                        std::type_identity_t<accumulator_for<value_of<Out>>> init = {}, Op op = {},
                        std::size_t* refused = nullptr) {
  using Acc = accumulator_for<value_of<Out>>;
  return segmented_transform_reduce(where, values, offsets, out, init, op, detail::convert<Acc>{},
                                    refused);
}

/// out[i] = op(…) of the values of i's segment up to i. `out` may be `values`; values in no segment
/// stay unchanged.
template <device_place Where, values Values, sized_values Offsets, values Out, class Op = plus>
status segmented_inclusive_scan(const Where& where, const Values& values, const Offsets& offsets,
                                Out&& out, Op op = {}, std::size_t* refused = nullptr) {
  using Acc = accumulator_for<value_of<Out>>;
  return detail::call_on_segments<detail::segment_output::inclusive>(
      where, values, offsets, out, Acc{}, op, detail::convert<Acc>{}, refused);
}
/// out[i] = op(init, …) of the values of i's segment before i, accumulated in init's type; init at
/// the first. `out` may be `values`; values in no segment stay unchanged.
template <device_place Where, values Values, sized_values Offsets, values Out, class Acc,
          class Op = plus>
status segmented_exclusive_scan(const Where& where, const Values& values, const Offsets& offsets,
                                Out&& out, Acc init, Op op = {}, std::size_t* refused = nullptr) {
  return detail::call_on_segments<detail::segment_output::exclusive>(
      where, values, offsets, out, init, op, detail::convert<Acc>{}, refused);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
