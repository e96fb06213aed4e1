// Stable radix sort of arithmetic keys. While rows do not fit in a core's cache they are
// partitioned by the highest bits in which they differ; then by the lowest ones first, in as few
// passes as will do.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

#include "warpfold/host/detail/key_values.hpp"
#include "warpfold/host/detail/merge_sort.hpp"
#include "warpfold/host/detail/scatter.hpp"
#include "warpfold/host/detail/threads.hpp"
#include "warpfold/order.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

template <class Order, class K>
[[gnu::always_inline]] inline auto sorted_bits(K key) {
  using bits = decltype(rank_of(key));
  return static_cast<bits>(std::is_same_v<Order, descending> ? ~rank_of(key) : rank_of(key));
}

template <class Tuning, class Order, class Rows>
class radix_sorter {
 public:
  /// Sorts the n rows of `a` by the lowest `bits` of their keys, the others being equal. They end
  /// in `a`, or in `b` if so wished; the other one is overwritten.
  static void sort(Rows a, Rows b, std::size_t n, bool into_b, unsigned bits) {
    if (bits == 0) return keep(a, b, n, into_b);
    if (n > Tuning::radix_parallel) return sort_together(a, b, n, into_b, bits);
    sort_alone(a, b, n, into_b, bits);
  }

 private:
  static constexpr unsigned high_digit = 8;   // bits by which rows are partitioned
  static constexpr unsigned wide_digit = 11;  // at most, where that saves a pass
  static constexpr std::size_t buckets = std::size_t{1} << high_digit;
  // Some milliseconds for a thread, so that who checks between chunks need not wait for long.
  static constexpr std::size_t most_in_chunk = std::size_t{1} << 22;
  using counts = std::array<std::size_t, buckets>;

  /// The keys are all equal.
  static void keep(Rows a, Rows b, std::size_t n, bool into_b) {
    if (into_b) a.copy(n, b);
  }

  static auto bits_at(Rows rows, std::size_t i) { return sorted_bits<Order>(rows.key[i]); }
  using bits_type = decltype(bits_at(std::declval<Rows>(), 0));

  static bits_type mask(unsigned bits) {
    return bits == 0 ? bits_type{0}
                     : static_cast<bits_type>(std::numeric_limits<bits_type>::max() >>
                                              (std::numeric_limits<bits_type>::digits - bits));
  }
  /// The bits in which any two keys differ.
  static bits_type varying(Rows rows, std::size_t n) {
    const bits_type first = bits_at(rows, 0);
    bits_type all = 0;
    for (std::size_t i = 1; i < n; ++i) all |= static_cast<bits_type>(bits_at(rows, i) ^ first);
    return all;
  }
  static unsigned shift_of(unsigned bits) { return bits > high_digit ? bits - high_digit : 0; }
  static std::size_t digit(bits_type key, unsigned shift) {
    return static_cast<std::size_t>(key >> shift) % buckets;
  }
  static bool by_passes(std::size_t n, unsigned bits) {
    return bits <= high_digit ||
           (n * Rows::row_bytes <= Tuning::radix_cache_bytes && bits <= 3 * high_digit);
  }

  static void sort_alone(Rows a, Rows b, std::size_t n, bool into_b, unsigned bits) {
    if (n <= Tuning::radix_merge) return merge_sort_alone(a, b, n, into_b, Order{});
    bits =
        static_cast<unsigned>(std::bit_width(static_cast<bits_type>(varying(a, n) & mask(bits))));
    if (bits == 0) return keep(a, b, n, into_b);
    if (by_passes(n, bits)) return sort_by_passes(a, b, n, into_b, bits);
    const unsigned shift = shift_of(bits);
    counts at{};
    for (std::size_t i = 0; i < n; ++i) ++at[digit(bits_at(a, i), shift)];
    std::size_t begin = 0;
    for (std::size_t& c : at) begin += std::exchange(c, begin);
    for (std::size_t i = 0; i < n; ++i) a.move(i, b, at[digit(bits_at(a, i), shift)]++);
    begin = 0;
    for (const std::size_t end : at) {  // moved on by the scattering
      if (end > begin) sort_alone(b + begin, a + begin, end - begin, !into_b, shift);
      begin = end;
    }
  }

  /// Lowest digit first. The number of passes is chosen so that the last one ends in the right
  /// place.
  static void sort_by_passes(Rows a, Rows b, std::size_t n, bool into_b, unsigned bits) {
    unsigned passes = (bits + high_digit - 1) / high_digit;
    if ((passes % 2 == 1) != into_b) {
      const bool wider = passes > 1 && bits <= (passes - 1) * wide_digit;
      passes = wider ? passes - 1 : passes + 1;
    }
    const unsigned width = (bits + passes - 1) / passes;
    for (unsigned p = 0; p < passes; ++p) {
      scatter_by(a, b, n, p * width, width);
      std::swap(a, b);
    }
  }
  static void scatter_by(Rows from, Rows to, std::size_t n, unsigned shift, unsigned width) {
    const std::size_t digits = std::size_t{1} << width;
    const auto digit_of = [&](std::size_t i) {
      return static_cast<std::size_t>(bits_at(from, i) >> shift) % digits;
    };
    std::array<std::size_t, std::size_t{1} << wide_digit> at;
    std::fill_n(at.begin(), digits, 0);
    for (std::size_t i = 0; i < n; ++i) ++at[digit_of(i)];
    std::size_t begin = 0;
    for (std::size_t d = 0; d < digits; ++d) begin += std::exchange(at[d], begin);
    for (std::size_t i = 0; i < n; ++i) from.move(i, to, at[digit_of(i)]++);
  }

  /// Each thread counts and scatters its own chunk; buckets are then sorted side by side.
  static void sort_together(Rows a, Rows b, std::size_t n, bool into_b, unsigned bits) {
    const auto threads = thread_count();
    const std::size_t chunks =
        std::min(std::max(4 * threads, n / most_in_chunk), n / (Tuning::radix_parallel / 4) + 1);
    const auto bound = [&](std::size_t s) { return n / chunks * s + std::min(s, n % chunks); };
    std::vector<counts> at(chunks);
    std::vector<bits_type> differ(chunks);
    const auto count = [&](unsigned shift) {
      for_each_index(chunks, [&](std::size_t s) {
        counts c{};
        const bits_type first = bits_at(a, 0);
        bits_type all = 0;
        for (std::size_t i = bound(s); i < bound(s + 1); ++i) {
          const bits_type key = bits_at(a, i);
          all |= static_cast<bits_type>(key ^ first);
          ++c[digit(key, shift)];
        }
        at[s] = c;
        differ[s] = all;
      });
    };
    unsigned shift = shift_of(bits);
    count(shift);
    bits_type all = 0;
    for (const bits_type d : differ) all |= d;
    bits = static_cast<unsigned>(std::bit_width(static_cast<bits_type>(all & mask(bits))));
    if (bits == 0) return keep(a, b, n, into_b);
    if (shift_of(bits) != shift) count(shift = shift_of(bits));

    std::array<std::size_t, buckets + 1> begin{};
    std::size_t before = 0;
    for (std::size_t d = 0; d < buckets; ++d) {
      begin[d] = before;
      for (counts& c : at) before += std::exchange(c[d], before);
    }
    begin[buckets] = n;
    for_each_index(chunks, [&](std::size_t s) {
      counts to = at[s];
      if (n * Rows::row_bytes < Tuning::radix_stream_bytes) {
        for (std::size_t i = bound(s); i < bound(s + 1); ++i) {
          a.move(i, b, to[digit(bits_at(a, i), shift)]++);
        }
      } else {
        row_gatherer<Rows, buckets> lines(b, to);
        for (std::size_t i = bound(s); i < bound(s + 1); ++i) {
          const std::size_t d = digit(bits_at(a, i), shift);
          lines.move(a, i, d, to[d]++);
        }
        lines.finish(to);
      }
    });
    for_each_index(buckets, [&](std::size_t d) {
      if (begin[d] < begin[d + 1]) {
        sort(b + begin[d], a + begin[d], begin[d + 1] - begin[d], !into_b, shift);
      }
    });
  }
};

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
