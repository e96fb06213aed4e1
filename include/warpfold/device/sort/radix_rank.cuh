// Where a row goes among those of its digit: the lanes of a group, which is a warp or half of one,
// have a word for each digit, of the place of the next row.
#pragma once

#include "warpfold/device/sort/radix_plan.cuh"
#include "warpfold/tuning/sort.hpp"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <tuning::radix_ranking Ranking>
struct radix_group;

/// Half a warp, whose lanes set their bit in the word: | bits of lanes | place of the next |. One
/// load gives both, and one store clears the one and moves on the other.
template <>
struct radix_group<tuning::radix_ranking::by_atomics> {
  static constexpr unsigned lanes = warp_size / 2;
  static constexpr unsigned stride = radix_digits + lanes;  // two half warps, other banks

  /// The index of a digit's word. Digits that are a multiple of 16 apart are in eight banks so, not
  /// in two. Neighbours stay by fours.
  static __device__ __forceinline__ unsigned word_of(unsigned digit) {
    return digit ^ (digit >> 5) << 2;
  }
  static __device__ __forceinline__ unsigned next_place(unsigned* words, unsigned digit,
                                                        unsigned lane) {
    unsigned* const word = words + word_of(digit);
    const unsigned bit = 1U << lane;
    atomicOr(word, bit << lanes);
    __syncwarp();
    const unsigned both = *word, same = both >> lanes;
    const unsigned place = (both & 0xffff) + static_cast<unsigned>(__popc(same & (bit - 1)));
    __syncwarp();
    if ((same >> lane) == 1) *word = place + 1;  // the last of its digit
    __syncwarp();
    return place;
  }
};

/// A warp, which votes on every bit of a digit: a lane knows then which have its own. More
/// instructions, half as many words, and a third fewer accesses to them.
template <>
struct radix_group<tuning::radix_ranking::by_votes> {
  static constexpr unsigned lanes = warp_size;
  static constexpr unsigned stride = radix_digits;

  static __device__ __forceinline__ unsigned word_of(unsigned digit) { return digit; }
  static __device__ __forceinline__ unsigned next_place(unsigned* words, unsigned digit,
                                                        unsigned lane) {
    unsigned* const word = words + word_of(digit);
    unsigned same = all_lanes;
#pragma unroll
    for (unsigned b = 0; b < radix_bits; ++b) {
      same &= lanes_with_same(digit, 1U << b);
    }
    const unsigned place = *word + static_cast<unsigned>(__popc(same & ((1U << lane) - 1)));
    __syncwarp();
    if ((same >> lane) == 1) *word = place + 1;  // the last of its digit
    __syncwarp();
    return place;
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
