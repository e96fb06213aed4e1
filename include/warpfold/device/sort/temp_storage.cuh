// The memory that a device's sort works in: how much, and what lies where.
//
//   moved rows | spare keys | spare values | the merges' partitions, or the radix sort's memory
//   by index   | indices | memory of the sort that moves them | one column, while it is gathered
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "warpfold/bitwise_order.hpp"
#include "warpfold/device/sort/cluster.cuh"
#include "warpfold/device/sort/key_values.cuh"
#include "warpfold/device/sort/radix_plan.cuh"
#include "warpfold/tuning/sort.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class K>
inline constexpr bool moves_key = sizeof(K) <= 32;
/// Values of 1, 2, 4 and 8 bytes.
template <class V>
inline constexpr bool moves_value = bytes_of<V> <= 8 && (bytes_of<V> & (bytes_of<V> - 1)) == 0;

/// Lays arrays out in one piece of memory, each aligned for anything.
class memory_layout {
 public:
  constexpr explicit memory_layout(void* memory = nullptr) : memory_(memory) {}
  template <class T>
  constexpr T* take(std::size_t count) {
    const std::size_t at = bytes_;
    bytes_ += (count * bytes_of<T> + 255) / 256 * 256;
    return memory_ == nullptr ? nullptr : reinterpret_cast<T*>(static_cast<char*>(memory_) + at);
  }
  [[nodiscard]] constexpr std::size_t bytes() const { return bytes_; }

 private:
  void* memory_;
  std::size_t bytes_ = 0;
};

/// The first shape that holds n rows on a device that takes clusters of `most_blocks` with
/// `most_bytes` of shared memory each, else the largest there is. As they are here, all devices do.
template <class K, class V>
constexpr tuning::cluster_shape cluster_shape_for(std::size_t n, unsigned most_blocks = 1,
                                                  std::size_t most_bytes = 48 << 10) {
  tuning::cluster_shape best{1, 64};
  for (const auto shape : tuning::cluster_shapes<sizeof(K)>) {
    const bool fits =
        shape.cluster <= most_blocks && cluster_shared_bytes<K, V>(shape) <= most_bytes;
    if (!fits || shape.rows() <= best.rows()) continue;
    best = shape;
    if (best.rows() >= n) break;
  }
  return best;
}

/// What a sort of n rows that are moved works in.
template <class K, class V>
struct sort_storage {
  key_value_view<K, V> spare{};
  void* all;
  void* work{};  // the merges' partitions, or the radix sort's memory
  std::size_t work_bytes{};
  std::size_t bytes = 256;

  /// Without rows the caller has those that are spare.
  constexpr explicit sort_storage(std::size_t n, void* memory = nullptr, bool with_rows = true)
      : all(memory) {
    if (n <= cluster_shape_for<K, V>(n).rows()) return;
    memory_layout layout(memory);
    if (with_rows) {
      spare.keys = layout.take<K>(n);
      if constexpr (bytes_of<V> != 0) spare.values = layout.take<V>(n);
    }
    const std::size_t before = layout.bytes();
    constexpr auto& plan = tuning::large_merges<sizeof(K) + bytes_of<V>>;
    constexpr std::size_t rows = std::remove_cvref_t<decltype(plan)>::tile::rows;
    const bool by_fours = n > tuning::sort_plan::merges_by_fours_from<sizeof(K) + bytes_of<V>>;
    work = layout.take<std::size_t>((n / rows + 1) * (by_fours ? 4 : 1));
    work_bytes = layout.bytes() - before;
    if constexpr (is_as_large_as_a_number<K>) {
      // Small tiles need more than large ones; which a device takes, and from when on, it decides.
      constexpr std::size_t row_bytes = sizeof(K) + bytes_of<V>;
      using small = tuning::radix_small_tile<sizeof(K), row_bytes>;
      static_assert(small::rows <= tuning::radix_tile<sizeof(K), row_bytes>::rows);
      work_bytes = std::max(work_bytes, radix_memory::bytes<small>(n));
    }
    bytes = before + work_bytes;
  }
};

/// What a sort by index works in.
template <class K, class V>
struct indirect_storage {
  using narrow = std::uint32_t;
  std::size_t bytes;

  template <class Index>
  static constexpr std::size_t inner(std::size_t n) {
    if constexpr (moves_key<K>) {
      return sort_storage<K, Index>(n).bytes;
    } else {
      return sort_storage<Index, keys_only>(n).bytes;
    }
  }
  constexpr explicit indirect_storage(std::size_t n) {
    memory_layout layout;
    const bool is_narrow = n <= std::numeric_limits<narrow>::max();
    layout.take<char>(n * (is_narrow ? 4 : 8));
    layout.take<char>(is_narrow ? inner<narrow>(n) : inner<std::uint64_t>(n));
    layout.take<char>(n * std::max(bytes_of<V>, moves_key<K> ? 0 : sizeof(K)));
    bytes = layout.bytes();
  }
};

/// Without rows if the caller has those that are spare.
template <class K, class V>
constexpr std::size_t sort_bytes(std::size_t n, bool with_rows = true) {
  if constexpr (moves_key<K> && moves_value<V>) {
    return sort_storage<K, V>(n, nullptr, with_rows).bytes;
  } else {
    return indirect_storage<K, V>(n).bytes;
  }
}

/// What a sort that finds indices works in.
template <class K, class Index>
struct argsort_storage {
  K* keys{};  // a copy, where they are moved
  void* inner{};
  std::size_t inner_bytes, bytes;

  constexpr explicit argsort_storage(std::size_t n, void* memory = nullptr) {
    memory_layout layout(memory);
    if constexpr (moves_key<K>) {
      keys = layout.take<K>(n);
      inner_bytes = sort_storage<K, Index>(n).bytes;
    } else {
      inner_bytes = sort_storage<Index, keys_only>(n).bytes;
    }
    inner = layout.take<char>(inner_bytes);
    bytes = layout.bytes();
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
