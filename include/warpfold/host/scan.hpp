// Prefix sums on the host's threads.
//
// Values are read from memory once: a thread reduces a chunk that fits in its cache, waits for the
// total of all chunks before it, publishes the total including its own, and reads the chunk again,
// from the cache, to write its prefixes. The grouping of the values depends only on their number
// and type: the same bits for any number of threads and in every call. Operators: as for reduce;
// the order of the values is always kept where the operator needs it. `out` may be `in`; otherwise
// they must not overlap. If an operator throws, the exception leaves the call and some of `out` has
// been written.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "warpfold/error.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/prefix_chain.hpp"
#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/host/detail/scan_chunk.hpp"
#include "warpfold/host/detail/tree.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

template <bool Exclusive, class Where, class In, class Out, class Acc, class Op>
void scan(const Where& where, std::span<const In> in, Out* out, std::optional<Acc> init,
          const Op& op) {
  if constexpr (detail::is_canonical<Where, Op, Acc>) {
    return scan_in_tree<Exclusive>(where, in, out, std::move(init), tree_operator(op));
  }
  constexpr std::size_t chunk = items_in<In>(tuning_of<Where>::scan_chunk_bytes);
  if (in.size() <= chunk) return scan_chunk<Exclusive>(in, out, init, op);
  chain_chunks<Acc>(where, in.size(), chunk, std::move(init), [&] {
    return [&](std::size_t begin, std::size_t end, const auto& pass) {
      const auto part = in.subspan(begin, end - begin);
      const Acc total = reduce_chunk<Acc>(part, op);
      std::optional<Acc> before;
      const auto after = [&](const std::optional<Acc>& prefix) {
        return prefix ? op(*prefix, total) : total;
      };
      if (!pass(before, after)) return false;
      scan_chunk<Exclusive>(part, out + begin, before, op);
      return true;
    };
  });
}

template <class R, class Out>
auto* room_for(const char* call, const R& in, Out& out) {
  if constexpr (values<Out>) {
    const std::size_t n = view(in).size(), there = std::ranges::size(out);
    if (there < n) {
      throw usage_error("warpfold::", call, "(host, in, out): out has room for ", there,
                        " values and in has ", n, "; make out as long as in");
    }
    return std::ranges::data(out);
  } else {
    return std::to_address(out);
  }
}

}  // namespace host_detail

/// Where a scan may write: a range at least as long as the input (usage_error if it is shorter), or
/// a pointer to as much room.
template <class Out>
concept scan_output = values<Out> || std::contiguous_iterator<std::remove_cvref_t<Out>>;

/// out[i] = init, in[0], …, in[i] reduced by op, as values of init's type.
template <host_place Where, values In, scan_output Out, class Op, class Acc>
  requires std::regular_invocable<const Op&, Acc, Acc>
void inclusive_scan(Where where, const In& in, Out&& out, Op op, Acc init) {
  host_detail::scan<false>(where, view(in), host_detail::room_for("inclusive_scan", in, out),
                           std::optional<Acc>(std::move(init)), op);
}

/// out[i] = in[0], …, in[i] reduced by op, as values of the input's type.
template <host_place Where, values In, scan_output Out, class Op = plus>
  requires std::regular_invocable<const Op&, value_of<In>, value_of<In>>
void inclusive_scan(Where where, const In& in, Out&& out, Op op = {}) {
  host_detail::scan<false>(where, view(in), host_detail::room_for("inclusive_scan", in, out),
                           std::optional<value_of<In>>(), op);
}

/// out[i] = init, in[0], …, in[i - 1] reduced by op, as values of init's type; out[0] = init.
template <host_place Where, values In, scan_output Out, class Acc, class Op = plus>
  requires std::regular_invocable<const Op&, Acc, Acc>
void exclusive_scan(Where where, const In& in, Out&& out, Acc init, Op op = {}) {
  host_detail::scan<true>(where, view(in), host_detail::room_for("exclusive_scan", in, out),
                          std::optional<Acc>(std::move(init)), op);
}
/// The same from T{}, where the values are of type T.
template <host_place Where, values In, scan_output Out>
void exclusive_scan(Where where, const In& in, Out&& out) {
  exclusive_scan(where, in, out, value_of<In>{});
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
