// Segments on the host's threads: segmented_reduce, segmented_transform_reduce, segmented_argmin,
// segmented_argmax, segmented_inclusive_scan and segmented_exclusive_scan.
//
// Segment i is values[offsets[i]] to values[offsets[i + 1] - 1]: `offsets` has one more than there
// are segments, integers that never decrease. In their place calls take segments_of_length,
// segments_of_lengths and segments_between (warpfold/segment_forms.hpp). Threads share values and
// segments equally, whatever the lengths. The grouping of the values depends only on their type and
// the segments: the same bits for any number of threads and in every call. Operators: as for
// reduce; the order of the values is always kept where the operator needs it. At
// determinism::gpu_to_gpu each segment has the canonical order, as a row of reduce_rows
// (docs/canonical.md). Exceptions of an operator leave the call; some of the output has been
// written then. usage_error: segments that end before they begin or leave the range, or with which
// all have more values than the call allows; an output that is too short. Nothing is written then.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "warpfold/host/detail/compact.hpp"
#include "warpfold/host/detail/extremes.hpp"
#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/host/detail/scan_chunk.hpp"
#include "warpfold/host/detail/segments.hpp"
#include "warpfold/host/detail/tree.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/results.hpp"
#include "warpfold/same_bits.hpp"
#include "warpfold/segment_forms.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

namespace host_detail {

/// Calls write(s, value) for each segment; the value is none of an empty one. reduce(values)
/// reduces neighbours, of which there are some.
template <class Acc, class Where, class T, class Source, class Reduce, class Op, class Write>
void reduce_segments(const Where& where, std::span<const T> in, const merged_segments<Source>& all,
                     const Reduce& reduce, const Op& op, const Write& write) {
  using open = open_segment<Acc>;
  const auto reduce_part = [&](std::size_t s, std::size_t begin, std::size_t end) -> open {
    if (begin >= end) return {};
    return reduce(in.subspan(begin + all.shift(s), end - begin));
  };
  chain_segments<Acc, sizeof(T)>(
      where, all, reduce_part, op, [&](const open& before, const segment_chunk& chunk) {
        for (std::size_t s = chunk.first_segment; s < chunk.last_segment; ++s) {
          const bool is_first = s == chunk.first_segment;
          open sum = reduce_part(s, is_first ? chunk.begin : all.at(s), all.at(s + 1));
          if (is_first) sum = join(before, std::move(sum), op);
          write(s, std::move(sum));
        }
      });
}

}  // namespace host_detail

/// Segments: offsets, or another form of segments.
template <class Segments>
concept host_segments = host_detail::are_integers<Segments> || segment_form<Segments>;

/// out[i] = init and map(v) of the values v of segment i, reduced by op as values of the output's
/// type; init if it has none.
template <host_place Where, values Values, host_segments Segments, values Out, class Op, class Map>
  requires std::regular_invocable<const Op&, value_of<Out>, value_of<Out>> &&
           std::regular_invocable<const Map&, const value_of<Values>&>
void segmented_transform_reduce(Where where, const Values& values, const Segments& segments,
                                Out&& out, std::type_identity_t<value_of<Out>> init, Op op,
                                Map map) {
  using Acc = value_of<Out>;
  constexpr char call[] = "segmented_reduce(host, values, segments, out)";
  const auto in = view(values);
  const auto all = host_detail::merge_segments(call, segments, in.size());
  host_detail::check_room(call, "out", out, all.segments());
  auto* const to = std::ranges::data(out);
  if constexpr (detail::is_canonical<Where, Op, Acc>) {
    constexpr std::size_t chunk = host_detail::tree_chunk<value_of<Values>>(
        host_detail::tuning_of<Where>::reduce_chunk_bytes);
    return host_detail::for_each_segment(where, all, chunk, [&](std::size_t s) {
      const auto segment = in.subspan(all.at(s) + all.shift(s), all.at(s + 1) - all.at(s));
      to[s] = segment.empty() ? init
                              : op(init, host_detail::reduce_in_tree<Acc>(
                                             where, segment, host_detail::tree_operator(op), map));
    });
  }
  const auto reduce = [&](std::span<const value_of<Values>> part) -> Acc {
    return host_detail::reduce_chunk<Acc>(part, op, map);
  };
  host_detail::reduce_segments<Acc>(where, in, all, reduce, op,
                                    [&](std::size_t s, host_detail::open_segment<Acc> sum) {
                                      to[s] = sum ? op(init, *std::move(sum)) : init;
                                    });
}

/// out[i] = init and the values of segment i, reduced by op as values of the output's type; init if
/// it has none.
template <host_place Where, values Values, host_segments Segments, values Out, class Op = plus>
  requires std::regular_invocable<const Op&, value_of<Out>, value_of<Out>>
void segmented_reduce(Where where, const Values& values, const Segments& segments, Out&& out,
                      std::type_identity_t<value_of<Out>> init = {}, Op op = {}) {
  segmented_transform_reduce(where, values, segments, out, std::move(init), std::move(op),
                             host_detail::convert_to<value_of<Out>>{});
}

namespace host_detail {

template <class Extreme, class Where, class Values, class Segments, class Out>
void best_of_segments(const char* call, const Where& where, const Values& values,
                      const Segments& segments, Out& out) {
  using T = value_of<Values>;
  const auto in = view(values);
  const auto all = merge_segments(call, segments, in.size());
  check_room(call, "out", out, all.segments());
  auto* const to = std::ranges::data(out);
  reduce_segments<position<T>>(
      where, in, all, [&](std::span<const T> part) { return best_of<Extreme>(in, part); },
      better<Extreme>{},
      [&](std::size_t s, const open_segment<position<T>>& best) {
        to[s] = best ? located(in, *best) : position<T>{T{}, detail::nowhere};
      });
}

}  // namespace host_detail

/// out[i] = the smallest value of segment i and its index among all values: the first NaN, else the
/// first of equal ones; index 2^64 - 1 if it has none. `out` holds position<T>.
template <host_place Where, values Values, host_segments Segments, values Out>
  requires std::is_arithmetic_v<value_of<Values>> &&
           std::same_as<value_of<Out>, position<value_of<Values>>>
void segmented_argmin(Where where, const Values& values, const Segments& segments, Out&& out) {
  host_detail::best_of_segments<minimum>("segmented_argmin(host, values, segments, out)", where,
                                         values, segments, out);
}

/// The same for the greatest value.
template <host_place Where, values Values, host_segments Segments, values Out>
  requires std::is_arithmetic_v<value_of<Values>> &&
           std::same_as<value_of<Out>, position<value_of<Values>>>
void segmented_argmax(Where where, const Values& values, const Segments& segments, Out&& out) {
  host_detail::best_of_segments<maximum>("segmented_argmax(host, values, segments, out)", where,
                                         values, segments, out);
}

namespace host_detail {

template <bool Exclusive, class Acc, class Where, class Values, class Segments, class Out, class Op>
void scan_segments(const char* call, const Where& where, const Values& values,
                   const Segments& segments, Out& range, const std::optional<Acc>& init,
                   const Op& op) {
  using open = open_segment<Acc>;
  const auto in = view(values);
  const auto all = merge_segments(call, segments, in.size());
  check_room(call, "out", range, in.size());
  auto* const out = std::ranges::data(range);
  if constexpr (detail::is_canonical<Where, Op, Acc>) {
    constexpr std::size_t chunk = tree_chunk<value_of<Values>>(tuning_of<Where>::scan_chunk_bytes);
    return for_each_segment(where, all, chunk, [&](std::size_t s) {
      const std::size_t begin = all.at(s) + all.shift(s);
      scan_in_tree<Exclusive>(where, in.subspan(begin, all.at(s + 1) - all.at(s)), out + begin,
                              init, tree_operator(op));
    });
  }
  const auto reduce = [&](std::size_t s, std::size_t begin, std::size_t end) -> open {
    if (begin >= end) return {};
    return reduce_chunk<Acc>(in.subspan(begin + all.shift(s), end - begin), op);
  };
  chain_segments<Acc, sizeof(value_of<Values>)>(
      where, all, reduce, op, [&](const open& before, const segment_chunk& chunk) {
        for (std::size_t s = chunk.first_segment; s <= chunk.last_segment; ++s) {
          const bool is_first = s == chunk.first_segment, is_last = s == chunk.last_segment;
          const std::size_t begin = is_first ? chunk.begin : all.at(s);
          const std::size_t end = is_last ? chunk.end : all.at(s + 1);
          if (begin >= end) continue;
          const std::size_t place = begin + all.shift(s);
          const open start = is_first ? join(init, before, op) : init;
          scan_chunk<Exclusive>(in.subspan(place, end - begin), out + place, start, op);
        }
      });
}

}  // namespace host_detail

/// out[i] = the values of i's segment up to values[i], reduced by op as values of their own type.
/// `out` may be `values`; values in no segment stay unchanged.
template <host_place Where, values Values, host_segments Segments, values Out, class Op = plus>
  requires std::regular_invocable<const Op&, value_of<Values>, value_of<Values>>
void segmented_inclusive_scan(Where where, const Values& values, const Segments& segments,
                              Out&& out, Op op = {}) {
  host_detail::scan_segments<false>("segmented_inclusive_scan(host, values, segments, out)", where,
                                    values, segments, out, std::optional<value_of<Values>>(), op);
}

/// out[i] = init and the values of i's segment before values[i], reduced by op as values of init's
/// type; init at the first. `out` may be `values`; values in no segment stay unchanged.
template <host_place Where, values Values, host_segments Segments, values Out, class Acc,
          class Op = plus>
  requires std::regular_invocable<const Op&, Acc, Acc>
void segmented_exclusive_scan(Where where, const Values& values, const Segments& segments,
                              Out&& out, Acc init, Op op = {}) {
  host_detail::scan_segments<true>("segmented_exclusive_scan(host, values, segments, out, init)",
                                   where, values, segments, out,
                                   std::optional<Acc>(std::move(init)), op);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
