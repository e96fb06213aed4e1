// The decoupled look-back of a radix pass: how many rows of each digit are in the tiles before.
//
//   status word | rows of one digit, 30 bits | 0 nothing yet, 1 of this tile, 2 of all up to it |
//
// 64 threads look back for four digits each and load several tiles at a time. Words are whole by
// themselves; the four of a thread are believed when they say the same. (Merrill and Garland 2016;
// Adinets and Merrill 2022.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/sort/radix_plan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The digits of a thread that looks back.
inline constexpr unsigned radix_quad = 4, radix_look_back_threads = radix_digits / radix_quad;

struct alignas(16) digit_counts {
  unsigned of[radix_quad];

  __device__ __forceinline__ void add(const digit_counts& other) {
#pragma unroll
    for (unsigned q = 0; q < radix_quad; ++q) of[q] += other.of[q];
  }
};

/// What a tile has published: nothing, its own counts, or those of all tiles up to it.
enum class look_back_state : unsigned { nothing, aggregate, prefix };

struct digit_status {
  word_pair* quad;  // of this thread, in the row of tile 0

  __device__ __forceinline__ digit_status(std::uint32_t* area, unsigned quad_number)
      : quad(reinterpret_cast<word_pair*>(area) + quad_number) {}

  __device__ __forceinline__ word_pair* row(unsigned tile) const {
    return quad + std::size_t{tile} * radix_look_back_threads;
  }
  __device__ __forceinline__ void publish(unsigned tile, const digit_counts& counts,
                                          look_back_state state) const {
    std::uint64_t word[radix_quad];
#pragma unroll
    for (unsigned q = 0; q < radix_quad; ++q) {
      word[q] = std::uint64_t{counts.of[q] << 2 | static_cast<unsigned>(state)};
    }
    store_relaxed(row(tile), {word[1] << 32 | word[0], word[3] << 32 | word[2]});
  }
  /// What four words say together: nothing unless they say the same.
  static __device__ __forceinline__ look_back_state unpack(const word_pair& pair,
                                                           digit_counts& counts) {
    const unsigned word[radix_quad] = {
        static_cast<unsigned>(pair.first), static_cast<unsigned>(pair.first >> 32),
        static_cast<unsigned>(pair.second), static_cast<unsigned>(pair.second >> 32)};
    bool same = true;
#pragma unroll
    for (unsigned q = 0; q < radix_quad; ++q) {
      same = same && word[q] % 4 == word[0] % 4;
      counts.of[q] = word[q] >> 2;
    }
    return same ? static_cast<look_back_state>(word[0] % 4) : look_back_state::nothing;
  }

  /// The rows in tiles before this one.
  template <unsigned Window>
  __device__ __forceinline__ digit_counts look_back(unsigned tile) const {
    digit_counts before{};
    bool done = tile == 0;
    while (!done) {
      word_pair got[Window];
#pragma unroll
      for (unsigned k = 0; k < Window; ++k) {
        if (k < tile) got[k] = load_relaxed(row(tile - 1 - k));
      }
      bool waits = false;
      unsigned used = 0;
#pragma unroll
      for (unsigned k = 0; k < Window; ++k) {
        if (k >= tile || done || waits) continue;
        digit_counts counts;
        const look_back_state state = unpack(got[k], counts);
        waits = state == look_back_state::nothing;
        if (waits) continue;
        before.add(counts);
        ++used;
        done = state == look_back_state::prefix;
      }
      tile -= used;
      if (!done) let_others_run();
    }
    return before;
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
