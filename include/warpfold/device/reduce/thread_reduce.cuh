// What one thread reduces of a reduction, in any order: vectors of 16 bytes, several in flight.
// Reads each value once; no barrier. The operator must be associative and commutative.
//
// PERF NOTES. Memory answers after about 600 cycles, so a thread keeps `Loads` vectors in flight
// all along its strided tiles:
//
//   load tile 0                        reduce vector k of tile i, and
//   for each tile: ------------------> load vector k of tile i + 1 into its registers
//   reduce the last tile
//
// The load is issued before the vector is reduced. A map that accumulates takes long over a tile:
// it gets two buffers, and the whole next tile is on its way while it works.
#pragma once

#include <cstddef>
#include <cstring>

#include "warpfold/device/reduce/problem.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Reduces the values of one vector into `sum`, neighbours first.
template <class In, class Load, class Acc, class Op, class Map = convert<Acc>>
__device__ __forceinline__ void thread_reduce_vector(Acc& sum, const Load& vector, Op op,
                                                     Map map = {}) {
  constexpr unsigned count = sizeof(Load) / sizeof(In);
  In value[count];
  memcpy(static_cast<void*>(value), static_cast<const void*>(&vector), sizeof value);
  Acc partial[count];
#pragma unroll
  for (unsigned k = 0; k < count; ++k) partial[k] = map(value[k]);
#pragma unroll
  for (unsigned width = 1; width < count; width *= 2) {
#pragma unroll
    for (unsigned k = 0; k + width < count; k += 2 * width) {
      partial[k] = op(partial[k], partial[k + width]);
    }
  }
  sum = op(sum, partial[0]);
}

/// The same for several vectors, the first one at `at` and each blockDim.x after the one before.
template <unsigned Loads, class In, class Acc, class Op, class Map>
__device__ __forceinline__ void thread_reduce_vectors(Acc& sum,
                                                      const vector_type<In> (&vector)[Loads],
                                                      std::size_t at,
                                                      const reduction<In, Acc, Op, Map>& r) {
  if constexpr (accumulates<Map, Acc, In>) {
    constexpr unsigned per_vector = items_per_vector<In>;
    constexpr unsigned most = 32 / per_vector;  // in registers, one each where they are narrow
    constexpr unsigned at_once = Loads < most ? Loads : most;
    static_assert(Loads % at_once == 0);
    const std::size_t index = r.index_of(at), step = blockDim.x;
#pragma unroll
    for (unsigned k = 0; k < Loads; k += at_once) {
      In value[at_once][per_vector];
      memcpy(static_cast<void*>(value), static_cast<const void*>(vector + k), sizeof value);
      r.map.accumulate(sum, value, index + k * step * per_vector, step * per_vector);
    }
  } else {
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) thread_reduce_vector<In>(sum, vector[k], r.op, r.map);
  }
}

/// One vector, at `at`.
template <class In, class Acc, class Op, class Map>
__device__ __forceinline__ void thread_reduce_one(Acc& sum, const vector_type<In>& vector,
                                                  std::size_t at,
                                                  const reduction<In, Acc, Op, Map>& r) {
  const vector_type<In> one[1] = {vector};
  thread_reduce_vectors(sum, one, at, r);
}

/// The prologue and the epilogue.
template <class In, class Acc, class Op, class Map>
__device__ __forceinline__ void thread_reduce_edges(Acc& sum, const reduction<In, Acc, Op, Map>& r,
                                                    grid_rank block) {
  const std::size_t single = r.prologue + (r.n - r.epilogue_begin);
  for (std::size_t i = std::size_t{block.index} * blockDim.x + threadIdx.x; i < single;
       i += std::size_t{block.count} * blockDim.x) {
    const std::size_t index = i < r.prologue ? i : r.epilogue_begin + (i - r.prologue);
    if constexpr (accumulates<Map, Acc, In>) {
      const In value[1][1] = {{r.in[index]}};
      r.map.accumulate(sum, value, index, 1);
    } else {
      sum = r.op(sum, r.map(r.in[index]));
    }
  }
}

/// Where one tile a block is enough: so little code that a short reduction does not wait for it.
template <unsigned Loads, class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc thread_reduce_one_tile(const reduction<In, Acc, Op, Map>& r,
                                                      grid_rank block) {
  const auto* const vectors = r.vector_data();
  const auto count = static_cast<unsigned>(r.vectors);
  const auto at = [=](unsigned k) {
    return (k * block.count + block.index) * blockDim.x + threadIdx.x;
  };
  vector_type<In> tile[Loads];
#pragma unroll
  for (unsigned k = 0; k < Loads; ++k) {
    if (at(k) < count) tile[k] = vectors[at(k)];
  }
  Acc sum = r.op.template identity<Acc>();
  thread_reduce_edges(sum, r, block);
#pragma unroll
  for (unsigned k = 0; k < Loads; ++k) {
    if (at(k) < count) thread_reduce_vector<In>(sum, tile[k], r.op, r.map);
  }
  return sum;
}

/// Starts to load the thread's vectors of a tile, the first one at `at`.
template <unsigned Loads, class Vector>
__device__ __forceinline__ void load_vectors(Vector (&tile)[Loads], const Vector* vectors,
                                             std::size_t at) {
#pragma unroll
  for (unsigned k = 0; k < Loads; ++k) tile[k] = vectors[at + k * blockDim.x];
}

/// The strided tiles from the one in `tile` on: each vector's successor is loaded before the vector
/// is reduced.
template <unsigned Loads, class In, class Acc, class Op, class Map>
__device__ __forceinline__ void thread_reduce_strided(Acc& sum, vector_type<In> (&tile)[Loads],
                                                      std::size_t at, std::size_t stride,
                                                      const vector_type<In>* vectors,
                                                      const reduction<In, Acc, Op, Map>& r) {
  for (; at + stride < r.strided_end; at += stride) {
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) {
      const vector_type<In> next = vectors[at + stride + k * blockDim.x];
      thread_reduce_one(sum, tile[k], at + k * blockDim.x, r);
      tile[k] = next;
    }
  }
  thread_reduce_vectors(sum, tile, at, r);
}

/// The same for a map that accumulates: the whole next tile is loaded before a tile is reduced. The
/// buffers change names, not contents: a copy would wait for all the loads.
template <unsigned Loads, class In, class Acc, class Op, class Map>
  requires accumulates<Map, Acc, In>
__device__ __forceinline__ void thread_reduce_strided(Acc& sum, vector_type<In> (&tile)[Loads],
                                                      std::size_t at, std::size_t stride,
                                                      const vector_type<In>* vectors,
                                                      const reduction<In, Acc, Op, Map>& r) {
  const auto reduce_and_load = [&](const auto& now, auto& next) {  // true: there is a next one
    const bool has_next = at + stride < r.strided_end;
    if (has_next) load_vectors(next, vectors, at + stride);
    thread_reduce_vectors(sum, now, at, r);
    at += stride;
    return has_next;
  };
  vector_type<In> other[Loads];
  for (;;) {
    if (!reduce_and_load(tile, other)) break;
    if (!reduce_and_load(other, tile)) break;
  }
}

/// The block's share of the vectors behind the strided tiles, [begin, end).
template <unsigned Loads, class In, class Acc, class Op, class Map>
__device__ __forceinline__ void thread_reduce_share(Acc& sum, vector_type<In> (&tile)[Loads],
                                                    std::size_t begin, std::size_t end,
                                                    const vector_type<In>* vectors,
                                                    const reduction<In, Acc, Op, Map>& r) {
  for (std::size_t at = begin + threadIdx.x; at < end; at += blockDim.x * Loads) {
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) {
      if (at + k * blockDim.x < end) tile[k] = vectors[at + k * blockDim.x];
    }
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) {
      if (at + k * blockDim.x < end) thread_reduce_one(sum, tile[k], at + k * blockDim.x, r);
    }
  }
}

/// All of a thread's part: strided tiles, the block's share of the rest, and the edges.
template <unsigned Loads, class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc thread_reduce_tiles(const reduction<In, Acc, Op, Map>& r,
                                                   grid_rank block) {
  Acc sum = r.op.template identity<Acc>();
  const auto* const vectors = r.vector_data();
  const unsigned tile_vectors = blockDim.x * Loads;
  const std::size_t begin = r.strided_end + block.index * r.per_block;
  const std::size_t end = begin + r.per_block < r.vectors ? begin + r.per_block : r.vectors;
  const std::size_t first = std::size_t{block.index} * tile_vectors + threadIdx.x;
  const bool strides = r.strided_end > 0;
  vector_type<In> tile[Loads];
  if (strides) load_vectors(tile, vectors, first);
  if constexpr (begins<Map, Acc, In>) {
    if (r.n > 0) {
      const std::size_t index = r.index_of(strides ? first : begin + threadIdx.x);
      const std::size_t there = index < r.n ? index : r.n - 1;
      r.map.begin(sum, r.in[there], there);
    }
  }
  if (strides) {
    thread_reduce_strided(sum, tile, first, std::size_t{tile_vectors} * block.count, vectors, r);
  }
  thread_reduce_share(sum, tile, begin, end, vectors, r);
  thread_reduce_edges(sum, r, block);
  if constexpr (requires { r.map.finish(sum); }) r.map.finish(sum);
  return sum;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
