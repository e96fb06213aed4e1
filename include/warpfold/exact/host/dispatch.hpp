// Which vectors sum a batch: the widest that this processor has.
#pragma once

#include <cstddef>

#include "warpfold/exact/host/level_sum.hpp"
#include "warpfold/exact/host/narrow_sum.hpp"
#include "warpfold/exact/kind.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

struct narrow_range {
  static constexpr unsigned levels = 1;
  template <std::size_t Bytes, class T>
  [[gnu::always_inline]] static void sum(const T* in, std::size_t n, level_sums<1>& result) {
    sum_narrow_range<Bytes>(in, n, result);
  }
};
template <unsigned Levels>
struct multi_level {
  static constexpr unsigned levels = Levels;
  template <std::size_t Bytes, class T>
  [[gnu::always_inline]] static void sum(const T* in, std::size_t n, level_sums<Levels>& result) {
    sum_levels<Bytes>(in, n, result);
  }
};

#if defined(__x86_64__) && !defined(__CUDACC__)
template <class Way, class T>
[[gnu::target("avx2")]] void sum_avx2(const T* in, std::size_t n, level_sums<Way::levels>& s) {
  Way::template sum<32>(in, n, s);
}
template <class Way, class T>
[[gnu::target("avx512f,avx512dq,avx512vl")]] void sum_avx512(const T* in, std::size_t n,
                                                             level_sums<Way::levels>& s) {
  Way::template sum<64>(in, n, s);
}
#endif

/// Adds n values (a multiple of `batch_step`) to the sum, or returns false and leaves it as it
/// was.
template <class Way, class T, class State>
bool add_vectors(State& state, const T* in, std::size_t n) {
  level_sums<Way::levels> sums;
#if defined(__x86_64__) && !defined(__CUDACC__)
  static const bool has_512 =
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  static const bool has_2 = __builtin_cpu_supports("avx2");
  if (has_512) {
    sum_avx512<Way>(in, n, sums);
  } else if (has_2) {
    sum_avx2<Way>(in, n, sums);
  } else {
    Way::template sum<16>(in, n, sums);
  }
#else
  Way::template sum<16>(in, n, sums);
#endif
  if (!sums.exact) return false;
  for (unsigned l = 0; l < Way::levels; ++l) {
    // Below the digits' unit there are only whole multiples of it.
    const int at = sums.unit[l] - State::sum_type::base;
    if (sums.units[l] != 0)
      state.sum.add(at < 0 ? sums.units[l] >> -at : sums.units[l], at < 0 ? 0 : at);
  }
  state.seen |= term_flag::number;
  return true;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
