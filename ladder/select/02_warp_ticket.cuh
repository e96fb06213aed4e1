// A warp draws one ticket for all values that its lanes keep; lanes take places in their order.
//
//   lane      0 1 2 3 4 …
//   keeps       x   x x        a ticket of 3; rank 0 for lane 1, 1 for lane 3, 2 for lane 4
//
// Reads n values; an atomic addition in global memory a warp; no barrier. The order of the warps
// differs from run to run.
#pragma once

#include "ladder/select/launching.cuh"

namespace warpfold::ladder::select_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Keep>
__global__ void warp_ticket_kernel(const T* in, T* out, kept_count* kept, std::size_t n,
                                   Keep keep) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % warp_size;
  const T value = i < n ? in[i] : T{};
  const bool keeps = i < n && keep(value);
  const unsigned lanes = __ballot_sync(all_lanes, keeps);
  const auto count = [](unsigned set) {
    return static_cast<unsigned>(__popc(static_cast<int>(set)));
  };
  kept_count first = 0;
  if (lane == 0 && lanes != 0) first = atomicAdd(kept, kept_count{count(lanes)});
  first = __shfl_sync(all_lanes, first, 0);
  if (keeps) out[first + count(lanes & ((1U << lane) - 1))] = value;
}

struct warp_ticket : by_tickets {
  static constexpr description about{
      .number = 2,
      .name = "warp-ticket",
      .idea = "a warp draws one ticket for all values that its lanes keep",
      .improves = "the tickets: one a warp in place of one a kept value",
      .evidence = {{{figure::atomic_sectors, 0.02, 0.2}}},
      .also = "time; the order is lost",
      .source = "beyond the documents; Adinetz (2014), warp-aggregated atomics"};

  template <class T, class Keep>
  static unsigned run(const pass<T>& p, Keep) {
    return draw_tickets(p, warp_ticket_kernel<T, Keep>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::select_ladder
