// Sorts on the host's threads: sort, sort_by_key and their stable forms.
//
// Arithmetic keys in the order `ascending` or `descending` (integers also by std::less and
// std::greater) are sorted by their bits, in time linear in their number; all others by merging, in
// n log n calls of the order. The result is the same whatever the number of threads. A second copy
// of keys and values is allocated for the call (std::bad_alloc). If the order throws, the exception
// comes out of the call and the range holds valid values, though not each as often as before.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>

#include "warpfold/error.hpp"
#include "warpfold/host/columns.hpp"
#include "warpfold/host/merge_sort.hpp"
#include "warpfold/host/parallel.hpp"
#include "warpfold/host/radix_sort.hpp"
#include "warpfold/host/vqsort.hpp"
#include "warpfold/order.hpp"
#include "warpfold/range.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// ascending or descending where Less orders K by the bits, else void.
template <class Less, class K>
consteval auto bitwise_order() {
  constexpr bool integer = std::is_integral_v<K>;
  constexpr bool arithmetic = std::is_arithmetic_v<K> && sizeof(K) <= 8;
  if constexpr (arithmetic && std::is_same_v<Less, ascending>) {
    return ascending{};
  } else if constexpr (arithmetic && std::is_same_v<Less, descending>) {
    return descending{};
  } else if constexpr (integer && (std::is_same_v<Less, std::less<>> ||
                                   std::is_same_v<Less, std::less<K>>)) {
    return ascending{};
  } else if constexpr (integer && (std::is_same_v<Less, std::greater<>> ||
                                   std::is_same_v<Less, std::greater<K>>)) {
    return descending{};
  }
}

template <class Engine, class Where, class Rows, class Less>
void sort_rows(const Where& where, Rows rows, Rows spare, std::size_t n, const Less& less) {
  using tuning = tuning_of<Where>;
  using order = decltype(bitwise_order<Less, std::remove_reference_t<decltype(*rows.key)>>());
  const auto work = [&] {
    if constexpr (std::is_void_v<order>) {
      merge_sort(rows, spare, n, false, less, tuning::merge_share, tuning::merge_share);
    } else if constexpr (std::is_same_v<Engine, by_vqsort> && vqsort_takes<Rows>) {
      const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
      const std::size_t run = std::max(tuning::vqsort_run, (n - 1) / threads + 1);
      merge_sort(rows, spare, n, false, order{}, run, tuning::merge_share, sort_by_vqsort<order>{});
    } else {
      radix_sorter<tuning, order, Rows>::sort(rows, spare, n, false, 8 * sizeof(*rows.key));
    }
  };
  if (n <= tuning::merge_share) return n > 0 ? work() : void();
  run_on(where, work);
}

}  // namespace host_detail

/// Sorts the keys. Equal keys keep their order.
template <host_place Where, contiguous_output R, class Less = ascending,
          class Engine = host_detail::key_engine>
void stable_sort(Where where, R&& keys, Less less = {}) {
  using K = element_of<std::remove_reference_t<R>>;
  static_assert(std::is_trivially_copyable_v<K>, "keys are moved as bytes");
  const std::span<K> key(keys);
  const host_detail::room<K> spare(key.size());
  using keys_alone = host_detail::columns<K, void>;
  host_detail::sort_rows<Engine>(where, keys_alone{key.data()}, keys_alone{spare.data()},
                                 key.size(), less);
}

/// Sorts the keys. Equal keys may change places.
template <host_place Where, contiguous_output R, class Less = ascending,
          class Engine = host_detail::key_engine>
void sort(Where where, R&& keys, Less less = {}) {
  stable_sort<Where, R&, Less, Engine>(where, keys, std::move(less));
}

/// Sorts the keys and moves values[i] along with keys[i]. Equal keys keep their order. Throws
/// usage_error if there are not as many values as keys.
template <host_place Where, contiguous_output R, contiguous_output S, class Less = ascending>
void stable_sort_by_key(Where where, R&& keys, S&& values, Less less = {}) {
  using K = element_of<std::remove_reference_t<R>>;
  using V = element_of<std::remove_reference_t<S>>;
  static_assert(std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>,
                "keys and values are moved as bytes");
  const std::span<K> key(keys);
  const std::span<V> value(values);
  const std::size_t n = key.size();
  if (value.size() != n) {
    throw usage_error("warpfold::sort_by_key(host, keys, values): " + std::to_string(n) +
                      " keys and " + std::to_string(value.size()) +
                      " values; each key needs one value");
  }
  const host_detail::room<K> spare_key(n);
  const host_detail::room<V> spare_value(n);
  using pairs = host_detail::columns<K, V>;
  host_detail::sort_rows<host_detail::by_radix>(
      where, pairs{key.data(), value.data()}, pairs{spare_key.data(), spare_value.data()}, n, less);
}

/// Sorts the keys and moves values[i] along with keys[i]. Values of equal keys may change places.
/// Throws usage_error if there are not as many values as keys.
template <host_place Where, contiguous_output R, contiguous_output S, class Less = ascending>
void sort_by_key(Where where, R&& keys, S&& values, Less less = {}) {
  stable_sort_by_key(where, keys, values, std::move(less));
}

// The same with a pair of pointers (or contiguous iterators) for the keys and one for the values.

template <host_place Where, std::contiguous_iterator It, class Less = ascending>
void stable_sort(Where where, It first, It last, Less less = {}) {
  stable_sort(where, std::span(first, last), std::move(less));
}
template <host_place Where, std::contiguous_iterator It, class Less = ascending>
void sort(Where where, It first, It last, Less less = {}) {
  stable_sort(where, std::span(first, last), std::move(less));
}
template <host_place Where, std::contiguous_iterator It, std::contiguous_iterator To,
          class Less = ascending>
void stable_sort_by_key(Where where, It first, It last, To values, Less less = {}) {
  const std::span keys(first, last);
  stable_sort_by_key(where, keys, std::span(values, keys.size()), std::move(less));
}
template <host_place Where, std::contiguous_iterator It, std::contiguous_iterator To,
          class Less = ascending>
void sort_by_key(Where where, It first, It last, To values, Less less = {}) {
  stable_sort_by_key(where, first, last, values, std::move(less));
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
