// CUDA's greatest and least of two or three numbers, and of a sum and a number: the instructions
// for dynamic programming.
#pragma once

#include <cstdint>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's

namespace simt::detail {

template <class T>
constexpr T least_of(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T greatest_of(T a, T b) {
  return a < b ? b : a;
}
/// What is too large begins again, as on the device.
template <class T>
constexpr T wrapped_sum(T a, T b) {
  return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}

/// `f` of the low halves and of the high ones.
template <class E, class F>
[[gnu::always_inline]] inline unsigned per_half(unsigned a, unsigned b, unsigned c, F f) {
  const E low = f(static_cast<E>(a), static_cast<E>(b), static_cast<E>(c));
  const E high = f(static_cast<E>(a >> 16), static_cast<E>(b >> 16), static_cast<E>(c >> 16));
  return static_cast<unsigned>(static_cast<std::uint16_t>(high)) << 16 |
         static_cast<std::uint16_t>(low);
}

}  // namespace simt::detail

// Each of a word, or of two halves in one.
#define SIMT_OF_WORDS(name, type, expression) \
  inline type name(type x, type y, type z) {  \
    using simt::detail::greatest_of;          \
    using simt::detail::least_of;             \
    using simt::detail::wrapped_sum;          \
    return expression;                        \
  }
#define SIMT_OF_HALVES(name, type, expression)                                              \
  inline unsigned name(unsigned a, unsigned b, unsigned c) {                                \
    using simt::detail::greatest_of;                                                        \
    using simt::detail::least_of;                                                           \
    using simt::detail::wrapped_sum;                                                        \
    return simt::detail::per_half<type>(a, b, c,                                            \
                                        [](type x, type y, type z) { return expression; }); \
  }
#define SIMT_OF_THREE(name, expression)                           \
  SIMT_OF_WORDS(name##_s32, int, expression)                      \
  SIMT_OF_WORDS(name##_u32, unsigned, expression)                 \
  SIMT_OF_HALVES(name##_s16x2, std::int16_t, expression)          \
  SIMT_OF_HALVES(name##_u16x2, std::uint16_t, expression)         \
  SIMT_OF_WORDS(name##_s32_relu, int, greatest_of(expression, 0)) \
  SIMT_OF_HALVES(name##_s16x2_relu, std::int16_t, greatest_of<std::int16_t>(expression, 0))
SIMT_OF_THREE(__vimax3, greatest_of(greatest_of(x, y), z))
SIMT_OF_THREE(__vimin3, least_of(least_of(x, y), z))
SIMT_OF_THREE(__viaddmax, greatest_of(wrapped_sum(x, y), z))
SIMT_OF_THREE(__viaddmin, least_of(wrapped_sum(x, y), z))
#undef SIMT_OF_THREE
#undef SIMT_OF_HALVES
#undef SIMT_OF_WORDS

inline int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
inline unsigned __vimax_s16x2_relu(unsigned a, unsigned b) { return __vimax3_s16x2(a, b, 0); }
inline int __vimin_s32_relu(int a, int b) { return __vimin3_s32_relu(a, b, b); }
inline unsigned __vimin_s16x2_relu(unsigned a, unsigned b) { return __vimin3_s16x2_relu(a, b, b); }

/// With whether it is the first one; of halves, of the high ones and of the low ones.
#define SIMT_WITH_CHOICE(name, three, op)                                             \
  inline int name##_s32(int a, int b, bool* first) {                                  \
    *first = a op b;                                                                  \
    return three##_s32(a, b, b);                                                      \
  }                                                                                   \
  inline unsigned name##_u32(unsigned a, unsigned b, bool* first) {                   \
    *first = a op b;                                                                  \
    return three##_u32(a, b, b);                                                      \
  }                                                                                   \
  inline unsigned name##_s16x2(unsigned a, unsigned b, bool* high, bool* low) {       \
    *high = static_cast<std::int16_t>(a >> 16) op static_cast<std::int16_t>(b >> 16); \
    *low = static_cast<std::int16_t>(a) op static_cast<std::int16_t>(b);              \
    return three##_s16x2(a, b, b);                                                    \
  }                                                                                   \
  inline unsigned name##_u16x2(unsigned a, unsigned b, bool* high, bool* low) {       \
    *high = (a >> 16) op(b >> 16);                                                    \
    *low = (a & 0xffffU) op(b & 0xffffU);                                             \
    return three##_u16x2(a, b, b);                                                    \
  }
SIMT_WITH_CHOICE(__vibmax, __vimax3, >=)
SIMT_WITH_CHOICE(__vibmin, __vimin3, <=)
#undef SIMT_WITH_CHOICE
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
