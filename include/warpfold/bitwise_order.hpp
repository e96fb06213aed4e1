// Which orders of keys are an order of their bits, so that a radix sort can make them.
#pragma once

#include <bit>
#include <functional>
#include <type_traits>

#include "warpfold/order.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// ascending or descending where Less orders K by the bits, else void.
template <class Less, class K>
consteval auto bitwise_order() {
  constexpr bool integer = is_integer_key<K>;
  constexpr bool arithmetic = arithmetic_key<K>;
  if constexpr (arithmetic && std::is_same_v<Less, ascending>) {
    return ascending{};
  } else if constexpr (arithmetic && std::is_same_v<Less, descending>) {
    return descending{};
  } else if constexpr (integer &&
                       (std::is_same_v<Less, std::less<>> || std::is_same_v<Less, std::less<K>>)) {
    return ascending{};
  } else if constexpr (integer && (std::is_same_v<Less, std::greater<>> ||
                                   std::is_same_v<Less, std::greater<K>>)) {
    return descending{};
  }
}

template <class K>
inline constexpr bool is_as_large_as_a_number = std::has_single_bit(sizeof(K)) && sizeof(K) <= 16;

/// The same of the order that `by_bits` makes of, or of any other itself.
template <class Less, class K>
struct radix_order_of {
  using type = decltype(bitwise_order<Less, K>());
};
template <class Order, class K>
struct radix_order_of<by_bits<Order>, K> : radix_order_of<Order, K> {};
/// Keys that a radix sort moves: as large as an unsigned number.
template <class Order, auto... Members, class K>
struct radix_order_of<by_members<Order, Members...>, K> {
  using order = by_members<Order, Members...>;
  using type =
      std::conditional_t<is_as_large_as_a_number<K> && order::bytes <= sizeof(K), order, void>;
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
