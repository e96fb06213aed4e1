// Highway's vectorised quicksort for keys alone, where the program is built with it: link
// warpfold::highway, which defines WARPFOLD_HIGHWAY. The results are the same with and without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/host/columns.hpp"
#include "warpfold/order.hpp"

#if defined(WARPFOLD_HIGHWAY)
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// How keys that are ordered by their bits are sorted. A template parameter of all that depends on
/// it, so that parts of a program built with and without Highway can be linked together.
struct by_radix {};
struct by_vqsort {};

template <class Rows>
inline constexpr bool vqsort_takes = false;
template <class Order>
struct sort_by_vqsort;

#if defined(WARPFOLD_HIGHWAY)
using key_engine = by_vqsort;

template <class K>
inline constexpr bool vqsort_takes<columns<K, void>> = sizeof(K) > 1;

/// Sorts a run of keys; a step of merge_sort.
template <class Order>
struct sort_by_vqsort {
  template <class K, class Less>
  void operator()(columns<K, void> a, columns<K, void> b, std::size_t n, bool into_b,
                  const Less&) const {
    using rank = detail::rank_type<K>;
    // As numbers of the key's own size; these are Highway's names of the types.
    using number = std::conditional_t<std::is_integral_v<K> && std::is_signed_v<K>,
                                      std::make_signed_t<rank>, rank>;
    const auto sort = [n](K* keys) {
      auto* const numbers = reinterpret_cast<number*>(keys);
      if constexpr (std::is_same_v<Order, descending>) {
        hwy::Sorter()(numbers, n, hwy::SortDescending());
      } else {
        hwy::Sorter()(numbers, n, hwy::SortAscending());
      }
    };
    K* const to = into_b ? b.key : a.key;
    if constexpr (std::is_integral_v<K>) {
      if (into_b) a.copy(n, b);
      sort(to);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        const rank r = rank_of(a.key[i]);
        std::memcpy(&to[i], &r, sizeof r);
      }
      sort(to);
      for (std::size_t i = 0; i < n; ++i) {
        rank r;
        std::memcpy(&r, &to[i], sizeof r);
        to[i] = key_of<K>(r);
      }
    }
  }
};
#else
using key_engine = by_radix;
#endif

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
