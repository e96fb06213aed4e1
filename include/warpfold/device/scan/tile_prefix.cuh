// Decoupled look-back along a fixed tree, and so with the same bits in every run.
//
//   group 0                        | group 1                        | …
//   total 0 | total 1 | … | prefix | total 0 | total 1 | … | prefix |     published values
//                           of group 1                       of group 2
//
// Tiles belong to groups of 32 lanes times `per_lane` totals. The exclusive prefix of a tile is its
// group's prefix and the totals of the earlier tiles in the group: from left to right, or lane by
// lane if the operator commutes. The last tile of a group publishes the prefix of the next group.
// One warp looks back: all its loads are in flight at once, then five shuffles, then the group's
// prefix. It waits only for tiles with smaller ids, whose blocks run, so the wait ends. Any
// associative operator.
#pragma once

#include "warpfold/device/detail/tile_status.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Acc, unsigned PerLane>
struct tile_prefixes {
  static constexpr unsigned per_lane = PerLane;
  static constexpr unsigned group = per_lane * warp_size;  // tiles

  tile_status tile_state;
  std::uint32_t epoch;

  /// Published values: those of a group stand side by side, the next group's prefix behind them.
  static constexpr std::size_t slots(std::size_t tiles) {
    return (tiles + group - 1) / group * (group + 1);
  }

  __device__ __forceinline__ void publish_total(unsigned tile, const Acc& total) const {
    tile_state.publish(first_slot(tile) + tile % group, total, epoch);
  }

  /// `init` lies before tile 0, `total` is the tile's own. For the whole warp; valid in lane 0.
  template <class Op>
  __device__ __forceinline__ Acc exclusive_prefix(unsigned tile, const Acc& init, const Acc& total,
                                                  Op op) const {
    const std::size_t start = first_slot(tile);
    const unsigned place = tile % group, lane = threadIdx.x % warp_size;
    const auto at = [=](unsigned k) {
      return k * warp_size + lane;
    };  // neighbours together: few sectors
    Acc totals[per_lane];
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) totals[k] = op.template identity<Acc>();
    tile_state.wait_for(
        totals, epoch, [=](unsigned k) { return start + at(k); },
        [=](unsigned k) { return at(k) < place; });
    Acc sum = op.template identity<Acc>();
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) {
      if (k * warp_size >= place) break;
      sum = op(sum, is_commutative<Op> ? totals[k] : warp_reduce(totals[k], op, in_lane_order{}));
    }
    if constexpr (is_commutative<Op>) sum = warp_reduce(sum, op, in_lane_order{});
    if (lane == 0) {
      // Loaded last: many warps poll this word, and polling delays its store (measured: loaded
      // together with the totals, 2^28 values take up to 20 % longer).
      sum = op(tile < group ? init : tile_state.wait_for<Acc>(start - 1, epoch), sum);
      if (place == group - 1) tile_state.publish(start + group, op(sum, total), epoch);
    }
    return sum;
  }

 private:
  static __device__ __forceinline__ std::size_t first_slot(unsigned tile) {
    return std::size_t{tile / group} * (group + 1);
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
