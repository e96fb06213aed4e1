// Prefix sums across ranks: each rank reduces its part, receives the total of the parts before it,
// and scans from there. Every rank reads its values twice and writes them once.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "warpfold/host/scan.hpp"
#include "warpfold/mpi/combine.hpp"
#include "warpfold/mpi/partials.hpp"
#include "warpfold/mpi/reduce.hpp"

#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/scan.cuh"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

inline void require_done(const status& state, const char* call, std::size_t n) {
  state.throw_if_failed(call, " of ", n, " values");
}

/// What the values of the ranks before this one come to; none if they have none.
template <class Acc, class Where, class In, class Op>
std::optional<Acc> before_this_rank(const across_ranks<Where>& place, std::span<const In> in,
                                    const Op& op) {
  return scan_ranks<Acc>(
      place,
      [&]() -> std::optional<Acc> {
        const bool is_last = place.rank() == place.size() - 1;  // nobody asks for its total
        if (in.empty() || is_last) return {};
        return partial<Acc>(place.here(), in, op, conversion<Acc>(place.here()));
      },
      op);
}

/// A scan in the canonical order: each node of this rank's values is scanned from what precedes it.
template <bool Exclusive, class Where, class In, class Out, class Acc, class Op>
void scan_in_tree(const across_ranks<Where>& place, const char* call, const In& range, Out& out,
                  std::optional<Acc> init, const Op& op) {
  const auto in = view(range);
  const auto begin = values_before(place, in.size());
  host_detail::tree_part<Acc> mine;
  const auto before = scan_ranks<host_detail::tree_part<Acc>>(
      place,
      [&] {
        mine = host_detail::part_of_tree<Acc>(place.here(), begin, in, op,
                                              host_detail::convert_to<Acc>{});
        return mine;
      },
      host_detail::join_parts<Op>{op});
  host_detail::tree_prefix<Acc> prefix(std::move(init));
  const auto push = [&](const Acc& node, unsigned level) {
    prefix.push(node, op, std::size_t{1} << level);
  };
  if (before) before->for_each(push);
  auto* const to = host_detail::room_for(call, range, out);
  std::size_t at = 0;
  mine.for_each([&](const Acc& node, unsigned level) {
    const std::size_t n = std::size_t{1} << level;
    host_detail::scan_in_tree<Exclusive>(place.here(), in.subspan(at, n), to + at, prefix.value(),
                                         op);
    push(node, level);
    at += n;
    if constexpr (!Exclusive) {  // the last result joins this node and those before it
      to[at - 1] = static_cast<std::remove_reference_t<decltype(*to)>>(*prefix.value());
    }
  });
}

}  // namespace mpi_detail

/// out[i] = init, all values of the ranks before, in[0], …, in[i] reduced by op, as values of
/// init's type. All ranks pass the same init. On a device the part's own scan is in the stream when
/// this returns.
template <class Where, values In, class Out, class Op, class Acc>
void inclusive_scan(const across_ranks<Where>& place, const In& in, Out&& out, Op op, Acc init) {
  using namespace mpi_detail;
  require_same_call<value_of<In>, Acc, Op>(place, "inclusive_scan", init);
  if constexpr (in_canonical_order<Where, Op, Acc>()) {
    return scan_in_tree<false>(place, "inclusive_scan", in, out, std::optional(std::move(init)),
                               host_detail::tree_operator(op));
  }
  const auto values = view(in);
  const auto before = before_this_rank<Acc>(place, values, op);
  const Acc carry = before ? op(std::move(init), *before) : init;
#if WARPFOLD_HAS_DEVICE
  if constexpr (device_place<Where>) {
    require_done(inclusive_scan(place.here(), in, out, op, carry), "inclusive_scan", values.size());
  } else
#endif
    inclusive_scan(place.here(), in, out, op, carry);
}

/// out[i] = all values of the ranks before, in[0], …, in[i] reduced by op.
template <class Where, values In, class Out, class Op = plus>
void inclusive_scan(const across_ranks<Where>& place, const In& in, Out&& out, Op op = {}) {
  using namespace mpi_detail;
  using Acc = accumulator_of<In>;
  require_same_call<value_of<In>, Op>(place, "inclusive_scan");
  if constexpr (in_canonical_order<Where, Op, Acc>()) {
    return scan_in_tree<false>(place, "inclusive_scan", in, out, std::optional<Acc>(),
                               host_detail::tree_operator(op));
  }
  const auto values = view(in);
  const auto before = before_this_rank<Acc>(place, values, op);
#if WARPFOLD_HAS_DEVICE
  if constexpr (device_place<Where>) {
    const Acc carry = before ? *before : op.template identity<Acc>();
    require_done(inclusive_scan(place.here(), in, out, op, carry), "inclusive_scan", values.size());
  } else
#endif
      if (before) {
    inclusive_scan(place.here(), in, out, op, *before);
  } else {
    inclusive_scan(place.here(), in, out, op);
  }
}

/// out[i] = init, all values of the ranks before, in[0], …, in[i - 1] reduced by op, as values of
/// init's type; out[0] = init on the first rank.
template <class Where, values In, class Out, class Acc, class Op = plus>
void exclusive_scan(const across_ranks<Where>& place, const In& in, Out&& out, Acc init,
                    Op op = {}) {
  using namespace mpi_detail;
  require_same_call<value_of<In>, Acc, Op>(place, "exclusive_scan", init);
  if constexpr (in_canonical_order<Where, Op, Acc>()) {
    return scan_in_tree<true>(place, "exclusive_scan", in, out, std::optional(std::move(init)),
                              host_detail::tree_operator(op));
  }
  const auto values = view(in);
  const auto before = before_this_rank<Acc>(place, values, op);
  const Acc carry = before ? op(std::move(init), *before) : init;
#if WARPFOLD_HAS_DEVICE
  if constexpr (device_place<Where>) {
    require_done(exclusive_scan(place.here(), in, out, carry, op), "exclusive_scan", values.size());
  } else
#endif
    exclusive_scan(place.here(), in, out, carry, op);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
