// <bit> for programs in older C++ than C++20: kernels are compiled as their author asks.
#pragma once

namespace simt::detail {

template <class To, class From>
[[gnu::always_inline]] constexpr To bit_cast(const From& v) {
  return __builtin_bit_cast(To, v);
}
constexpr int popcount(unsigned long long v) { return __builtin_popcountll(v); }
/// 32 and 64 for 0.
constexpr int leading_zeros(unsigned v) { return v == 0 ? 32 : __builtin_clz(v); }
constexpr int leading_zeros(unsigned long long v) { return v == 0 ? 64 : __builtin_clzll(v); }
/// The lowest lane of a mask that has any.
constexpr int lowest(unsigned v) { return __builtin_ctz(v); }

/// So that a parameter takes its type from elsewhere.
template <class T>
struct same_type {
  using type = T;
};
template <class T>
using same = typename same_type<T>::type;

}  // namespace simt::detail
