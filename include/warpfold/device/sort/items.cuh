// Items that are too large to be moved in every pass of a sort: their numbers are sorted, and each
// is moved once, to where its number is then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/platform.hpp"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// What items are copied by: the largest word that each is made of.
template <class Item>
using word_of_item = std::conditional_t<
    alignof(Item) >= 16, uint4,
    std::conditional_t<
        alignof(Item) == 8, std::uint64_t,
        std::conditional_t<alignof(Item) == 4, std::uint32_t,
                           std::conditional_t<alignof(Item) == 2, std::uint16_t, std::uint8_t>>>>;
template <class Item>
inline constexpr unsigned words_of_item = sizeof(Item) / sizeof(word_of_item<Item>);

/// Copies items from their places in two parts, b's behind a's: the block copies words,
/// neighbours by neighbours.
template <unsigned Threads, class Place, class Item>
__device__ __forceinline__ void copy_by_place(const Place* place, const Item* a, unsigned a_count,
                                              const Item* b, unsigned count, Item* out) {
  using word = word_of_item<Item>;
  constexpr unsigned words = words_of_item<Item>;
  using index = std::conditional_t<(words >> 16 == 0), unsigned, std::size_t>;  // of 2^16 rows
  for (index w = threadIdx.x; w < index{count} * words; w += Threads) {
    const unsigned at = place[w / words];
    const Item* const from = at < a_count ? a + at : b + (at - a_count);
    reinterpret_cast<word*>(out)[w] = reinterpret_cast<const word*>(from)[w % words];
  }
}

/// Whether this lane is one of the first `some`.
__device__ __forceinline__ bool lane_has_row(unsigned some) {
  return threadIdx.x % warp_size < some;
}

/// What travels with keys: values, if any. `by_number` says that it is numbers, which rows get when
/// they are first read; `to_own_place`, that the last pass does not store it as the others do.
struct as_it_is {
  static constexpr bool by_number = false, to_own_place = false;
};
/// Numbers.
struct numbers {
  static constexpr bool by_number = true, to_own_place = false;
};
/// Numbers, which are all that is wanted.
template <class Index>
struct numbers_alone {
  static constexpr bool by_number = true, to_own_place = true, with_keys = false;
  Index* to;

  __device__ __forceinline__ void copy(std::size_t index, Index number, unsigned some) const {
    if (lane_has_row(some)) to[index] = number;
  }
};
/// Items, whose numbers are sorted in their place.
template <class Item>
struct numbered_items {
  static constexpr bool by_number = true, to_own_place = true, with_keys = true;
  const Item* from;
  Item* to;

  /// A warp copies an item for each of its first `some` lanes, words side by side.
  __device__ __forceinline__ void copy(std::size_t index, std::size_t number, unsigned some) const {
    using word = word_of_item<Item>;
    constexpr unsigned words = words_of_item<Item>;
    const unsigned lane = threadIdx.x % warp_size;
#pragma unroll 4
    for (unsigned k = 0; k < words; ++k) {
      const unsigned row = (k * warp_size + lane) / words, part = (k * warp_size + lane) % words;
      const auto* const source = reinterpret_cast<const word*>(from + shuffle(number, row));
      auto* const sink = reinterpret_cast<word*>(to + shuffle(index, row));
      if (row < some) sink[part] = source[part];
    }
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
