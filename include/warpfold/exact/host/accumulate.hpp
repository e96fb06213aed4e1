// Many values into an exact sum, on the host. Each batch goes by the first way that is exact for
// it: f32 values of a narrow range by plain f64 sums; by levels; values that are left over by a
// table of fields where they are many, else by bins.
#pragma once

#include <cstddef>

#include "warpfold/bounds.hpp"
#include "warpfold/exact/bins.hpp"
#include "warpfold/exact/host/batch.hpp"
#include "warpfold/exact/host/dispatch.hpp"
#include "warpfold/exact/host/fields.hpp"
#include "warpfold/exact/kind.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Any values, n at most `bins_values`.
inline constexpr std::size_t bins_values = 4096;
template <class T, class State>
void add_by_bins(State& state, const T* in, std::size_t n) {
  using bins = exact_bins<T>;
  constexpr unsigned sets = 4;  // so that an addition seldom waits for the one before
  static_assert(bins_values / sets <= bins::most_adds);
  constexpr unsigned lift = (format<T>::sum_type::base - State::sum_type::base) / 32;
  typename bins::word word[bins::count * sets];
  for (auto& w : word) w = bins::empty;
  typename bins::flags flags[sets];
  std::size_t i = 0;
  for (; i + sets <= n; i += sets) {
    for (unsigned k = 0; k < sets; ++k) bins::template add<sets>(flags[k], word + k, in[i + k]);
  }
  for (; i < n; ++i) bins::template add<sets>(flags[0], word, in[i]);
  for (const auto& f : flags) state.seen |= bins::seen_by(f);
  if (state.sum.adds_since_carry >= state.sum.most_adds / 2) state.sum.carry();
  for (unsigned b = 0; b < bins::count; ++b) {
    for (unsigned k = 0; k < sets; ++k) {
      state.seen |= bins::seen_in(word[b * sets + k]);
      const digit_pair pair = bins::digits_of(word[b * sets + k], b);
      state.sum.digit[lift + b / bins::per_digit] += pair.low;
      state.sum.digit[lift + b / bins::per_digit + 1] += pair.high;
    }
  }
  state.sum.adds_since_carry += 1U << 10;          // the greatest of the pairs are as 2^6 terms
  if (n > 0) state.seen |= term_flag::minus_zero;  // unless a number was seen, all were
}

/// Values that go by fields, once vectors failed: the table is worth its cost from
/// `least_by_fields` on.
inline constexpr std::size_t least_by_fields = bins_values, most_by_fields = std::size_t{1} << 17;

template <class T, class State>
void add_batches(State& state, const T* in, std::size_t n) {
  for (std::size_t i = 0; i < n;) {
    std::size_t now = at_most(batch_values, (n - i) / batch_step * batch_step);
    bool done = false;
    if constexpr (sizeof(T) == 4) done = now > 0 && add_vectors<narrow_range>(state, in + i, now);
    done = done || (now > 0 && add_vectors<multi_level<2>>(state, in + i, now));
    if (!done && n - i > least_by_fields) {
      now = at_most(most_by_fields, n - i);
      add_by_fields(state, in + i, now);
    } else if (!done) {
      now = at_most(bins_values, n - i);
      add_by_bins(state, in + i, now);
    }
    i += now;
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
