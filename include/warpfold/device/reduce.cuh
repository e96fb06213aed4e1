// Reduction of any number of values in one launch: 16-byte loads, several in flight a thread; each
// block tells its partial to the block that started last, which folds them in a fixed order.
// Reads n values once; one atomic and one told value a block; two to four barriers a block.
// The same bits from run to run on one GPU: which thread folds what does not depend on timing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/block/reduce.cuh"
#include "warpfold/device/mailbox.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/tuning/reduce.hpp"
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

template <class T>
__device__ __forceinline__ T load_once(const T* p) {
  return *p;
}

/// A map may fold values in by itself, those of several loads at a time, in the order in which a
/// thread meets them: value[l][k] stands at `index` + l * `step` + k. Several loads are met by all
/// lanes of a warp at once.
template <class Map, class Acc, class In>
concept accumulates = requires(const Map& map, Acc& sum, const In (&value)[1][1], std::size_t index,
                               std::size_t step) {
  map.accumulate(sum, value, index, step);
};

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

/// What this thread's share comes to, in any order. `Loads` stay in flight throughout a sweep: each
/// is replaced by the next one as it is folded, or, where folding takes long, all of them before.
template <unsigned Loads, class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc fold_share(const reduction<In, Acc, Op, Map>& r, block_place me) {
  using load_type = typename wide_load<In>::type;
  Acc sum = r.op.template identity<Acc>();
  const auto* const wide = reinterpret_cast<const load_type*>(r.in + r.head);
  const auto fetch = [&](load_type(&word)[Loads], std::size_t load) {
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) word[k] = load_once(wide + load + k * blockDim.x);
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
          const load_type next = load_once(wide + at + sweep + k * blockDim.x);
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
      if (i + k * blockDim.x < end) word[k] = load_once(wide + i + k * blockDim.x);
    }
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) {
      if (i + k * blockDim.x < end) fold_one(word[k], i + k * blockDim.x);
    }
  }
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

template <unsigned Loads, class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc fold_blocks_share(const reduction<In, Acc, Op, Map>& r,
                                                 block_place me) {
  if constexpr (is_commutative<Op>) {
    return fold_share<Loads>(r, me);
  } else {
    return fold_stretch(r, me);
  }
}

/// One value a thread; valid in thread 0. In the order of the threads, if the operator needs it.
template <class Acc, class Op>
__device__ __forceinline__ Acc fold_block(Acc value, Op op) {
  const auto fold_warp = [op](const Acc& v) { return warp_fold(v, op); };
  return blockDim.x == warp_size ? fold_warp(value) : block_reduce(value, op, fold_warp);
}

/// The partials of all blocks, in the order of the blocks; valid in thread 0.
template <class Acc, class Op>
__device__ __forceinline__ Acc fold_partials(const mailbox& box, std::uint32_t tag, Op op) {
  constexpr unsigned at_once = sizeof(Acc) <= 16 ? 4 : 1;
  const unsigned share = (gridDim.x + blockDim.x - 1) / blockDim.x;
  const unsigned begin = threadIdx.x * share;
  Acc sum = op.template identity<Acc>();
  for (unsigned done = 0; done < share; done += at_once) {
    Acc part[at_once];
    const auto want = [=](unsigned k) { return done + k < share && begin + done + k < gridDim.x; };
    box.wait(
        part, tag, [=](unsigned k) { return std::size_t{begin} + done + k; }, want);
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      if (want(k)) sum = op(sum, part[k]);
    }
  }
  return fold_block(sum, op);
}

struct block_role {
  std::uint32_t tag;
  bool is_last;  // the one that started last
};

template <unsigned Loads, class In, class Acc, class Op, class Map>
__global__ void __launch_bounds__(tuning::reduce_threads)
    reduce_kernel(reduction<In, Acc, Op, Map> r, mailbox box) {
  auto& role = shared_storage<block_role>();
  const bool alone = gridDim.x == 1;
  ticket taken{0, 0};
  wait_for_earlier_grids();
  let_next_grid_start();
  if (!alone && threadIdx.x == 0) taken = box.take();  // comes in while the values do
  Acc value = fold_blocks_share<Loads>(r, {blockIdx.x, gridDim.x});
  if (threadIdx.x == 0) role = {taken.tag, taken.number == gridDim.x - 1};
  value = fold_block(value, r.op);
  if (!alone) {
    if (threadIdx.x == 0) box.tell(blockIdx.x, value, taken.tag);
    const auto [tag, is_last] = role;
    if (is_last) {
      __syncthreads();
      value = fold_partials<Acc>(box, tag, r.op);
    }
    box.leave(tag, is_last);
    if (!is_last) return;
  }
  if (threadIdx.x == 0) *r.out = r.op(r.init, value);
}

/// One warp, for the fewest values: so little code that the launch is most of the time.
template <unsigned Items, class In, class Acc, class Op, class Map>
__global__ void __launch_bounds__(warp_size)
    reduce_few_kernel(const In* in, unsigned n, Acc* out, Acc init, Op op, Map map) {
  wait_for_earlier_grids();
  let_next_grid_start();
  In value[Items];
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const unsigned i = threadIdx.x + k * warp_size;
    if (i < n) value[k] = in[i];
  }
  Acc sum = op.template identity<Acc>();
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    if (threadIdx.x + k * warp_size < n) sum = op(sum, map(value[k]));
  }
  sum = warp_redux(sum, op);
  if (threadIdx.x == 0) *out = op(init, sum);
}

/// One block, for few values: no mailbox, and little code to fetch.
template <unsigned Loads, class In, class Acc, class Op, class Map>
__global__ void __launch_bounds__(tuning::reduce_threads)
    reduce_alone_kernel(reduction<In, Acc, Op, Map> r) {
  wait_for_earlier_grids();
  let_next_grid_start();
  const Acc value = fold_block(fold_blocks_share<Loads>(r, {blockIdx.x, gridDim.x}), r.op);
  if (threadIdx.x == 0) *r.out = r.op(r.init, value);
}

/// Partials of one launch, at most.
inline constexpr unsigned max_partials = 2048;

template <class Shape, class In, class Acc, class Op, class Map>
status reduce_alone(const device_execution& where, reduction<In, Acc, Op, Map> r) {
  r.part(1, Shape::threads * Shape::loads);
  return try_launch({.grid = 1, .block = Shape::threads, .stream = where.stream(), .early = true},
                    reduce_alone_kernel<Shape::loads, In, Acc, Op, Map>, r);
}

template <class Shape, class In, class Acc, class Op, class Map>
status reduce_spread(const device_execution& where, reduction<In, Acc, Op, Map> r) {
  const std::size_t share = std::size_t{Shape::threads} * Shape::bytes_per_thread;
  const unsigned fit = current_device().multiprocessors * Shape::blocks_per_multiprocessor;
  const auto blocks = static_cast<unsigned>(
      std::min<std::size_t>({(r.n * sizeof(In) + share - 1) / share, fit, max_partials}));
  r.part(blocks, Shape::threads * Shape::loads);
  return try_launch(
      {.grid = blocks, .block = Shape::threads, .stream = where.stream(), .early = true},
      reduce_kernel<Shape::loads, In, Acc, Op, Map>, r,
      mailbox::in(where.memory().data, where.memory().bytes));
}

/// Puts the reduction into the stream. The workspace takes max_partials values of Acc.
template <class In, class Acc, class Op, class Map>
status launch_reduction(const device_execution& where, const reduction<In, Acc, Op, Map>& r) {
  const std::size_t bytes = r.n * sizeof(In);
  using namespace tuning;
  if constexpr (is_commutative<Op> && !accumulates<Map, Acc, In> && sizeof(In) <= 16 &&
                sizeof(Acc) <= 16) {
    if (r.n <= reduce_few::items * warp_size) {
      return try_launch({.grid = 1, .block = warp_size, .stream = where.stream(), .early = true},
                        reduce_few_kernel<reduce_few::items, In, Acc, Op, Map>, r.in,
                        static_cast<unsigned>(r.n), r.out, r.init, r.op, r.map);
    }
  }
  if (bytes <= reduce_tiny::at_most_bytes) return reduce_alone<reduce_tiny>(where, r);
  if (bytes <= reduce_small::at_most_bytes) return reduce_alone<reduce_small>(where, r);
  if constexpr (accumulates<Map, Acc, In> || (sizeof(Acc) > 16)) {
    return reduce_spread<reduce_heavy>(where, r);
  } else {
    if (bytes <= reduce_middle::at_most_bytes) return reduce_spread<reduce_middle>(where, r);
    return reduce_spread<reduce_large>(where, r);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
