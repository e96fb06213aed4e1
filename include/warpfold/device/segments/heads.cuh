// Where segments begin: a bit for the first row of each, its head, and for each border between
// tiles the segment across it. A launch finds both, and counts offsets that are refused.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/block/scan.cuh"
#include "warpfold/device/detail/striped_tile.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/tuning/segments.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr unsigned bits_of_word = 32;
inline constexpr unsigned mark_threads = 256, marks_a_thread = 8;

/// A block sorts the rows of a tile, and those of a short segment that begins in it.
template <class Tile>
inline constexpr unsigned tile_rows_of_segments = Tile::rows - bits_of_word;

/// The segment that lies on both sides of a tile's border; empty if none does.
struct crossing_segment {
  std::size_t begin, end;

  [[nodiscard]] __device__ __forceinline__ bool is_short() const {
    return begin < end && end - begin <= tuning::segment_short_rows;
  }
  [[nodiscard]] __device__ __forceinline__ bool is_long() const {
    return begin < end && end - begin > tuning::segment_short_rows;
  }
  /// Levels of merges until all of a long one is one run.
  template <class Tile>
  [[nodiscard]] __device__ __forceinline__ unsigned levels() const {
    if (!is_long()) return 0;
    constexpr unsigned rows = tile_rows_of_segments<Tile>;
    const std::size_t more_tiles = (end - 1) / rows - begin / rows;
    return static_cast<unsigned>(64 - __clzll(static_cast<long long>(more_tiles)));
  }
};

/// Counts and bounds over all segments. Cleared before each call.
struct segment_summary {
  unsigned long long refused;          // offsets
  unsigned long long begin, end;       // of the first segment and of the last
  unsigned levels;                     // of merges that some segment needs
  unsigned crossed_tiles;              // that share a segment with a neighbour
  unsigned merges_taken, merges_done;  // by blocks, of crossed tiles on all levels
};

struct segment_marks {
  segment_summary* summary;
  std::uint32_t* heads;        // a bit a row: a segment begins there; in whole tiles
  crossing_segment* crossing;  // a tile's first border each, and the last tile's end
  unsigned* crossed_tiles;
};

/// Sets bits of a word at a time.
class head_writer {
 public:
  __device__ __forceinline__ explicit head_writer(std::uint32_t* words) : words_(words) {}
  __device__ __forceinline__ void set(std::size_t bit) {
    if (bit / bits_of_word != word_) write();
    word_ = bit / bits_of_word;
    bits_ |= 1U << bit % bits_of_word;
  }
  __device__ __forceinline__ void write() {
    if (bits_ != 0) atomicOr(words_ + word_, bits_);
    bits_ = 0;
  }

 private:
  std::uint32_t* words_;
  std::size_t word_ = 0;
  std::uint32_t bits_ = 0;
};

/// Finds the segment across a border between tiles. Two offsets at least.
template <class Offset>
__device__ __forceinline__ crossing_segment segment_across(std::size_t border,
                                                           const Offset* offsets, std::size_t many,
                                                           std::size_t n) {
  const auto at = [=](std::size_t k) { return static_cast<std::size_t>(offsets[k]); };
  std::size_t low = 0, high = many - 1;  // the last offset that is less than the border
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    (at(middle) < border ? low : high) = middle;
  }
  const std::size_t begin = at(low), end = at(low + 1);
  if (begin < border && border < end && end <= n) return {begin, end};
  return {0, 0};
}

/// A thread counts the offsets that are refused among eight and sets the heads of their segments;
/// it also finds the segment across a border.
template <class Tile, class Offset>
__global__ void __launch_bounds__(mark_threads)
    mark_segments_kernel(const Offset* offsets, value_count count, std::size_t n, std::size_t tiles,
                         segment_marks marks) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t many = count.load(), first = i * marks_a_thread;
  if (first < many) {
    const auto at = [=](std::size_t k) { return static_cast<std::size_t>(offsets[k]); };
    head_writer heads(marks.heads);
    unsigned refused = 0;
    std::size_t begin = at(first);
    if (first == 0) marks.summary->begin = begin;
#pragma unroll
    for (unsigned k = 0; k < marks_a_thread; ++k) {
      if (first + k >= many) break;
      const bool is_last = first + k + 1 == many;
      const std::size_t end = is_last ? n : at(first + k + 1);
      if (begin > n || end < begin) ++refused;
      if (is_last) {
        marks.summary->end = begin;
      } else if (begin < end && begin < n) {
        heads.set(begin);
      }
      begin = end;
    }
    heads.write();
    if (refused != 0) atomicAdd(&marks.summary->refused, refused);
  }
  if (i > tiles) return;
  const crossing_segment crossing =
      i == 0 || i == tiles || many < 2
          ? crossing_segment{0, 0}
          : segment_across(i * tile_rows_of_segments<Tile>, offsets, many, n);
  marks.crossing[i] = crossing;
  const unsigned levels = crossing.template levels<Tile>();
  if (levels > 0) atomicMax(&marks.summary->levels, levels);
}

/// The most rows of a segment, as far as one tile shows: those of a lane, those of a word, or more.
enum class segment_lengths { of_lane, of_word, any };
inline constexpr unsigned rows_of_lane = 8, lanes_of_word = bits_of_word / rows_of_lane;

/// Where the segments of a tile begin and end: for each 32 rows, the bits of the heads among them,
/// the head before, and the head behind or the tile's end.
template <class Tile>
struct tile_heads {
  static constexpr unsigned words = Tile::rows / bits_of_word;
  static_assert(Tile::rows % bits_of_word == 0 && words <= Tile::threads);
  struct word {
    std::uint32_t bits, around;  // the head before, and above it the one behind
  };
  word of[words];

  /// The rows [begin, end) of a segment.
  struct extent {
    unsigned begin, end;
  };
  /// Of the segment that has row i.
  [[nodiscard]] __device__ __forceinline__ extent around(unsigned i) const {
    const word w = of[i / bits_of_word];
    const unsigned first = i / bits_of_word * bits_of_word;
    const std::uint32_t up_to = w.bits & (~0U >> (bits_of_word - 1 - i % bits_of_word));
    const std::uint32_t behind = w.bits & ~1U << i % bits_of_word;
    return {up_to != 0 ? first + last_in(up_to) : w.around % place_limit,
            behind != 0 ? first + first_in(behind) : w.around / place_limit};
  }

  /// Loads the bits of the tile's words. Rows of no segment, and all that are not in [first_row,
  /// last_row), are segments of their own.
  __device__ __forceinline__ segment_lengths load(const segment_marks& marks, std::size_t base,
                                                  std::size_t first_row, std::size_t last_row) {
    const unsigned w = threadIdx.x, first = w * bits_of_word;
    std::uint32_t bits = 0;
    if (w < words) {
      const std::size_t row = base + first;
      const std::size_t begin = marks.summary->begin, end = marks.summary->end;
      const std::size_t from = ::max(begin, first_row), to = ::min(end, last_row);
      if (row < last_row) bits = marks.heads[row / bits_of_word];
      if (row < from) bits |= first_bits(from - row);
      if (to < row + bits_of_word) bits |= ~first_bits(to > row ? to - row : 0);
      if (w == 0) bits |= 1;
      of[w].bits = bits;
    }
    const unsigned before = block_scan(bits != 0 ? first + last_in(bits) : 0, maximum{}).exclusive;
    bool fit_word = true, fit_lane = true;
    if (w < words) {
      // A word without a head ends no segment; the one that it is in is long.
      const bool is_last = w + 1 == words;
      const std::uint32_t next = is_last ? 1 : of[w + 1].bits;
      const unsigned behind = first + bits_of_word + (next != 0 ? first_in(next) : bits_of_word);
      of[w].around = behind * place_limit + before;
      fit_word =
          behind - (bits != 0 ? first + last_in(bits) : before) <= tuning::segment_short_rows;
      // Eight rows in succession that are no heads: shifts by 1, 2, and 4 find them.
      std::uint64_t others = ~(std::uint64_t{next} << bits_of_word | bits);
      for (unsigned shift = 1; shift < rows_of_lane; shift *= 2) others &= others >> shift;
      fit_lane = static_cast<std::uint32_t>(others) == 0;
    }
    if (__syncthreads_and(fit_lane ? 1 : 0) != 0) return segment_lengths::of_lane;
    return __syncthreads_and(fit_word ? 1 : 0) != 0 ? segment_lengths::of_word
                                                    : segment_lengths::any;
  }

 private:
  static constexpr std::uint32_t place_limit = 1U << 16;
  static_assert(Tile::rows + 2 * bits_of_word < place_limit &&
                tuning::segment_short_rows <= bits_of_word);

  static __device__ __forceinline__ std::uint32_t first_bits(std::size_t many) {
    return many >= bits_of_word ? ~0U : (1U << many) - 1;
  }
  static __device__ __forceinline__ unsigned first_in(std::uint32_t bits) {
    return static_cast<unsigned>(__ffs(static_cast<int>(bits)) - 1);
  }
  static __device__ __forceinline__ unsigned last_in(std::uint32_t bits) {
    return bits_of_word - 1 - static_cast<unsigned>(__clz(static_cast<int>(bits)));
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
