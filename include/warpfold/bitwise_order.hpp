// Which orders of keys are an order of their bits, so that a radix sort can make them.
#pragma once

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

/// The same of the order that `by_bits` makes of, or of any other itself.
template <class Less, class K>
struct radix_order_of {
  using type = decltype(bitwise_order<Less, K>());
};
template <class Order, class K>
struct radix_order_of<by_bits<Order>, K> : radix_order_of<Order, K> {};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
