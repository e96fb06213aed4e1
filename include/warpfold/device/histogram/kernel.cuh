// Histograms in one read of the values.
//
//   clear    the block's counters
//   -- barrier --
//   count    each value, in wide loads (reduce/thread_reduce.cuh), to a counter of its bin
//   -- barrier --
//   merge    the block's counters are added to the result
//
// Reads each value once; an addition in shared memory a value, or one in global memory where the
// bins are too many. A kernel before this one clears the result while the blocks count. One block
// that has all values to itself stores its counts and needs no other kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/bounds.hpp"
#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/detail/value_count.cuh"
#include "warpfold/device/histogram/counters.cuh"
#include "warpfold/device/histogram/samples.cuh"
#include "warpfold/device/reduce/thread_reduce.cuh"
#include "warpfold/tuning/histogram.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// What a thread has added and not yet stored: values of one bin that came one after another.
template <class W>
struct bin_run {
  unsigned bin = no_bin;
  W weight{};
};
struct no_run {
  static constexpr bool commutative = true;
  template <class Run>
  __device__ static Run identity() {
    return {};
  }
};

/// A map that adds values to counters.
template <bool Runs, class Samples, class Weights, class Counters, class Count>
struct into_counters {
  using weight_type = typename Weights::type;
  using run = bin_run<weight_type>;
  Samples samples;
  Weights weights;
  Counters counters;
  Count* counts;

  template <class In, std::size_t Loads, std::size_t PerLoad>
  __device__ __forceinline__ void accumulate(run& held, const In (&value)[Loads][PerLoad],
                                             std::size_t index, std::size_t step) const {
    unsigned bin[Loads][PerLoad];
    weight_type weight[Loads][PerLoad];
    for_each_value(value, [&](const In& v, std::size_t l, std::size_t k) {
      const std::size_t i = index + l * step + k;
      bin[l][k] = samples(v, i);
      weight[l][k] = weights(i);
    });
#pragma unroll
    for (std::size_t l = 0; l < Loads; ++l) add(held, bin[l], weight[l]);
  }
  __device__ __forceinline__ void finish(run& held) const {
    if (Runs && held.bin != no_bin) counters.add(counts, held.bin, held.weight);
  }

 private:
  /// Neighbours: with `Runs`, those of one bin are held until another comes.
  template <std::size_t PerLoad>
  __device__ __forceinline__ void add(run& held, const unsigned (&bin)[PerLoad],
                                      const weight_type (&weight)[PerLoad]) const {
    if constexpr (Runs) {
      bool alike = true;
      weight_type all{};
#pragma unroll
      for (std::size_t k = 0; k < PerLoad; ++k) {
        alike = alike && bin[k] == bin[0];
        all += weight[k];
      }
      if (alike && bin[0] == held.bin) {
        held.weight += all;
        return;
      }
      if (alike) {
        finish(held);
        held = {bin[0], all};
        return;
      }
    }
#pragma unroll
    for (std::size_t k = 0; k < PerLoad; ++k) {
      if (bin[k] != no_bin) counters.add(counts, bin[k], weight[k]);
    }
  }
};

template <class Count>
__global__ void clear_counts_kernel(Count* counts, unsigned entries) {
  wait_for_primary();
  trigger_dependents();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < entries) counts[i] = 0;
}

/// Whether counters know how to add what a block has counted; others have a count for each entry.
template <class Map, class Count>
concept merges = requires(const Map& map, Count* counts) { map.counters.merge(counts); };

/// Blocks for n values: one at least, `most` of them at most.
template <class Shape, class In>
__host__ __device__ constexpr unsigned histogram_blocks(std::size_t n, unsigned most) {
  constexpr std::size_t tile = std::size_t{Shape::threads} * Shape::loads * items_per_vector<In>;
  const std::size_t tiles = (n + tile - 1) / tile;
  return tiles >= most ? most : tiles == 0 ? 1 : static_cast<unsigned>(tiles);
}

/// The blocks that are at work: all of them.
template <class Shape, class Values>
__device__ __forceinline__ all_blocks histogram_blocks_at_work(const Values&, host_size) {
  return {};
}
/// All of them where the number of values is what they are cut for, else as many as have a tile,
/// and the values are cut again.
template <class Shape, class In, class Run, class Op, class Map>
__device__ __forceinline__ unsigned histogram_blocks_at_work(reduction<In, Run, Op, Map>& values,
                                                             device_size size) {
  const std::size_t given = *size.at;
  if (given >= values.n) return gridDim.x;
  values.n = given;
  const unsigned blocks = histogram_blocks<Shape, In>(given, gridDim.x);
  values.partition_work(blocks, Shape::threads * Shape::loads);
  return blocks;
}

template <class Shape, class In, class Map, class Count, class Size>
__global__ void __launch_bounds__(Shape::threads,
                                  blocks_with_registers(Shape::threads,
                                                        Shape::blocks_per_multiprocessor))
    histogram_kernel(reduction<In, typename Map::run, no_run, Map> values, Count* counts,
                     Size size) {
  const auto& counters = values.map.counters;
  constexpr bool is_shared = decltype(values.map.counters)::is_shared;
  const bool alone = !merges<Map, Count> && gridDim.x == 1;
  if constexpr (is_shared) {
    unsigned* const words = dynamic_shared<unsigned>();
    for (std::size_t i = threadIdx.x; i < counters.words(); i += Shape::threads) words[i] = 0;
  }
  if (alone || !is_shared) wait_for_primary();
  const auto blocks = histogram_blocks_at_work<Shape>(values, size);
  if constexpr (std::is_same_v<Size, device_size>) {
    if (blockIdx.x >= blocks) return;
  }
  __syncthreads();
  thread_reduce_tiles<Shape::loads>(values, {blockIdx.x, blocks});
  trigger_dependents();
  if constexpr (is_shared) {
    __syncthreads();
    if (!alone) wait_for_primary();  // for the cleared result
    if constexpr (merges<Map, Count>) {
      counters.merge(counts);
    } else {
      for (unsigned i = threadIdx.x; i < counters.entries(); i += Shape::threads) {
        const auto count = counters.count_of(i);
        if (alone) {
          counts[i] = static_cast<Count>(count);
        } else if (count != 0) {
          add_to(counts + i, count);
        }
      }
    }
  }
}

template <class In, class Samples, class Weights, class Count>
struct histogram_problem {
  const In* values;
  std::size_t n;
  Samples samples;
  Weights weights;
  Count* counts;
  unsigned bins;
};

/// In so many blocks, with such counters.
template <class Shape, class Counters, class In, class Samples, class Weights, class Count,
          class Size = host_size>
status launch_histogram_as(stream_type stream,
                           const histogram_problem<In, Samples, Weights, Count>& p,
                           const Counters& counters, unsigned blocks, Size size = {}) {
  using map = into_counters<Shape::runs, Samples, Weights, Counters, Count>;
  if (!Counters::is_shared || blocks > 1 || merges<map, Count>) {
    constexpr unsigned threads = 256;
    const status cleared = try_launch({.grid = (counters.entries() + threads - 1) / threads,
                                       .block = threads,
                                       .stream = stream,
                                       .programmatic_launch = true},
                                      clear_counts_kernel<Count>, p.counts, counters.entries());
    if (!cleared.ok()) return cleared;
  }
  reduction<In, typename map::run, no_run, map> values{
      p.values, p.n, nullptr, {}, {}, {p.samples, p.weights, counters, p.counts}};
  values.partition_work(blocks, Shape::threads * Shape::loads);
  return try_launch({.grid = blocks,
                     .block = Shape::threads,
                     .shared_bytes = counters.words() * sizeof(unsigned),
                     .stream = stream,
                     .programmatic_launch = true},
                    histogram_kernel<Shape, In, map, Count, Size>, values, p.counts, size);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
