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
#include <type_traits>

#include "warpfold/bounds.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/segments/chunks.cuh"
#include "warpfold/tuning/canonical.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

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
  const std::size_t segments = problem.source.most();
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
