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

/// Whether a column of all rows lies as Words must.
template <class Word, class K, class V, class Column>
bool are_aligned(const sort_buffers<K, V>& rows, Column key_value_view<K, V>::*column) {
  const auto address = [&](const key_value_view<K, V>& r) {
    return reinterpret_cast<std::uintptr_t>(r.*column);
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

/// The same rows with the keys as words of their size; arithmetic ones as they are.
template <class Word, class K, class V>
sort_buffers<Word, V> with_keys_as(const sort_buffers<K, V>& rows) {
  if constexpr (std::is_same_v<Word, K>) {
    return rows;
  } else {
    const auto as = [](const key_value_view<K, V>& r) {
      return key_value_view<Word, V>{reinterpret_cast<Word*>(r.keys), r.values};
    };
    return {as(rows.in), as(rows.out), as(rows.spare), rows.ends_in_spare};
  }
}

/// Whether a radix sort in this order can move the rows: as words, and without loss.
template <class Order, class K, class V>
bool keeps_keys(const sort_buffers<K, V>& rows) {
  if constexpr (requires { Order::members_lie_apart(); }) {
    if (!Order::members_lie_apart()) return false;
  }
  return are_aligned<typename Order::key>(rows, &key_value_view<K, V>::keys);
}

/// The same keys alone.
template <class K, class V>
sort_buffers<K, keys_only> keys_of(const sort_buffers<K, V>& rows) {
  return {{rows.in.keys, nullptr},
          {rows.out.keys, nullptr},
          {rows.spare.keys, nullptr},
          rows.ends_in_spare};
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

/// Keys of K, as words, in the order of some members: the numbers of these above what else there is
/// of a key.
template <class K, class Order, auto... Members>
struct radix_order<K, by_members<Order, Members...>> {
  using members = by_members<Order, Members...>;
  using key = rank_type<K>;
  using encoded = key;
  static constexpr bool is_radix = true;
  static constexpr bool down = std::is_same_v<Order, descending>;
  static constexpr unsigned others = sizeof(K) - members::bytes;  // bytes

  /// Members named twice, or of a union, have less bytes than they need.
  static bool members_lie_apart() {
    const object k(0);
    unsigned named = 0;
    for (unsigned i = 0; i < sizeof(K); ++i) named += is_named(k, i) ? 1U : 0U;
    return named == members::bytes;
  }
  __device__ __forceinline__ encoded encode(key word) const {
    const object k(word);
    encoded all = 0;
    if constexpr (others > 0) {
#pragma unroll
      for (unsigned i = 0; i < sizeof(K); ++i) {
        if (!is_named(k, i)) all = static_cast<encoded>(all << 8 | byte_of(word, i));
      }
    }
    const auto number = static_cast<encoded>(members::number_of(k.value));
    return static_cast<encoded>((down ? ~number : number) << (8 * others) | all);
  }
  __device__ __forceinline__ key decode(encoded all) const {
    object k(0);
    encoded rest = all;
    auto number = static_cast<encoded>((down ? ~all : all) >> (8 * others));
    std::size_t left = members::bytes;
    ((left -= sizeof(k.value.*Members),
      k.value.*Members = key_of<type_of_member<Members>>(
          static_cast<rank_type<type_of_member<Members>>>(number >> (8 * left)))),
     ...);
    key word = k.word();
    if constexpr (others > 0) {
#pragma unroll
      for (unsigned i = sizeof(K); i-- > 0;) {
        if (is_named(k, i)) continue;
        word |= static_cast<key>((rest & 255) << (8 * i));
        rest = static_cast<encoded>(rest >> 8);
      }
    }
    return word;
  }
  __device__ __forceinline__ bool before(encoded a, encoded b) const { return a < b; }
  __device__ __forceinline__ bool comes_before(encoded a, encoded b, bool first) const {
    return a < b || (first && a == b);
  }

 private:
  union object {
    K value;

    __host__ __device__ __forceinline__ explicit object(key word) {
      memcpy(static_cast<void*>(&value), &word, sizeof value);
    }
    [[nodiscard]] __device__ __forceinline__ key word() const {
      key bits;
      memcpy(&bits, &value, sizeof bits);
      return bits;
    }
  };

  static __device__ __forceinline__ unsigned byte_of(key word, unsigned i) {
    return static_cast<unsigned>(word >> (8 * i)) & 255;
  }
  /// Whether byte i is one of a named member's.
  static __host__ __device__ __forceinline__ bool is_named(const object& k, unsigned i) {
    const auto offset = [&](const auto& member) {
      return reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&k);
    };
    return ((i - static_cast<unsigned>(offset(k.value.*Members)) < sizeof(k.value.*Members)) ||
            ...);
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
