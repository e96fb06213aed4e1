// Stable merge sort by any order, for values that can be copied as bytes. Runs are halved until a
// few values are left, which insertion sorts; merges choose without branching.
#pragma once

#include <algorithm>
#include <cstddef>

#include "warpfold/host/detail/key_values.hpp"
#include "warpfold/host/detail/threads.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// 1 or 0 that the compiler can't branch on: a branch is missed every other time.
[[gnu::always_inline]] inline std::size_t as_number(bool b) {
  std::size_t number = b;
  asm("" : "+r"(number));
  return number;
}

/// yes or no, without a branch.
[[gnu::always_inline]] inline std::size_t choose(std::size_t which, std::size_t yes,
                                                 std::size_t no) {
  return no ^ ((no ^ yes) & (std::size_t{0} - which));
}

/// Four rows from one place to another, in order, with five comparisons.
template <class Rows, class Less>
[[gnu::always_inline]] inline void sort_four(Rows from, Rows to, const Less& less) {
  const auto comes_first = [&](std::size_t i, std::size_t j) {
    return as_number(less(from.key[i], from.key[j]));
  };
  const std::size_t swap_a = comes_first(1, 0), swap_b = comes_first(3, 2);
  const std::size_t a = swap_a, b = 1 - a, c = 2 + swap_b, d = 5 - c;
  const std::size_t c_first = comes_first(c, a), b_last = comes_first(d, b);
  const std::size_t left = choose(c_first, a, choose(b_last, c, b));
  const std::size_t right = choose(b_last, d, choose(c_first, b, c));
  const std::size_t swap_middle = comes_first(right, left);
  from.move(choose(c_first, c, a), to, 0);
  from.move(choose(swap_middle, right, left), to, 1);
  from.move(choose(swap_middle, left, right), to, 2);
  from.move(choose(b_last, b, d), to, 3);
}

/// The fewest rows that are halved, less one.
inline constexpr std::size_t few = 7;

/// Rows are taken from one place and put, sorted, into another.
template <class Rows, class Less>
void sort_few(Rows from, Rows to, std::size_t n, const Less& less) {
  std::size_t i = 0;
  if (n >= 4) {
    sort_four(from, to, less);
    i = 4;
  }
  for (; i < n; ++i) {
    std::size_t j = i;
    for (; j > 0 && less(from.key[i], to.key[j - 1]); --j) to.move(j - 1, to, j);
    from.move(i, to, j);
  }
}

/// Merges the rows [i, i_end) and [j, j_end); of equals, those of the first run come first.
template <class Rows, class Less>
void merge(Rows from, std::size_t i, std::size_t i_end, std::size_t j, std::size_t j_end, Rows to,
           const Less& less) {
  std::size_t k = 0;
  while (i < i_end && j < j_end) {
    const std::size_t second = as_number(less(from.key[j], from.key[i]));
    from.move(choose(second, j, i), to, k++);
    j += second;
    i += 1 - second;
  }
  (from + i).copy(i_end - i, to + k);
  (from + j).copy(j_end - j, to + (k + (i_end - i)));
}

/// The same in two parts at the same time, each of which waits for its own comparisons alone: the
/// first is of rows before `i_middle` and `j_middle`, as merge_path finds them.
template <class Rows, class Less>
void merge_in_parts(Rows from, std::size_t i, std::size_t i_middle, std::size_t i_end,
                    std::size_t j, std::size_t j_middle, std::size_t j_end, Rows to,
                    const Less& less) {
  std::size_t k = 0, k2 = (i_middle - i) + (j_middle - j), i2 = i_middle, j2 = j_middle;
  while (i < i_middle && j < j_middle && i2 < i_end && j2 < j_end) {
    const std::size_t second = as_number(less(from.key[j], from.key[i]));
    from.move(choose(second, j, i), to, k++);
    j += second;
    i += 1 - second;
    const std::size_t second2 = as_number(less(from.key[j2], from.key[i2]));
    from.move(choose(second2, j2, i2), to, k2++);
    j2 += second2;
    i2 += 1 - second2;
  }
  merge(from, i, i_middle, j, j_middle, to + k, less);
  merge(from, i2, i_end, j2, j_end, to + k2, less);
}

/// The same for the first `n - n / 2` rows and the rest: from both ends at the same time. Neither
/// end can leave the runs, since each takes n / 2 rows.
template <class Rows, class Less>
void merge_halves(Rows from, std::size_t n, Rows to, const Less& less) {
  const std::size_t half = n / 2;
  std::size_t i = 0, j = n - half;             // the next ones from the front
  std::size_t i_back = j - 1, j_back = n - 1;  // and from the back
  for (std::size_t k = 0; k < half; ++k) {
    const std::size_t second = as_number(less(from.key[j], from.key[i]));
    from.move(choose(second, j, i), to, k);
    j += second;
    i += 1 - second;
    const std::size_t first = as_number(less(from.key[j_back], from.key[i_back]));
    from.move(choose(first, i_back, j_back), to, n - 1 - k);
    i_back -= first;
    j_back -= 1 - first;
  }
  if (n % 2 == 1) from.move(choose(i == i_back, i, j), to, half);
}

/// How many of the first `taken` rows of a merge come from the first run.
template <class Rows, class Less>
std::size_t merge_path(Rows first, std::size_t n, Rows second, std::size_t m, std::size_t taken,
                       const Less& less) {
  std::size_t low = taken > m ? taken - m : 0, high = std::min(taken, n);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (less(second.key[taken - middle - 1], first.key[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Sorts the n rows of `a`; they end in `a`, or in `b` if so wished. The other one is overwritten.
template <class Rows, class Less>
void merge_sort_alone(Rows a, Rows b, std::size_t n, bool into_b, const Less& less) {
  if (n <= few) {
    sort_few(a, b, n, less);
    if (!into_b) b.copy(n, a);
    return;
  }
  const std::size_t first = n - n / 2;
  merge_sort_alone(a, b, first, !into_b, less);
  merge_sort_alone(a + first, b + first, n - first, !into_b, less);
  merge_halves(into_b ? a : b, n, into_b ? b : a, less);
}

/// The same by all threads, which take runs and shares of merges of at most `share` rows.
template <class Rows, class Less>
void merge_sort(Rows a, Rows b, std::size_t n, bool into_b, const Less& less, std::size_t share) {
  if (n <= share) return merge_sort_alone(a, b, n, into_b, less);
  const std::size_t first = n - n / 2;
  for_each_index(2, [&](std::size_t half) {
    const std::size_t begin = half == 0 ? 0 : first, count = half == 0 ? first : n - first;
    merge_sort(a + begin, b + begin, count, !into_b, less, share);
  });
  const Rows from = into_b ? a : b, to = into_b ? b : a;
  for_each_index((n - 1) / share + 1, [&](std::size_t part) {
    const auto from_first = [&](std::size_t taken) {
      return merge_path(from, first, from + first, n - first, taken, less);
    };
    const std::size_t begin = part * share, end = std::min(n, begin + share),
                      middle = begin + (end - begin) / 2;
    const std::size_t i = from_first(begin), i_middle = from_first(middle), i_end = from_first(end);
    merge_in_parts(from, i, i_middle, i_end, first + (begin - i), first + (middle - i_middle),
                   first + (end - i_end), to + begin, less);
  });
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
