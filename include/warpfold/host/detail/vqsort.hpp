// Highway's vectorised quicksort for keys alone, where the program is built with it: link
// warpfold::highway, which defines WARPFOLD_HIGHWAY. The results are the same with and without.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <vector>

#include "warpfold/host/detail/key_values.hpp"
#include "warpfold/host/detail/merge_sort.hpp"
#include "warpfold/host/detail/threads.hpp"
#include "warpfold/order.hpp"

#if defined(WARPFOLD_HIGHWAY)
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// How keys that are ordered by their bits are sorted: a template parameter of what depends on it,
/// so that it differs by name where a program has both.
struct by_radix {};
struct by_vqsort {};

template <class Rows>
inline constexpr bool vqsort_takes = false;
template <class Order, class K>
void vqsort(K* keys, std::size_t n);

#if defined(WARPFOLD_HIGHWAY)
using key_engine = by_vqsort;

template <class K>
inline constexpr bool vqsort_takes<key_value_view<K, void>> = sizeof(K) > 1;

/// By one thread.
template <class Order, class K>
void vqsort(K* keys, std::size_t n) {
  using rank = detail::rank_type<K>;
  // As numbers of the key's own size; these are Highway's names of the types.
  using number = std::conditional_t<std::is_integral_v<K> && std::is_signed_v<K>,
                                    std::make_signed_t<rank>, rank>;
  auto* const numbers = reinterpret_cast<number*>(keys);
  const auto each = [=](auto f) {
    for (std::size_t i = 0; i < n; ++i) f(keys[i]);
  };
  if constexpr (!std::is_integral_v<K>) {
    each([](K& key) {
      const rank r = rank_of(key);
      std::memcpy(static_cast<void*>(&key), &r, sizeof r);
    });
  }
  if constexpr (std::is_same_v<Order, descending>) {
    hwy::Sorter()(numbers, n, hwy::SortDescending());
  } else {
    hwy::Sorter()(numbers, n, hwy::SortAscending());
  }
  if constexpr (!std::is_integral_v<K>) {
    each([](K& key) {
      rank r;
      std::memcpy(&r, &key, sizeof r);
      key = key_of<K>(r);
    });
  }
}
#else
using key_engine = by_radix;
#endif

/// Moves the keys that come before `pivot` to the front: in each share of the keys, then from share
/// to share. Returns how many they are.
template <std::size_t Share, class K, class Less>
std::size_t partition(K* keys, std::size_t n, const K& pivot, const Less& less) {
  struct range {
    std::size_t begin, end;
  };
  const std::size_t shares = (n - 1) / Share + 1;
  const auto share = [=](std::size_t s) -> range {
    return {s * Share, std::min(n, (s + 1) * Share)};
  };
  std::vector<std::size_t> middle(shares);  // the index of the first of the others
  for_each_index(shares, [&](std::size_t s) {
    const auto [begin, end] = share(s);
    K parted[Share];
    std::size_t front = 0, back = end - begin - 1;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t in_front = as_number(less(keys[i], pivot));
      parted[choose(in_front, front, back)] = keys[i];
      front += in_front;
      back -= 1 - in_front;
    }
    std::copy(parted, parted + (end - begin), keys + begin);
    middle[s] = begin + front;
  });
  std::size_t all = 0;
  for (std::size_t s = 0; s < shares; ++s) all += middle[s] - share(s).begin;

  // Ranges on the wrong side of `all`; they are exchanged.
  std::vector<range> too_early, too_late;
  const auto add = [](std::vector<range>& to, std::size_t begin, std::size_t end) {
    if (begin < end) to.push_back({begin, end});
  };
  for (std::size_t s = 0; s < shares; ++s) {
    add(too_early, middle[s], std::min(share(s).end, all));
    add(too_late, std::max(share(s).begin, all), middle[s]);
  }
  struct exchange {
    std::size_t a, b, count;
  };
  std::vector<exchange> exchanges;
  for (auto a = too_early.begin(), b = too_late.begin(); a != too_early.end();) {
    const std::size_t count = std::min(a->end - a->begin, b->end - b->begin);
    exchanges.push_back({a->begin, b->begin, count});
    a->begin += count, b->begin += count;
    if (a->begin == a->end) ++a;
    if (b->begin == b->end) ++b;
  }
  for_each_index(exchanges.size(), [&](std::size_t i) {
    const auto [a, b, count] = exchanges[i];
    std::swap_ranges(keys + a, keys + a + count, keys + b);
  });
  return all;
}

/// Parts the keys among the threads, by keys that stand in the middle of some of them, until each
/// has its own to sort.
template <class Tuning, class Order, class K>
void vqsort_by_all(K* keys, std::size_t n, std::size_t threads) {
  if (threads <= 1 || n <= Tuning::vqsort_run) return vqsort<Order>(keys, n);
  const std::size_t half = threads / 2;
  K some[511];
  for (std::size_t i = 0; i < std::size(some); ++i) some[i] = keys[i * (n / std::size(some))];
  K* const middle = some + std::size(some) * half / threads;
  std::nth_element(some, middle, std::end(some), Order{});
  const std::size_t first = partition<Tuning::merge_share>(keys, n, *middle, Order{});
  for_each_index(2, [&](std::size_t which) {
    if (which == 0) return vqsort_by_all<Tuning, Order>(keys, first, half);
    vqsort_by_all<Tuning, Order>(keys + first, n - first, threads - half);
  });
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
