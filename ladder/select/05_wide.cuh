// The pass of rung 04 with one load of 16 bytes a thread, and with kept values that lie side by
// side in shared memory before they are stored: neighbours store neighbours. Reads n values once;
// four barriers a tile; 16 bytes of shared memory a thread, and 8 of global memory a tile. An input
// that does not begin at a multiple of 16 bytes is read value by value.
#pragma once

#include <cstring>

#include "ladder/select/04_look_back.cuh"

namespace warpfold::ladder::select_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T>
__device__ __forceinline__ bool load_wide(thread_values<T>& own, const T* in, std::size_t n,
                                          std::size_t first) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(in) % sizeof(uint4) == 0;
  if (!aligned || first + own.items > n) return false;
  const uint4 word = load_once(reinterpret_cast<const uint4*>(in + first));
  memcpy(own.value, static_cast<const void*>(&word), sizeof word);
  return true;
}

template <class T, class Keep>
__global__ void select_wide_kernel(const T* in, T* out, std::size_t n, kept_count* kept,
                                   tile_states states, Keep keep) {
  const unsigned tile = next_tile(states);
  thread_values<T> own;
  const std::size_t first = (std::size_t{tile} * blockDim.x + threadIdx.x) * own.items;
  if (load_wide(own, in, n, first)) {
    own.test(n, keep, first);
  } else {
    own.load(in, n, keep, tile);
  }
  const auto threads = block_scan(own.count(), plus{});
  T* const compact = dynamic_shared<T>();
  own.store(compact + threads.exclusive);
  T* const place = out + kept_before(states, tile, threads.total, kept);
  for (unsigned i = threadIdx.x; i < threads.total; i += blockDim.x) place[i] = compact[i];
}

struct wide : in_one_pass {
  static constexpr description about{
      .number = 5,
      .name = "wide",
      .idea = "a load of 16 bytes a thread; kept values lie side by side in shared memory first",
      .improves = "the loads, and the stores: neighbours store neighbours",
      .evidence = {{{figure::load_requests, 0.2, 0.6},
                    {figure::store_requests, 0.2, 0.9},
                    {figure::bytes_moved, 0.2, 0.6}}},
      .also = "time",
      .source = "beyond the documents; CUB's DeviceSelect"};

  template <class T, class Keep>
  static unsigned run(const pass<T>& p, Keep) {
    return run_kernel(p, std::size_t{16} * p.shape.block, select_wide_kernel<T, Keep>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::select_ladder
