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

/// Writes 0, 1, 2, ….
template <class Index>
status number_rows(Index* indices, std::size_t n, stream_type stream) {
  return try_launch(
      {.grid = static_cast<unsigned>((n + 255) / 256), .block = 256, .stream = stream},
      iota_kernel<Index>, indices, n);
}

/// A column in the order of the indices; `moved` has room for it where it stays in its place.
template <class Index, class T>
status gather(const Index* indices, const T* from, T* to, void* moved, std::size_t n,
              stream_type stream) {
  const bool in_place = from == to;
  const status s =
      try_launch({.grid = static_cast<unsigned>((n + 255) / 256), .block = 256, .stream = stream},
                 gather_kernel<Index, T>, indices, from, in_place ? static_cast<T*>(moved) : to, n);
  return s.ok() && in_place ? copy_async(to, moved, n * sizeof(T), stream) : s;
}

/// `Bits` is void unless the order is one of bits.
template <class Index, class Bits, class K, class V, class Less>
status sort_indirect(const work_place& where, const sort_buffers<K, V>& rows, std::size_t n,
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
  // Where keys are sorted from one place to another, so are the indices, if `moved` holds as many.
  const bool beside = moves_key<K> && bytes_of<V> >= sizeof(Index) && !rows.in_place();
  auto* const numbers = beside ? static_cast<Index*>(moved) : indices;
  status state = number_rows(numbers, n, stream);
  if (!state.ok()) return state;
  if constexpr (!moves_key<K>) {
    using order = indirect_order<K, Index, Less>;
    const key_value_view<Index, keys_only> sorted{indices, nullptr};
    state = sort_direct<void>(inner, in_place(sorted), n, order{rows.in.keys, less});
    if (state.ok()) state = gather(indices, rows.in.keys, rows.out.keys, moved, n, stream);
  } else {
    if (!rows.in_place() && !beside) {
      state = copy_async(rows.out.keys, rows.in.keys, n * sizeof(K), stream);
      if (!state.ok()) return state;
    }
    const key_value_view<K, Index> to{rows.out.keys, indices};
    const key_value_view<K, Index> from{beside ? rows.in.keys : to.keys, numbers};
    state = sort_direct<Bits>(inner, sort_buffers<K, Index>{from, to}, n, order_of_keys<K>(less),
                              range_of<K>(less));
  }
  if constexpr (bytes_of<V> != 0) {
    if (state.ok()) state = gather(indices, rows.in.values, rows.out.values, moved, n, stream);
  }
  return state;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
