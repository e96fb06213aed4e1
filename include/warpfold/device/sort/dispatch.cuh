// Which way a device sorts n rows. Six routes; tuning/sort.hpp has the borders, for each size of
// key and row, of which the figures here are those of 4-byte keys alone.
//
//  key > 32 bytes, or value > 8, or of 3, 5, 6, 7 bytes --> indirect: indices are sorted by one of
//      |                                                    the other routes, then rows are moved
//      | rows that are moved
//      +-- n <= rows of a block          --> block    one launch, in registers and shared memory
//      +-- n <= rows of a cluster        --> cluster  one launch, 8 or 16 blocks (9.0 and later)
//      +-- ordered by bits, and n > 2,000 rows a multiprocessor
//      |                                 --> radix    a count, then a pass a digit of 8 bits
//      +-- n <= 2^22                     --> merge    sorted runs, then passes over pairs of runs
//      +-- more                          --> four-way the same, most passes over four runs
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "warpfold/bitwise_order.hpp"
#include "warpfold/columns.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/sort/direct.cuh"
#include "warpfold/device/sort/indirect.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class K, class V, class Less>
status sort(const work_place& where, const sort_buffers<K, V>& rows, std::size_t n,
            const Less& less) {
  using bits = typename radix_order_of<Less, K>::type;
  if (const status s = refuse_bits<K>(less); !s.ok()) return s;
  if (n == 0) return {};
  const memory_size needed{
      sort_bytes<K, V>(n, !rows.has_spare()),
      rows.has_spare()
          ? "the temp_storage is smaller than exchanging_sort_temp_storage_bytes<K, V>(n)"
          : "the temp_storage is smaller than sort_temp_storage_bytes<K, V>(n)"};
  if (const status s = refuse_memory(where, needed); !s.ok()) return s;
  if constexpr (!moves_key<K> || !moves_value<V>) {
    if (n <= std::numeric_limits<std::uint32_t>::max()) {
      return sort_indirect<std::uint32_t, bits>(where, rows, n, less);
    }
    return sort_indirect<std::uint64_t, bits>(where, rows, n, less);
  } else {
    const auto order = order_of_keys<K>(less);
    if constexpr (bytes_of<V> == 0 || bytes_of<V> == alignof(V)) {
      return sort_direct<bits>(where, rows, n, order, range_of<K>(less));
    } else {
      using word = typename word_of_bytes<bytes_of<V>>::type;
      if (are_aligned<word>(rows, &key_value_view<K, V>::values)) {
        return sort_direct<bits>(where, as_words<word>(rows), n, order, range_of<K>(less));
      }
      return sort_direct<void>(where, rows, n, order);  // the radix sort moves words
    }
  }
}
/// In place.
template <class K, class V, class Less>
status sort(const work_place& where, key_value_view<K, V> rows, std::size_t n, const Less& less) {
  return sort(where, in_place(rows), n, less);
}

/// Indices of keys in their order: they are sorted along with the keys, or, where those are too
/// large to be moved about, instead of them.
template <class K, class Index, class Less>
status argsort(const work_place& where, const K* keys, Index* indices, std::size_t n,
               const Less& less) {
  if (const status s = refuse_bits<K>(less); !s.ok()) return s;
  if (n == 0) return {};
  const std::size_t bytes = argsort_storage<K, Index>(n).bytes;
  const scratch memory(
      where, {bytes, "the temp_storage is smaller than argsort_temp_storage_bytes<K, Index>(n)"},
      bytes, false);
  if (!memory.state().ok()) return memory.state();
  const argsort_storage<K, Index> storage(n, memory.data());
  using bits = typename radix_order_of<Less, K>::type;
  if constexpr (moves_key<K> && !std::is_void_v<bits>) {
    const sort_storage<K, Index> inner(n, storage.inner);
    const key_value_view<K, Index> in{const_cast<K*>(keys), nullptr};
    const key_value_view<K, Index> out{storage.keys, indices};
    const sort_buffers<K, Index> numbered{in, out, inner.spare};
    const radix_range range = range_of<K>(less);
    if (is_by_radix<bits>(numbered, n, range)) {
      return sort_by_radix<bits>(numbered, n, inner, range, where.stream,
                                 numbers_alone<Index>{indices});
    }
  }
  status s = number_rows(indices, n, where.stream);
  if (!s.ok()) return s;
  const work_place inner{where.stream, storage.inner, storage.inner_bytes};
  if constexpr (moves_key<K>) {
    s = copy_async(storage.keys, keys, n * sizeof(K), where.stream);
    const key_value_view<K, Index> rows{storage.keys, indices};
    return s.ok() ? sort(inner, rows, n, less) : s;
  } else {
    using order = indirect_order<K, Index, Less>;
    const key_value_view<Index, keys_only> rows{indices, nullptr};
    return sort_direct<void>(inner, in_place(rows), n, order{keys, less});
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
