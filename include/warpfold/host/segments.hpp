// Segments on the host's threads: segmented_reduce, segmented_transform_reduce,
// segmented_inclusive_scan and segmented_exclusive_scan.
//
// Segment i is values[offsets[i]] to values[offsets[i + 1] - 1]: `offsets` has one more than there
// are segments, integers that never decrease. Threads share values and segments equally, whatever
// the lengths. The grouping of the values depends only on their type and the offsets: the same bits
// for any number of threads and in every call. Operators: as for reduce; the order of the values is
// always kept where the operator needs it. At determinism::gpu_to_gpu each segment has the
// canonical order, as a row of reduce_rows (docs/canonical.md). Exceptions of an operator leave the
// call; some of the output has been written then. usage_error: offsets that decrease or exceed the
// number of values; an output that is too short. Nothing is written then.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "warpfold/host/detail/compact.hpp"
#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/host/detail/scan_chunk.hpp"
#include "warpfold/host/detail/segments.hpp"
#include "warpfold/host/detail/tree.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// out[i] = init and map(v) of the values v of segment i, reduced by op as values of the output's
/// type; init if it has none.
template <host_place Where, values Values, values Offsets, values Out, class Op, class Map>
  requires std::integral<value_of<Offsets>> &&
           std::regular_invocable<const Op&, value_of<Out>, value_of<Out>> &&
           std::regular_invocable<const Map&, const value_of<Values>&>
void segmented_transform_reduce(Where where, const Values& values, const Offsets& offsets,
                                Out&& out, std::type_identity_t<value_of<Out>> init, Op op,
                                Map map) {
  using Acc = value_of<Out>;
  using open = host_detail::open_segment<Acc>;
  constexpr char call[] = "segmented_reduce(host, values, offsets, out)";
  const auto in = view(values);
  const host_detail::merged_segments<value_of<Offsets>> all{view(offsets)};
  host_detail::check_offsets(call, all.offsets, in.size());
  host_detail::check_room(call, "out", out, all.segments());
  if constexpr (detail::is_canonical<Where, Op, Acc>) {
    constexpr std::size_t chunk = host_detail::tree_chunk<value_of<Values>>(
        host_detail::tuning_of<Where>::reduce_chunk_bytes);
    return host_detail::for_each_segment(where, all, chunk, [&](std::size_t s) {
      const auto segment = in.subspan(all.at(s), all.at(s + 1) - all.at(s));
      std::ranges::data(out)[s] =
          segment.empty() ? init
                          : op(init, host_detail::reduce_in_tree<Acc>(
                                         where, segment, host_detail::tree_operator(op), map));
    });
  }
  const auto reduce = [&](std::size_t begin, std::size_t end) -> open {
    if (begin >= end) return {};
    return host_detail::reduce_chunk<Acc>(in.subspan(begin, end - begin), op, map);
  };
  host_detail::chain_segments<Acc, sizeof(value_of<Values>)>(
      where, all, reduce, op, [&](const open& before, const host_detail::segment_chunk& chunk) {
        for (std::size_t s = chunk.first_segment; s < chunk.last_segment; ++s) {
          const bool is_first = s == chunk.first_segment;
          open sum = reduce(is_first ? chunk.begin : all.at(s), all.at(s + 1));
          if (is_first) sum = host_detail::join(before, std::move(sum), op);
          std::ranges::data(out)[s] = sum ? op(init, *std::move(sum)) : init;
        }
      });
}

/// out[i] = init and the values of segment i, reduced by op as values of the output's type; init if
/// it has none.
template <host_place Where, values Values, values Offsets, values Out, class Op = plus>
  requires std::integral<value_of<Offsets>> &&
           std::regular_invocable<const Op&, value_of<Out>, value_of<Out>>
void segmented_reduce(Where where, const Values& values, const Offsets& offsets, Out&& out,
                      std::type_identity_t<value_of<Out>> init = {}, Op op = {}) {
  segmented_transform_reduce(where, values, offsets, out, std::move(init), std::move(op),
                             host_detail::convert_to<value_of<Out>>{});
}

namespace host_detail {

template <bool Exclusive, class Acc, class Where, class Values, class Offsets, class Out, class Op>
void scan_segments(const char* call, const Where& where, const Values& values,
                   const Offsets& offsets, Out& range, const std::optional<Acc>& init,
                   const Op& op) {
  using open = open_segment<Acc>;
  const auto in = view(values);
  const merged_segments<value_of<Offsets>> all{view(offsets)};
  check_offsets(call, all.offsets, in.size());
  check_room(call, "out", range, in.size());
  auto* const out = std::ranges::data(range);
  if constexpr (detail::is_canonical<Where, Op, Acc>) {
    constexpr std::size_t chunk = tree_chunk<value_of<Values>>(tuning_of<Where>::scan_chunk_bytes);
    return for_each_segment(where, all, chunk, [&](std::size_t s) {
      const std::size_t begin = all.at(s);
      scan_in_tree<Exclusive>(where, in.subspan(begin, all.at(s + 1) - begin), out + begin, init,
                              tree_operator(op));
    });
  }
  const auto reduce = [&](std::size_t begin, std::size_t end) -> open {
    if (begin >= end) return {};
    return reduce_chunk<Acc>(in.subspan(begin, end - begin), op);
  };
  chain_segments<Acc, sizeof(value_of<Values>)>(
      where, all, reduce, op, [&](const open& before, const segment_chunk& chunk) {
        for (std::size_t s = chunk.first_segment; s <= chunk.last_segment; ++s) {
          const bool is_first = s == chunk.first_segment, is_last = s == chunk.last_segment;
          const std::size_t begin = is_first ? chunk.begin : all.at(s);
          const std::size_t end = is_last ? chunk.end : all.at(s + 1);
          const open start = is_first ? join(init, before, op) : init;
          scan_chunk<Exclusive>(in.subspan(begin, end - begin), out + begin, start, op);
        }
      });
}

}  // namespace host_detail

/// out[i] = the values of i's segment up to values[i], reduced by op as values of their own type.
/// `out` may be `values`; values in no segment stay unchanged.
template <host_place Where, values Values, values Offsets, values Out, class Op = plus>
  requires std::integral<value_of<Offsets>> &&
           std::regular_invocable<const Op&, value_of<Values>, value_of<Values>>
void segmented_inclusive_scan(Where where, const Values& values, const Offsets& offsets, Out&& out,
                              Op op = {}) {
  host_detail::scan_segments<false>("segmented_inclusive_scan(host, values, offsets, out)", where,
                                    values, offsets, out, std::optional<value_of<Values>>(), op);
}

/// out[i] = init and the values of i's segment before values[i], reduced by op as values of init's
/// type; init at the first. `out` may be `values`; values in no segment stay unchanged.
template <host_place Where, values Values, values Offsets, values Out, class Acc, class Op = plus>
  requires std::integral<value_of<Offsets>> && std::regular_invocable<const Op&, Acc, Acc>
void segmented_exclusive_scan(Where where, const Values& values, const Offsets& offsets, Out&& out,
                              Acc init, Op op = {}) {
  host_detail::scan_segments<true>("segmented_exclusive_scan(host, values, offsets, out, init)",
                                   where, values, offsets, out, std::optional<Acc>(std::move(init)),
                                   op);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
