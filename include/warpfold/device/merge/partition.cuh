// Where in each of several sorted runs the first rows of their merge end. A lane has a run. It
// keeps the rows at every step-th place: how many of these are among the first of the merge, the
// last of them and the one behind. Each round halves the step:
//
//   step 4   . . . a . . . b      a: the last one taken. b: the first one left.
//   step 2   . a . m . b . .      m: the row between. It is taken if it comes before the last row
//                                 that has been taken of any run.
//
// Then as many are taken as shall be, and some more, at most one of each run: the last of all go
// back, one after the other, or the first of those that are left is taken. A load and about five
// reductions by as many lanes as there are runs, each round; log2(rows) rounds. Source: Varman,
// Scheufler, Iyer and Ricard 1991.
#pragma once

#include <cstddef>

#include "warpfold/platform.hpp"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A row of a run, one before its first, or one behind its last.
template <class Encoded>
struct run_row {
  static constexpr unsigned before_all = 0, is_row = warp_size, behind_all = 2 * warp_size;

  Encoded key;
  unsigned place;  // one of these and the number of the run

  [[nodiscard]] __device__ __forceinline__ unsigned run() const { return place % warp_size; }
  /// In the merge.
  template <class Order>
  [[nodiscard]] __device__ __forceinline__ bool before(const run_row& other,
                                                       const Order& order) const {
    const bool are_rows = place / warp_size == 1 && other.place / warp_size == 1;
    return are_rows ? order.comes_before(key, other.key, place < other.place) : place < other.place;
  }
};

/// The first or last row that a lane of each `Ways` has. Valid in all.
template <unsigned Ways, class Encoded, class Order>
__device__ __forceinline__ run_row<Encoded> outermost(run_row<Encoded> mine, bool last,
                                                      const Order& order) {
#pragma unroll
  for (unsigned mask = 1; mask < Ways; mask *= 2) {
    const run_row<Encoded> other{shuffle_xor(mine.key, mask), shuffle_xor(mine.place, mask)};
    if (mine.before(other, order) == last) mine = other;
  }
  return mine;
}

/// How many of the first `diagonal` rows of a merge come from this lane's run. All lanes of a warp
/// must call; `Runs::ways` neighbours have the same runs and diagonal. Of runs that are not sorted,
/// the results still come to `diagonal`.
template <class Runs, class K, class Order>
__device__ __forceinline__ std::size_t merge_runs_path(const K* keys, const Runs& runs,
                                                       std::size_t diagonal, const Order& order) {
  using row = run_row<typename Order::encoded>;
  constexpr unsigned ways = Runs::ways;
  const unsigned lane = threadIdx.x % warp_size, run = lane % ways;
  const std::size_t count = runs.count(run);
  const K* const in = keys + runs.begin_of(run);
  const auto at = [&](std::size_t i) {
    row r{{}, (i < count ? row::is_row : row::behind_all) + run};
    if (i < count) r.key = order.encode(in[i]);
    return r;
  };
  unsigned rounds = 64 - static_cast<unsigned>(__clzll(static_cast<long long>(diagonal)));
#pragma unroll
  for (unsigned mask = ways; mask < warp_size; mask *= 2) {
    const unsigned other = shuffle_xor(rounds, mask);
    if (other > rounds) rounds = other;
  }
  const row none{{}, row::before_all + run};
  std::size_t taken = 0;
  row last = none, next{{}, row::behind_all + run};
  while (rounds > 0) {
    const std::size_t step = std::size_t{1} << --rounds;
    const row middle = at(taken + step - 1);
    const bool takes = middle.before(outermost<ways>(last, true, order), order);
    if (takes) {
      taken += step;
      last = middle;
    } else {
      next = middle;
    }
    const unsigned all = __ballot_sync(all_lanes, takes) >> (lane - run) & (~0U >> (32 - ways));
    int excess = __popc(all) - static_cast<int>(diagonal >> rounds & 1);
    while (__any_sync(all_lanes, excess != 0)) {
      const bool gives = excess > 0;
      const row moved = outermost<ways>(gives ? last : next, gives, order);
      if (excess == 0) continue;
      excess += gives ? -1 : 1;
      if (moved.run() != run) continue;
      if (gives) {
        taken -= step;
        next = last;
        last = taken > 0 ? at(taken - 1) : none;
      } else {
        taken += step;
        last = next;
        next = at(taken + step - 1);
      }
    }
  }
  return taken;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
