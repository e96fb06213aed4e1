// Shared by all rungs of the select ladder: the description of a selection, the predicate, and what
// a thread holds of a tile.
#pragma once

#include "ladder/counting_operator.cuh"
#include "ladder/launching.cuh"
#include "warpfold/block/scan.cuh"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::ladder::select_ladder {
inline namespace WARPFOLD_MACHINE {

/// How many values are kept.
using kept_count = unsigned long long;

template <class T>
struct pass {
  const T* in;
  T* out;
  kept_count* kept;
  std::size_t n;
  ladder::shape shape;
  void* scratch;
  stream_type stream;
};

/// Keeps what is not 0.
template <class Rung>
struct counting_keep {
  template <class T>
  __device__ __forceinline__ bool operator()(T value) const {
    count_op_call();
    return value != T{0};
  }
};

/// Neighbours: 16 bytes a thread.
template <class T>
struct thread_values {
  static constexpr unsigned items = 16 / sizeof(T);
  T value[items];
  unsigned kept;  // a bit for each

  template <class Keep>
  __device__ __forceinline__ void load(const T* in, std::size_t n, Keep keep, std::size_t tile) {
    const std::size_t first = (tile * blockDim.x + threadIdx.x) * items;
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      if (first + k < n) value[k] = in[first + k];
    }
    test(n, keep, first);
  }
  template <class Keep>
  __device__ __forceinline__ void test(std::size_t n, Keep keep, std::size_t first) {
    kept = 0;
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      if (first + k < n && keep(value[k])) kept |= 1U << k;
    }
  }
  [[nodiscard]] __device__ __forceinline__ unsigned count() const {
    return static_cast<unsigned>(__popc(static_cast<int>(kept)));
  }
  /// Stores what is kept from `out` on.
  __device__ __forceinline__ void store(T* out) const {
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      if ((kept >> k & 1) != 0) *out++ = value[k];
    }
  }
};

/// A rung whose blocks take tiles of 16 bytes a thread, and that keeps the order.
struct by_tiles {
  static unsigned grid(const shape& s) {
    return tiles_of(s.n, std::size_t{s.block} * (16 / s.value_bytes));
  }
};

/// A rung without an order: its threads draw tickets.
struct by_tickets : without_scratch {
  static constexpr bool any_order = true;

  static unsigned grid(const shape& s) { return tiles_of(s.n, s.block); }
  static double work(const shape& s) { return static_cast<double>(s.n); }
};

template <class Keep>
__global__ void clear_ticket_kernel(kept_count* kept, Keep) {
  *kept = 0;
}

/// Launches `kernel` behind one that zeroes the ticket. Returns the number of launches.
template <class T, class Keep>
unsigned draw_tickets(const pass<T>& p,
                      void (*kernel)(const T*, T*, kept_count*, std::size_t, Keep)) {
  launch({.grid = 1, .block = 1, .stream = p.stream}, clear_ticket_kernel<Keep>, p.kept, Keep{});
  launch({.grid = by_tickets::grid(p.shape), .block = p.shape.block, .stream = p.stream}, kernel,
         p.in, p.out, p.kept, p.n, Keep{});
  return 2;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::select_ladder
