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
inline constexpr unsigned per_load = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;

template <class T>
struct wide_load {
  using type = std::conditional_t<per_load<T> == 1 && sizeof(T) != 16, T, uint4>;
};

/// What one reduction is made of. `map` turns an input value into an accumulated one.
/// Values [0, head) and [tail, n) go one by one, what lies between in `loads` whole loads: blocks
/// sweep over the first `swept` of them together and part the rest in `share`s.
template <class In, class Acc, class Op, class Map>
struct reduction {
  const In* in;
  std::size_t n;
  Acc* out;
  Acc init;
  Op op;
  Map map;
  std::size_t head = 0, tail = 0, loads = 0, swept = 0, share = 0;

  /// The divisions are made here, once: on the device they cost as much as a short reduction.
  __host__ __device__ void part(unsigned blocks, unsigned loads_per_turn) {
    const std::size_t off = reinterpret_cast<std::uintptr_t>(in) % 16;
    if (per_load<In> == 1 && sizeof(In) != 16) {
      head = 0;
      loads = n;
    } else if (off % sizeof(In) != 0) {
      head = n;
      loads = 0;
    } else {
      head = (16 - off) % 16 / sizeof(In);
      if (head > n) head = n;
      loads = (n - head) / per_load<In>;
    }
    tail = head + loads * per_load<In>;
    const std::size_t sweep = std::size_t{blocks} * loads_per_turn;
    swept = loads / sweep * sweep;
    share = (loads - swept + blocks - 1) / blocks;
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
__device__ __forceinline__ void fold_values(Acc& sum, const Load& word, Op op, Map map = {}) {
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
__device__ __forceinline__ void fold_loads(Acc& sum,
                                           const typename wide_load<In>::type (&word)[Loads],
                                           std::size_t index, std::size_t step, Op op, Map map) {
  if constexpr (accumulates<Map, Acc, In>) {
    constexpr unsigned most = 32 / per_load<In>;  // in registers, one each where they are narrow
    constexpr unsigned at_once = Loads < most ? Loads : most;
    static_assert(Loads % at_once == 0);
#pragma unroll
    for (unsigned k = 0; k < Loads; k += at_once) {
      In value[at_once][per_load<In>];
      memcpy(static_cast<void*>(value), static_cast<const void*>(word + k), sizeof value);
      map.accumulate(sum, value, index + k * step * per_load<In>, step * per_load<In>);
    }
  } else {
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) fold_values<In>(sum, word[k], op, map);
  }
}

/// Which of the blocks that share a reduction this one is.
struct block_place {
  unsigned index, count;
};

/// The values before and behind the loads, which the threads of all blocks part.
template <class In, class Acc, class Op, class Map>
__device__ __forceinline__ void fold_singles(Acc& sum, const reduction<In, Acc, Op, Map>& r,
                                             block_place me) {
  const std::size_t single = r.head + (r.n - r.tail);
  for (std::size_t i = std::size_t{me.index} * blockDim.x + threadIdx.x; i < single;
       i += std::size_t{me.count} * blockDim.x) {
    const std::size_t place = i < r.head ? i : r.tail + (i - r.head);
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
__device__ __forceinline__ Acc fold_once(const reduction<In, Acc, Op, Map>& r, block_place me) {
  using load_type = typename wide_load<In>::type;
  const auto* const wide = reinterpret_cast<const load_type*>(r.in + r.head);
  const auto loads = static_cast<unsigned>(r.loads);
  const auto place = [=](unsigned k) {
    return (k * me.count + me.index) * blockDim.x + threadIdx.x;
  };
  load_type word[Loads];
#pragma unroll
  for (unsigned k = 0; k < Loads; ++k) {
    if (place(k) < loads) word[k] = wide[place(k)];
  }
  Acc sum = r.op.template identity<Acc>();
  fold_singles(sum, r, me);
#pragma unroll
  for (unsigned k = 0; k < Loads; ++k) {
    if (place(k) < loads) fold_values<In>(sum, word[k], r.op, r.map);
  }
  return sum;
}

/// What this thread's share comes to, in any order. `Loads` stay in flight throughout a sweep: each
/// is replaced by the next one as it is folded, or, where folding takes long, all of them before.
template <unsigned Loads, class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc fold_share(const reduction<In, Acc, Op, Map>& r, block_place me) {
  using load_type = typename wide_load<In>::type;
  Acc sum = r.op.template identity<Acc>();
  const auto* const wide = reinterpret_cast<const load_type*>(r.in + r.head);
  const auto fetch = [&](load_type(&word)[Loads], std::size_t load) {
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) word[k] = wide[load + k * blockDim.x];
  };
  const auto fold = [&](const auto& word, std::size_t load) {
    fold_loads<In>(sum, word, r.head + load * per_load<In>, blockDim.x, r.op, r.map);
  };
  const auto fold_one = [&](const load_type& word, std::size_t load) {
    const load_type one[1] = {word};
    fold(one, load);
  };
  const unsigned turn = blockDim.x * Loads;
  const std::size_t begin = r.swept + me.index * r.share;
  const std::size_t end = begin + r.share < r.loads ? begin + r.share : r.loads;
  std::size_t at = std::size_t{me.index} * turn + threadIdx.x;
  load_type word[Loads];
  if (r.swept > 0) fetch(word, at);
  if constexpr (begins<Map, Acc, In>) {
    if (r.n > 0) {
      const std::size_t load = r.swept > 0 ? at : begin + threadIdx.x;
      const std::size_t first = r.head + load * per_load<In>;
      const std::size_t place = first < r.n ? first : r.n - 1;
      r.map.begin(sum, r.in[place], place);
    }
  }
  if (r.swept > 0) {
    const std::size_t sweep = std::size_t{turn} * me.count;
    if constexpr (accumulates<Map, Acc, In>) {
      load_type next[Loads];  // and `word` take turns: to copy one would wait for all its loads
      const auto turn_of = [&](const auto& now, auto& then) {
        const bool goes_on = at + sweep < r.swept;
        if (goes_on) fetch(then, at + sweep);
        fold(now, at);
        at += sweep;
        return goes_on;
      };
      while (turn_of(word, next) && turn_of(next, word)) {
      }
    } else {
      for (; at + sweep < r.swept; at += sweep) {
#pragma unroll
        for (unsigned k = 0; k < Loads; ++k) {
          const load_type next = wide[at + sweep + k * blockDim.x];
          fold_one(word[k], at + k * blockDim.x);
          word[k] = next;
        }
      }
      fold(word, at);
    }
  }
  for (std::size_t i = begin + threadIdx.x; i < end; i += turn) {
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) {
      if (i + k * blockDim.x < end) word[k] = wide[i + k * blockDim.x];
    }
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) {
      if (i + k * blockDim.x < end) fold_one(word[k], i + k * blockDim.x);
    }
  }
  fold_singles(sum, r, me);
  if constexpr (requires { r.map.finish(sum); }) r.map.finish(sum);
  return sum;
}

/// Values that a lane folds by itself before its warp does, where the order is kept.
template <class T>
inline constexpr unsigned ordered_items = sizeof(T) < 64 ? 64 / sizeof(T) : 1;

/// What this warp's stretch comes to, from left to right: in lane 0, the identity in the others.
template <class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc fold_stretch(const reduction<In, Acc, Op, Map>& r, block_place me) {
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
    sum = r.op(sum, warp_ordered_reduce(mine, r.op));
  }
  return threadIdx.x % warp_size == 0 ? sum : r.op.template identity<Acc>();
}

/// What the threads of a block have to fold.
template <class Shape, class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc fold_blocks_share(const reduction<In, Acc, Op, Map>& r,
                                                 block_place me) {
  if constexpr (!is_commutative<Op>) {
    return fold_stretch(r, me);
  } else if constexpr (Shape::once) {
    return fold_once<Shape::loads>(r, me);
  } else {
    return fold_share<Shape::loads>(r, me);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
