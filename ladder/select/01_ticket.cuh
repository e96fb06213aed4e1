// One thread a value; each that keeps its value draws a ticket, the value's place in the output.
// Reads n values; an atomic addition in global memory a kept value, all to one address; no barrier.
// Which thread draws first differs from run to run, and so does the order of the output.
#pragma once

#include "ladder/select/launching.cuh"

namespace warpfold::ladder::select_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Keep>
__global__ void ticket_kernel(const T* in, T* out, kept_count* kept, std::size_t n, Keep keep) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T value = in[i];
  if (keep(value)) out[atomicAdd(kept, kept_count{1})] = value;
}

struct ticket : by_tickets {
  static constexpr description about{
      .number = 1,
      .name = "ticket",
      .idea = "each thread that keeps its value draws a ticket: the place in the output",
      .improves = "the starting point: a thread for each value in place of a loop over all",
      .also = "atomic sectors: all tickets are of one address; the order is lost",
      .source = "beyond the documents; atomics came with compute capability 1.1 (2007)"};

  template <class T, class Keep>
  static unsigned run(const pass<T>& p, Keep) {
    return draw_tickets(p, ticket_kernel<T, Keep>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::select_ladder
