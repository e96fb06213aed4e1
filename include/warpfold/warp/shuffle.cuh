// Shuffles of any trivially copyable type: words of 4 bytes, one after another.
// Cost: one shuffle a word, no memory, no barrier. All 32 lanes must call.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Lanes of a warp.
inline constexpr unsigned warp_size = 32;
/// The mask of all lanes of a warp.
inline constexpr unsigned all_lanes = 0xffffffffU;

namespace detail {

template <class T>
inline constexpr unsigned words_of = (sizeof(T) + 3) / 4;

template <class T>
struct in_words {
  std::uint32_t word[words_of<T>];

  in_words() = default;
  __device__ __forceinline__ explicit in_words(const T& value) {
    word[words_of<T> - 1] = 0;
    memcpy(static_cast<void*>(word), static_cast<const void*>(&value), sizeof(T));
  }
  __device__ __forceinline__ T value() const {
    T result;
    memcpy(static_cast<void*>(&result), static_cast<const void*>(word), sizeof(T));
    return result;
  }
};

template <class T>
inline constexpr bool shuffles_whole =
    std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// `shuffle` moves one word.
template <class T, class Shuffle>
__device__ __forceinline__ T shuffle_words(const T& value, Shuffle shuffle) {
  static_assert(std::is_trivially_copyable_v<T>, "lanes hand over trivially copyable values only");
  if constexpr (shuffles_whole<T>) {
    return shuffle(value);
  } else {
    in_words<T> words(value);
#pragma unroll
    for (unsigned k = 0; k < words_of<T>; ++k) words.word[k] = shuffle(words.word[k]);
    return words.value();
  }
}

}  // namespace detail

/// The value of the lane `offset` to the right; one's own beyond the end.
template <class T>
__device__ __forceinline__ T shuffle_down(const T& value, unsigned offset) {
  return detail::shuffle_words(value,
                               [=](auto w) { return __shfl_down_sync(all_lanes, w, offset); });
}
/// The value of the lane `offset` to the left; one's own before the start.
template <class T>
__device__ __forceinline__ T shuffle_up(const T& value, unsigned offset) {
  return detail::shuffle_words(value, [=](auto w) { return __shfl_up_sync(all_lanes, w, offset); });
}
/// The value of lane `lane` xor `mask`.
template <class T>
__device__ __forceinline__ T shuffle_xor(const T& value, unsigned mask) {
  return detail::shuffle_words(
      value, [=](auto w) { return __shfl_xor_sync(all_lanes, w, static_cast<int>(mask)); });
}
/// The value of lane `lane`.
template <class T>
__device__ __forceinline__ T shuffle(const T& value, unsigned lane) {
  return detail::shuffle_words(
      value, [=](auto w) { return __shfl_sync(all_lanes, w, static_cast<int>(lane)); });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
