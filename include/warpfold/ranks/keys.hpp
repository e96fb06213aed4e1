// Runs of equal keys over the parts of all ranks: each rank reduces the runs that begin in its
// part. The beginning of a part that continues a run of the ranks before is its head: ranks
// exchange the keys at the ends of their parts, then what their heads come to.
//
//   rank 0 | a a a b b |      reduces a, and b with the heads of ranks 1 and 3
//   rank 1 | b b b b b |      all head: no run begins here
//   rank 2 | |
//   rank 3 | b c c     |      reduces c
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "warpfold/host/detail/tree_part.hpp"
#include "warpfold/host/keys.hpp"
#include "warpfold/host/reduce.hpp"
#include "warpfold/host/search.hpp"
#include "warpfold/ranks/transport.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail {

/// A rank's part: its first and last key, the number of keys, and the lengths of its first and its
/// last run, which may be one.
template <class K>
struct run_ends {
  K first, last;
  std::uint64_t keys, first_run, last_run;
  [[nodiscard]] bool is_one_run() const { return first_run == keys; }
};

template <class Where, class K, class Equal>
run_ends<K> ends_of(const Where& where, std::span<const K> keys, const Equal& equal) {
  if (keys.empty()) return {};
  const std::size_t n = keys.size(),
                    first = 1 + mismatch(where, keys.first(n - 1), keys.subspan(1), equal);
  std::size_t begin = first == n ? 0 : n - 1;
  while (begin > 0 && equal(keys[begin - 1], keys[begin])) --begin;
  return {keys.front(), keys.back(), n, first, n - begin};
}

/// For each rank, how many values the run that its part begins with has on the ranks before: of
/// those that begin a run, 0.
template <class K, class Equal>
std::vector<std::uint64_t> values_before(const std::vector<run_ends<K>>& ends, const Equal& equal) {
  std::vector<std::uint64_t> before(ends.size());
  const run_ends<K>* last = nullptr;
  std::uint64_t open = 0;  // values of the run that ends the parts so far
  for (std::size_t r = 0; r < ends.size(); ++r) {
    if (ends[r].keys == 0) continue;
    if (last != nullptr && equal(last->last, ends[r].first)) before[r] = open;
    open = ends[r].last_run + (ends[r].is_one_run() ? before[r] : 0);
    last = &ends[r];
  }
  return before;
}

/// The ranks behind r that begin with values of its last run.
template <class K>
std::vector<std::size_t> ranks_behind(const std::vector<run_ends<K>>& ends,
                                      const std::vector<std::uint64_t>& before, std::size_t r) {
  std::vector<std::size_t> behind;
  for (std::size_t next = r + 1; next < ends.size(); ++next) {
    if (ends[next].keys == 0) continue;
    if (before[next] == 0) break;
    behind.push_back(next);
    if (!ends[next].is_one_run()) break;
  }
  return behind;
}

/// What the values of a run on a rank come to: in the canonical order, the nodes of its tree.
template <class Acc, bool InTree>
struct run_part {
  using type = Acc;
};
template <class Acc>
struct run_part<Acc, true> {
  using type = host_detail::tree_part<Acc>;
};

template <class Acc, class Where, class V, class Op>
auto part_of_run(const Where& where, std::uint64_t before, std::span<const V> values,
                 const Op& op) {
  const host_detail::convert_to<Acc> convert{};
  if constexpr (detail::is_canonical<Where, Op, Acc>) {
    return host_detail::part_of_tree<Acc>(where, before, values, host_detail::tree_operator(op),
                                          convert);
  } else {
    (void)before;
    return host_detail::reduce_chunks<Acc>(where, values, op, [&](std::span<const V> part) {
      return host_detail::reduce_chunk<Acc>(part, op, convert);
    });
  }
}

/// Of two parts of a run.
template <bool InTree, class Part, class Op>
void join_run(Part& part, const Part& next, const Op& op) {
  if constexpr (InTree) {
    const auto join = host_detail::tree_operator(op);
    part = host_detail::join_parts<decltype(join)>{join}(part, next);
  } else {
    part = op(part, next);
  }
}

/// Returns how many runs begin in this rank's part.
template <transport Ranks, class K, class V, class OutKeys, class OutValues, class Op, class Equal>
std::size_t reduce_by_key(const Ranks& ranks, std::span<const K> keys, std::span<const V> values,
                          OutKeys& out_keys, OutValues& out_values, const Op& op,
                          const Equal& equal) {
  using acc = value_of<OutValues>;
  const auto where = ranks.here();
  constexpr bool in_tree = detail::is_canonical<decltype(ranks.here()), Op, acc>;
  using part = typename run_part<acc, in_tree>::type;
  run_ends<K> own{};
  ranks.agreed([&] {
    host_detail::check_pairs("reduce_by_key(across(…), keys, values, out_keys, out_values)",
                             values.size(), "keys", keys.size());
    own = ends_of(where, keys, equal);
  });
  const auto ends = ranks.all_gather(own);
  std::vector<std::uint64_t> before;
  std::vector<std::size_t> behind;  // the ranks on which this one's last run goes on
  std::size_t count = 0;
  std::optional<part> head, tail;
  const std::size_t r = ranks.rank();
  ranks.agreed([&] {
    before = values_before(ends, equal);
    behind = ranks_behind(ends, before, r);
    const std::size_t n = before[r] == 0 ? 0 : own.first_run;
    if (n > 0) head = part_of_run<acc>(where, before[r], values.first(n), op);
    count = warpfold::reduce_by_key(where, keys.subspan(n), values.subspan(n), out_keys, out_values,
                                    op, equal);
    if (count == 0 || behind.empty()) return;
    if constexpr (in_tree) {
      tail = part_of_run<acc>(where, 0, values.last(own.last_run), op);
    } else {
      tail = std::ranges::data(out_values)[count - 1];
    }
  });
  const auto heads = ranks.all_gather(head);
  ranks.agreed([&] {
    if (!tail) return;
    for (const std::size_t next : behind) join_run<in_tree>(*tail, *heads[next], op);
    acc& last = std::ranges::data(out_values)[count - 1];
    if constexpr (in_tree) {
      last = *tail->root(host_detail::tree_operator(op));
    } else {
      last = *tail;
    }
  });
  return count;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail
