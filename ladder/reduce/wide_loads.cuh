// How rungs 18–21 read: 16 bytes a load, four loads in flight a thread, any start address.
// Reads n values once. No barrier, no shared memory. The operator must be commutative.
#pragma once

#include <cstdint>

#include "ladder/reduce/launching.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

inline constexpr unsigned loads_in_flight = 4;

/// Values that a block of this size takes in one iteration.
template <class T>
constexpr unsigned wide_tile(unsigned block) {
  return block * loads_in_flight * static_cast<unsigned>(sizeof(uint4) / sizeof(T));
}

/// Applies the operator to `value` and the 16 bytes of `word`, as values of T.
template <class T, class Op>
__device__ __forceinline__ T reduce_vector(T value, const uint4& word, Op op) {
  constexpr unsigned count = sizeof(uint4) / sizeof(T);
  T items[count];
  memcpy(items, static_cast<const void*>(&word), sizeof word);
#pragma unroll
  for (unsigned k = 0; k < count; ++k) value = op(value, items[k]);
  return value;
}

/// Reduces the values of in[0, n) that this thread takes. The first block takes the prologue
/// (values before the first 16-byte boundary) and the epilogue (those after the last) one by one.
template <class T, class Op>
__device__ __forceinline__ T reduce_grid_stride(const T* in, std::size_t n, Op op) {
  constexpr unsigned per_word = sizeof(uint4) / sizeof(T);
  T value = Op::template identity<T>();
  const std::size_t skipped = (16 - reinterpret_cast<std::uintptr_t>(in) % 16) % 16 / sizeof(T);
  const std::size_t prologue = skipped < n ? skipped : n;
  const std::size_t words = (n - prologue) / per_word;
  const auto* const wide = reinterpret_cast<const uint4*>(in + prologue);
  const std::size_t epilogue = prologue + words * per_word;
  if (blockIdx.x == 0) {
    if (threadIdx.x < prologue) value = op(value, in[threadIdx.x]);
    if (threadIdx.x < n - epilogue) value = op(value, in[epilogue + threadIdx.x]);
  }
  const std::size_t tile = std::size_t{blockDim.x} * loads_in_flight;
  for (std::size_t base = blockIdx.x * tile; base < words; base += gridDim.x * tile) {
    const std::size_t i = base + threadIdx.x;
    if (base + tile <= words) {
      uint4 word[loads_in_flight];
#pragma unroll
      for (unsigned k = 0; k < loads_in_flight; ++k) {
        word[k] = load_once(wide + i + static_cast<std::size_t>(k * blockDim.x));
      }
#pragma unroll
      for (const uint4& w : word) value = reduce_vector(value, w, op);
    } else {
      for (std::size_t j = i; j < words; j += blockDim.x) {
        value = reduce_vector(value, load_once(wide + j), op);
      }
    }
  }
  return value;
}

/// The grid for kernels that read through reduce_grid_stride.
struct wide_grid {
  static unsigned grid(const shape& s) {
    const std::size_t tile = std::size_t{s.block} * loads_in_flight * 16 / s.value_bytes;
    return std::min(resident_blocks(s), tiles_of(s.n, tile));
  }
  static std::size_t partials(const shape& s) { return grid(s); }
  static std::size_t scratch_bytes(const shape&) { return 0; }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
