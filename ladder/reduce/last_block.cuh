// The end of a one-launch reduction: every block leaves its partial and takes a ticket; the block
// with the last ticket reduces all partials and resets the ticket for the next launch.
// Reads and writes one value a block, one atomic a block; two barriers besides block_reduce's.
// All threads of every block must call. The operator must be commutative.
// The scratch memory must be zero before its first use and serve one launch at a time.
#pragma once

#include "ladder/reduce/launching.cuh"
#include "warpfold/block/reduce.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

/// Global scratch memory: the ticket, then the partials.
template <class T>
struct tickets {
  void* scratch;

  [[nodiscard]] __device__ unsigned* ticket() const { return static_cast<unsigned*>(scratch); }
  [[nodiscard]] __device__ T* partials() const {
    return reinterpret_cast<T*>(static_cast<char*>(scratch) + 16);
  }
};
constexpr std::size_t tickets_bytes(std::size_t partials, std::size_t value_bytes) {
  return 16 + partials * value_bytes;
}

/// `value` is the block's partial, valid in thread 0; `contributors` blocks call this.
template <class T, class Op, class FoldWarp>
__device__ __forceinline__ void reduce_in_last_block(T value, T* out, tickets<T> scratch,
                                                     unsigned rank, unsigned contributors, Op op,
                                                     FoldWarp reduce_warp) {
  auto& is_last = shared_storage<bool>();
  T* const partials = scratch.partials();
  if (threadIdx.x == 0) {
    partials[rank] = value;
    __threadfence();
    is_last = atomicAdd(scratch.ticket(), 1U) == contributors - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  value = Op::template identity<T>();
  for (unsigned i = threadIdx.x; i < contributors; i += blockDim.x) {
    value = op(value, static_cast<const volatile T*>(partials)[i]);
  }
  value = block_reduce(value, op, reduce_warp);
  if (threadIdx.x == 0) {
    *out = value;
    *scratch.ticket() = 0;
  }
}

/// One launch leaves one value.
template <class Grid>
struct one_launch : Grid {
  static std::size_t partials(const shape&) { return 1; }
  static std::size_t scratch_bytes(const shape& s) {
    return tickets_bytes(Grid::grid(s), s.value_bytes);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
