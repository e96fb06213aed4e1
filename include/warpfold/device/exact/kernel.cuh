// Exact sums in one launch. Threads add their values to bins of their own (exact/bins.hpp). A block
// adds its threads' bins as whole numbers and publishes its digits. The block that started last
// adds all blocks' digits and rounds. Only sums of whole numbers depend on an order that could
// vary, so the result is the same for every shape, grid and device. Reads n values once; two
// barriers a block and two for each `most_adds` values of a thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/bounds.hpp"
#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/detail/value_count.cuh"
#include "warpfold/device/reduce/thread_reduce.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/exact/accumulator.hpp"
#include "warpfold/exact/bins.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/tuning/exact.hpp"
#include "warpfold/warp/reduce.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A map that adds a thread's values to its bins; what is returned is their flags alone.
template <class Acc, unsigned Threads, class Map>
struct into_bins {
  using bins = exact_bins<Acc>;
  Map map;

  template <class In, std::size_t Loads, std::size_t Count>
  __device__ __forceinline__ void accumulate(typename bins::flags& flags,
                                             const In (&value)[Loads][Count], std::size_t,
                                             std::size_t) const {
    auto* const column = dynamic_shared<typename bins::word>() + threadIdx.x;
    for_each_value(value, [&](const In& v, std::size_t, std::size_t) {
      bins::template add<Threads>(flags, column, map(v));
    });
  }
};
struct no_flags {
  static constexpr bool commutative = true;
  template <class Rest>
  __device__ static Rest identity() {
    return {};
  }
};

/// Values, as terms in Acc: in `pieces` of the same size, but for the last.
template <class In, class Acc, class Map>
struct value_terms {
  using acc_type = Acc;
  using bins = exact_bins<Acc>;
  using state_type = exact_state<Acc>;
  using result_type = exact_accumulator<Acc>;

  const In* in;
  std::size_t n;
  Map map;

  template <class Shape>
  static constexpr unsigned values_per_tile = Shape::loads * items_per_vector<In>;

  template <class Shape>
  struct partition {
    using bins = value_terms::bins;
    static constexpr std::size_t values_per_tile = value_terms::values_per_tile<Shape>;
    using piece_reduction =
        reduction<In, typename bins::flags, no_flags, into_bins<Acc, Shape::threads, Map>>;
    piece_reduction each, last;
    std::size_t pieces, stride;

    template <class Blocks>
    __device__ typename bins::flags add(std::size_t piece, Blocks blocks) const {
      piece_reduction r = piece + 1 < pieces ? each : last;
      r.in += piece * stride;
      return thread_reduce_tiles<Shape::loads>(r, {blockIdx.x, blocks});
    }
    [[nodiscard]] __device__ bool empty() const { return last.n == 0; }
    [[nodiscard]] __device__ std::size_t size() const { return (pieces - 1) * stride + last.n; }
    /// To fewer values. By fewer blocks than there are only if each has one tile at most.
    __device__ void cut(std::size_t fewer, unsigned blocks) {
      pieces = fewer == 0 ? 1 : (fewer - 1) / stride + 1;
      last.n = fewer - (pieces - 1) * stride;
      last.partition_work(blocks, Shape::threads * Shape::loads);
    }
  };

  /// A thread adds `adds` values of a piece at most: one tile and two values more than its share
  /// where parts don't divide.
  template <class Shape>
  partition<Shape> partition_work(unsigned blocks, std::size_t adds) const {
    const std::size_t share = (adds - 2 * values_per_tile<Shape> - 4) / 16 * 16;
    const std::size_t stride = std::size_t{blocks} * Shape::threads * share;
    const std::size_t pieces = n == 0 ? 1 : (n - 1) / stride + 1;
    const auto piece_of = [&](std::size_t count) {
      typename partition<Shape>::piece_reduction r{in, count, nullptr, {}, {}, {map}};
      r.partition_work(blocks, Shape::threads * Shape::loads);
      return r;
    };
    return {piece_of(stride), piece_of(n - (pieces - 1) * stride), pieces, stride};
  }
};

/// Where a sum goes (either pointer may be null), what it starts from and what it is divided by.
template <class Terms>
struct exact_target {
  typename Terms::acc_type* out = nullptr;
  typename Terms::result_type* sum = nullptr;
  typename Terms::acc_type init{};
  bool has_init = false;
  std::uint64_t divisor = 1;
};

/// Digits that a block publishes; one more word holds the flags of the values it has seen.
template <class Bins>
inline constexpr unsigned published_digits = Bins::count / Bins::per_digit + 1;
template <class Bins>
inline constexpr unsigned published_words = published_digits<Bins> + 1;

template <class Bins>
struct exact_storage {
  std::int64_t low[Bins::count], high[Bins::count];
  std::int64_t total[published_words<Bins>];
  std::uint32_t seen;
  block_arrival arrival;
};

/// Adds all threads' bins to the block's and empties them.
template <unsigned Threads, class Bins>
__device__ void flush_bins(exact_storage<Bins>& shared) {
  using bins = Bins;
  auto* const words = dynamic_shared<typename bins::word>();
  const unsigned lane = threadIdx.x % warp_size;
  std::uint32_t seen = 0;
  __syncthreads();
  for (unsigned bin = threadIdx.x / warp_size; bin < bins::count; bin += Threads / warp_size) {
    digit_pair all{0, 0};
    for (unsigned t = lane; t < Threads; t += warp_size) {
      const auto word = words[bin * Threads + t];
      words[bin * Threads + t] = bins::empty;
      seen |= bins::seen_in(word);
      const digit_pair mine = bins::digits_of(word, bin);
      all.low += mine.low;
      all.high += mine.high;
    }
    all.low = warp_reduce(all.low, plus{});
    all.high = warp_reduce(all.high, plus{});
    if (lane == 0) {
      shared.low[bin] += all.low;
      shared.high[bin] += all.high;
    }
  }
  if (seen != 0) atomicOr(&shared.seen, seen);
  __syncthreads();
}

/// Digit `d` of the block's sum; what was seen, as the last of all.
template <class Bins>
__device__ std::int64_t published_word(const exact_storage<Bins>& shared, unsigned d) {
  using bins = Bins;
  if (d == published_digits<bins>) return shared.seen;
  std::int64_t digit = 0;
  for (unsigned k = 0; k < bins::per_digit; ++k) {
    const unsigned bin = d * bins::per_digit + k;
    if (bin < bins::count) digit += shared.low[bin];
    if (d > 0 && bin - bins::per_digit < bins::count) digit += shared.high[bin - bins::per_digit];
  }
  return digit;
}

/// All blocks' words, by digit, into shared.total.
template <unsigned Threads, class Bins, class Blocks>
__device__ void sum_published(exact_storage<Bins>& shared, const tile_status& tile_state,
                              std::uint32_t epoch, Blocks blocks) {
  using bins = Bins;
  constexpr unsigned words = published_words<bins>, at_once = 4;
  constexpr unsigned groups = Threads < words ? 1 : Threads / words;
  auto* const part = reinterpret_cast<std::int64_t*>(dynamic_shared<typename bins::word>());
  const auto join = [](unsigned d, std::int64_t a, std::int64_t b) {
    return d == published_digits<bins> ? a | b : a + b;
  };
  for (unsigned i = threadIdx.x; i < groups * words; i += Threads) {
    const unsigned d = i % words;
    std::int64_t sum = 0;
    for (unsigned first = i / words; first < blocks; first += groups * at_once) {
      std::int64_t word[at_once] = {};
      tile_state.wait_for(
          word, epoch, [=](unsigned k) { return (first + k * groups) * words + d; },
          [=](unsigned k) { return first + k * groups < blocks; });
      for (unsigned k = 0; k < at_once; ++k) sum = join(d, sum, word[k]);
    }
    part[i] = sum;
  }
  __syncthreads();
  for (unsigned d = threadIdx.x; d < words; d += Threads) {
    std::int64_t sum = 0;
    for (unsigned g = 0; g < groups; ++g) sum = join(d, sum, part[g * words + d]);
    shared.total[d] = sum;
  }
  __syncthreads();
}

/// The blocks that are at work: all of them.
template <class Shape, class Partition>
__device__ __forceinline__ all_blocks exact_blocks_at_work(const Partition&, host_size) {
  return {};
}
/// As many as the number of values needs, for which the terms are cut again.
template <class Shape, class Partition>
__device__ __forceinline__ unsigned exact_blocks_at_work(Partition& terms, device_size size) {
  wait_for_primary();
  std::size_t n = terms.size();
  size.load(n);
  const std::size_t tile = Shape::threads * Partition::values_per_tile;
  const std::size_t wanted = n == 0 ? 1 : (n - 1) / tile + 1;
  const unsigned blocks = wanted < gridDim.x ? static_cast<unsigned>(wanted) : gridDim.x;
  terms.cut(n, blocks);
  return blocks;
}

template <class Shape, class Terms, class Size>
__global__ void __launch_bounds__(Shape::threads,
                                  blocks_with_registers(Shape::threads,
                                                        Shape::blocks_per_multiprocessor))
    exact_kernel(typename Terms::template partition<Shape> terms, exact_target<Terms> target,
                 tile_status tile_state, Size size) {
  using bins = typename Terms::bins;
  constexpr unsigned threads = Shape::threads;
  auto& shared = shared_storage<exact_storage<bins>>();
  const auto blocks = exact_blocks_at_work<Shape>(terms, size);
  if constexpr (std::is_same_v<Size, device_size>) {
    if (blockIdx.x >= blocks) return;
  }
  const bool alone = blocks == 1;
  dynamic_id id{0, 0};
  auto* const column = dynamic_shared<typename bins::word>() + threadIdx.x;
  for (unsigned b = 0; b < bins::count; ++b) column[b * threads] = bins::empty;
  for (unsigned b = threadIdx.x; b < bins::count; b += threads) shared.low[b] = shared.high[b] = 0;
  if (threadIdx.x == 0) shared.seen = 0;
  wait_for_primary();
  trigger_dependents();
  if (!alone && threadIdx.x == 0) id = tile_state.acquire_id();  // comes in while the values do
  std::uint32_t seen = 0;
  for (std::size_t piece = 0; piece < terms.pieces; ++piece) {
    seen |= bins::seen_by(terms.add(piece, blocks));
    flush_bins<threads>(shared);
  }
  if (seen != 0) atomicOr(&shared.seen, seen);
  if (threadIdx.x == 0) shared.arrival = {id.epoch, id.number == blocks - 1};
  __syncthreads();
  const auto [epoch, is_last] = shared.arrival;
  for (unsigned d = threadIdx.x; d < published_words<bins>; d += threads) {
    const std::int64_t word = published_word(shared, d);
    if (alone) {
      shared.total[d] = word;
    } else {
      tile_state.publish(std::size_t{blockIdx.x} * published_words<bins> + d, word, epoch);
    }
  }
  if (alone) {
    __syncthreads();
  } else {
    if (!is_last) return;
    sum_published<threads>(shared, tile_state, epoch, blocks);
    tile_state.close(epoch, threads);
  }
  if (threadIdx.x == 0) {
    typename Terms::state_type state;
    for (unsigned d = 0; d < published_digits<bins>; ++d) state.sum.digit[d] = shared.total[d];
    state.sum.carry();
    state.seen = static_cast<std::uint32_t>(shared.total[published_digits<bins>]);
    if (!terms.empty()) state.seen |= term_flag::minus_zero;  // unless a number was seen, all were
    if (target.has_init) state.add(target.init);
    if (target.out != nullptr) {
      *target.out = state.template quotient<typename Terms::acc_type>(target.divisor);
    }
    if (target.sum != nullptr) *target.sum = typename Terms::result_type(state);
  }
}

/// Bytes of workspace, for so many blocks.
template <class Bins>
constexpr std::size_t exact_bytes(std::size_t blocks = tuning::exact_blocks) {
  return tile_status::bytes<std::int64_t>(blocks * published_words<Bins>);
}

/// Dynamic shared memory of a block.
template <class Shape, class Bins>
inline constexpr std::size_t bins_bytes =
    Bins::count * Shape::threads * sizeof(typename Bins::word);

template <class Shape, class Terms, class Size = host_size>
status launch_exact_as(const work_place& where, const Terms& terms,
                       const exact_target<Terms>& target, Size size = {}) {
  using bins = typename Terms::bins;
  constexpr unsigned threads = Shape::threads;
  constexpr std::size_t share = std::size_t{threads} * Terms::template values_per_tile<Shape>;
  const unsigned fit = current_device().multiprocessors * Shape::blocks_per_multiprocessor;
  const auto blocks = static_cast<unsigned>(at_least<std::size_t>(
      at_most<std::size_t>((terms.n + share - 1) / share, at_most(fit, tuning::exact_blocks)), 1));
  const std::size_t adds = at_most(Shape::most_adds, bins::most_adds);
  const scratch memory(
      where, {exact_bytes<bins>(), "the workspace is smaller than exact_workspace_bytes<T>()"},
      blocks == 1 ? 0 : exact_bytes<bins>(blocks));
  if (!memory.state().ok()) return memory.state();
  return try_launch({.grid = blocks,
                     .block = threads,
                     .shared_bytes = bins_bytes<Shape, bins>,
                     .stream = where.stream,
                     .programmatic_launch = true},
                    exact_kernel<Shape, Terms, Size>,
                    terms.template partition_work<Shape>(blocks, adds), target,
                    memory.status_words(), size);
}

/// By the first of the shapes of which a block of the device holds the bins.
template <class Shape, class... Others, class Terms, class Size = host_size>
status launch_first_exact(const work_place& where, const Terms& terms,
                          const exact_target<Terms>& target, Size size = {}) {
  using bins = typename Terms::bins;
  if constexpr (sizeof...(Others) > 0) {
    if (bins_bytes<Shape, bins> + sizeof(exact_storage<bins>) > current_device().shared_bytes) {
      return launch_first_exact<Others...>(where, terms, target, size);
    }
  }
  return launch_exact_as<Shape>(where, terms, target, size);
}

/// The sum of map(value), terms of type Acc.
template <class In, class Acc, class Map, class Size = host_size>
status launch_exact(const work_place& where, const value_terms<In, Acc, Map>& terms,
                    const exact_target<value_terms<In, Acc, Map>>& target, Size size = {}) {
  using small = tuning::exact_small<Acc>;
  using least = tuning::exact_least<exact_bins<Acc>::count>;
  if (terms.n * sizeof(In) <= small::at_most_bytes) {
    return launch_first_exact<small, least>(where, terms, target, size);
  }
  return launch_first_exact<tuning::exact_large<Acc>, small, least>(where, terms, target, size);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
