// The canonical tree on a device (docs/canonical.md): neighbours meet in pairs, the pairs in pairs,
// and where the right one of two is absent, the left one stands for both. A node is known by its
// first value: it is there if that is. Any associative operator; the order of the values is that of
// the input; a result depends on their number alone.
//
//   a warp's part of a tile, two loads of two neighbours each:
//   lane            0    1    …   31    |    0    1    …   31
//   load            0    0         0    |    1    1         1
//   values         0 1  2 3      62 63  |  64 65 …      126 127
//
// A thread joins its neighbours, then the lanes join, then the loads. Whole tiles ask nothing of a
// node's presence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpfold/device/detail/tile_status.cuh"
#include "warpfold/device/detail/vectors.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/warp/reduce.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr char small_canonical_workspace[] =
    "the workspace is smaller than canonical_workspace_bytes<T, Acc>(n)";

/// The operator with roundings of its own: no compiler contracts a sum with the product before it.
template <class Op>
struct rounded_op {
  static constexpr bool commutative = is_commutative<Op>;
  Op op;

  template <class T>
  __device__ __forceinline__ T operator()(const T& a, const T& b) const {
#if defined(__CUDA_ARCH__) && !defined(__SIMT__)
    if constexpr (std::is_base_of_v<plus, Op> && std::is_same_v<T, float>) return __fadd_rn(a, b);
    if constexpr (std::is_base_of_v<plus, Op> && std::is_same_v<T, double>) return __dadd_rn(a, b);
    if constexpr (std::is_same_v<multiplies, Op> && std::is_same_v<T, float>) {
      return __fmul_rn(a, b);
    }
    if constexpr (std::is_same_v<multiplies, Op> && std::is_same_v<T, double>) {
      return __dmul_rn(a, b);
    }
#endif
    return op(a, b);
  }
};

/// The first `count` of the values that a thread has, in value[0].
template <unsigned Most, class T, class Op>
__device__ __forceinline__ void join_neighbours(T (&value)[Most], unsigned count, const Op& op) {
#pragma unroll
  for (unsigned width = 1; width < Most; width *= 2) {
#pragma unroll
    for (unsigned k = 0; k + width < Most; k += 2 * width) {
      if (k + width < count) value[k] = op(value[k], value[k + width]);
    }
  }
}

/// Whether a and b have the same result whichever comes first, to the bit.
template <class Op, class T>
inline constexpr bool swaps =
    std::is_arithmetic_v<T> && (std::is_base_of_v<plus, Op> || std::is_same_v<multiplies, Op>);

/// op of this lane's value and another lane's, which stands to the left where `is_right`.
template <class T, class Op>
__device__ __forceinline__ T join_with(const T& mine, const T& other, bool is_right,
                                       const rounded_op<Op>& op) {
  if constexpr (swaps<Op, T>) {
    return op(mine, other);
  } else {
    return op(is_right ? other : mine, is_right ? mine : other);
  }
}

/// Joins 32 nodes a row, one a lane, then the rows; valid in lane 0. In the first steps two lanes
/// share the rows: each joins half of them for both. So 8 rows take 12 shuffles instead of 40. The
/// first `there` nodes exist, all of them if `Whole`. Values in lanes with a right node are not
/// used.
template <bool Whole, unsigned Rows, class T, class Op>
__device__ __forceinline__ T join_rows(T (&value)[Rows], unsigned there, const rounded_op<Op>& op) {
  const unsigned lane = threadIdx.x % warp_size;
  unsigned row = 0;  // of value[0] in this lane
#pragma unroll
  for (unsigned offset = 1, half = Rows / 2; half > 0; offset *= 2, half /= 2) {
    const bool is_right = (lane & offset) != 0;
    const unsigned right = lane / (2 * offset) * (2 * offset) + offset;  // the node
    if (is_right) row += half;
#pragma unroll
    for (unsigned k = 0; k < half; ++k) {
      const T first = value[k], second = value[k + half];
      const T mine = is_right ? second : first;
      const T other = shuffle_xor(is_right ? first : second, offset);
      const T joined = join_with(mine, other, is_right, op);
      const bool joins = Whole || (row + k) * warp_size + right < there;
      value[k] = joins ? joined : is_right ? other : mine;
    }
  }
  const unsigned node = row * warp_size + lane / Rows * Rows;  // the first of this lane's
  const auto join = [&](unsigned offset, unsigned nodes) {
    const T right = shuffle_down(value[0], offset);
    if (Whole || node + nodes < there) value[0] = op(value[0], right);
  };
#pragma unroll
  for (unsigned offset = Rows; offset < warp_size; offset *= 2) join(offset, offset);
#pragma unroll
  for (unsigned offset = Rows / 2, rows = 1; offset > 0; offset /= 2, rows *= 2) {
    join(offset, rows * warp_size);  // the last rows to part are neighbours
  }
  return value[0];
}

/// The values of the first `count` lanes; valid in lane 0.
template <class T, class Op>
__device__ __forceinline__ T join_lanes(T value, unsigned count, const Op& op) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned offset = 1; offset < warp_size; offset *= 2) {
    const T right = shuffle_down(value, offset);
    if (lane % (2 * offset) == 0 && lane + offset < count) value = op(value, right);
  }
  return value;
}

/// The root of the nodes of equal size that come one after the other, at most 2^Levels of them. The
/// nodes so far are a binary number: a digit of 1 is a node of as many.
template <unsigned Levels, class Acc>
struct node_counter {
  Acc node[Levels + 1];
  unsigned count = 0;

  template <class Op>
  __device__ __forceinline__ void add(Acc next, const Op& op) {
    bool carries = true;
#pragma unroll
    for (unsigned level = 0; level <= Levels; ++level) {
      const bool joins = carries && (count >> level & 1) != 0;
      if (joins) {
        next = op(node[level], next);
      } else if (carries) {
        node[level] = next;
      }
      carries = joins;
    }
    ++count;
  }
  /// Only if there is a node.
  template <class Op>
  __device__ __forceinline__ Acc root(const Op& op) const {
    Acc all = node[0];
    bool some = (count & 1) != 0;
#pragma unroll
    for (unsigned level = 1; level <= Levels; ++level) {
      if ((count >> level & 1) == 0) continue;
      all = some ? op(node[level], all) : node[level];
      some = true;
    }
    return all;
  }
};

/// What a block has of the values at a time: a power of two of them. A warp has 2^step_bits parts,
/// one after the other.
template <class Shape, class In>
struct tree_tile {
  using vector = vector_type<In>;
  static constexpr unsigned width = items_per_vector<In>, loads = Shape::loads;
  static constexpr unsigned row = warp_size * width, warp_values = row * loads;
  static constexpr unsigned warps = Shape::threads / warp_size;
  static constexpr unsigned values = warp_values * warps;

  std::size_t begin;  // of the warp's part
  unsigned rest;      // values from there on that the warp has
  unsigned there;     // warps that have values

  __device__ __forceinline__ tree_tile(std::size_t n, unsigned number, unsigned step_bits = 0) {
    const std::size_t base = (std::size_t{number} << step_bits) * values;
    const unsigned most = values << step_bits, warp_most = warp_values << step_bits;
    const unsigned all = n - base < most ? static_cast<unsigned>(n - base) : most;
    const unsigned before = threadIdx.x / warp_size * warp_most;
    begin = base + before;
    rest = all <= before ? 0 : all - before < warp_most ? all - before : warp_most;
    there = ((all + warp_values - 1) / warp_values + (1U << step_bits) - 1) >> step_bits;
  }
  /// To the next part, if this one is not the warp's last.
  __device__ __forceinline__ bool advance() {
    if (rest <= warp_values) return false;
    begin += warp_values;
    rest -= warp_values;
    return true;
  }
  /// Values of the part that are there.
  __device__ __forceinline__ unsigned size() const {
    return rest < warp_values ? rest : warp_values;
  }
  __device__ __forceinline__ bool whole() const { return rest >= warp_values; }
  /// Where the thread's first value of load k stands in the warp's part.
  static __device__ __forceinline__ unsigned place(unsigned k) {
    return k * row + threadIdx.x % warp_size * width;
  }
  __device__ __forceinline__ vector load(const In* in, unsigned k) const {
    return load_at(in + begin, k);
  }
  static __device__ __forceinline__ vector load_at(const In* part, unsigned k) {
    return *reinterpret_cast<const vector*>(part + place(k));
  }
  /// One value at a time, as far as they are there.
  __device__ __forceinline__ void load_edge(vector (&word)[loads], const In* in) const {
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
      In value[width];
      memcpy(static_cast<void*>(value), static_cast<const void*>(word + k), sizeof value);
#pragma unroll
      for (unsigned j = 0; j < width; ++j) {
        if (place(k) + j < rest) value[j] = in[begin + place(k) + j];
      }
      memcpy(static_cast<void*>(word + k), static_cast<const void*>(value), sizeof value);
    }
  }
  /// The thread's neighbours in a load, of which `count` are there: one at least.
  template <class Acc, class Op, class Map>
  static __device__ __forceinline__ Acc join_load(const vector& word, unsigned count, const Op& op,
                                                  const Map& map) {
    In value[width];
    memcpy(static_cast<void*>(value), static_cast<const void*>(&word), sizeof value);
    Acc part[width];
#pragma unroll
    for (unsigned j = 0; j < width; ++j) {
      part[j] = map(value[j < count ? j : 0]);
    }
    join_neighbours(part, count, op);
    return part[0];
  }
  /// The warp's part, from what the threads have of each load; valid in lane 0.
  template <bool Whole, class Acc, class Op>
  __device__ __forceinline__ Acc join(Acc (&part)[loads], const rounded_op<Op>& op) const {
    return join_rows<Whole>(part, (size() + width - 1) / width, op);
  }
};

/// Published values of the tree over tiles: those of all tiles, then of groups of tiles, of groups
/// of these, and so on.
template <class Acc, unsigned MostPerLane>
struct tree_levels {
  static constexpr unsigned per_lane = sizeof(Acc) <= 4    ? MostPerLane
                                       : sizeof(Acc) <= 8  ? (MostPerLane + 1) / 2
                                       : sizeof(Acc) <= 16 ? (MostPerLane + 3) / 4
                                                           : 1;
  static constexpr unsigned group = per_lane * warp_size;

  static __host__ __device__ constexpr std::size_t slots(std::size_t tiles) {
    std::size_t all = tiles;
    while (tiles > 1) all += tiles = (tiles - 1) / group + 1;
    return all;
  }

  const tile_status& state;
  std::uint32_t epoch;

  /// The `count` values from `slot` on, by one warp; valid in lane 0.
  template <class Op>
  __device__ __forceinline__ Acc join(std::size_t slot, unsigned count, const Acc& any,
                                      const Op& op) const {
    const unsigned first = threadIdx.x % warp_size * per_lane;
    Acc value[per_lane];
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) value[k] = any;
    state.wait_for(
        value, epoch, [=](unsigned k) { return slot + first + k; },
        [=](unsigned k) { return first + k < count; });
    join_neighbours(value, count < first ? 0 : count - first, op);
    return join_lanes(value[0], (count + per_lane - 1) / per_lane, op);
  }

  /// Publishes a tile's value, from slot `base` on, and those of the groups that end with it, by
  /// one warp. True where all tiles end with it: `value` is the root's then, in lane 0.
  template <class Op>
  __device__ __forceinline__ bool publish(Acc& value, std::size_t base, unsigned index,
                                          unsigned count, const Op& op) const {
    while (count > 1) {
      if (threadIdx.x % warp_size == 0) state.publish(base + index, value, epoch);
      if (index % group != group - 1 && index != count - 1) return false;
      const unsigned first = index / group * group;
      value = join(base + first, index - first + 1, value, op);
      base += count;
      index /= group;
      count = (count - 1) / group + 1;
    }
    return true;
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
