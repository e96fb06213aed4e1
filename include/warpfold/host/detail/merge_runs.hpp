// Sorted runs, one behind the other, that merge in pairs, by all threads of the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "warpfold/host/detail/merge_sort.hpp"
#include "warpfold/host/detail/parallel.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Merges the runs [bounds[i], bounds[i + 1]) of `from` in pairs, to the same places of `to`; of
/// equal keys, those of the first run come first. `bounds` is then that of the merged runs.
template <class Where, class Rows, class Less>
void merge_pairs(const Where& where, Rows from, Rows to, std::vector<std::size_t>& bounds,
                 const Less& less) {
  constexpr std::size_t share = tuning_of<Where>::merge_share;
  struct piece {  // of one merge: rows [begin, end) of the result of runs [a, b) and [b, c)
    std::size_t a, b, c, begin, end;
  };
  std::vector<piece> pieces;
  std::vector<std::size_t> next;
  for (std::size_t i = 0; i + 1 < bounds.size(); i += 2) {
    const std::size_t a = bounds[i], b = bounds[i + 1],
                      c = i + 2 < bounds.size() ? bounds[i + 2] : b;
    for (std::size_t at = 0; at < c - a; at += share) {
      pieces.push_back({a, b, c, at, std::min(at + share, c - a)});
    }
    next.push_back(a);
  }
  next.push_back(bounds.back());
  run_on(where, [&] {
    for_each_index(pieces.size(), [&](std::size_t p) {
      const auto [a, b, c, begin, end] = pieces[p];
      const auto from_first = [&, first = a, second = b, last = c](std::size_t taken) {
        return merge_path(from + first, second - first, from + second, last - second, taken, less);
      };
      const std::size_t middle = begin + (end - begin) / 2;
      const std::size_t i = from_first(begin), i_middle = from_first(middle),
                        i_end = from_first(end);
      merge_in_parts(from, a + i, a + i_middle, a + i_end, b + (begin - i), b + (middle - i_middle),
                     b + (end - i_end), to + (a + begin), less);
    });
  });
  bounds = std::move(next);
}

/// Runs without rows need no merge.
inline void leave_out_empty_runs(std::vector<std::size_t>& bounds) {
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
