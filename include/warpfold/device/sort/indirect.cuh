// A sort by index: what is too large to be moved about is moved once, when its place is known.
// Indices are sorted along with the keys, or instead of them; then each column is gathered, by the
// last pass of a radix sort or a launch of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/sort/direct.cuh"
#include "warpfold/device/sort/items.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Index>
__global__ void __launch_bounds__(256) iota_kernel(Index* indices, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) indices[i] = static_cast<Index>(i);
}
/// A thread copies a word, so that an item is read by threads side by side.
template <class Index, class T>
__global__ void __launch_bounds__(256)
    gather_kernel(const Index* indices, const T* from, T* to, std::size_t n) {
  using word = word_of_item<T>;
  constexpr unsigned words = words_of_item<T>;
  const std::size_t w = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (w >= n * words) return;
  const auto* const source = reinterpret_cast<const word*>(from + indices[w / words]);
  reinterpret_cast<word*>(to)[w] = source[w % words];
}

/// Writes 0, 1, 2, ….
template <class Index>
status number_rows(Index* indices, std::size_t n, stream_type stream) {
  return try_launch(
      {.grid = static_cast<unsigned>((n + 255) / 256), .block = 256, .stream = stream},
      iota_kernel<Index>, indices, n);
}

/// A column in the order of the indices.
template <class Index, class T>
status gather(const Index* indices, const T* from, T* to, std::size_t n, stream_type stream) {
  const std::size_t blocks = (n * words_of_item<T> + 255) / 256;
  return try_launch({.grid = static_cast<unsigned>(blocks), .block = 256, .stream = stream},
                    gather_kernel<Index, T>, indices, from, to, n);
}
/// Moves a column, by what writes it to another place. `moved` has room for it where it stays.
template <class T, class Write>
status move_column(const T* from, T* to, void* moved, std::size_t n, stream_type stream,
                   Write write) {
  if (from != to) return write(to);
  const status s = write(static_cast<T*>(moved));
  return s.ok() ? copy_async(to, moved, n * sizeof(T), stream) : s;
}

/// By a radix sort of keys and numbers, between `numbered.out` and `numbered.spare`; items go `to`
/// their places.
template <class Bits, class K, class V, class Index>
status sort_by_numbers(const sort_buffers<K, Index>& numbered, const V* items, V* to, std::size_t n,
                       const sort_storage<K, Index>& storage, radix_range range,
                       stream_type stream) {
  const auto with = [&](const auto& along) {
    return sort_by_radix<Bits>(numbered, n, storage, range, stream, along);
  };
  if constexpr (sizeof(V) <= tuning::sort_plan::moved_by_last_pass_to) {
    return with(numbered_items<V>{items, to});
  } else {
    const status s = with(numbers{});
    const auto& last =
        ends_in_spare(numbered.in_place(), range.passes()) ? numbered.spare : numbered.out;
    return s.ok() ? gather(last.values, items, to, n, stream) : s;
  }
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
  const auto move = [&](const auto* from, auto* to, auto write) {
    return move_column(from, to, moved, n, stream, write);
  };
  const auto gather_column = [&](const auto* from, auto* to) {
    return move(from, to, [&](auto* place) { return gather(indices, from, place, n, stream); });
  };
  constexpr bool may_number = sizeof(Index) == 4 && moves_key<K> && bytes_of<V> != 0;
  if constexpr (may_number && !std::is_void_v<Bits>) {
    const sort_storage<K, Index> storage(n, inner.data);
    const key_value_view<K, Index> in{rows.in.keys, nullptr}, out{rows.out.keys, indices};
    const sort_buffers<K, Index> numbered{in, out, storage.spare};
    const radix_range range = range_of<K>(less);
    if (is_by_radix<Bits>(numbered, n, range)) {
      return move(rows.in.values, rows.out.values, [&](V* place) {
        return sort_by_numbers<Bits>(numbered, rows.in.values, place, n, storage, range, stream);
      });
    }
  }
  // Where keys are sorted from one place to another, so are the indices, if `moved` holds as many.
  const bool beside = moves_key<K> && bytes_of<V> >= sizeof(Index) && !rows.in_place();
  auto* const numbers = beside ? static_cast<Index*>(moved) : indices;
  status state = number_rows(numbers, n, stream);
  if (!state.ok()) return state;
  if constexpr (!moves_key<K>) {
    using order = indirect_order<K, Index, Less>;
    const key_value_view<Index, keys_only> sorted{indices, nullptr};
    state = sort_direct<void>(inner, in_place(sorted), n, order{rows.in.keys, less});
    if (state.ok()) state = gather_column(rows.in.keys, rows.out.keys);
  } else {
    if (!rows.in_place() && !beside) {
      state = copy_async(rows.out.keys, rows.in.keys, n * sizeof(K), stream);
      if (!state.ok()) return state;
    }
    const key_value_view<K, Index> to{rows.out.keys, indices};
    const key_value_view<K, Index> from{beside ? rows.in.keys : to.keys, numbers};
    using bits = std::conditional_t<may_number, void, Bits>;  // else they would have been numbered
    state = sort_direct<bits>(inner, sort_buffers<K, Index>{from, to}, n, order_of_keys<K>(less),
                              range_of<K>(less));
  }
  if constexpr (bytes_of<V> != 0) {
    if (state.ok()) state = gather_column(rows.in.values, rows.out.values);
  }
  return state;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
