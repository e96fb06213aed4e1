// A key and its index as one number, so that no two are equal, and what a call writes for the first
// k of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/order.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Numbers that grow with the place of a key in `Order`, then with its index. Wide ones are for
/// keys of 8 bytes and for indices of more than 32 bits.
template <class K, class Order, bool Wide>
struct ranked_keys {
  static_assert(Wide || sizeof(K) <= 4);
  using key = K;
  using rank = rank_type<K>;
  using number = std::conditional_t<Wide, wide_number, std::uint64_t>;
  using count = std::conditional_t<Wide, unsigned long long, unsigned>;
  static constexpr unsigned index_bits = Wide ? 64 : 32;

  static __device__ __forceinline__ rank encode(K k) {
    const rank r = rank_of(k);
    return std::is_same_v<Order, descending> ? static_cast<rank>(~r) : r;
  }
  static __device__ __forceinline__ number number_of(rank r, std::size_t index) {
    return number{r} << index_bits | index;
  }
  static __device__ __forceinline__ rank rank_in(number x) {
    return static_cast<rank>(x >> index_bits);
  }
  static __device__ __forceinline__ K key_in(number x) {
    const rank r = rank_in(x);
    return key_of<K>(std::is_same_v<Order, descending> ? static_cast<rank>(~r) : r);
  }
  static __device__ __forceinline__ std::size_t index_in(number x) {
    return static_cast<std::conditional_t<Wide, std::uint64_t, std::uint32_t>>(x);
  }
};

// What a call writes as the i-th of `k` in a row.

template <class K>
struct first_keys {
  K* out;
  __device__ __forceinline__ void put(std::size_t i, std::size_t /*at*/, K key,
                                      std::size_t /*index*/) const {
    out[i] = key;
  }
};
template <class K, class Item>
struct first_pairs {
  K* out;
  const Item* items;
  Item* out_items;
  /// `at`: the key's index among those of all rows.
  __device__ __forceinline__ void put(std::size_t i, std::size_t at, K key,
                                      std::size_t /*index*/) const {
    out[i] = key;
    out_items[i] = items[at];
  }
};
template <class Index>
struct first_indices {
  Index* out;
  template <class K>
  __device__ __forceinline__ void put(std::size_t i, std::size_t /*at*/, K /*key*/,
                                      std::size_t index) const {
    out[i] = static_cast<Index>(index);
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
