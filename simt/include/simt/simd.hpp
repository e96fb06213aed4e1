// CUDA's functions on two or four integers in one word.
#pragma once

#include <cstdint>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's

namespace simt::detail {

/// `f` of each two elements of type E; what it returns is cut to as many bits.
template <class E, class F>
[[gnu::always_inline]] inline unsigned per_element(unsigned a, unsigned b, F f) {
  constexpr unsigned bits = sizeof(E) * 8;
  unsigned result = 0;
#pragma unroll
  for (unsigned at = 0; at < 32; at += bits) {
    const int x = static_cast<E>(a >> at), y = static_cast<E>(b >> at);
    result |= (static_cast<unsigned>(f(x, y)) & ((1U << bits) - 1)) << at;
  }
  return result;
}
template <class E, class F>
[[gnu::always_inline]] inline unsigned sum_of_elements(unsigned a, unsigned b, F f) {
  unsigned result = 0;
#pragma unroll
  for (unsigned at = 0; at < 32; at += sizeof(E) * 8) {
    result += static_cast<unsigned>(f(static_cast<E>(a >> at), static_cast<E>(b >> at)));
  }
  return result;
}
template <class E>
constexpr int within(int v) {
  constexpr int low = static_cast<E>(-1) < 0 ? -(1 << (sizeof(E) * 8 - 1)) : 0;
  constexpr int high = low + (1 << (sizeof(E) * 8)) - 1;
  return v < low ? low : v > high ? high : v;
}

}  // namespace simt::detail

#define SIMT_ELEMENTS(name, type, expression)                                                     \
  inline unsigned name(unsigned a, unsigned b) {                                                  \
    return simt::detail::per_element<type>(a, b, [](int x, int y) -> int { return expression; }); \
  }
#define SIMT_ELEMENT(name, type, expression)                                                    \
  inline unsigned name(unsigned a) {                                                            \
    return simt::detail::per_element<type>(a, a, [](int x, int) -> int { return expression; }); \
  }
#define SIMT_COMPARED(n, type, how, op)                \
  SIMT_ELEMENTS(__vcmp##how##n, type, x op y ? -1 : 0) \
  SIMT_ELEMENTS(__vset##how##n, type, x op y ? 1 : 0)
#define SIMT_SUMMED(name, type)                                    \
  inline unsigned name(unsigned a, unsigned b) {                   \
    return simt::detail::sum_of_elements<type>(                    \
        a, b, [](int x, int y) { return x < y ? y - x : x - y; }); \
  }
#define SIMT_SIMD(n, s, u)                                              \
  SIMT_ELEMENTS(__vadd##n, u, x + y)                                    \
  SIMT_ELEMENTS(__vaddss##n, s, simt::detail::within<s>(x + y))         \
  SIMT_ELEMENTS(__vaddus##n, u, simt::detail::within<u>(x + y))         \
  SIMT_ELEMENTS(__vsub##n, u, x - y)                                    \
  SIMT_ELEMENTS(__vsubss##n, s, simt::detail::within<s>(x - y))         \
  SIMT_ELEMENTS(__vsubus##n, u, simt::detail::within<u>(x - y))         \
  SIMT_ELEMENTS(__vavgs##n, s, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)     \
  SIMT_ELEMENTS(__vavgu##n, u, (x + y + 1) / 2)                         \
  SIMT_ELEMENTS(__vhaddu##n, u, (x + y) / 2)                            \
  SIMT_ELEMENTS(__vmaxs##n, s, x < y ? y : x)                           \
  SIMT_ELEMENTS(__vmaxu##n, u, x < y ? y : x)                           \
  SIMT_ELEMENTS(__vmins##n, s, x < y ? x : y)                           \
  SIMT_ELEMENTS(__vminu##n, u, x < y ? x : y)                           \
  SIMT_ELEMENTS(__vabsdiffs##n, s, x < y ? y - x : x - y)               \
  SIMT_ELEMENTS(__vabsdiffu##n, u, x < y ? y - x : x - y)               \
  SIMT_ELEMENT(__vabs##n, s, x < 0 ? -x : x)                            \
  SIMT_ELEMENT(__vabsss##n, s, simt::detail::within<s>(x < 0 ? -x : x)) \
  SIMT_ELEMENT(__vneg##n, s, -x)                                        \
  SIMT_ELEMENT(__vnegss##n, s, simt::detail::within<s>(-x))             \
  SIMT_COMPARED(n, u, eq, ==)                                           \
  SIMT_COMPARED(n, u, ne, !=)                                           \
  SIMT_COMPARED(n, s, lts, <)                                           \
  SIMT_COMPARED(n, s, les, <=)                                          \
  SIMT_COMPARED(n, s, gts, >)                                           \
  SIMT_COMPARED(n, s, ges, >=)                                          \
  SIMT_COMPARED(n, u, ltu, <)                                           \
  SIMT_COMPARED(n, u, leu, <=)                                          \
  SIMT_COMPARED(n, u, gtu, >)                                           \
  SIMT_COMPARED(n, u, geu, >=)                                          \
  SIMT_SUMMED(__vsads##n, s)                                            \
  SIMT_SUMMED(__vsadu##n, u)
SIMT_SIMD(4, std::int8_t, std::uint8_t)
SIMT_SIMD(2, std::int16_t, std::uint16_t)
#undef SIMT_SIMD
#undef SIMT_SUMMED
#undef SIMT_COMPARED
#undef SIMT_ELEMENT
#undef SIMT_ELEMENTS
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
