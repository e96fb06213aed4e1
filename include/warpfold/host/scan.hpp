// Prefix sums on the host's threads.
//
// Values come from memory once: a thread folds a chunk that fits in its cache, learns what all
// chunks before it come to, tells what all up to its own come to, and reads the chunk again, from
// the cache, to write its prefixes. Where prefixes are formed depends on the number of values and
// their type alone: the same bits whatever the number of threads, and from call to call.
// Operators: as for reduce; the order of the values is always kept where the operator needs it.
// `out` may be `in`; otherwise they must not overlap. If an operator throws, the exception comes out
// of the call and some of `out` has been written.
#pragma once

#include <atomic>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "warpfold/error.hpp"
#include "warpfold/host/fold.hpp"
#include "warpfold/host/parallel.hpp"
#include "warpfold/host/scan_chunk.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/range.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Passes the prefix from chunk to chunk, in order.
template <class Acc>
class relay {
 public:
  explicit relay(std::optional<Acc> init) : prefix_(std::move(init)) {}

  /// What lies before `chunk`; `total_of(prefix)` says what lies before the next one. Empty when
  /// another chunk has failed.
  template <class F>
  bool pass(std::size_t chunk, std::optional<Acc>& before, const F& after) {
    for (std::size_t now = turn_.load(std::memory_order_acquire); now != chunk;
         now = turn_.load(std::memory_order_acquire)) {
      if (now == failed) return false;
      turn_.wait(now, std::memory_order_acquire);
    }
    before = prefix_;
    prefix_.emplace(after(before));
    hand_on(chunk + 1);
    return true;
  }
  void fail() { hand_on(failed); }

 private:
  static constexpr std::size_t failed = std::numeric_limits<std::size_t>::max();

  void hand_on(std::size_t turn) {
    turn_.store(turn, std::memory_order_release);
    turn_.notify_all();
  }

  std::atomic<std::size_t> turn_ = 0;
  std::optional<Acc> prefix_;
};

/// Each thread takes chunk after chunk, so a chunk's predecessors are all done or being worked on.
template <bool Exclusive, class Tuning, class In, class Out, class Acc, class Op>
void scan(const host_execution& where, const In* in, std::size_t n, Out* out,
          std::optional<Acc> init, const Op& op) {
  const std::size_t chunk = items_in<In>(Tuning::scan_chunk_bytes);
  if (n == 0) return;
  const std::size_t count = (n - 1) / chunk + 1;
  if (count == 1) return scan_chunk<Exclusive>(in, n, out, init, op);
  relay<Acc> prefixes(std::move(init));
  std::atomic<std::size_t> next = 0;
  const auto work = [&](std::size_t) {
    std::optional<Acc> before;
    for (std::size_t c = next++; c < count; c = next++) {
      const In* const from = in + c * chunk;
      const std::size_t items = std::min(chunk, n - c * chunk);
      // A thread that waits must not start on another chunk in between.
      tbb::this_task_arena::isolate([&] {
        Acc total = fold<Acc>(from, items, op);
        const auto after = [&](const std::optional<Acc>& prefix) {
          return prefix ? op(*prefix, total) : total;
        };
        if (prefixes.pass(c, before, after)) {
          scan_chunk<Exclusive>(from, items, out + c * chunk, before, op);
        }
      });
    }
  };
  run_on(where, [&] {
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    for_each_index(std::min(threads, count), [&](std::size_t i) {
      try {
        work(i);
      } catch (...) {
        next = count;
        prefixes.fail();
        throw;
      }
    });
  });
}

template <class Out>
Out* room_for(const char* call, std::size_t n, std::span<Out> out) {
  if (out.size() < n) {
    throw usage_error(std::string("warpfold::") + call + "(host, in, out): out has room for " +
                      std::to_string(out.size()) + " values of " + std::to_string(n) +
                      "; resize it before the call");
  }
  return out.data();
}
template <class Out>
Out* room_for(const char*, std::size_t, Out* out) {
  return out;
}
template <class R>
auto target(R& out) {
  if constexpr (contiguous_values<R>) {
    return std::span<element_of<R>>(out);
  } else {
    return std::to_address(out);
  }
}

}  // namespace host_detail

/// Where a scan may write: a range at least as long as the input (usage_error if it is shorter), or
/// a pointer to as much room.
template <class Out>
concept scan_output = contiguous_output<Out> || std::contiguous_iterator<std::remove_cvref_t<Out>>;

/// out[i] = init, in[0], …, in[i] folded by op, as values of init's type.
template <host_place Where, contiguous_values R, scan_output Out, class Op, class Acc>
  requires std::regular_invocable<const Op&, Acc, Acc>
void inclusive_scan(Where where, const R& in, Out&& out, Op op, Acc init) {
  const std::span<const value_of<const R>> values(in);
  host_detail::scan<false, host_detail::tuning_of<Where>>(
      where, values.data(), values.size(),
      host_detail::room_for("inclusive_scan", values.size(), host_detail::target(out)),
      std::optional<Acc>(std::move(init)), op);
}

/// out[i] = in[0], …, in[i] folded by op, as values of the input's type.
template <host_place Where, contiguous_values R, scan_output Out, class Op = plus>
  requires std::regular_invocable<const Op&, value_of<const R>, value_of<const R>>
void inclusive_scan(Where where, const R& in, Out&& out, Op op = {}) {
  const std::span<const value_of<const R>> values(in);
  host_detail::scan<false, host_detail::tuning_of<Where>>(
      where, values.data(), values.size(),
      host_detail::room_for("inclusive_scan", values.size(), host_detail::target(out)),
      std::optional<value_of<const R>>(), op);
}

/// out[i] = init, in[0], …, in[i - 1] folded by op, as values of init's type; out[0] = init.
template <host_place Where, contiguous_values R, scan_output Out, class Acc, class Op = plus>
  requires std::regular_invocable<const Op&, Acc, Acc>
void exclusive_scan(Where where, const R& in, Out&& out, Acc init, Op op = {}) {
  const std::span<const value_of<const R>> values(in);
  host_detail::scan<true, host_detail::tuning_of<Where>>(
      where, values.data(), values.size(),
      host_detail::room_for("exclusive_scan", values.size(), host_detail::target(out)),
      std::optional<Acc>(std::move(init)), op);
}

// The same with a pair of pointers (or contiguous iterators) for the input.

template <host_place Where, std::contiguous_iterator It, class Out, class... More>
void inclusive_scan(Where where, It first, It last, Out out, More... more) {
  inclusive_scan(where, std::span(first, last), out, std::move(more)...);
}
template <host_place Where, std::contiguous_iterator It, class Out, class... More>
void exclusive_scan(Where where, It first, It last, Out out, More... more) {
  exclusive_scan(where, std::span(first, last), out, std::move(more)...);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
