// Reductions of segments in the canonical order (docs/canonical.md): a segment is a tree of its
// own. It is cut into chunks of 2^k values, nodes of its tree:
//
//   values    a b c d e f g h i j k l m n …          chunks of 4
//   segments  |-- 0 --|1|------- 2 -------|
//   chunks    |  0  |1|2|  3  |  4  |  5  |
//
// Launch 1 reduces chunks: one thread or the warp a short chunk, a warp a long one. It stores the
// results of segments of one chunk. Launch 2 joins the chunks of each other segment: a warp, or a
// block from 4,096 chunks on.
// Chunk j of segment i has number i + offsets[i] / size + j: no count of earlier chunks is needed.
// In a segment of several chunks, chunk j's value is in slot 2 * (offsets[i] / size) + j. At most
// one segment longer than a chunk begins between two multiples of the size; launch 2 finds it
// there. Reads each value once; no block waits for another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/bounds.hpp"
#include "warpfold/device/canonical/tree.cuh"
#include "warpfold/device/detail/scratch.cuh"
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

  __device__ __forceinline__ std::size_t segment_count() const {
    const std::size_t offsets = this->count.load();
    return offsets == 0 ? 0 : offsets - 1;
  }
  __device__ __forceinline__ std::size_t offset(std::size_t i) const {
    return static_cast<std::size_t>(this->offsets[i]);
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
    if (k < of.length) value[k] = p.map(p.in[of.begin + k]);
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
      const std::size_t begin = shuffle(of.begin, owner[k] % warp_size);
      length[k] = shuffle(of.length, owner[k] % warp_size);
      value[k] = p.init;
      if (owner[k] < warp_size && lane < length[k]) value[k] = p.map(p.in[begin + lane]);
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
  const std::size_t segments = p.segment_count();
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
      const auto* const from = p.in + it.begin;
      value = reduce_in_warp<tuning::canonical_most_chunk_bits>(
          it.length, p.init, op, [&](unsigned i) -> Acc { return p.map(from[i]); });
      if (lane == 0) store_chunk(p, it, value, epoch, op);
    }
  }
}

template <class Acc>
struct long_segment_storage {
  static constexpr unsigned threads = tuning::canonical_chunk_threads;
  dynamic_id id;
  std::uint64_t segment[threads];
  bool is_giant[threads];
  Acc node[threads / warp_size];
};

/// Joins the chunks of segments that have several.
template <class Problem>
struct long_segments {
  using Acc = typename Problem::acc_type;
  static constexpr unsigned bits = tuning::canonical_most_chunk_bits;
  static constexpr unsigned warps = tuning::canonical_chunk_threads / warp_size;

  const chunk_problem<Problem>& p;
  long_segment_storage<Acc>& shared;
  rounded_op<decltype(Problem::op)> op;

  /// Joins the first 2^bits chunks, or all if there are fewer. One warp calls; valid in lane 0.
  __device__ __forceinline__ Acc join(std::size_t slot, std::size_t chunks) const {
    const unsigned n = (chunks >> bits) != 0 ? 1U << bits : static_cast<unsigned>(chunks);
    return reduce_in_warp<bits>(n, p.init, op,
                                [&](unsigned i) { return p.values.template load<Acc>(slot + i); });
  }
  __device__ __forceinline__ void store(std::uint64_t segment, const Acc& root) const {
    using out_type = std::remove_reference_t<decltype(*p.out)>;
    if (threadIdx.x % warp_size == 0) p.out[segment] = static_cast<out_type>(op(p.init, root));
  }
  __device__ __forceinline__ void join_in_warp(std::uint64_t segment) const {
    const segment_range range(p, segment);
    store(segment, join(p.slot(range.begin), range.chunks(p.bits)));
  }
  /// All threads of the block call.
  __device__ __forceinline__ void join_in_block(std::uint64_t segment) const {
    constexpr std::size_t of_warp = std::size_t{1} << bits, at_once = warps * of_warp;
    const segment_range range(p, segment);
    const std::size_t chunks = range.chunks(p.bits), slot = p.slot(range.begin);
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    node_counter<tuning::canonical_giant_bits, Acc> nodes;
    for (std::size_t first = 0; first < chunks; first += at_once) {
      const std::size_t mine = first + warp * of_warp;
      Acc node = p.init;
      if (mine < chunks) node = join(slot + mine, chunks - mine);
      if (lane == 0) shared.node[warp] = node;
      __syncthreads();
      const std::size_t there = (chunks - first - 1) / of_warp + 1;
      const unsigned count = there < warps ? static_cast<unsigned>(there) : warps;
      if (warp == 0) nodes.add(join_lanes(shared.node[lane % warps], count, op), op);
      __syncthreads();
    }
    if (warp == 0) store(segment, nodes.root(op));
  }
};

template <class Problem>
__global__ void __launch_bounds__(tuning::canonical_chunk_threads)
    long_segments_kernel(chunk_problem<Problem> p, tile_status state, std::size_t places) {
  using joiner = long_segments<Problem>;
  auto& shared = shared_storage<long_segment_storage<typename Problem::acc_type>>();
  wait_for_primary();
  trigger_dependents();
  if (threadIdx.x == 0) shared.id = state.acquire_id();
  __syncthreads();
  const dynamic_id id = shared.id;
  const joiner joins{p, shared, {p.op}};
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t first = std::size_t{blockIdx.x} * blockDim.x; first < places; first += step) {
    std::uint64_t segment = 0;
    const std::size_t place = first + threadIdx.x;
    const bool is_long =
        place < places &&
        tile_status::read(p.segments.template peek<std::uint64_t>(place), segment, id.epoch);
    const bool is_giant =
        is_long && (segment_range(p, segment).chunks(p.bits) >> joiner::bits) != 0;
    for (unsigned rest = __ballot_sync(all_lanes, is_long && !is_giant); rest != 0;
         rest &= rest - 1) {
      joins.join_in_warp(
          shuffle(segment, static_cast<unsigned>(__ffs(static_cast<int>(rest))) - 1));
    }
    shared.segment[threadIdx.x] = segment;
    shared.is_giant[threadIdx.x] = is_giant;
    if (__syncthreads_or(is_giant ? 1 : 0) == 0) continue;
#pragma unroll 1
    for (unsigned t = 0; t < blockDim.x; ++t) {
      if (shared.is_giant[t]) joins.join_in_block(shared.segment[t]);
    }
    __syncthreads();
  }
  state.leave(id.epoch, id.number == gridDim.x - 1);
}

/// Slots of chunks' values, of n values in chunks of 2^bits.
constexpr std::size_t chunk_slots(std::size_t n, unsigned bits) { return 2 * (n >> bits) + 2; }

/// Bytes for n values in segments that are accumulated as Acc.
template <class Acc>
constexpr std::size_t canonical_segment_bytes(std::size_t n, unsigned bits) {
  return tile_status::bytes<Acc>(chunk_slots(n, bits)) +
         tile_status::bytes<std::uint64_t>((n >> bits) + 1);
}

/// For calls that `suits_chunks` accepts, a chunk has at least 2^long_chunk_bits values on any
/// device.
inline constexpr unsigned long_chunk_bits = 10;

/// `given`: what the caller's memory must have at least.
template <class Problem>
status reduce_chunks(const work_place& where, const Problem& problem, const memory_size& given) {
  using Acc = typename Problem::acc_type;
  using words = status_words<Acc>;
  constexpr unsigned threads = tuning::canonical_chunk_threads;
  constexpr unsigned least = tuning::canonical_least_chunk_bits;
  const std::size_t n = problem.n;
  const std::size_t segments = problem.count.n == 0 ? 0 : problem.count.n - 1;
  if (problem.refused != nullptr) {
    const status s = zero_async(problem.refused, sizeof *problem.refused, where.stream);
    if (!s.ok()) return s;
  }
  if (segments == 0) return {};
  // Chunks are large, but most segments fit in one chunk, and all warps get chunks.
  const std::size_t multiprocessors = current_device().multiprocessors;
  unsigned bits = least;
  while (bits < tuning::canonical_most_chunk_bits && 2 * n / segments >> bits != 0 &&
         n >> (bits + 1) >= 32 * multiprocessors) {
    ++bits;
  }
  const bool several = n >> bits != 0;  // chunks of a segment
  const scratch memory(where, given, several ? canonical_segment_bytes<Acc>(n, bits) : 0);
  if (!memory.state().ok()) return memory.state();
  const tile_status all = several ? memory.status_words() : tile_status{};
  const std::size_t value_words = chunk_slots(n, bits) * words::units * words::per_unit;
  tile_status of_segments = all;
  if (several) of_segments.words += value_words;
  const std::size_t chunks = segments + (n >> bits);
  const auto share = static_cast<unsigned>(
      at_least<std::size_t>(at_most<std::size_t>(chunks / (4 * multiprocessors), threads), 8));
  const chunk_problem<Problem> p{problem, all, of_segments, bits, share};
  const status s = try_launch({.grid = static_cast<unsigned>((chunks - 1) / share + 1),
                               .block = threads,
                               .stream = where.stream,
                               .programmatic_launch = true},
                              segment_chunks_kernel<Problem>, p);
  if (!s.ok() || !several) return s;
  const std::size_t places = (n >> bits) + 1;
  return try_launch(
      {.grid = static_cast<unsigned>(at_most((places - 1) / threads + 1, 2 * multiprocessors)),
       .block = threads,
       .stream = where.stream,
       .programmatic_launch = true},
      long_segments_kernel<Problem>, p, all, places);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
