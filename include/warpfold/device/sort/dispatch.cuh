// Which way a device sorts n rows. Keys of more than 32 bytes are sorted by index, and so are rows
// with values of more than 8 bytes; all others are moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "warpfold/bitwise_order.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/sort/direct.cuh"
#include "warpfold/device/sort/indirect.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class K, class V, class Less>
status sort(const work_place& where, key_value_view<K, V> rows, std::size_t n, const Less& less) {
  using bits = decltype(bitwise_order<Less, K>());
  if (n == 0) return {};
  if (const status s = refuse_memory(where, sort_bytes<K, V>(n)); !s.ok()) return s;
  if constexpr (!moves_key<K> || !moves_value<V>) {
    if (n <= std::numeric_limits<std::uint32_t>::max()) {
      return sort_indirect<std::uint32_t, bits>(where, rows, n, less);
    }
    return sort_indirect<std::uint64_t, bits>(where, rows, n, less);
  } else if constexpr (std::is_void_v<bits>) {
    return sort_direct<void>(where, rows, n, comparator_order<K, Less>{less});
  } else {
    return sort_direct<bits>(where, rows, n, radix_order<K, bits>{});
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
