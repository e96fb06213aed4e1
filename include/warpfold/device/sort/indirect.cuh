// A sort by index: what is too large to be moved about is moved once, when its place is known.
// Indices are sorted along with the keys, or instead of them; then each column is gathered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/sort/direct.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Index>
__global__ void __launch_bounds__(256) iota_kernel(Index* indices, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) indices[i] = static_cast<Index>(i);
}
template <class Index, class T>
__global__ void __launch_bounds__(256)
    gather_kernel(const Index* indices, const T* from, T* to, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[indices[i]];
}

/// `Bits` is void unless the order is one of bits.
template <class Index, class Bits, class K, class V, class Less>
status sort_indirect(const work_place& where, key_value_view<K, V> rows, std::size_t n,
                     const Less& less) {
  const stream_type stream = where.stream;
  const std::size_t bytes = indirect_storage<K, V>(n).bytes;
  const scratch memory(where, bytes, bytes, false);
  if (!memory.state().ok()) return memory.state();
  memory_layout layout(memory.data());
  auto* const indices = layout.take<Index>(n);
  const std::size_t inner_bytes = indirect_storage<K, V>::template inner<Index>(n);
  const work_place inner{stream, layout.take<char>(inner_bytes), inner_bytes};
  void* const moved = layout.take<char>(n * std::max(bytes_of<V>, moves_key<K> ? 0 : sizeof(K)));
  const launch_config config{
      .grid = static_cast<unsigned>((n + 255) / 256), .block = 256, .stream = stream};
  status state = try_launch(config, iota_kernel<Index>, indices, n);
  if (!state.ok()) return state;
  const auto gather = [&]<class T>(T* values) {
    status s =
        try_launch(config, gather_kernel<Index, T>, indices, values, static_cast<T*>(moved), n);
    return s.ok() ? copy_async(values, moved, n * sizeof(T), stream) : s;
  };
  if constexpr (!moves_key<K>) {
    using order = indirect_order<K, Index, Less>;
    state = sort_direct<void>(inner, key_value_view<Index, keys_only>{indices, nullptr}, n,
                              order{rows.keys, less});
    if (state.ok()) state = gather(rows.keys);
  } else if constexpr (std::is_void_v<Bits>) {
    state = sort_direct<void>(inner, key_value_view<K, Index>{rows.keys, indices}, n,
                              comparator_order<K, Less>{less});
  } else {
    state = sort_direct<Bits>(inner, key_value_view<K, Index>{rows.keys, indices}, n,
                              radix_order<K, Bits>{});
  }
  if constexpr (bytes_of<V> != 0) {
    if (state.ok()) state = gather(rows.values);
  }
  return state;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
