// Set operations on two sorted ranges on the host's threads: set_union, set_intersection,
// set_difference, set_symmetric_difference, and the same _by_key.
//
// As in the standard library: of equal keys, m in a and n in b, the union has all of a and then the
// last of b, max(m, n) in all; the intersection the first min(m, n) of a; the difference the last
// of a, those beyond n; the symmetric difference the last |m - n| of the range that has more. Both
// ranges are sorted in the order of the call, as a sort leaves them (NaN is the greatest); that is
// not checked. A call returns the number of keys. Threads share the keys of both ranges: the merge
// path gives the start of each share, moved to the first of equal keys. A share is counted, and
// written once the number of keys before it is known. The result is the same for any number of
// threads, and that of warpfold::device. By key, each key that is kept has the item of its own
// range; an intersection and a difference keep keys of a alone, and take no items of b. Keys and
// items are trivially copyable. usage_error: an output is too short (with the number needed),
// or overlaps another range, or there are not as many items as keys. Nothing is written then; the
// rest of a longer output stays unchanged.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "warpfold/host/detail/compact.hpp"
#include "warpfold/host/detail/merge_sort.hpp"
#include "warpfold/host/merge.hpp"
#include "warpfold/set_operations.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Calls keep(rows, n) for the rows that Operation keeps of a and b, in their order.
template <class Operation, class A, class B, class Less, class Keep>
void for_each_of_sets(A a, std::size_t a_count, B b, std::size_t b_count, const Less& less,
                      const Keep& keep) {
  std::size_t i = 0, j = 0;
  const auto keep_some = [&]<bool Wanted>(std::bool_constant<Wanted>, auto rows, std::size_t from,
                                          std::size_t to) {
    if constexpr (Wanted) {
      if (from != to) keep(rows + from, to - from);
    }
  };
  constexpr std::bool_constant<Operation::pairs_of_a> pairs_of_a{};
  constexpr std::bool_constant<Operation::others_of_a> others_of_a{};
  constexpr std::bool_constant<Operation::others_of_b> others_of_b{};
  while (i != a_count && j != b_count) {
    const std::size_t a_begin = i, b_begin = j;
    if (less(a.key[i], b.key[j])) {
      do ++i;
      while (i != a_count && less(a.key[i], b.key[j]));
      keep_some(others_of_a, a, a_begin, i);
    } else if (less(b.key[j], a.key[i])) {
      do ++j;
      while (j != b_count && less(b.key[j], a.key[i]));
      keep_some(others_of_b, b, b_begin, j);
    } else {
      ++i;
      ++j;
      keep_some(pairs_of_a, a, a_begin, i);
    }
  }
  keep_some(others_of_a, a, i, a_count);
  keep_some(others_of_b, b, j, b_count);
}

/// Where a share begins in both ranges: no pair of equal keys is cut.
struct set_share {
  std::size_t a, b;
};

/// check_room(n) throws where n rows do not fit.
template <class Operation, class Where, class A, class B, class Out, class Less, class CheckRoom>
std::size_t operate_on_sets(const Where& where, A a, std::size_t a_count, B b, std::size_t b_count,
                            Out out, const Less& less, const CheckRoom& check_room) {
  constexpr std::size_t share = tuning_of<Where>::merge_share;
  using keys = key_value_view<std::remove_pointer_t<decltype(a.key)>, void>;
  const std::size_t n = a_count + b_count, parts = n == 0 ? 0 : (n - 1) / share + 1;
  std::vector<set_share> begins(parts + 1, {a_count, b_count});
  std::vector<std::size_t> before(parts + 1);
  const auto part_of = [&](std::size_t p, const auto& keep) {
    const auto [i, j] = begins[p];
    for_each_of_sets<Operation>(a + i, begins[p + 1].a - i, b + j, begins[p + 1].b - j, less, keep);
  };
  run_on(where, [&] {
    for_each_index(parts, [&](std::size_t p) {
      const std::size_t i = merge_path(keys{a.key}, a_count, keys{b.key}, b_count, p * share, less);
      const std::size_t j = p * share - i;
      const auto& key =
          i < a_count && (j == b_count || !less(b.key[j], a.key[i])) ? a.key[i] : b.key[j];
      const auto first = [&](auto* of, std::size_t count) {
        return static_cast<std::size_t>(std::lower_bound(of, of + count, key, less) - of);
      };
      begins[p] = {first(a.key, a_count), first(b.key, b_count)};
    });
    for_each_index(parts, [&](std::size_t p) {
      std::size_t count = 0;
      part_of(p, [&](auto, std::size_t rows) { count += rows; });
      before[p + 1] = count;
    });
  });
  for (std::size_t p = 0; p < parts; ++p) before[p + 1] += before[p];
  check_room(before[parts]);
  run_on(where, [&] {
    for_each_index(parts, [&](std::size_t p) {
      std::size_t to = before[p];
      part_of(p, [&](auto rows, std::size_t count) {
        rows.copy(count, out + to);
        to += count;
      });
    });
  });
  return before[parts];
}

template <class Operation, class Where, values A, values B, values Out, class Less>
std::size_t call_on_sets(const char* call, const Where& where, const A& a, const B& b, Out&& out,
                         const Less& less) {
  check_sort<value_of<A>>(call, less);
  throw_refused(call, detail::refuse_set_operation(a, b, out));
  return operate_on_sets<Operation>(where, merge_rows_of(a), std::ranges::size(a), merge_rows_of(b),
                                    std::ranges::size(b), merge_rows_of(out), less,
                                    [&](std::size_t n) { check_room(call, "out", out, n); });
}
/// `b_items`: where keys of b may be kept.
template <class Operation, class Where, class Less, values A, values AItems, values B,
          values KeysOut, values ItemsOut, values... BItems>
std::size_t call_on_rows(const char* call, const Where& where, const Less& less, const A& a,
                         const AItems& a_items, const B& b, KeysOut&& keys_out,
                         ItemsOut&& items_out, const BItems&... b_items) {
  check_sort<value_of<A>>(call, less);
  throw_refused(
      call, detail::refuse_set_operation_by_key(a, a_items, b, keys_out, items_out, b_items...));
  return operate_on_sets<Operation>(where, merge_rows_of(a, a_items), std::ranges::size(a),
                                    merge_rows_of(b, b_items...), std::ranges::size(b),
                                    merge_rows_of(keys_out, items_out), less, [&](std::size_t n) {
                                      check_room(call, "keys_out", keys_out, n);
                                      check_room(call, "items_out", items_out, n);
                                    });
}

template <class A, class B, class Out>
concept same_values =
    std::same_as<value_of<A>, value_of<Out>> && std::same_as<value_of<B>, value_of<Out>>;
template <class A, class B, class Out, class Less>
concept set_operands =
    same_values<A, B, Out> && std::predicate<const Less&, const value_of<A>&, const value_of<A>&>;

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

/// Rows of a or of b. Returns how many.
template <host_place Where, values A, values AItems, values B, values BItems, sortable KeysOut,
          sortable ItemsOut, no_values Less = ascending>
  requires host_detail::set_operands<A, B, KeysOut, Less> &&
           host_detail::same_values<AItems, BItems, ItemsOut>
std::size_t set_union_by_key(Where where, const A& a, const AItems& a_items, const B& b,
                             const BItems& b_items, KeysOut&& keys_out, ItemsOut&& items_out,
                             Less less = {}) {
  return host_detail::call_on_rows<detail::set_union_of>(
      "set_union_by_key(host, a, a_items, b, b_items, keys_out, items_out)", where, less, a,
      a_items, b, keys_out, items_out, b_items);
}

/// Rows of a whose keys are in b, too. Returns how many.
template <host_place Where, values A, values AItems, values B, sortable KeysOut, sortable ItemsOut,
          no_values Less = ascending>
  requires host_detail::set_operands<A, B, KeysOut, Less> &&
           host_detail::same_values<AItems, AItems, ItemsOut>
std::size_t set_intersection_by_key(Where where, const A& a, const AItems& a_items, const B& b,
                                    KeysOut&& keys_out, ItemsOut&& items_out, Less less = {}) {
  return host_detail::call_on_rows<detail::set_intersection_of>(
      "set_intersection_by_key(host, a, a_items, b, keys_out, items_out)", where, less, a, a_items,
      b, keys_out, items_out);
}

/// Rows of a whose keys are not in b. Returns how many.
template <host_place Where, values A, values AItems, values B, sortable KeysOut, sortable ItemsOut,
          no_values Less = ascending>
  requires host_detail::set_operands<A, B, KeysOut, Less> &&
           host_detail::same_values<AItems, AItems, ItemsOut>
std::size_t set_difference_by_key(Where where, const A& a, const AItems& a_items, const B& b,
                                  KeysOut&& keys_out, ItemsOut&& items_out, Less less = {}) {
  return host_detail::call_on_rows<detail::set_difference_of>(
      "set_difference_by_key(host, a, a_items, b, keys_out, items_out)", where, less, a, a_items, b,
      keys_out, items_out);
}

/// Rows whose keys are in one of a and b. Returns how many.
template <host_place Where, values A, values AItems, values B, values BItems, sortable KeysOut,
          sortable ItemsOut, no_values Less = ascending>
  requires host_detail::set_operands<A, B, KeysOut, Less> &&
           host_detail::same_values<AItems, BItems, ItemsOut>
std::size_t set_symmetric_difference_by_key(Where where, const A& a, const AItems& a_items,
                                            const B& b, const BItems& b_items, KeysOut&& keys_out,
                                            ItemsOut&& items_out, Less less = {}) {
  return host_detail::call_on_rows<detail::set_symmetric_difference_of>(
      "set_symmetric_difference_by_key(host, a, a_items, b, b_items, keys_out, items_out)", where,
      less, a, a_items, b, keys_out, items_out, b_items);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
