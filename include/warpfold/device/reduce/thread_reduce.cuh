// What the threads of a block fold of a reduction: by 16-byte loads, several in flight a thread,
// or, where the operator needs it, from left to right. Reads each value once; no barrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/operators.hpp"
#include "warpfold/warp/redux.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Values per load: 16 bytes where these hold a whole number of values, else one value.
template <class T>
inline constexpr unsigned items_per_vector = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;

template <class T>
struct vector_type {
  using type = std::conditional_t<items_per_vector<T> == 1 && sizeof(T) != 16, T, uint4>;
};

/// What one reduction is made of. `map` turns an input value into an accumulated one.
/// Values [0, head) and [tail, n) go one by one, what lies between in `loads` whole loads: blocks
/// stride over the first `swept` of them together and part the rest in `share`s.
template <class In, class Acc, class Op, class Map>
struct reduction {
  const In* in;
  std::size_t n;
  Acc* out;
  Acc init;
  Op op;
  Map map;
  std::size_t prologue = 0, epilogue_begin = 0, vectors = 0, strided_end = 0, per_block = 0;

  /// The divisions are made here, once: on the device they cost as much as a short reduction.
  __host__ __device__ void partition_work(unsigned blocks, unsigned vectors_per_tile) {
    const std::size_t off = reinterpret_cast<std::uintptr_t>(in) % 16;
    if (items_per_vector<In> == 1 && sizeof(In) != 16) {
      prologue = 0;
      vectors = n;
    } else if (off % sizeof(In) != 0) {
      prologue = n;
      vectors = 0;
    } else {
      prologue = (16 - off) % 16 / sizeof(In);
      if (prologue > n) prologue = n;
      vectors = (n - prologue) / items_per_vector<In>;
    }
    epilogue_begin = prologue + vectors * items_per_vector<In>;
    const std::size_t stride = std::size_t{blocks} * vectors_per_tile;
    strided_end = vectors / stride * stride;
    per_block = (vectors - strided_end + blocks - 1) / blocks;
  }
};

/// What a value is converted to; nothing else happens to it.
template <class Acc>
struct convert {
  template <class T>
  __host__ __device__ Acc operator()(const T& value) const {
    return static_cast<Acc>(value);
  }
};

/// A map may fold values in by itself, those of several loads at a time, in the order in which a
/// thread meets them: value[l][k] stands at `index` + l * `step` + k. Several loads are met by all
/// lanes of a warp at once.
template <class Map, class Acc, class In>
concept accumulates = requires(const Map& map, Acc& sum, const In (&value)[1][1], std::size_t index,
                               std::size_t step) { map.accumulate(sum, value, index, step); };

/// Calls f(value[l][k], l, k) from left to right.
template <class T, std::size_t Loads, std::size_t Count, class F>
__device__ __forceinline__ void for_each_value(const T (&value)[Loads][Count], F f) {
#pragma unroll
  for (std::size_t l = 0; l < Loads; ++l) {
#pragma unroll
    for (std::size_t k = 0; k < Count; ++k) f(value[l][k], l, k);
  }
}

/// Such a map may ask for a value to begin with: the thread's first, or where it has no load, any.
template <class Map, class Acc, class In>
concept begins = requires(const Map& map, Acc& sum, const In& value, std::size_t index) {
  map.begin(sum, value, index);
};

/// Folds the values of one load into `sum`, neighbours first.
template <class In, class Load, class Acc, class Op, class Map = convert<Acc>>
__device__ __forceinline__ void thread_reduce_vector(Acc& sum, const Load& word, Op op,
                                                     Map map = {}) {
  constexpr unsigned count = sizeof(Load) / sizeof(In);
  In value[count];
  memcpy(static_cast<void*>(value), static_cast<const void*>(&word), sizeof value);
  Acc part[count];
#pragma unroll
  for (unsigned k = 0; k < count; ++k) part[k] = map(value[k]);
#pragma unroll
  for (unsigned width = 1; width < count; width *= 2) {
#pragma unroll
    for (unsigned k = 0; k + width < count; k += 2 * width) {
      part[k] = op(part[k], part[k + width]);
    }
  }
  sum = op(sum, part[0]);
}

/// The same for several loads, `step` loads apart; a map that accumulates is told where they stand.
template <class In, unsigned Loads, class Acc, class Op, class Map>
__device__ __forceinline__ void thread_reduce_vectors(
    Acc& sum, const typename vector_type<In>::type (&word)[Loads], std::size_t index,
    std::size_t step, Op op, Map map) {
  if constexpr (accumulates<Map, Acc, In>) {
    constexpr unsigned most =
        32 / items_per_vector<In>;  // in registers, one each where they are narrow
    constexpr unsigned at_once = Loads < most ? Loads : most;
    static_assert(Loads % at_once == 0);
#pragma unroll
    for (unsigned k = 0; k < Loads; k += at_once) {
      In value[at_once][items_per_vector<In>];
      memcpy(static_cast<void*>(value), static_cast<const void*>(word + k), sizeof value);
      map.accumulate(sum, value, index + k * step * items_per_vector<In>,
                     step * items_per_vector<In>);
    }
  } else {
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) thread_reduce_vector<In>(sum, word[k], op, map);
  }
}

/// Which of the blocks that share a reduction this one is.
struct grid_rank {
  unsigned index, count;
};

/// The values before and behind the loads, which the threads of all blocks part.
template <class In, class Acc, class Op, class Map>
__device__ __forceinline__ void thread_reduce_edges(Acc& sum, const reduction<In, Acc, Op, Map>& r,
                                                    grid_rank me) {
  const std::size_t single = r.prologue + (r.n - r.epilogue_begin);
  for (std::size_t i = std::size_t{me.index} * blockDim.x + threadIdx.x; i < single;
       i += std::size_t{me.count} * blockDim.x) {
    const std::size_t place = i < r.prologue ? i : r.epilogue_begin + (i - r.prologue);
    if constexpr (accumulates<Map, Acc, In>) {
      const In value[1][1] = {{r.in[place]}};
      r.map.accumulate(sum, value, place, 1);
    } else {
      sum = r.op(sum, r.map(r.in[place]));
    }
  }
}

/// Where `Loads` a thread are enough: so little code that a short reduction does not wait for it.
template <unsigned Loads, class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc thread_reduce_one_tile(const reduction<In, Acc, Op, Map>& r,
                                                      grid_rank me) {
  using vector = typename vector_type<In>::type;
  const auto* const wide = reinterpret_cast<const vector*>(r.in + r.prologue);
  const auto loads = static_cast<unsigned>(r.vectors);
  const auto place = [=](unsigned k) {
    return (k * me.count + me.index) * blockDim.x + threadIdx.x;
  };
  vector word[Loads];
#pragma unroll
  for (unsigned k = 0; k < Loads; ++k) {
    if (place(k) < loads) word[k] = wide[place(k)];
  }
  Acc sum = r.op.template identity<Acc>();
  thread_reduce_edges(sum, r, me);
#pragma unroll
  for (unsigned k = 0; k < Loads; ++k) {
    if (place(k) < loads) thread_reduce_vector<In>(sum, word[k], r.op, r.map);
  }
  return sum;
}

/// What this thread's share comes to, in any order. `Loads` stay in flight throughout a stride:
/// each is replaced by the next one as it is folded, or, where folding takes long, all of them
/// before.
template <unsigned Loads, class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc thread_reduce_tiles(const reduction<In, Acc, Op, Map>& r,
                                                   grid_rank me) {
  using vector = typename vector_type<In>::type;
  Acc sum = r.op.template identity<Acc>();
  const auto* const wide = reinterpret_cast<const vector*>(r.in + r.prologue);
  const auto fetch = [&](vector(&word)[Loads], std::size_t load) {
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) word[k] = wide[load + k * blockDim.x];
  };
  const auto fold = [&](const auto& word, std::size_t load) {
    thread_reduce_vectors<In>(sum, word, r.prologue + load * items_per_vector<In>, blockDim.x, r.op,
                              r.map);
  };
  const auto fold_one = [&](const vector& word, std::size_t load) {
    const vector one[1] = {word};
    fold(one, load);
  };
  const unsigned tile = blockDim.x * Loads;
  const std::size_t begin = r.strided_end + me.index * r.per_block;
  const std::size_t end = begin + r.per_block < r.vectors ? begin + r.per_block : r.vectors;
  std::size_t at = std::size_t{me.index} * tile + threadIdx.x;
  vector word[Loads];
  if (r.strided_end > 0) fetch(word, at);
  if constexpr (begins<Map, Acc, In>) {
    if (r.n > 0) {
      const std::size_t load = r.strided_end > 0 ? at : begin + threadIdx.x;
      const std::size_t first = r.prologue + load * items_per_vector<In>;
      const std::size_t place = first < r.n ? first : r.n - 1;
      r.map.begin(sum, r.in[place], place);
    }
  }
  if (r.strided_end > 0) {
    const std::size_t stride = std::size_t{tile} * me.count;
    if constexpr (accumulates<Map, Acc, In>) {
      vector next[Loads];  // and `word` take turns: to copy one would wait for all its loads
      const auto turn_of = [&](const auto& now, auto& then) {
        const bool goes_on = at + stride < r.strided_end;
        if (goes_on) fetch(then, at + stride);
        fold(now, at);
        at += stride;
        return goes_on;
      };
      while (turn_of(word, next) && turn_of(next, word)) {
      }
    } else {
      for (; at + stride < r.strided_end; at += stride) {
#pragma unroll
        for (unsigned k = 0; k < Loads; ++k) {
          const vector next = wide[at + stride + k * blockDim.x];
          fold_one(word[k], at + k * blockDim.x);
          word[k] = next;
        }
      }
      fold(word, at);
    }
  }
  for (std::size_t i = begin + threadIdx.x; i < end; i += tile) {
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) {
      if (i + k * blockDim.x < end) word[k] = wide[i + k * blockDim.x];
    }
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) {
      if (i + k * blockDim.x < end) fold_one(word[k], i + k * blockDim.x);
    }
  }
  thread_reduce_edges(sum, r, me);
  if constexpr (requires { r.map.finish(sum); }) r.map.finish(sum);
  return sum;
}

/// Values that a lane folds by itself before its warp does, where the order is kept.
template <class T>
inline constexpr unsigned ordered_items = sizeof(T) < 64 ? 64 / sizeof(T) : 1;

/// What this warp's stretch comes to, from left to right: in lane 0, the identity in the others.
template <class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc warp_reduce_run(const reduction<In, Acc, Op, Map>& r, grid_rank me) {
  constexpr unsigned items = ordered_items<In>;
  constexpr std::size_t tile = std::size_t{items} * warp_size;
  const std::size_t warps = std::size_t{me.count} * (blockDim.x / warp_size);
  const std::size_t warp =
      std::size_t{me.index} * (blockDim.x / warp_size) + threadIdx.x / warp_size;
  const std::size_t tiles = (r.n + tile - 1) / tile;
  const std::size_t share = (tiles + warps - 1) / warps * tile;
  const std::size_t begin = warp * share < r.n ? warp * share : r.n;
  const std::size_t end = share < r.n - begin ? begin + share : r.n;
  Acc sum = r.op.template identity<Acc>();
  for (std::size_t base = begin; base < end; base += tile) {
    const std::size_t first = base + threadIdx.x % warp_size * items;
    Acc mine = r.op.template identity<Acc>();
    if (first + items <= end) {
      In value[items];
#pragma unroll
      for (unsigned k = 0; k < items; ++k) value[k] = r.in[first + k];
#pragma unroll
      for (unsigned k = 0; k < items; ++k) mine = r.op(mine, r.map(value[k]));
    } else {
      for (std::size_t i = first; i < end; ++i) mine = r.op(mine, r.map(r.in[i]));
    }
    sum = r.op(sum, warp_reduce(mine, r.op, in_lane_order{}));
  }
  return threadIdx.x % warp_size == 0 ? sum : r.op.template identity<Acc>();
}

/// What the threads of a block have to fold.
template <class Shape, class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc thread_reduce(const reduction<In, Acc, Op, Map>& r, grid_rank me) {
  if constexpr (!is_commutative<Op>) {
    return warp_reduce_run(r, me);
  } else if constexpr (Shape::one_tile) {
    return thread_reduce_one_tile<Shape::loads>(r, me);
  } else {
    return thread_reduce_tiles<Shape::loads>(r, me);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
