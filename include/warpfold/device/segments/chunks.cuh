// Chunks of segments in the canonical order (canonical.cuh): which segment a chunk belongs to, and
// the launch that reduces chunks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/canonical/tree.cuh"
#include "warpfold/device/detail/tile_status.cuh"
#include "warpfold/device/segments/merged.cuh"
#include "warpfold/tuning/canonical.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Problem>
struct chunk_problem : Problem {
  tile_status values;    // of chunks
  tile_status segments;  // of several chunks, by where they begin
  unsigned bits;         // a chunk has 2^bits values
  unsigned share;        // chunks a block

  __device__ __forceinline__ std::size_t offset(std::size_t i) const {
    return this->source.offset(i);
  }
  /// The value at place i of the range, mapped.
  __device__ __forceinline__ typename Problem::acc_type value(std::size_t i) const {
    return this->mapped(this->in[i], this->in + i);
  }
  __device__ __forceinline__ std::size_t first_chunk(std::size_t segment) const {
    return segment + (offset(segment) >> bits);
  }
  __device__ __forceinline__ std::size_t slot(std::size_t begin) const {
    return 2 * (begin >> bits);
  }
};

/// A segment's values, none if its offsets are wrong.
struct segment_range {
  std::size_t begin, end;
  bool is_right;

  template <class Problem>
  __device__ __forceinline__ segment_range(const Problem& p, std::size_t segment)
      : begin(p.offset(segment)), end(p.offset(segment + 1)), is_right(begin <= end && end <= p.n) {
    if (!is_right) begin = end = 0;
  }
  [[nodiscard]] __device__ __forceinline__ std::size_t chunks(unsigned bits) const {
    return begin == end ? 0 : ((end - begin - 1) >> bits) + 1;
  }
};

/// The tree of values load(0) … load(n - 1), by one warp, in lane 0. At most 2^Bits values.
template <unsigned Bits, class Acc, class Op, class Load>
__device__ __forceinline__ Acc reduce_in_warp(unsigned n, const Acc& any, const rounded_op<Op>& op,
                                              Load load) {
  constexpr unsigned rows = sizeof(Acc) <= 8 ? 8 : 1, row_bits = sizeof(Acc) <= 8 ? 3 : 0;
  constexpr unsigned step = rows * warp_size;
  const unsigned lane = threadIdx.x % warp_size;
  node_counter<Bits - 5 - row_bits, Acc> nodes;
#pragma unroll 1
  for (unsigned first = 0; first < n; first += step) {
    const unsigned there = n - first < step ? n - first : step;
    Acc value[rows];
#pragma unroll
    for (unsigned k = 0; k < rows; ++k) {
      const unsigned at = k * warp_size + lane;
      value[k] = any;
      if (at < there) value[k] = load(first + at);
    }
    nodes.add(
        there == step ? join_rows<true>(value, there, op) : join_rows<false>(value, there, op), op);
  }
  return nodes.root(op);
}

struct chunk_storage {
  static constexpr unsigned warps = tuning::canonical_chunk_threads / warp_size;
  std::size_t segments[2];  // of the first chunk of the block, and of the last
  unsigned short long_chunks[warps][warp_size];
  unsigned count[warps];
};

/// The segment in [low, high) that contains a chunk: the last one with a first chunk that is not
/// larger.
template <class Problem>
__device__ __forceinline__ std::size_t segment_of_chunk(const Problem& p, std::size_t chunk,
                                                        std::size_t low, std::size_t high) {
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (p.first_chunk(middle) <= chunk ? low : high) = middle;
  }
  return low;
}

/// The same, by a warp: 32 probes at a time.
template <class Problem>
__device__ __forceinline__ std::size_t segment_in_warp(const Problem& p, std::size_t chunk,
                                                       std::size_t low, std::size_t high) {
  const unsigned lane = threadIdx.x % warp_size;
  while (high - low > 1) {
    const std::size_t step = (high - low + warp_size - 1) / warp_size;
    const std::size_t probe = low + (lane + 1) * step;
    const bool before = probe < high && p.first_chunk(probe) <= chunk;
    const auto count = static_cast<unsigned>(__popc(__ballot_sync(all_lanes, before)));
    low += count * step;
    if (low + step < high) high = low + step;
  }
  return low;
}

/// A chunk, and the segment that it belongs to.
struct segment_chunk {
  std::size_t segment, number, begin, chunks;
  std::size_t place;  // of the first value, in the range
  unsigned length;
  bool exists;

  /// Searches the block's segments. Each segment has at least one chunk number, so chunk c belongs
  /// to segment low + (c - first) or an earlier one. It is earlier by at most `boundaries`, the
  /// multiples of the chunk size between the first and the last offset.
  template <class Problem>
  __device__ __forceinline__ segment_chunk(const Problem& p, const std::size_t (&segments)[2],
                                           std::size_t chunk) {
    const std::size_t low = segments[0], last = segments[1] < low ? low : segments[1];
    const std::size_t first = p.first_chunk(low);
    const std::size_t boundaries = p.first_chunk(last) - first - (last - low);
    const std::size_t guess = chunk < first ? low : low + (chunk - first);
    const std::size_t high = guess < last ? guess : last;
    segment =
        segment_of_chunk(p, chunk, high - low < boundaries ? low : high - boundaries, high + 1);
    const segment_range range(p, segment);
    number = chunk - p.first_chunk(segment);
    chunks = range.chunks(p.bits);
    exists = range.is_right && (number < chunks || (number == 0 && chunks == 0));
    begin = range.begin + (number << p.bits);
    place = begin + p.source.shift(segment);
    const std::size_t rest = range.end - begin;
    length = !exists ? 0 : (rest >> p.bits) != 0 ? 1U << p.bits : static_cast<unsigned>(rest);
  }
};

/// Stores or publishes a chunk's value. One thread calls.
template <class Problem, class Acc, class Op>
__device__ __forceinline__ void store_chunk(const Problem& p, const segment_chunk& of,
                                            const Acc& value, std::uint32_t epoch, const Op& op) {
  using out_type = std::remove_reference_t<decltype(*p.out)>;
  if (of.chunks <= 1) {
    p.out[of.segment] = static_cast<out_type>(of.length == 0 ? p.init : op(p.init, value));
    return;
  }
  const std::size_t begin = of.begin - (of.number << p.bits);
  p.values.publish(p.slot(begin) + of.number, value, epoch);
  if (of.number == 0) p.segments.publish(begin >> p.bits, std::uint64_t{of.segment}, epoch);
}

/// Chunks of up to 8 values, a lane each.
template <class Problem, class Op>
__device__ __forceinline__ typename Problem::acc_type reduce_in_lane(const Problem& p,
                                                                     const segment_chunk& of,
                                                                     const Op& op) {
  typename Problem::acc_type value[8];
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) {
    value[k] = p.init;
    if (k < of.length) value[k] = p.value(of.place + k);
  }
  join_neighbours(value, of.length, op);
  return value[0];
}

/// The warp reduces the chunks of the lanes in `lanes`, up to 32 values each, four chunks at a
/// time. Each of these lanes receives its chunk's value.
template <class Problem, class Op>
__device__ __forceinline__ typename Problem::acc_type reduce_in_turn(const Problem& p,
                                                                     const segment_chunk& of,
                                                                     unsigned lanes, const Op& op) {
  constexpr unsigned at_once = 4;
  using Acc = typename Problem::acc_type;
  const unsigned lane = threadIdx.x % warp_size;
  Acc mine = p.init;
#pragma unroll 1
  while (lanes != 0) {
    Acc value[at_once];
    unsigned owner[at_once], length[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      owner[k] = lanes == 0 ? warp_size : static_cast<unsigned>(__ffs(static_cast<int>(lanes))) - 1;
      lanes &= lanes - 1;
      const std::size_t place = shuffle(of.place, owner[k] % warp_size);
      length[k] = shuffle(of.length, owner[k] % warp_size);
      value[k] = p.init;
      if (owner[k] < warp_size && lane < length[k]) value[k] = p.value(place + lane);
    }
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const Acc all = shuffle(join_lanes(value[k], length[k], op), 0);
      if (lane == owner[k]) mine = all;
    }
  }
  return mine;
}

/// Each thread some.
template <class Problem>
__device__ __forceinline__ void count_wrong_offsets(const Problem& p, std::size_t segments) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < segments;
       i += step) {
    if (segment_range(p, i).is_right) continue;
    atomicAdd(reinterpret_cast<unsigned long long*>(p.refused), 1ULL);
  }
}

template <class Problem>
__global__ void __launch_bounds__(tuning::canonical_chunk_threads)
    segment_chunks_kernel(chunk_problem<Problem> p) {
  using Acc = typename Problem::acc_type;
  auto& shared = shared_storage<chunk_storage>();
  wait_for_primary();
  trigger_dependents();
  const rounded_op<decltype(Problem::op)> op{p.op};
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const std::size_t segments = p.source.size();
  const std::size_t first = std::size_t{blockIdx.x} * p.share;
  if (p.refused != nullptr) count_wrong_offsets(p, segments);
  if (segments == 0 || first >= segments + (p.n >> p.bits)) return;
  const std::uint32_t epoch = p.values.header == nullptr ? 0 : p.values.next_epoch();
  if (warp < 2) {
    const std::size_t found =
        segment_in_warp(p, first + (warp == 0 ? 0 : p.share - 1), 0, segments);
    if (lane == 0) shared.segments[warp] = found;
  }
  __syncthreads();
  const std::size_t at = first + threadIdx.x;
  segment_chunk mine(p, shared.segments, at);
  if (threadIdx.x >= p.share) mine.exists = false, mine.length = 0;
  const unsigned length = mine.length;
  const unsigned some = __ballot_sync(all_lanes, length > 8 && length <= warp_size);
  const unsigned many = __ballot_sync(all_lanes, length > warp_size);
  Acc value = p.init;
  if (some != 0) value = reduce_in_turn(p, mine, some, op);
  if (length <= 8) value = reduce_in_lane(p, mine, op);
  if (mine.exists && length <= warp_size) store_chunk(p, mine, value, epoch, op);
  if (length > warp_size) {
    shared.long_chunks[warp][__popc(many & ((1U << lane) - 1))] =
        static_cast<unsigned short>(threadIdx.x);
  }
  if (lane == 0) shared.count[warp] = static_cast<unsigned>(__popc(many));
  __syncthreads();
  // The warps take the long ones in turn.
  unsigned turn = 0;
#pragma unroll 1
  for (unsigned w = 0; w < chunk_storage::warps; ++w) {
#pragma unroll 1
    for (unsigned k = 0; k < shared.count[w]; ++k) {
      if (turn++ % chunk_storage::warps != warp) continue;
      const segment_chunk it(p, shared.segments, first + shared.long_chunks[w][k]);
      value = reduce_in_warp<tuning::canonical_most_chunk_bits>(
          it.length, p.init, op, [&](unsigned i) -> Acc { return p.value(it.place + i); });
      if (lane == 0) store_chunk(p, it, value, epoch, op);
    }
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
