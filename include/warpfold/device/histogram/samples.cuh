// What a histogram reads: which bin the value at an index counts in, and how much it adds there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/histogram/bins.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Each value adds one.
struct unit_weights {
  using type = unsigned;
  __device__ __forceinline__ unsigned operator()(std::size_t) const { return 1; }
};
/// Each value adds the weight beside it; integers as unsigned ones, which wrap.
template <class W>
struct given_weights {
  using type = typename std::conditional_t<std::is_integral_v<W>, std::make_unsigned<W>,
                                           std::type_identity<W>>::type;
  const W* weights;
  __device__ __forceinline__ type operator()(std::size_t i) const {
    return static_cast<type>(weights[i]);
  }
};

/// Values of one kind: the bin is the value's alone.
template <class Binner>
struct plain_samples {
  Binner binner;
  template <class T>
  __device__ __forceinline__ unsigned operator()(const T& value, std::size_t) const {
    return binner(value);
  }
};
template <class Samples>
inline constexpr bool is_plain_samples = false;
template <class Binner>
inline constexpr bool is_plain_samples<plain_samples<Binner>> = true;
/// Values of one byte, each a bin of its own.
struct byte_samples {
  template <class T>
  __device__ __forceinline__ unsigned operator()(T value, std::size_t) const {
    return static_cast<std::uint8_t>(value);
  }
};
/// Points: their bin is that of x times the number of y's bins, and that of y.
template <class BinnerX, class BinnerY, class Y>
struct paired_samples {
  BinnerX x;
  BinnerY y;
  const Y* ys;
  unsigned y_bins;
  template <class T>
  __device__ __forceinline__ unsigned operator()(const T& value, std::size_t i) const {
    const unsigned row = x(value), column = y(ys[i]);
    return row == no_bin || column == no_bin ? no_bin : row * y_bins + column;
  }
};
/// Channels one beside the other: `stride` values a pixel, of which the first `Count` count, each
/// in bins of its own.
template <class Binner, unsigned Count>
struct channel_samples {
  Binner binner[Count];
  unsigned first[Count];  // bin of each channel
  unsigned stride;
  template <class T>
  __device__ __forceinline__ unsigned operator()(const T& value, std::size_t i) const {
    const auto channel = static_cast<unsigned>(i % stride);
    unsigned bin = no_bin;
#pragma unroll
    for (unsigned c = 0; c < Count; ++c) {
      if (channel != c) continue;
      bin = binner[c](value);
      if (bin != no_bin) bin += first[c];
    }
    return bin;
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
