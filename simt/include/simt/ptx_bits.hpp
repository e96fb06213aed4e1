// PTX's instructions on bits and carries, its comparisons and conversions.
#pragma once

#include "simt/ptx_values.hpp"

#define SIMT_PTX [[gnu::always_inline]] inline

namespace simt::detail::ptx {

template <class T>
using unsigned_of = std::make_unsigned_t<T>;
template <class T>
inline constexpr unsigned width_of = sizeof(T) * 8;

template <class T>
SIMT_PTX T clamped(std::int64_t v) {
  using limits = std::numeric_limits<T>;
  return v < limits::min() ? limits::min() : v > limits::max() ? limits::max() : static_cast<T>(v);
}
template <class T>
SIMT_PTX T sum_saturated(T a, T b) {
  return clamped<T>(std::int64_t{a} + b);
}
template <class T>
SIMT_PTX T difference_saturated(T a, T b) {
  return clamped<T>(std::int64_t{a} - b);
}
template <class T>
SIMT_PTX T sum_with(T a, T b, bool carry, bool* leaves) {
  using bits = unsigned_of<T>;
  const bits first = static_cast<bits>(a) + static_cast<bits>(b);
  const bits all = first + static_cast<bits>(carry);
  if (leaves != nullptr) *leaves = (first < static_cast<bits>(a)) | (all < first);
  return static_cast<T>(all);
}
/// The carry is what was borrowed.
template <class T>
SIMT_PTX T difference_with(T a, T b, bool borrow, bool* leaves) {
  using bits = unsigned_of<T>;
  const bits first = static_cast<bits>(a) - static_cast<bits>(b);
  if (leaves != nullptr) {
    *leaves = (static_cast<bits>(a) < static_cast<bits>(b)) | (first < static_cast<bits>(borrow));
  }
  return static_cast<T>(first - static_cast<bits>(borrow));
}

template <unsigned Bytes, bool Signed>
struct integer_type;
template <bool Signed>
struct integer_type<4, Signed> {
  using type = std::conditional_t<Signed, int, unsigned>;
};
template <bool Signed>
struct integer_type<8, Signed> {
  using type = std::conditional_t<Signed, long long, unsigned long long>;
};
template <bool Signed>
struct integer_type<16, Signed> {
  using type = std::conditional_t<Signed, __int128, unsigned __int128>;
};
template <class T>
using twice = typename integer_type<2 * sizeof(T), std::is_signed_v<T>>::type;

template <class T>
SIMT_PTX twice<T> product_wide(T a, T b) {
  return static_cast<twice<T>>(a) * static_cast<twice<T>>(b);
}
template <class T>
SIMT_PTX T product_low(T a, T b) {
  return product(a, b);
}
template <class T>
SIMT_PTX T product_high(T a, T b) {
  return static_cast<T>(product_wide(a, b) >> width_of<T>);
}
template <class T>
SIMT_PTX long long product24(T a, T b) {
  const auto low = [](T v) -> long long {
    return std::is_signed_v<T> ? static_cast<int>(static_cast<unsigned>(v) << 8) >> 8
                               : static_cast<long long>(static_cast<unsigned>(v) & 0xffffffU);
  };
  return low(a) * low(b);
}
template <class T>
SIMT_PTX T product24_low(T a, T b) {
  return static_cast<T>(product24(a, b));
}
template <class T>
SIMT_PTX T product24_high(T a, T b) {
  return static_cast<T>(product24(a, b) >> 16);
}

template <class T>
SIMT_PTX unsigned count_ones(T v) {
  return static_cast<unsigned>(popcount(static_cast<unsigned_of<T>>(v)));
}
template <class T>
SIMT_PTX unsigned leading_zeros(T v) {
  return static_cast<unsigned>(simt::detail::leading_zeros(static_cast<unsigned_of<T>>(v)));
}
/// Of a negative number the highest 0; ~0 if there is none.
template <class T>
SIMT_PTX unsigned highest(T v) {
  if (v < 0) v = static_cast<T>(~v);
  return width_of<T> - 1 - leading_zeros(v);
}
template <class T>
SIMT_PTX unsigned shift_to_highest(T v) {
  const unsigned at = highest(v);
  return at == ~0U ? at : width_of<T> - 1 - at;
}
template <class T>
SIMT_PTX T reversed(T v) {
  return sizeof(T) == 4 ? static_cast<T>(__builtin_bitreverse32(static_cast<unsigned>(v)))
                        : static_cast<T>(__builtin_bitreverse64(static_cast<std::uint64_t>(v)));
}
template <class T>
SIMT_PTX T shift_left(T v, unsigned by) {
  return by < width_of<T> ? static_cast<T>(static_cast<unsigned_of<T>>(v) << by) : T{0};
}
template <class T>
SIMT_PTX T shift_right(T v, unsigned by) {
  if (by >= width_of<T>) return static_cast<T>(v < 0 ? -1 : 0);
  return static_cast<T>(v >> by);
}
/// `length` bits from `first` on, of a signed number with its sign.
template <class T>
SIMT_PTX T bit_field(T v, unsigned first, unsigned length) {
  if (width_of<T> <= 32) first &= 255, length &= 255;
  if (length == 0) return 0;
  const std::uint64_t last = std::uint64_t{first} + length - 1;
  const T from = shift_right(v, first);
  if (length >= width_of<T>) return from;
  const T mask = static_cast<T>(shift_left(T{1}, length) - 1);
  const unsigned sign_at = last < width_of<T> ? static_cast<unsigned>(last) : width_of<T> - 1;
  const bool is_negative = std::is_signed_v<T> && (shift_right(v, sign_at) & 1) != 0;
  return static_cast<T>(is_negative ? from | ~mask : from & mask);
}
template <class T>
SIMT_PTX T insert_field(T field, T into, unsigned first, unsigned length) {
  if (width_of<T> <= 32) first &= 255, length &= 255;
  using bits = unsigned_of<T>;
  const bits ones = length >= width_of<T> ? ~bits{0} : shift_left(bits{1}, length) - 1;
  const bits mask = shift_left(ones, first);
  return static_cast<T>((shift_left(static_cast<bits>(field), first) & mask) |
                        (static_cast<bits>(into) & ~mask));
}
SIMT_PTX unsigned funnel_left(unsigned low, unsigned high, unsigned by, bool clamps) {
  by = clamps ? (by < 32 ? by : 32) : by & 31;
  return static_cast<unsigned>(((std::uint64_t{high} << 32 | low) << by) >> 32);
}
SIMT_PTX unsigned funnel_right(unsigned low, unsigned high, unsigned by, bool clamps) {
  by = clamps ? (by < 32 ? by : 32) : by & 31;
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> by);
}
/// Bit 4 a + 2 b + c of the table, for the bits of each place.
SIMT_PTX unsigned lookup(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  if ((table & 1) != 0) result |= ~a & ~b & ~c;
  if ((table & 2) != 0) result |= ~a & ~b & c;
  if ((table & 4) != 0) result |= ~a & b & ~c;
  if ((table & 8) != 0) result |= ~a & b & c;
  if ((table & 16) != 0) result |= a & ~b & ~c;
  if ((table & 32) != 0) result |= a & ~b & c;
  if ((table & 64) != 0) result |= a & b & ~c;
  if ((table & 128) != 0) result |= a & b & c;
  return result;
}
/// Bit 3 of a selector takes the byte's sign in place of the byte.
SIMT_PTX unsigned permuted(unsigned a, unsigned b, unsigned selectors) {
  unsigned signs = 0;
  for (unsigned i = 0; i < 32; i += 8) {
    if ((selectors >> i / 2 & 8) != 0) signs |= 255U << i;
  }
  const unsigned bytes = __byte_perm(a, b, selectors);
  return (bytes & ~signs) | ((bytes >> 7 & 0x01010101U) * 255 & signs);
}
#define SIMT_PERMUTATION(name, selectors)                                     \
  SIMT_PTX unsigned permuted_##name(unsigned a, unsigned b, unsigned which) { \
    static constexpr unsigned all[] = selectors;                              \
    return __byte_perm(a, b, all[which & 3]);                                 \
  }
#define SIMT_FOUR(a, b, c, d) \
  { a, b, c, d }
SIMT_PERMUTATION(f4e, SIMT_FOUR(0x3210, 0x4321, 0x5432, 0x6543))
SIMT_PERMUTATION(b4e, SIMT_FOUR(0x5670, 0x6701, 0x7012, 0x0123))
SIMT_PERMUTATION(rc8, SIMT_FOUR(0x0000, 0x1111, 0x2222, 0x3333))
SIMT_PERMUTATION(ecl, SIMT_FOUR(0x3210, 0x3211, 0x3222, 0x3333))
SIMT_PERMUTATION(ecr, SIMT_FOUR(0x0000, 0x1110, 0x2210, 0x3210))
SIMT_PERMUTATION(rc16, SIMT_FOUR(0x1010, 0x3232, 0x1010, 0x3232))
#undef SIMT_FOUR
#undef SIMT_PERMUTATION

template <class T>
SIMT_PTX int byte_of(T v, unsigned n) {
  const auto byte = static_cast<std::uint8_t>(static_cast<unsigned>(v) >> 8 * n);
  return std::is_signed_v<T> ? static_cast<std::int8_t>(byte) : byte;
}
template <class A, class B, class C>
SIMT_PTX C dot4(A a, B b, C c) {
  auto total = static_cast<unsigned>(c);
#pragma unroll
  for (unsigned n = 0; n < 4; ++n) total += static_cast<unsigned>(byte_of(a, n) * byte_of(b, n));
  return static_cast<C>(total);
}
template <class A, class B, class C>
SIMT_PTX C dot2(A a, B b, C c, unsigned first) {
  auto total = static_cast<unsigned>(c);
#pragma unroll
  for (unsigned n = 0; n < 2; ++n) {
    const auto word = static_cast<std::uint16_t>(static_cast<unsigned>(a) >> 16 * n);
    const int factor = std::is_signed_v<A> ? static_cast<std::int16_t>(word) : word;
    total += static_cast<unsigned>(factor * byte_of(b, first + n));
  }
  return static_cast<C>(total);
}
template <class A, class B, class C>
SIMT_PTX C dot2_low(A a, B b, C c) {
  return dot2(a, b, c, 0);
}
template <class A, class B, class C>
SIMT_PTX C dot2_high(A a, B b, C c) {
  return dot2(a, b, c, 2);
}
#define SIMT_BYTES(name, expression)                                                              \
  template <class D, class A, class B>                                                            \
  SIMT_PTX unsigned bytes_##name(unsigned a, unsigned b, unsigned c, bool adds, bool saturates) { \
    unsigned total = adds ? c : 0;                                                                \
    _Pragma("unroll") for (unsigned n = 0; n < 4; ++n) {                                          \
      const int x = static_cast<A>(a >> 8 * n), y = static_cast<B>(b >> 8 * n);                   \
      const int result = expression;                                                              \
      const D byte = saturates ? clamped<D>(result) : static_cast<D>(result);                     \
      total += adds ? static_cast<unsigned>(result)                                               \
                    : static_cast<unsigned>(static_cast<std::uint8_t>(byte)) << 8 * n;            \
    }                                                                                             \
    return total;                                                                                 \
  }
SIMT_BYTES(absdiff, x < y ? y - x : x - y)
SIMT_BYTES(add, x + y)
SIMT_BYTES(sub, x - y)
SIMT_BYTES(min, x < y ? x : y)
SIMT_BYTES(max, x < y ? y : x)
#undef SIMT_BYTES

template <class T>
SIMT_PTX auto comparable(T v) {
  if constexpr (is_small<T>) {
    return v.value();
  } else {
    return v;
  }
}
#define SIMT_COMPARISON(name, op, or_nan)                   \
  template <class T>                                        \
  SIMT_PTX bool compare_##name(T a, T b) {                  \
    const auto x = comparable(a), y = comparable(b);        \
    const bool is_nan = (x != x) | (y != y);                \
    return or_nan ? (x op y) | is_nan : (x op y) & !is_nan; \
  }
SIMT_COMPARISON(eq, ==, false)
SIMT_COMPARISON(ne, !=, false)
SIMT_COMPARISON(lt, <, false)
SIMT_COMPARISON(le, <=, false)
SIMT_COMPARISON(gt, >, false)
SIMT_COMPARISON(ge, >=, false)
SIMT_COMPARISON(lo, <, false)
SIMT_COMPARISON(ls, <=, false)
SIMT_COMPARISON(hi, >, false)
SIMT_COMPARISON(hs, >=, false)
SIMT_COMPARISON(equ, ==, true)
SIMT_COMPARISON(neu, !=, true)
SIMT_COMPARISON(ltu, <, true)
SIMT_COMPARISON(leu, <=, true)
SIMT_COMPARISON(gtu, >, true)
SIMT_COMPARISON(geu, >=, true)
#undef SIMT_COMPARISON
template <class T>
SIMT_PTX bool compare_num(T a, T b) {
  return compare_eq(a, a) & compare_eq(b, b);
}
template <class T>
SIMT_PTX bool compare_nan(T a, T b) {
  return !compare_num(a, b);
}
/// What `set` leaves.
template <class T>
SIMT_PTX T all_ones(bool is) {
  if constexpr (std::is_floating_point_v<T>) {
    return is ? T{1} : T{0};
  } else {
    return is ? static_cast<T>(~T{0}) : T{0};
  }
}

template <class T, class Whole>
SIMT_PTX T piece(Whole whole, unsigned n) {
  const auto bits = bit_cast<word_of<sizeof(Whole)>>(whole);
  return static_cast<T>(bits >> (n * width_of<T>));
}
template <class T, class... Pieces>
SIMT_PTX T joined(Pieces... pieces) {
  word_of<sizeof(T)> bits = 0;
  unsigned at = 0;
  ((bits |= static_cast<word_of<sizeof(T)>>(static_cast<word_of<sizeof(T)>>(pieces) << at),
    at += width_of<Pieces>),
   ...);
  return bit_cast<T>(bits);
}

template <small_format Format>
SIMT_PTX unsigned cut(double v, rounding r, bool finite, bool rectifies) {
  return encode(Format, rectifies && v <= 0 ? 0 : v, r, finite);
}
template <small_format Format>
inline constexpr unsigned bits_of =
    Format == small_format::e4m3 || Format == small_format::e5m2 ? 8 : 16;
/// Two in one register, the first one above.
template <small_format Format>
SIMT_PTX word_of<bits_of<Format> / 4> pack(float high, float low, rounding r, bool finite,
                                           bool rectifies) {
  return static_cast<word_of<bits_of<Format> / 4>>(cut<Format>(low, r, finite, rectifies) |
                                                   cut<Format>(high, r, finite, rectifies)
                                                       << bits_of<Format>);
}
template <small_format Format>
SIMT_PTX std::uint16_t repack(f16x2 v, rounding r, bool finite, bool rectifies) {
  return static_cast<std::uint16_t>(cut<Format>(v.low.value(), r, finite, rectifies) |
                                    cut<Format>(v.high.value(), r, finite, rectifies) << 8);
}
template <small_format Format>
SIMT_PTX f16x2 unpack(std::uint16_t v) {
  return {rounded<f16>(decode(Format, v & 255U)), rounded<f16>(decode(Format, v >> 8))};
}
SIMT_PTX unsigned to_tf32(float v, rounding r, bool finite, bool rectifies) {
  if (v != v && r == rounding::away) return bit_cast<unsigned>(v) & ~0x1fffU;  // a NaN is only cut
  return cut<small_format::tf32>(v, r, finite, rectifies) << 13;
}

/// `integral`: a float is rounded to an integer.
template <class To, class From>
SIMT_PTX To convert(From v, rounding r, bool integral, bool saturates) {
  const auto whole = [r](auto x) {
    return r == rounding::zero   ? trunc(x)
           : r == rounding::down ? floor(x)
           : r == rounding::up   ? ceil(x)
                                 : rint(x);
  };
  if constexpr (is_small<From>) {
    return convert<To>(static_cast<float>(v.value()), r, integral, saturates);
  } else if constexpr (is_small<To>) {
    double x = 0;
    if constexpr (std::is_integral_v<From> && sizeof(From) == 8) {
      x = to_odd(v);
    } else {
      x = integral ? whole(static_cast<double>(v)) : static_cast<double>(v);
    }
    const To result = rounded<To>(x, r);
    return saturates ? saturated(result) : result;
  } else if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    if (!saturates) return static_cast<To>(v);
    if constexpr (sizeof(From) < 8) {
      return static_cast<To>(sizeof(To) < 8                    ? clamped<To>(v)
                             : v < 0 && std::is_unsigned_v<To> ? 0
                                                               : v);
    } else {
      const bool below = v < 0 && (std::is_unsigned_v<To> ||
                                   static_cast<long long>(v) <
                                       static_cast<long long>(std::numeric_limits<To>::min()));
      const bool above = v > 0 && static_cast<std::uint64_t>(v) >
                                      static_cast<std::uint64_t>(std::numeric_limits<To>::max());
      return below   ? std::numeric_limits<To>::min()
             : above ? std::numeric_limits<To>::max()
                     : static_cast<To>(v);
    }
  } else if constexpr (std::is_integral_v<To>) {
    return simt::detail::saturated<To>(whole(v));
  } else if constexpr (std::is_integral_v<From>) {
    using longest = std::conditional_t<std::is_signed_v<From>, long long, unsigned long long>;
    if constexpr (std::is_same_v<To, float>) {
      return directed_float(r, static_cast<longest>(v));
    } else {
      return directed_double(r, static_cast<longest>(v));
    }
  } else {
    To result{};
    if constexpr (std::is_same_v<To, float> && std::is_same_v<From, double>) {
      result = directed_float(r, v);
    } else {
      result = static_cast<To>(integral ? whole(v) : v);
    }
    return saturates ? saturated(result) : result;
  }
}

}  // namespace simt::detail::ptx

#undef SIMT_PTX
