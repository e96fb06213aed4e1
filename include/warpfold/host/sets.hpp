// Set operations on two sorted ranges on the host's threads: set_union, set_intersection,
// set_difference, set_symmetric_difference.
//
// As in the standard library: of equal keys, m in a and n in b, the union has all of a and then the
// last of b, max(m, n) in all; the intersection the first min(m, n) of a; the difference the last
// of a, those beyond n; the symmetric difference the last |m - n| of the range that has more. Both
// ranges are sorted in the order of the call, as a sort leaves them (NaN is the greatest); that is
// not checked. A call returns the number of keys. Threads share the keys of both ranges: the merge
// path gives the start of each share, moved to the first of equal keys. A share is counted, and
// written once the number of keys before it is known. The result is the same for any number of
// threads, and that of warpfold::device. Keys are trivially copyable. usage_error: `out` is too
// short, which says the number needed, or overlaps a or b. Nothing is written then; the rest of a
// longer output stays unchanged.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "warpfold/host/detail/compact.hpp"
#include "warpfold/host/detail/merge_sort.hpp"
#include "warpfold/host/merge.hpp"
#include "warpfold/set_operations.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Calls keep(first, last) for the keys that Operation keeps of a and b, in their order.
template <class Operation, class K, class Less, class Keep>
void for_each_of_sets(std::span<const K> a, std::span<const K> b, const Less& less,
                      const Keep& keep) {
  const K *i = a.data(), *j = b.data();
  const K *const a_end = i + a.size(), *const b_end = j + b.size();
  const auto keep_some = [&](bool wanted, const K* first, const K* last) {
    if (wanted && first != last) keep(first, last);
  };
  while (i != a_end && j != b_end) {
    const K *const a_begin = i, *const b_begin = j;
    if (less(*i, *j)) {
      do ++i;
      while (i != a_end && less(*i, *j));
      keep_some(Operation::others_of_a, a_begin, i);
    } else if (less(*j, *i)) {
      do ++j;
      while (j != b_end && less(*j, *i));
      keep_some(Operation::others_of_b, b_begin, j);
    } else {
      ++i;
      ++j;
      keep_some(Operation::pairs_of_a, a_begin, i);
    }
  }
  keep_some(Operation::others_of_a, i, a_end);
  keep_some(Operation::others_of_b, j, b_end);
}

/// Where a share begins in both ranges: no pair of equal keys is cut.
struct set_share {
  std::size_t a, b;
};

template <class Operation, class Where, class K, class Less>
std::size_t operate_on_sets(const char* call, const Where& where, std::span<const K> a,
                            std::span<const K> b, std::span<K> out, const Less& less) {
  constexpr std::size_t share = tuning_of<Where>::merge_share;
  using rows = key_value_view<const K, void>;
  const std::size_t n = a.size() + b.size(), parts = n == 0 ? 0 : (n - 1) / share + 1;
  std::vector<set_share> begins(parts + 1, {a.size(), b.size()});
  std::vector<std::size_t> before(parts + 1);
  const auto part_of = [&](std::size_t p, const auto& keep) {
    const auto [i, j] = begins[p];
    for_each_of_sets<Operation>(a.subspan(i, begins[p + 1].a - i),
                                b.subspan(j, begins[p + 1].b - j), less, keep);
  };
  run_on(where, [&] {
    for_each_index(parts, [&](std::size_t p) {
      const std::size_t i =
          merge_path(rows{a.data()}, a.size(), rows{b.data()}, b.size(), p * share, less);
      const std::size_t j = p * share - i;
      const K& key = i < a.size() && (j == b.size() || !less(b[j], a[i])) ? a[i] : b[j];
      begins[p] = {
          static_cast<std::size_t>(std::lower_bound(a.begin(), a.end(), key, less) - a.begin()),
          static_cast<std::size_t>(std::lower_bound(b.begin(), b.end(), key, less) - b.begin())};
    });
    for_each_index(parts, [&](std::size_t p) {
      std::size_t count = 0;
      part_of(p, [&](const K* first, const K* last) {
        count += static_cast<std::size_t>(last - first);
      });
      before[p + 1] = count;
    });
  });
  for (std::size_t p = 0; p < parts; ++p) before[p + 1] += before[p];
  check_room(call, "out", out, before[parts]);
  run_on(where, [&] {
    for_each_index(parts, [&](std::size_t p) {
      K* to = out.data() + before[p];
      part_of(p, [&](const K* first, const K* last) { to = std::copy(first, last, to); });
    });
  });
  return before[parts];
}

template <class Operation, class Where, values A, values B, values Out, class Less>
std::size_t call_on_sets(const char* call, const Where& where, const A& a, const B& b, Out&& out,
                         const Less& less) {
  check_sort<value_of<A>>(call, less);
  throw_refused(call, detail::refuse_set_operation(a, b, out));
  return operate_on_sets<Operation>(call, where, view(a), view(b),
                                    std::span(std::ranges::data(out), std::ranges::size(out)),
                                    less);
}

template <class A, class B, class Out, class Less>
concept set_operands =
    std::same_as<value_of<A>, value_of<Out>> && std::same_as<value_of<B>, value_of<Out>> &&
    std::predicate<const Less&, const value_of<A>&, const value_of<A>&>;

}  // namespace host_detail

/// Keys that are in a or in b. Returns how many.
template <host_place Where, values A, values B, sortable Out, no_values Less = ascending>
  requires host_detail::set_operands<A, B, Out, Less>
std::size_t set_union(Where where, const A& a, const B& b, Out&& out, Less less = {}) {
  return host_detail::call_on_sets<detail::set_union_of>("set_union(host, a, b, out)", where, a, b,
                                                         out, less);
}

/// Keys of a that are in b, too. Returns how many.
template <host_place Where, values A, values B, sortable Out, no_values Less = ascending>
  requires host_detail::set_operands<A, B, Out, Less>
std::size_t set_intersection(Where where, const A& a, const B& b, Out&& out, Less less = {}) {
  return host_detail::call_on_sets<detail::set_intersection_of>("set_intersection(host, a, b, out)",
                                                                where, a, b, out, less);
}

/// Keys of a that are not in b. Returns how many.
template <host_place Where, values A, values B, sortable Out, no_values Less = ascending>
  requires host_detail::set_operands<A, B, Out, Less>
std::size_t set_difference(Where where, const A& a, const B& b, Out&& out, Less less = {}) {
  return host_detail::call_on_sets<detail::set_difference_of>("set_difference(host, a, b, out)",
                                                              where, a, b, out, less);
}

/// Keys that are in one of a and b. Returns how many.
template <host_place Where, values A, values B, sortable Out, no_values Less = ascending>
  requires host_detail::set_operands<A, B, Out, Less>
std::size_t set_symmetric_difference(Where where, const A& a, const B& b, Out&& out,
                                     Less less = {}) {
  return host_detail::call_on_sets<detail::set_symmetric_difference_of>(
      "set_symmetric_difference(host, a, b, out)", where, a, b, out, less);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
