// Prefixes of nodes for canonical scans (scan.cuh): in a thread, in a warp and across tiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/canonical/tree.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The prefix before a node. It is absent if the scan has no init and the node begins at value 0.
template <class Acc>
struct tree_begin {
  Acc value;
  bool absent;

  template <class Op>
  __device__ __forceinline__ tree_begin after(const Acc& node, const Op& op) const {
    return {absent ? node : op(value, node), false};
  }
};

/// The prefixes before a node and before the next one.
template <class Acc>
struct tree_span {
  tree_begin<Acc> begin;
  Acc end;
};

/// Neighbouring nodes of equal size in one thread, N of them. `reduce` leaves the left half of each
/// pair for `begins`.
template <unsigned N, class Acc>
struct neighbour_nodes {
  Acc left[N];  // [j + half]: the node of `half` values that starts at j

  template <class Op>
  __device__ __forceinline__ Acc reduce(Acc (&value)[N], const Op& op) {
#pragma unroll
    for (unsigned half = 1; half < N; half *= 2) {
#pragma unroll
      for (unsigned j = 0; j + half < N; j += 2 * half) {
        left[j + half] = value[j];
        value[j] = op(value[j], value[j + half]);
      }
    }
    return value[0];
  }
  template <class Op>
  __device__ __forceinline__ void begins(tree_begin<Acc> (&begin)[N], const tree_begin<Acc>& first,
                                         const Op& op) const {
    begin[0] = first;
#pragma unroll
    for (unsigned half = N / 2; half > 0; half /= 2) {
#pragma unroll
      for (unsigned j = 0; j + half < N; j += 2 * half) {
        begin[j + half] = begin[j].after(left[j + half], op);
      }
    }
  }
};

/// One node in each of the first `Lanes` lanes; `Lanes` is a power of two.
template <unsigned Lanes, class Acc>
struct lane_nodes {
  static constexpr unsigned levels = Lanes <= 1    ? 0
                                     : Lanes <= 2  ? 1
                                     : Lanes <= 4  ? 2
                                     : Lanes <= 8  ? 3
                                     : Lanes <= 16 ? 4
                                                   : 5;
  Acc other[levels == 0 ? 1 : levels];  // the sibling of this lane's node of 2^level lanes

  /// Reduces all nodes; valid in every lane.
  template <class Op>
  __device__ __forceinline__ Acc reduce(Acc value, const rounded_op<Op>& op) {
    const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
    for (unsigned level = 0; level < levels; ++level) {
      other[level] = shuffle_xor(value, 1U << level);
      value = join_with(value, other[level], (lane >> level & 1) != 0, op);
    }
    return value;
  }
  template <class Op>
  __device__ __forceinline__ tree_begin<Acc> begin(tree_begin<Acc> first, const Op& op) const {
    const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
    for (unsigned level = levels; level-- > 0;) {
      if ((lane >> level & 1) != 0) first = first.after(other[level], op);
    }
    return first;
  }
};

/// The nodes of a group, N in each lane.
template <unsigned N, class Acc>
struct group_nodes {
  neighbour_nodes<N, Acc> mine;
  lane_nodes<warp_size, Acc> lanes;

  template <class Op>
  __device__ __forceinline__ void reduce(Acc (&value)[N], const Op& op) {
    lanes.reduce(mine.reduce(value, op), op);
  }
  /// The prefixes before nodes `place` and `place` + 1. `begin` is the prefix before their group.
  /// The second is valid if node `place` + 1 is in the group.
  template <class Op>
  __device__ __forceinline__ tree_span<Acc> at(unsigned place, const tree_begin<Acc>& begin,
                                               const Op& op) const {
    tree_begin<Acc> begin_of[N];
    mine.begins(begin_of, lanes.begin(begin, op), op);
    const auto before = [&](unsigned node) {
      Acc it = begin_of[0].value;
#pragma unroll
      for (unsigned k = 1; k < N; ++k) {
        if (node % N == k) it = begin_of[k].value;
      }
      return shuffle(it, node / N % warp_size);
    };
    return {{before(place), begin.absent && place == 0}, before(place + 1)};
  }
};

/// Tiles publish the totals of tiles, of groups, of groups of groups, and so on, and the prefixes
/// before groups of groups. One warp calls; results are valid in every lane. For each tile call
/// `publish`, then `follow` as early as possible, then `span`.
///
///   tiles    0 … 127 | 128 … 255 | …  |  16384 …       totals: of all
///   groups   0         1           …  |    128          totals: of all
///   groups of groups                0 |      1          totals and prefixes: of all
///
/// A tile reads the totals of earlier tiles in its group, the totals of earlier groups in its group
/// of groups, and the prefix before that group of groups. The prefix was published long before.
template <class Acc, unsigned MostPerLane>
struct tree_prefixes : tree_levels<Acc, MostPerLane> {
  using levels = tree_levels<Acc, MostPerLane>;
  using levels::epoch, levels::group, levels::per_lane, levels::state;

  unsigned tiles, groups;
  std::size_t begins;  // the slot of the first beginning

  __device__ __forceinline__ tree_prefixes(const tile_status& status, std::uint32_t launch,
                                           unsigned count)
      : levels{status, launch},
        tiles(count),
        groups((count - 1) / group + 1),
        begins(levels::slots(count)) {}

  static constexpr std::size_t slots(std::size_t tiles) { return 2 * levels::slots(tiles); }
  static __device__ __forceinline__ bool ends_group(unsigned index) {
    return index % group == group - 1;
  }

  __device__ __forceinline__ void publish(std::size_t slot, const Acc& total) const {
    if (threadIdx.x % warp_size == 0) state.publish(slot, total, epoch);
  }

  /// For a tile that ends a group: the group's total. `end` is the prefix after the group, valid if
  /// the group ends a group of groups.
  struct group_end {
    Acc total, end;
  };
  /// If the tile ends a group, publishes the group's total. Other tiles wait for it.
  template <class Op>
  __device__ __forceinline__ group_end follow(unsigned tile, const Acc& total,
                                              const tree_begin<Acc>& init, const Op& op) const {
    if (!ends_group(tile)) return {total, total};
    const unsigned index = tile / group;
    const Acc all = shuffle(this->join(tile - (group - 1), group, total, op), 0);
    publish(std::size_t{tiles} + index, all);
    return {all, ends_group(index) ? begin_next(index, all, init, op) : all};
  }

  /// The prefixes before and after the tile.
  template <class Op>
  __device__ __forceinline__ tree_span<Acc> span(unsigned tile, const Acc& total,
                                                 const group_end& followed,
                                                 const tree_begin<Acc>& init, const Op& op) const {
    const unsigned index = tile / group, place = tile % group, place_of_group = index % group;
    const unsigned first = threadIdx.x % warp_size * per_lane;
    const std::size_t slot = tile - place + first;
    const std::size_t slot_of_group = tiles + (index - place_of_group) + first;
    Acc value[2 * per_lane];  // of tiles, and of groups
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) {
      value[k] = total;
      value[k + per_lane] = followed.total;
    }
    state.wait_for(
        value, epoch,
        [=](unsigned k) { return k < per_lane ? slot + k : slot_of_group + (k - per_lane); },
        [=](unsigned k) {
          return k < per_lane ? first + k < place : first + (k - per_lane) < place_of_group;
        });
    Acc of_tile[per_lane], of_group[per_lane];
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) {
      of_tile[k] = value[k];
      of_group[k] = value[k + per_lane];
    }
    group_nodes<per_lane, Acc> tile_nodes, nodes;
    tile_nodes.reduce(of_tile, op);
    nodes.reduce(of_group, op);
    const tree_span<Acc> outer =
        nodes.at(place_of_group, begin_of(begins + index / group, index, init), op);
    tree_span<Acc> inner = tile_nodes.at(place, outer.begin, op);
    if (ends_group(tile)) inner.end = ends_group(index) ? followed.end : outer.end;
    return inner;
  }

 private:
  /// What precedes the group of node `index`, whose beginning has this slot.
  __device__ __forceinline__ tree_begin<Acc> begin_of(std::size_t slot, unsigned index,
                                                      const tree_begin<Acc>& init) const {
    if (index < group) return init;
    return {state.template wait_for<Acc>(slot, epoch), false};
  }
  /// Publishes the totals of all levels that end with group `index`, and the prefixes that start
  /// there. Returns the prefix before the next group.
  template <class Op>
  __device__ Acc begin_next(unsigned index, Acc total, const tree_begin<Acc>& init,
                            const Op& op) const {
    const unsigned last = index;
    std::size_t base = tiles;
    unsigned count = groups;
    while (ends_group(index)) {
      total = shuffle(this->join(base + (index - (group - 1)), group, total, op), 0);
      base += count;
      index /= group;
      count = (count - 1) / group + 1;
      publish(base + index, total);
    }
    // Prefixes of a level's groups and totals of the next level have the same slot order.
    const Acc end = end_of(base, begins + (base - tiles - groups) + count, index, total, init, op);
    std::size_t at = begins;
    count = groups;
    for (index = last; ends_group(index);) {
      index /= group;
      count = (count - 1) / group + 1;
      if (threadIdx.x % warp_size == 0 && index + 1 < count) {
        state.publish(at + index + 1, end, epoch);
      }
      at += count;
    }
    return end;
  }
  /// What precedes the node behind `index`, which is in the same group. `base`: the slot of the
  /// level's first total; `next`: of the first beginning of its groups.
  template <class Op>
  __device__ __forceinline__ Acc end_of(std::size_t base, std::size_t next, unsigned index,
                                        const Acc& own, const tree_begin<Acc>& init,
                                        const Op& op) const {
    const unsigned place = index % group, first = threadIdx.x % warp_size * per_lane;
    const std::size_t slot = base + (index - place) + first;
    Acc value[per_lane];
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) value[k] = own;
    state.wait_for(
        value, epoch, [=](unsigned k) { return slot + k; },
        [=](unsigned k) { return first + k < place; });
    group_nodes<per_lane, Acc> nodes;
    nodes.reduce(value, op);
    return nodes.at(place, begin_of(next + index / group, index, init), op).end;
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
