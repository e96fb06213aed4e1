// What lies before a tile, folded along a fixed tree and so with the same bits in every run. Tiles
// stand in groups of 128 and these in regions of 32. Before a tile lie the tiles of its group, the
// groups of its region, and all regions before: nobody waits for a chain of others but from one
// region to the next, 4096 tiles on.
// One warp looks: six loads a lane, all in flight at once, and ten shuffles.
// Whoever took a tile with an earlier ticket runs, so the wait ends. Any associative operator.
#pragma once

#include "warpfold/device/mailbox.cuh"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Acc>
struct tile_prefixes {
  static constexpr unsigned per_lane = 4;
  static constexpr unsigned group = per_lane * warp_size;  // tiles
  static constexpr unsigned region = warp_size;            // groups

  mailbox box;
  std::uint32_t tag;
  unsigned tiles;

  /// Told values: of each tile, of each group, and what lies before each region.
  static constexpr std::size_t slots(std::size_t tiles) {
    const std::size_t groups = tiles / group + 1;
    return tiles + groups + groups / region + 1;
  }

  __device__ __forceinline__ void tell_tile(unsigned tile, const Acc& total) const {
    box.tell(tile, total, tag);
  }

  /// For the whole warp, once `tile` is told: the last tile of a group tells the group's total.
  template <class Op>
  __device__ __forceinline__ void tell_group(unsigned tile, const Acc& total, Op op) const {
    if (tile % group != group - 1) return;
    const Acc before = fold_group(tile, op);
    if (threadIdx.x % warp_size == 0) box.tell(group_slot(tile / group), op(before, total), tag);
  }

  /// `init` lies before tile 0, `total` is the tile's own. For the whole warp; valid in lane 0.
  template <class Op>
  __device__ __forceinline__ Acc before(unsigned tile, const Acc& init, const Acc& total,
                                        Op op) const {
    const unsigned lane = threadIdx.x % warp_size;
    const unsigned first_tile = lane * per_lane, tile_place = tile % group;
    const unsigned group_place = tile / group % region, region_place = tile / group / region;
    constexpr unsigned of_group = per_lane, of_region = per_lane + 1;
    Acc told[per_lane + 2];
    box.wait(
        told, tag,
        [=, this](unsigned k) {
          return k < per_lane    ? std::size_t{tile - tile_place + first_tile + k}
                 : k == of_group ? group_slot(tile / group - group_place + lane)
                                 : region_slot(region_place);
        },
        [=](unsigned k) {
          return k < per_lane    ? first_tile + k < tile_place
                 : k == of_group ? lane < group_place
                                 : lane == 0 && region_place > 0;
        });
    Acc sum = op.template identity<Acc>();
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) {
      if (first_tile + k < tile_place) sum = op(sum, told[k]);
    }
    sum = warp_ordered_reduce(sum, op);
    if (group_place > 0) {
      Acc groups = lane < group_place ? told[of_group] : op.template identity<Acc>();
      sum = op(warp_ordered_reduce(groups, op), sum);
    }
    if (lane == 0) {
      sum = op(region_place > 0 ? told[of_region] : init, sum);
      if (tile_place == group - 1 && group_place == region - 1) {
        box.tell(region_slot(region_place + 1), op(sum, total), tag);
      }
    }
    return sum;
  }

 private:
  __device__ __forceinline__ std::size_t group_slot(unsigned g) const {
    return std::size_t{tiles} + g;
  }
  __device__ __forceinline__ std::size_t region_slot(unsigned r) const {
    return std::size_t{tiles} + tiles / group + 1 + r;
  }

  /// The tiles before `tile` in its group; valid in lane 0.
  template <class Op>
  __device__ __forceinline__ Acc fold_group(unsigned tile, Op op) const {
    const unsigned first = threadIdx.x % warp_size * per_lane, place = tile % group;
    const auto want = [=](unsigned k) { return first + k < place; };
    Acc told[per_lane];
    box.wait(told, tag, [=](unsigned k) { return std::size_t{tile - place + first + k}; }, want);
    Acc sum = op.template identity<Acc>();
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) {
      if (want(k)) sum = op(sum, told[k]);
    }
    return warp_ordered_reduce(sum, op);
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
