// Atomics on two numbers of two bytes at once.
#pragma once

#include "simt/cuda.hpp"
#include "simt/half_arithmetic.hpp"

namespace simt::detail {
template <>
inline constexpr bool is_moved_by_bytes<__half2> = true;
template <>
inline constexpr bool is_moved_by_bytes<__nv_bfloat162> = true;
}  // namespace simt::detail

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's
#define SIMT_PAIR_ATOMIC(P, N)                                                          \
  [[gnu::always_inline]] inline P atomicAdd(P* p, P v) {                                \
    const auto pair = [](unsigned word) {                                               \
      return P(simt::detail::number_of<N>(word & 0xffffU),                              \
               simt::detail::number_of<N>(word >> 16));                                 \
    };                                                                                  \
    const unsigned was =                                                                \
        simt::detail::atomic_update(reinterpret_cast<unsigned*>(p), [&](unsigned old) { \
          const P sum = pair(old) + v;                                                  \
          return sum.x.bits() | static_cast<unsigned>(sum.y.bits()) << 16;              \
        });                                                                             \
    return pair(was);                                                                   \
  }
SIMT_PAIR_ATOMIC(__half2, __half)
SIMT_PAIR_ATOMIC(__nv_bfloat162, __nv_bfloat16)
#undef SIMT_PAIR_ATOMIC
// NOLINTEND(readability-identifier-naming)
