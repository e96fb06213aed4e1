// Eight 16-byte vectors at a time, for the library's operators on arithmetic types. Written with
// the compilers' own vectors, since neither may reorder a floating-point sum by itself; 16 bytes
// are what every x86-64 and ARMv8 has.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpfold/operators.hpp"
#include "warpfold/unrolled.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

template <std::size_t Bytes>
using unsigned_bits = std::conditional_t<
    Bytes == 8, std::uint64_t,
    std::conditional_t<Bytes == 4, std::uint32_t,
                       std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>>;

/// One type for each size and kind: `long`, `long long` and `char` have no vectors of their own.
template <class T>
struct lane_of {
  using type = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<unsigned_bits<sizeof(T)>>,
                                  unsigned_bits<sizeof(T)>>;
};
template <std::floating_point T>
struct lane_of<T> {
  using type = T;
};

inline constexpr std::size_t pack_bytes = 16;
inline constexpr std::size_t packs_per_block = 8;
inline constexpr std::size_t block_bytes = pack_bytes * packs_per_block;

template <class T>
struct pack_of {
  using type [[gnu::vector_size(pack_bytes)]] = typename lane_of<T>::type;
};
template <class T>
using pack = typename pack_of<T>::type;

template <class T>
concept packable =
    std::is_arithmetic_v<T> && !std::same_as<std::remove_cv_t<T>, bool> && sizeof(T) <= 8;

/// Whether Op on values of T has a form for packs. (No SSE2 instruction compares 64-bit integers.)
template <class Op, class T>
inline constexpr bool has_packed_form = false;
template <packable T>
inline constexpr bool has_packed_form<plus, T> = true;
template <packable T>
inline constexpr bool has_packed_form<multiplies, T> = true;
template <packable T>
inline constexpr bool has_packed_form<minimum, T> = std::floating_point<T> || sizeof(T) < 8;
template <packable T>
inline constexpr bool has_packed_form<maximum, T> = std::floating_point<T> || sizeof(T) < 8;
template <packable T>
inline constexpr bool has_packed_form<bit_and, T> = std::is_integral_v<T>;
template <packable T>
inline constexpr bool has_packed_form<bit_or, T> = std::is_integral_v<T>;
template <packable T>
inline constexpr bool has_packed_form<bit_xor, T> = std::is_integral_v<T>;

/// The operator on each lane, to the same bits as on single values.
template <class Op, class T>
[[gnu::always_inline]] inline pack<T> apply(pack<T> a, pack<T> b) {
  using bits = pack<unsigned_bits<sizeof(T)>>;
  // Integers wrap: as unsigned lanes.
  using arithmetic = std::conditional_t<std::is_integral_v<T>, bits, pack<T>>;
  if constexpr (std::same_as<Op, plus>) {
    return (pack<T>)((arithmetic)a + (arithmetic)b);
  } else if constexpr (std::same_as<Op, multiplies>) {
    return (pack<T>)((arithmetic)a * (arithmetic)b);
  } else if constexpr (std::same_as<Op, bit_and>) {
    return a & b;
  } else if constexpr (std::same_as<Op, bit_or>) {
    return a | b;
  } else if constexpr (std::same_as<Op, bit_xor>) {
    return a ^ b;
  } else if constexpr (std::is_integral_v<T>) {
    static_assert(std::same_as<Op, minimum> || std::same_as<Op, maximum>);
    return (std::same_as<Op, minimum> ? a < b : b < a) ? a : b;
  } else if constexpr (std::same_as<Op, minimum>) {
    // One instruction each, which differ where one is NaN or both are zeros: NaN and -0 remain.
    return (pack<T>)((bits)(a < b ? a : b) | (bits)(b < a ? b : a));
  } else {
    static_assert(std::same_as<Op, maximum>);
    return -apply<minimum, T>(-a, -b);
  }
}

template <class F>
[[gnu::always_inline]] inline void for_each_pack(F f) {
  detail::unrolled<packs_per_block>(f);
}

/// 128 bytes of values.
template <packable T>
struct block {
  static constexpr std::size_t lanes = block_bytes / sizeof(T);

  pack<T> packs[packs_per_block];

  [[gnu::always_inline]] static block load(const T* from) {
    block b;
    for_each_pack([&](auto k) __attribute__((always_inline)) {
      std::memcpy(&b.packs[k], from + k * (pack_bytes / sizeof(T)), pack_bytes);
    });
    return b;
  }
  [[gnu::always_inline]] void store(T* to) const {
    for_each_pack([&](auto k) __attribute__((always_inline)) {
      std::memcpy(to + k * (pack_bytes / sizeof(T)), &packs[k], pack_bytes);
    });
  }
};

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
