// One reduction, as the kernels take it: its values cut for loads of 16 bytes, and its map.
//
//   values    | prologue | vectors of 16 bytes                                  | epilogue |
//             0          prologue                                  epilogue_begin          n
//   vectors              | tile of block 0 | 1 | 2 | 0 | 1 | 2 | share 0 | 1 | 2 |
//                        0                             strided_end               vectors
//
// A tile is what a block has in flight: threads * loads vectors. Blocks stride over the whole tiles
// together, so that they read neighbouring memory at any time; the vectors that are left are shared
// out, `per_block` each. Prologue and epilogue are single values, which the threads of all blocks
// share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/detail/vectors.cuh"
#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A reduction of n values. `map` turns an input value into an accumulated one.
template <class In, class Acc, class Op, class Map>
struct reduction {
  const In* in;
  std::size_t n;
  Acc* out;
  Acc init;
  Op op;
  Map map;
  std::size_t prologue = 0, epilogue_begin = 0;  // values
  std::size_t vectors = 0, strided_end = 0, per_block = 0;

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

  [[nodiscard]] __device__ __forceinline__ const vector_type<In>* vector_data() const {
    return reinterpret_cast<const vector_type<In>*>(in + prologue);
  }
  /// The first value of a vector.
  [[nodiscard]] __device__ __forceinline__ std::size_t index_of(std::size_t vector) const {
    return prologue + vector * items_per_vector<In>;
  }
};

/// Which of the blocks that share a reduction this one is.
struct grid_rank {
  unsigned index, count;
};

/// A map may accumulate the values itself, those of several vectors at a time, in the order in
/// which a thread meets them: value[l][k] stands at `index` + l * `step` + k. All lanes of a warp
/// meet several vectors together.
template <class Map, class Acc, class In>
concept accumulates = requires(const Map& map, Acc& sum, const In (&value)[1][1], std::size_t index,
                               std::size_t step) { map.accumulate(sum, value, index, step); };

/// Such a map may ask for a value to begin with: the thread's first, or any where it has no vector.
template <class Map, class Acc, class In>
concept begins = requires(const Map& map, Acc& sum, const In& value, std::size_t index) {
  map.begin(sum, value, index);
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

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
