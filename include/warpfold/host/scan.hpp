// Prefix sums on the host's threads.
//
// Values come from memory once: a thread reduces a chunk that fits in its cache, learns what all
// chunks before it come to, tells what all up to its own come to, and reads the chunk again, from
// the cache, to write its prefixes. Where prefixes are formed depends on the number of values and
// their type alone: the same bits whatever the number of threads, and from call to call.
// Operators: as for reduce; the order of the values is always kept where the operator needs it.
// `out` may be `in`; otherwise they must not overlap. If an operator throws, the exception comes
// out of the call and some of `out` has been written.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "warpfold/error.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/host/detail/scan_chunk.hpp"
#include "warpfold/host/detail/threads.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Passes the prefix from chunk to chunk, in order.
template <class Acc>
class prefix_chain {
 public:
  explicit prefix_chain(std::optional<Acc> init) : prefix_(std::move(init)) {}

  /// Waits for the prefix of `chunk` and publishes that of the next one, after(before).
  /// False when another chunk has failed.
  template <class F>
  bool pass(std::size_t chunk, std::optional<Acc>& before, const F& after) {
    std::size_t now = turn_;
    for (; now != chunk; now = turn_) {
      if (now == failed) return false;
      turn_.wait(now);
    }
    before = prefix_;
    prefix_.emplace(after(before));
    turn_.compare_exchange_strong(now, chunk + 1);  // unless somebody has failed meanwhile
    turn_.notify_all();
    return true;
  }
  void fail() {
    turn_ = failed;
    turn_.notify_all();
  }

 private:
  static constexpr std::size_t failed = std::numeric_limits<std::size_t>::max();

  std::atomic<std::size_t> turn_ = 0;
  std::optional<Acc> prefix_;
};

/// Each thread takes chunk after chunk, so those before a chunk are done or being worked on.
template <bool Exclusive, class Tuning, class In, class Out, class Acc, class Op>
void scan(const host_execution& where, std::span<const In> in, Out* out, std::optional<Acc> init,
          const Op& op) {
  constexpr std::size_t chunk = items_in<In>(Tuning::scan_chunk_bytes);
  if (in.size() <= chunk) return scan_chunk<Exclusive>(in, out, init, op);
  const std::size_t count = (in.size() - 1) / chunk + 1;
  prefix_chain<Acc> prefixes(std::move(init));
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    std::optional<Acc> before;
    for (std::size_t c = next++; c < count; c = next++) {
      const auto part = in.subspan(c * chunk, std::min(chunk, in.size() - c * chunk));
      const Acc total = reduce_chunk<Acc>(part, op);
      const auto after = [&](const std::optional<Acc>& prefix) {
        return prefix ? op(*prefix, total) : total;
      };
      if (!prefixes.pass(c, before, after)) return;
      scan_chunk<Exclusive>(part, out + c * chunk, before, op);
    }
  };
  run_on(where, [&] {
    for_each_index(std::min(thread_count(), count), [&](std::size_t) {
      try {
        // An operator that has threads of its own must not take up another share of this work
        // while the others wait for the chunk that it is called for.
        run_isolated(work);
      } catch (...) {
        next = count;
        prefixes.fail();
        throw;
      }
    });
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
  detail::require_same_bits<Where, Op, Acc>();
  host_detail::scan<false, host_detail::tuning_of<Where>>(
      where, view(in), host_detail::room_for("inclusive_scan", in, out),
      std::optional<Acc>(std::move(init)), op);
}

/// out[i] = in[0], …, in[i] reduced by op, as values of the input's type.
template <host_place Where, values In, scan_output Out, class Op = plus>
  requires std::regular_invocable<const Op&, value_of<In>, value_of<In>>
void inclusive_scan(Where where, const In& in, Out&& out, Op op = {}) {
  detail::require_same_bits<Where, Op, value_of<In>>();
  host_detail::scan<false, host_detail::tuning_of<Where>>(
      where, view(in), host_detail::room_for("inclusive_scan", in, out),
      std::optional<value_of<In>>(), op);
}

/// out[i] = init, in[0], …, in[i - 1] reduced by op, as values of init's type; out[0] = init.
template <host_place Where, values In, scan_output Out, class Acc, class Op = plus>
  requires std::regular_invocable<const Op&, Acc, Acc>
void exclusive_scan(Where where, const In& in, Out&& out, Acc init, Op op = {}) {
  detail::require_same_bits<Where, Op, Acc>();
  host_detail::scan<true, host_detail::tuning_of<Where>>(
      where, view(in), host_detail::room_for("exclusive_scan", in, out),
      std::optional<Acc>(std::move(init)), op);
}
/// The same from T{}, where the values are of type T.
template <host_place Where, values In, scan_output Out>
void exclusive_scan(Where where, const In& in, Out&& out) {
  exclusive_scan(where, in, out, value_of<In>{});
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
