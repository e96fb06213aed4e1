// The orders that keys are sorted in. Both are total on the bits of a key: integers by value;
// floating-point numbers by value with -0 before +0, and NaN greater than every number (those with
// the sign bit after those without), so NaN comes last ascending and first descending.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpfold/platform.hpp"

// CUDA's floating-point types of two bytes, complete where their headers are read.
struct __half;
struct __nv_bfloat16;

namespace warpfold::inline WARPFOLD_MACHINE {

namespace detail {

__extension__ using wide_integer = __int128;
__extension__ using wide_number = unsigned __int128;

template <class K>
inline constexpr bool is_wide_key =
    std::is_same_v<K, wide_integer> || std::is_same_v<K, wide_number>;
template <class K>
inline constexpr bool is_integer_key = std::is_integral_v<K> || is_wide_key<K>;
template <class K>
inline constexpr bool is_signed_key = std::is_signed_v<K> || std::is_same_v<K, wide_integer>;

template <class K>
using rank_type = std::conditional_t<
    sizeof(K) == 16, wide_number,
    std::conditional_t<
        sizeof(K) == 8, std::uint64_t,
        std::conditional_t<sizeof(K) == 4, std::uint32_t,
                           std::conditional_t<sizeof(K) == 2, std::uint16_t, std::uint8_t>>>>;
template <class K>
inline constexpr auto top_bit = static_cast<rank_type<K>>(rank_type<K>{1} << (8 * sizeof(K) - 1));
/// Bits of a floating-point key below its exponent; 0 of any other.
template <class K>
inline constexpr unsigned mantissa_bits = 0;
template <>
inline constexpr unsigned mantissa_bits<float> = 23;
template <>
inline constexpr unsigned mantissa_bits<double> = 52;
template <>
inline constexpr unsigned mantissa_bits<__half> = 10;
template <>
inline constexpr unsigned mantissa_bits<__nv_bfloat16> = 7;
template <class K>
inline constexpr bool is_float_key = mantissa_bits<K> != 0;
template <class K>
inline constexpr auto infinity_bits =
    static_cast<rank_type<K>>(top_bit<K> - (rank_type<K>{1} << mantissa_bits<K>));
/// The bits of `low` below those of `high`.
template <class Number, class Low>
__host__ __device__ __forceinline__ Number followed_by(Number high, Low low) {
  if constexpr (sizeof(Low) == sizeof(Number)) {
    return low;  // there are no others
  } else {
    return static_cast<Number>(high << (8 * sizeof(Low)) | low);
  }
}
/// How many NaNs have the sign bit. By their bits alone they would come first.
template <class K>
inline constexpr auto negative_nans = static_cast<rank_type<K>>(top_bit<K> - infinity_bits<K> - 1);

}  // namespace detail

/// An unsigned number that grows with the key; different bits give different numbers.
template <class K>
__host__ __device__ __forceinline__ detail::rank_type<K> rank_of(K key) {
  using rank = detail::rank_type<K>;
  if constexpr (detail::is_float_key<K>) {
    rank bits;
    memcpy(&bits, &key, sizeof bits);
    bits = static_cast<rank>((bits & detail::top_bit<K>) != 0 ? ~bits : bits | detail::top_bit<K>);
    return static_cast<rank>(bits - detail::negative_nans<K>);
  } else if constexpr (detail::is_signed_key<K>) {
    return static_cast<rank>(static_cast<rank>(key) ^ detail::top_bit<K>);
  } else {
    return static_cast<rank>(key);
  }
}

/// The key of that rank.
template <class K>
__host__ __device__ __forceinline__ K key_of(detail::rank_type<K> rank) {
  if constexpr (detail::is_float_key<K>) {
    using bits_type = detail::rank_type<K>;
    rank = static_cast<bits_type>(rank + detail::negative_nans<K>);
    rank = static_cast<bits_type>((rank & detail::top_bit<K>) != 0 ? rank ^ detail::top_bit<K>
                                                                   : ~rank);
    K key;
    memcpy(static_cast<void*>(&key), &rank, sizeof key);
    return key;
  } else {
    return static_cast<K>(detail::is_signed_key<K> ? rank ^ detail::top_bit<K> : rank);
  }
}

/// What has an order of its own: integers up to __int128, floats of 4 and 8 bytes, CUDA's __half
/// and __nv_bfloat16.
template <class K>
concept arithmetic_key = detail::is_integer_key<K> || detail::is_float_key<K>;

/// The smallest key first; NaN last, -0 before +0.
struct ascending {
  /// Whether a comes before b.
  template <arithmetic_key K>
  __host__ __device__ __forceinline__ bool operator()(K a, K b) const {
    return rank_of(a) < rank_of(b);
  }
};

/// The greatest key first; NaN before it, +0 before -0.
struct descending {
  /// Whether a comes before b.
  template <arithmetic_key K>
  __host__ __device__ __forceinline__ bool operator()(K a, K b) const {
    return rank_of(b) < rank_of(a);
  }
};

/// Orders keys by their bits [begin, end), counted from the lowest. Keys with the same bits there
/// count as equal. An unsigned integer has its own bits, any other key those of rank_of(key).
///
///   sort(host, keys, by_bits(0, 12))
///   sort(device, keys, by_bits<descending>(0, 12))
template <class Order = ascending>
struct by_bits {
  unsigned begin;  ///< The lowest bit that counts.
  unsigned end;    ///< One above the highest. Sorts refuse a range that is not within the key.

  /// The bits [begin, end).
  constexpr by_bits(unsigned from, unsigned to) : begin(from), end(to) {}

  /// Whether a comes before b.
  template <arithmetic_key K>
  __host__ __device__ __forceinline__ bool operator()(K a, K b) const {
    return std::is_same_v<Order, descending> ? bits(b) < bits(a) : bits(a) < bits(b);
  }

 private:
  template <class K>
  __host__ __device__ __forceinline__ detail::rank_type<K> bits(K key) const {
    using rank = detail::rank_type<K>;
    if (begin >= end) return 0;
    const auto upper = static_cast<rank>(rank_of(key) << (8 * sizeof(K) - end));
    return static_cast<rank>(upper >> (8 * sizeof(K) - end + begin));
  }
};

namespace detail {
template <class Less>
inline constexpr bool is_by_bits = false;
template <class Order>
inline constexpr bool is_by_bits<by_bits<Order>> = true;

template <class K, class Member>
Member member_type(Member K::*);
template <auto Member>
using type_of_member = decltype(member_type(Member));
}  // namespace detail

/// Orders structs by some of their members: the first one named is the most significant. Keys whose
/// named members are the same count as equal. The members are arithmetic keys with at most 16 bytes
/// in total.
///
///   struct hit { float score; std::uint32_t id; };
///   sort(device, hits, by_members<descending, &hit::score, &hit::id>{})
template <class Order, auto... Members>
struct by_members {
  static_assert(std::is_same_v<Order, ascending> || std::is_same_v<Order, descending>,
                "an order by members is ascending or descending");
  static_assert((arithmetic_key<detail::type_of_member<Members>> && ...),
                "an order by members takes members that are integers or floating-point numbers");
  /// Bytes of the named members.
  static constexpr std::size_t bytes =
      (std::size_t{0} + ... + sizeof(detail::type_of_member<Members>));
  static_assert(bytes > 0 && bytes <= 16, "an order by members takes 1 to 16 bytes of them");
  /// An unsigned number with room for them.
  using number = detail::rank_type<char[std::bit_ceil(bytes)]>;

  /// A number that grows with the named members.
  template <class K>
  static __host__ __device__ __forceinline__ number number_of(const K& key) {
    number all = 0;
    ((all = detail::followed_by(all, rank_of(key.*Members))), ...);
    return all;
  }
  /// Whether a comes before b.
  template <class K>
  __host__ __device__ __forceinline__ bool operator()(const K& a, const K& b) const {
    return std::is_same_v<Order, descending> ? number_of(b) < number_of(a)
                                             : number_of(a) < number_of(b);
  }
};

namespace detail {
template <class Less>
inline constexpr bool is_by_members = false;
template <class Order, auto... Members>
inline constexpr bool is_by_members<by_members<Order, Members...>> = true;
}  // namespace detail

}  // namespace warpfold::inline WARPFOLD_MACHINE
