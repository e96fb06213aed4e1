// The sum of a batch of f32 values that lie close together: plain sums in f64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "warpfold/bounds.hpp"
#include "warpfold/exact/format.hpp"
#include "warpfold/exact/host/batch.hpp"
#include "warpfold/exact/host/level_sum.hpp"
#include "warpfold/unrolled.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Sums f32 values of so few binades that plain f64 sums of them are exact. n is at most
/// `batch_values` and a multiple of `batch_step`.
template <std::size_t Bytes>
[[gnu::always_inline]] inline void sum_narrow_range(const float* in, std::size_t n,
                                                    level_sums<1>& result) {
  using shape = batch_shape<Bytes>;
  using wide = vector<double, shape::lanes>;
  using narrow = vector<float, shape::lanes>;
  using bits = vector<std::uint32_t, 2 * shape::lanes>;
  wide sum[shape::sets] = {};
  bits most[shape::sets / 2] = {}, least[shape::sets / 2] = {};
  for (bits& l : least) l -= 1;  // the least of sizes less 1, so that zero is the greatest
  const prefetch_ahead<float> fetch(in);
  for (std::size_t i = 0; i < n; i += shape::step) {
    fetch(i, shape::step);
    unrolled<shape::sets>([&](auto k) __attribute__((always_inline)) {
      narrow values;
      memcpy(&values, in + i + k * shape::lanes, sizeof values);
      sum[k] += __builtin_convertvector(values, wide);
    });
    // After the values, which clang would otherwise make of the sizes, one by one.
    unrolled<shape::sets / 2>([&](auto k) __attribute__((always_inline)) {
      bits size;
      memcpy(&size, in + i + k * 2 * shape::lanes, sizeof size);
      size &= 0x7fffffff;
      most[k] = size > most[k] ? size : most[k];
      size -= 1;
      least[k] = size < least[k] ? size : least[k];
    });
  }
  std::uint32_t high = 0, low = ~std::uint32_t{0};
  unrolled<shape::sets / 2>([&](auto k) __attribute__((always_inline)) {
    for (std::size_t j = 0; j < 2 * shape::lanes; ++j) high = at_least(high, most[k][j]);
    for (std::size_t j = 0; j < 2 * shape::lanes; ++j) low = at_most(low, least[k][j]);
  });
  const int top = static_cast<int>(high >> 23),
            bottom = at_least(static_cast<int>((low + 1) >> 23), 1);
  result.exact = high != 0 && top != 255 && top + 1 + shape::adds - (bottom - 23) <= 53;
  if (!result.exact) return;
  result.unit[0] = bottom - 150;
  const double scale = from_bits<double>(std::uint64_t(1023 + 150 - bottom) << 52);
  result.units[0] = 0;
  unrolled<shape::sets>([&](auto k) __attribute__((always_inline)) {
    for (std::size_t j = 0; j < shape::lanes; ++j) {
      result.units[0] += static_cast<std::int64_t>(sum[k][j] * scale);
    }
  });
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
