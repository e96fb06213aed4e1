// Shared by all rungs of the histogram ladder: the description of a histogram, the values of a
// block, the counters' additions.
#pragma once

#include "ladder/counting_operator.cuh"
#include "ladder/launching.cuh"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::ladder::histogram_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T>
struct pass {
  const T* in;
  unsigned* counts;
  std::size_t n;
  ladder::shape shape;
  stream_type stream;
};

/// Of a value that is in no bin.
inline constexpr unsigned no_bin = ~0U;

/// Bin k holds the values that are k.
template <class T>
__device__ __forceinline__ unsigned bin_of(T value, unsigned bins) {
  return static_cast<std::make_unsigned_t<T>>(value) < bins ? static_cast<unsigned>(value) : no_bin;
}

/// The addition of a rung to its counters.
template <class Rung>
struct counting_add {
  __device__ __forceinline__ void operator()(unsigned& counter, unsigned x) const {
    count_op_call();
    counter += x;
  }
  __device__ __forceinline__ void atomic(unsigned* counter, unsigned x) const {
    count_op_call();
    atomicAdd(counter, x);
  }
};

/// Calls `f` with the bin of each value that this thread takes; all threads of a block call it
/// equally often, with `no_bin` where there is no value.
template <class T, class F>
__device__ __forceinline__ void for_each_bin(const T* in, std::size_t n, unsigned bins, F f) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t first = std::size_t{blockIdx.x} * blockDim.x; first < n; first += step) {
    const std::size_t i = first + threadIdx.x;
    f(i < n ? bin_of(in[i], bins) : no_bin);
  }
}

/// Zeroes counters in shared memory.
__device__ __forceinline__ void clear(unsigned* counters, unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) counters[i] = 0;
  __syncthreads();
}

template <class Add>
__global__ void clear_counts_kernel(unsigned* counts, unsigned bins, Add) {
  const unsigned bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin < bins) counts[bin] = 0;
}

/// Launches `kernel` behind one that zeroes the result. Returns the number of launches.
template <class T, class Add>
unsigned count(const pass<T>& p, unsigned grid, std::size_t shared_bytes,
               void (*kernel)(const T*, unsigned*, std::size_t, unsigned, Add)) {
  const unsigned bins = p.shape.bins;
  launch({.grid = tiles_of(bins, p.shape.block), .block = p.shape.block, .stream = p.stream},
         clear_counts_kernel<Add>, p.counts, bins, Add{});
  launch({.grid = grid, .block = p.shape.block, .shared_bytes = shared_bytes, .stream = p.stream},
         kernel, p.in, p.counts, p.n, bins, Add{});
  return 2;
}

/// What every block may have of shared memory, on a device of any capability from 7.5 on.
inline constexpr std::size_t shared_words = 16384;

/// A rung whose blocks stay, each with counters of its own in shared memory, which it adds to the
/// result in the end.
struct in_shared_memory : without_scratch {
  static constexpr ladder::work_formula textbook = work_formulas::additions;
  static constexpr unsigned values_per_thread = 16;

  static unsigned grid(const shape& s) {
    return std::min(resident_blocks(s), tiles_of(s.n, std::size_t{values_per_thread} * s.block));
  }
  /// Values of each thread, at most.
  static double rounds(const shape& s) {
    return static_cast<double>(ceil_div(s.n, std::size_t{grid(s)} * s.block));
  }
  /// Additions: one a value, and one a bin and block.
  static double additions(const shape& s) {
    return static_cast<double>(s.n) + static_cast<double>(grid(s)) * s.bins;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::histogram_ladder
