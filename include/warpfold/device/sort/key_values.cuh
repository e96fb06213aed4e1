// What a device's sort moves and how it compares: rows of a key and what travels with it, keys as
// they are encoded while they are sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/order.hpp"
#include "warpfold/platform.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The values of keys that have none.
struct keys_only {};

template <class V>
inline constexpr std::size_t bytes_of = std::is_same_v<V, keys_only> ? 0 : sizeof(V);

/// The unsigned integer as large as items of V, which are moved as such: few types, so few kernels.
template <std::size_t Bytes>
struct word_of_bytes;
template <>
struct word_of_bytes<1> {
  using type = std::uint8_t;
};
template <>
struct word_of_bytes<2> {
  using type = std::uint16_t;
};
template <>
struct word_of_bytes<4> {
  using type = std::uint32_t;
};
template <>
struct word_of_bytes<8> {
  using type = std::uint64_t;
};
template <class V>
struct item_word_for {
  using type = V;
};
template <class V>
  requires(alignof(V) == sizeof(V) && sizeof(V) <= 8)
struct item_word_for<V> : word_of_bytes<sizeof(V)> {};
template <class V>
using item_word = typename item_word_for<V>::type;

/// n rows, in global or shared memory.
template <class K, class V>
struct key_value_view {
  using key_type = K;
  using value_type = V;

  K* keys;
  V* values;

  [[nodiscard]] __host__ __device__ key_value_view from(std::size_t i) const {
    if constexpr (std::is_same_v<V, keys_only>) {
      return {keys + i, nullptr};
    } else {
      return {keys + i, values + i};
    }
  }
  __device__ __forceinline__ V value(std::size_t i) const {
    if constexpr (std::is_same_v<V, keys_only>) {
      return {};
    } else {
      return values[i];
    }
  }
  __device__ __forceinline__ void put_value(std::size_t i, const V& v) const {
    if constexpr (!std::is_same_v<V, keys_only>) values[i] = v;
  }
  __device__ __forceinline__ void put(std::size_t i, const K& k, const V& v) const {
    keys[i] = k;
    put_value(i, v);
  }
};

/// Room for `count` rows in one piece of memory that is aligned for both.
template <class K, class V>
__host__ __device__ key_value_view<K, V> rows_in(void* memory, std::size_t count) {
  constexpr std::size_t align = bytes_of<V> == 0 ? 1 : alignof(V);
  const std::size_t keys = (count * sizeof(K) + align - 1) / align * align;
  return {static_cast<K*>(memory), reinterpret_cast<V*>(static_cast<char*>(memory) + keys)};
}
/// The bytes of that room, and padding so that another may follow.
template <class K, class V>
__host__ __device__ constexpr std::size_t bytes_of_rows(std::size_t count) {
  return (count * (bytes_of<K> + bytes_of<V>)+2 * 16 - 1) / 16 * 16;
}

/// Keys alone. Those that are only read are the `in` of a sort that has another `out`.
template <values Keys>
auto rows_of(const Keys& keys) {
  using key = value_of<Keys>;
  return key_value_view<key, keys_only>{const_cast<key*>(std::ranges::data(keys)), nullptr};
}
/// Keys and items, these as words.
template <values Keys, values Items>
auto rows_of(const Keys& keys, const Items& items) {
  using key = value_of<Keys>;
  using item = value_of<Items>;
  using word = item_word<item>;
  return key_value_view<key, word>{
      const_cast<key*>(std::ranges::data(keys)),
      reinterpret_cast<word*>(const_cast<item*>(std::ranges::data(items)))};
}

/// What a sort reads, where it leaves the rows, which may be the same, and what else it writes.
template <class K, class V>
struct sort_buffers {
  key_value_view<K, V> in, out;
  key_value_view<K, V> spare{};   // of the caller's, if there are keys; else of temp_storage
  bool* ends_in_spare = nullptr;  // where set, rows that are sorted in place may end in `spare`

  [[nodiscard]] bool in_place() const { return in.keys == out.keys; }
  [[nodiscard]] bool has_spare() const { return spare.keys != nullptr; }
};

template <class K, class V>
sort_buffers(key_value_view<K, V>, key_value_view<K, V>) -> sort_buffers<K, V>;
template <class K, class V>
sort_buffers(key_value_view<K, V>, key_value_view<K, V>, key_value_view<K, V>, bool*)
    -> sort_buffers<K, V>;

template <class K, class V>
sort_buffers<K, V> in_place(key_value_view<K, V> rows) {
  return {rows, rows};
}

/// Whether all values lie as Words must.
template <class Word, class K, class V>
bool are_aligned(const sort_buffers<K, V>& rows) {
  const auto address = [](const key_value_view<K, V>& r) {
    return reinterpret_cast<std::uintptr_t>(r.values);
  };
  return (address(rows.in) | address(rows.out) | address(rows.spare)) % sizeof(Word) == 0;
}
/// The same rows with values as words of their size.
template <class Word, class K, class V>
sort_buffers<K, Word> as_words(const sort_buffers<K, V>& rows) {
  const auto as = [](const key_value_view<K, V>& r) {
    return key_value_view<K, Word>{r.keys, reinterpret_cast<Word*>(r.values)};
  };
  return {as(rows.in), as(rows.out), as(rows.spare), rows.ends_in_spare};
}

/// Brings rows that were sorted in place back from `spare`, unless they may end there.
template <class K, class V>
status bring_back(const sort_buffers<K, V>& rows, std::size_t n, stream_type stream) {
  if (rows.ends_in_spare != nullptr) {
    *rows.ends_in_spare = true;
    return {};
  }
  const status s = copy_async(rows.out.keys, rows.spare.keys, n * sizeof(K), stream);
  if (!s.ok() || bytes_of<V> == 0) return s;
  return copy_async(rows.out.values, rows.spare.values, n * bytes_of<V>, stream);
}

/// Keys in an order of one's own.
template <class K, class Less>
struct comparator_order {
  using key = K;
  using encoded = K;
  static constexpr bool is_radix = false;
  Less less;

  __device__ __forceinline__ encoded encode(const K& k) const { return k; }
  __device__ __forceinline__ K decode(const encoded& k) const { return k; }
  __device__ __forceinline__ bool before(const encoded& a, const encoded& b) const {
    return static_cast<bool>(less(a, b));
  }
  /// a before b, or, where a is the `first` of equals, not after it.
  __device__ __forceinline__ bool comes_before(const encoded& a, const encoded& b,
                                               bool first) const {
    return before(first ? b : a, first ? a : b) != first;
  }
};

/// Keys in the order of their bits: encoded as numbers that grow with their place.
template <class K, class Order>
struct radix_order {
  using key = K;
  using encoded = rank_type<K>;
  static constexpr bool is_radix = true;
  static constexpr bool down = std::is_same_v<Order, descending>;

  __device__ __forceinline__ encoded encode(const K& k) const {
    return static_cast<encoded>(down ? ~rank_of(k) : rank_of(k));
  }
  __device__ __forceinline__ K decode(encoded k) const {
    return key_of<K>(static_cast<encoded>(down ? ~k : k));
  }
  __device__ __forceinline__ bool before(encoded a, encoded b) const { return a < b; }
  __device__ __forceinline__ bool comes_before(encoded a, encoded b, bool first) const {
    return a < b || (first && a == b);
  }
};

/// Places of keys that are too large to be moved about, in the order of the keys.
template <class K, class Index, class Less>
struct indirect_order {
  using key = Index;
  using encoded = Index;
  static constexpr bool is_radix = false;
  const K* keys;
  Less less;

  __device__ __forceinline__ encoded encode(Index i) const { return i; }
  __device__ __forceinline__ Index decode(encoded i) const { return i; }
  __device__ __forceinline__ bool before(encoded a, encoded b) const {
    return static_cast<bool>(less(keys[a], keys[b]));
  }
  __device__ __forceinline__ bool comes_before(const encoded& a, const encoded& b,
                                               bool first) const {
    return before(first ? b : a, first ? a : b) != first;
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
