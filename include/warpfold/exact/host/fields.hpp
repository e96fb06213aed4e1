// Values of any range into an exact sum, on the host: a table has a whole number for each sign and
// exponent, and a value's mantissa is added to the one of its own. That number is 64 bits long;
// what it carries goes to the digits at once. Cost: one load, one addition and one store a value,
// and the table's own 2^9 (f32) or 2^12 (f64) words a call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/exact/kind.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class T>
struct field_table {
  using f = format<T>;
  using bits_type = typename f::bits_type;
  static constexpr unsigned fields = f::top_field + 1, groups = fields / 32;
  static constexpr unsigned sets = sizeof(T) == 4 ? 4 : 1;  // an addition may wait for the last one
  static constexpr bits_type hidden = bits_type{1} << (f::precision - 1);

  std::uint64_t word[sets][2 * fields] = {};  // those with the sign are the upper half

  template <class State>
  void add(State& state, const T* in, std::size_t n) {
    std::size_t i = 0;
    for (; i + sets <= n; i += sets) {
      for (unsigned k = 0; k < sets; ++k) add_to(word[k], state, in[i + k]);
    }
    for (; i < n; ++i) add_to(word[0], state, in[i]);
  }

  /// Moves all sums but those of infinities and NaN to the digits. True if there were none of
  /// these, and some value was not zero.
  template <class State>
  bool move_to(State& state) {
    if (state.sum.adds_since_carry >= state.sum.most_adds / 2) state.sum.carry();
    state.sum.adds_since_carry += 16;  // two times four 32-bit pieces a digit, at most
    std::uint64_t any = 0, special = 0;
    for (unsigned sign = 0; sign < 2; ++sign) {
      for (unsigned g = 0; g < groups; ++g) {
        uint128 sum = 0;  // counts the group's lowest unit
        for (unsigned k = 0; k < 32; ++k) {
          std::uint64_t all = 0;
          for (auto& set : word) all += set[sign * fields + g * 32 + k];
          if (g == groups - 1 && k == 31) {
            special |= all;
            all = 0;
          }
          any |= all;
          sum += static_cast<uint128>(all) << (g == 0 && k == 0 ? 1 : k);  // subnormals': as next
        }
        auto* digit = state.sum.digit + bit_of<State>(32 * g) / 32;
        for (; sum != 0; sum >>= 32, ++digit) {
          const auto piece = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) & low_digit);
          *digit += sign == 0 ? piece : -piece;
        }
      }
    }
    if (any != 0) state.seen |= term_flag::number;
    return any != 0 && special == 0;
  }

 private:
  template <class State>
  [[gnu::always_inline]] static void add_to(std::uint64_t* set, State& state, T value) {
    const bits_type bits = bits_of(value);
    const auto at = static_cast<unsigned>(bits >> (f::precision - 1));
    const bits_type lead = bits_type{at % fields != 0} << (f::precision - 1);
    std::uint64_t& sum = set[at];
    const std::uint64_t before = sum;
    sum = before + ((bits & (hidden - 1)) | lead);
    if (sizeof(T) == 8 && sum < before) [[unlikely]] {
      state.sum.add(at < fields ? 1 : -1, bit_of<State>(at % fields) + 64);
      state.seen |= term_flag::number;
    }
  }

  /// The bit of a sum that the unit of a field's values is, in a sum of T or one with a lower base.
  template <class State>
  static constexpr unsigned bit_of(unsigned field) {
    constexpr int lift = f::sum_type::base - State::sum_type::base;
    static_assert(lift % 32 == 0 && f::sum_type::base == 1 - f::bias - f::precision);
    return field + static_cast<unsigned>(lift);
  }
};

/// Fewer than 2^32 values.
template <class T, class State>
void add_by_fields(State& state, const T* in, std::size_t n) {
  field_table<T> table;
  table.add(state, in, n);
  if (table.move_to(state)) return;
  for (std::size_t i = 0; i < n; ++i) {
    const float_fields<T> p(in[i]);
    if (p.units == 0 || p.field == format<T>::top_field) state.seen |= seen_of(in[i]);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
