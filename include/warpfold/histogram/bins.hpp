// What a histogram's bins are, and which of them a value is in: the same on the host and on a
// device.
//
//   even_bins{0.0F, 1.0F, 100}   100 bins of one width from 0 to 1
//   bounds                       any rising range: bin k is [bounds[k], bounds[k + 1])
//   each_integer{0, 256}         the integers 0 … 255, a bin each
//
// A bin holds its lower edge and not its upper one; the last bin holds its upper edge, too. Values
// outside, and NaN, are in no bin.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "warpfold/error.hpp"
#include "warpfold/exact/fixed_point.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bins of one width, `count` of them, from `low` to `high`.
///
/// Integers between integers are exact: a value is in bin floor((value - low) * count / (high -
/// low)). Otherwise that is computed as (value - low) * (count / (high - low)) in the type of
/// floating-point values (f32 for f16 and bf16), each step rounded; in f64 of integers.
template <class B>
  requires std::is_arithmetic_v<B>
struct even_bins {
  B low;              ///< The lower edge of the first bin.
  B high;             ///< The upper edge of the last bin.
  std::size_t count;  ///< How many bins there are.
};
/// Edges of two types have their common one.
template <class A, class B, class N>
even_bins(A, B, N) -> even_bins<std::common_type_t<A, B>>;

/// A bin for each of the integers from `low` on.
struct each_integer {
  std::int64_t low;   ///< The value of the first bin.
  std::size_t count;  ///< How many bins there are.
};

/// Bins of a histogram, at most.
inline constexpr std::size_t most_bins = std::size_t{1} << 24;

namespace detail {

/// Of a value that is in no bin.
inline constexpr unsigned no_bin = ~0U;

inline status refuse_bin_count(std::size_t count) {
  if (count == 0) return {1, "a histogram has one bin at least", 1, 0, "bins"};
  if (count > most_bins) {
    return {1, "a histogram has 2^24 bins at most", most_bins, count, "bins"};
  }
  return {};
}

/// Even bins by arithmetic in F.
template <class F>
struct real_binner {
  F low, high, scale;
  unsigned last;

  template <class B>
  status set(const even_bins<B>& bins) {
    low = static_cast<F>(bins.low);
    high = static_cast<F>(bins.high);
    const F width = high - low;
    if (!(low < high)) return {1, "even bins need a low edge that is less than the high one"};
    if (!std::isfinite(width)) return {1, "the edges of even bins lie too far apart"};
    scale = static_cast<F>(static_cast<double>(bins.count) / static_cast<double>(width));
    if (!std::isfinite(scale) || scale == 0) {
      return {1, "even bins are too narrow or too wide for the type of the values"};
    }
    last = static_cast<unsigned>(bins.count - 1);
    return {};
  }
  template <class T>
  __host__ __device__ __forceinline__ unsigned operator()(const T& value) const {
    const F x = static_cast<F>(value);
    if (!(x >= low && x <= high)) return no_bin;
    const auto bin = static_cast<unsigned>((x - low) * scale);
    return bin < last ? bin : last;
  }
};

/// Even bins of integers, exactly: floor(d * count / range) without a division.
///
/// count / range = whole + fraction / 2^128, the fraction rounded up. Its error times d, which is
/// less than 2^64, is less than 1 / range: too little to reach the next bin. While the range and so
/// d are less than 2^32, 64 bits of the fraction are enough, and `narrow` ones of 32 bits do.
template <class T>
struct whole_binner {
  using wide =
      std::conditional_t<std::is_signed_v<T> || sizeof(T) < 8, std::int64_t, std::uint64_t>;
  using half =
      std::conditional_t<std::is_signed_v<T> || sizeof(T) < 4, std::int32_t, std::uint32_t>;
  std::uint64_t low, range, fraction, below;  // `below`: the lower 64 bits of the fraction
  unsigned whole, last;
  bool narrow;

  template <class B>
  status set(const even_bins<B>& bins) {
    if (!(bins.low < bins.high)) {
      return {1, "even bins need a low edge that is less than the high one"};
    }
    if (!holds<wide>(bins.low) || !holds<wide>(bins.high)) {
      return {1, "an edge of even bins is no integer of 8 bytes with the values' sign"};
    }
    low = static_cast<std::uint64_t>(bins.low);
    range = static_cast<std::uint64_t>(bins.high) - low;
    whole = static_cast<unsigned>(bins.count / range);
    last = static_cast<unsigned>(bins.count - 1);
    narrow = sizeof(T) <= 4 && holds<half>(bins.low) && holds<half>(bins.high);
    const uint128 first = uint128{bins.count % range} << 64;
    fraction = static_cast<std::uint64_t>(first / range);
    const uint128 second = uint128{static_cast<std::uint64_t>(first % range)} << 64;
    if (narrow) {
      fraction += second != 0 ? 1 : 0;
      below = 0;
    } else {
      below = static_cast<std::uint64_t>(second / range);
      if (second % range != 0 && ++below == 0) ++fraction;
    }
    return {};
  }
  __host__ __device__ __forceinline__ unsigned operator()(T value) const {
    unsigned bin = 0;
    if (narrow) {
      const auto d = static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(low);
      if (d > static_cast<std::uint32_t>(range)) return no_bin;
      const std::uint64_t lower = (std::uint64_t{d} * static_cast<std::uint32_t>(fraction)) >> 32;
      bin = d * whole + static_cast<unsigned>((d * (fraction >> 32) + lower) >> 32);
    } else {
      const std::uint64_t d = static_cast<std::uint64_t>(static_cast<wide>(value)) - low;
      if (d > range) return no_bin;
      const auto lower = static_cast<std::uint64_t>((uint128{d} * below) >> 64);
      bin = static_cast<unsigned>(d) * whole +
            static_cast<unsigned>((uint128{d} * fraction + lower) >> 64);
    }
    return bin < last ? bin : last;
  }

 private:
  /// Whether an edge is a value of the type.
  template <class Edge, class B>
  static bool holds(B edge) {
    return edge == static_cast<B>(static_cast<Edge>(edge)) &&
           (edge < B{}) == (static_cast<Edge>(edge) < Edge{});
  }
};

template <class T>
struct integer_binner {
  std::uint64_t low;
  unsigned count;

  status set(const each_integer& bins) {
    low = static_cast<std::uint64_t>(bins.low);
    count = static_cast<unsigned>(bins.count);
    return {};
  }
  __host__ __device__ __forceinline__ unsigned operator()(T value) const {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
      if (static_cast<std::int64_t>(low) < 0 && value >> 63 != 0) return no_bin;
    }
    const std::uint64_t d = static_cast<std::uint64_t>(value) - low;
    return d < count ? static_cast<unsigned>(d) : no_bin;
  }
};

/// Given bounds, by bisection.
template <class B>
struct bounds_binner {
  const B* bounds;
  unsigned count;

  template <class T>
  __host__ __device__ __forceinline__ unsigned operator()(const T& value) const {
    using F = accumulator_for<T>;
    const auto at = [this](unsigned k) { return static_cast<F>(bounds[k]); };
    const F x = static_cast<F>(value);
    if (!(x >= at(0) && x <= at(count))) return no_bin;
    unsigned bin = 0;
    for (unsigned left = count; left > 1;) {
      const unsigned half = left / 2;
      if (!(x < at(bin + half))) bin += half;
      left -= half;
    }
    return bin;
  }
};

/// Of values of T in such bins.
template <class T, class Bins>
struct binner_for;
template <class T, class B>
struct binner_for<T, even_bins<B>> {
  static constexpr bool whole = std::is_integral_v<T> && std::is_integral_v<B>;
  using real = std::conditional_t<std::is_integral_v<T>, double, accumulator_for<T>>;
  using type = typename std::conditional_t<whole, std::type_identity<whole_binner<T>>,
                                           std::type_identity<real_binner<real>>>::type;
};
template <class T>
struct binner_for<T, each_integer> {
  static_assert(std::is_integral_v<T>, "each_integer is for values that are integers");
  using type = integer_binner<T>;
};
template <class T, values Bounds>
struct binner_for<T, Bounds> {
  using bound = value_of<Bounds>;
  static_assert(std::is_same_v<bound, T> || std::is_same_v<bound, accumulator_for<T>>,
                "bounds have the type of the values, or are f32 for f16 and bf16");
  using type = bounds_binner<bound>;
};
template <class T, class Bins>
using binner_of = typename binner_for<T, Bins>::type;

/// Bounds must rise, each by itself; these lie in the host's memory.
template <class B>
status refuse_bounds(std::span<const B> bounds) {
  if (bounds.size() < 2) return {1, "bins have two bounds at least", 2, bounds.size(), "bounds"};
  for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
    const auto a = static_cast<accumulator_for<B>>(bounds[k]),
               b = static_cast<accumulator_for<B>>(bounds[k + 1]);
    if (a < b) continue;
    const bool is_nan = a != a || b != b;  // NOLINT(misc-redundant-expression)
    return {1, is_nan ? "a bound of a histogram's bins is NaN"
                      : "the bounds of a histogram's bins do not rise"};
  }
  return {};
}

template <class Bins>
std::size_t bin_count(const Bins& bins) {
  if constexpr (values<Bins>) {
    return std::ranges::size(bins) == 0 ? 0 : std::ranges::size(bins) - 1;
  } else {
    return bins.count;
  }
}

inline status refuse_room(std::size_t bins, std::size_t room) {
  if (bins <= room) return {};
  return {1, "the output has fewer counts than there are bins", bins, room, "counts"};
}
inline status refuse_unequal(const char* why, std::size_t n, std::size_t others) {
  return n == others ? status{} : status{1, why, n, others, "values"};
}
inline status refuse_channels(std::size_t n, std::size_t stride, std::size_t channels) {
  if (stride < channels) {
    return {1, "there are bins for more channels than values have", channels, stride, "channels"};
  }
  if (stride >> 32 != 0) return {1, "there are 2^32 channels or more"};
  if (n % stride != 0) {
    return {1, "the last value has fewer channels than the others", stride, n % stride, "channels"};
  }
  return {};
}

/// One more than the largest of integers, `minimum` at least.
template <class T>
std::size_t bincount_length([[maybe_unused]] T least, T largest, std::size_t minimum) {
  if constexpr (std::is_signed_v<T>) {
    if (least < 0) {
      throw usage_error("bincount of ", least,
                        ": count negative values by histogram, each_integer");
    }
  }
  const auto last = static_cast<std::uint64_t>(largest);
  if (last >= most_bins) {
    throw usage_error("bincount of values up to ", last, ": it has 2^24 counts at most");
  }
  return last + 1 < minimum ? minimum : static_cast<std::size_t>(last) + 1;
}

}  // namespace detail

/// What the bins of a histogram of values of T are: even_bins, each_integer, or bounds.
template <class Bins, class T>
concept bins_of = requires { typename detail::binner_for<T, Bins>::type; };

}  // namespace warpfold::inline WARPFOLD_MACHINE
