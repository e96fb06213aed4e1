// Keys, and the values moved with them, in global or shared memory: two arrays, or one.
#pragma once

#include "ladder/launching.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

/// Stands for the value where keys travel alone.
struct nothing {};

template <class K, class V>
struct item {
  K key;
  V value;
};
template <class K>
struct item<K, nothing> {
  K key;
};

template <class K, class V>
struct columns {
  K* keys;
  V* values;

  static constexpr std::size_t bytes_each = sizeof(K) + sizeof(V);
  __host__ __device__ columns at(std::size_t i) const { return {keys + i, values + i}; }
  __device__ __forceinline__ item<K, V> get(std::size_t i) const { return {keys[i], values[i]}; }
  __device__ __forceinline__ void put(std::size_t i, const item<K, V>& x) const {
    keys[i] = x.key;
    values[i] = x.value;
  }
};
template <class K>
struct columns<K, nothing> {
  K* keys;

  static constexpr std::size_t bytes_each = sizeof(K);
  __host__ __device__ columns at(std::size_t i) const { return {keys + i}; }
  __device__ __forceinline__ item<K, nothing> get(std::size_t i) const { return {keys[i]}; }
  __device__ __forceinline__ void put(std::size_t i, const item<K, nothing>& x) const {
    keys[i] = x.key;
  }
};

/// Columns of `count` items in one piece of memory, keys first.
template <class K, class V>
__host__ __device__ columns<K, V> columns_in(void* memory, std::size_t count) {
  K* const keys = static_cast<K*>(memory);
  if constexpr (std::is_same_v<V, nothing>) {
    return {keys};
  } else {
    return {keys, reinterpret_cast<V*>(keys + count)};
  }
}

/// The comparator of a network: afterwards the item at `low` does not come after that at `high`.
template <class K, class V, class Less>
__device__ __forceinline__ void compare_exchange(const columns<K, V>& c, std::size_t low,
                                                 std::size_t high, Less less) {
  const K a = c.keys[low];
  const K b = c.keys[high];
  if (!less(b, a)) return;
  c.keys[low] = b;
  c.keys[high] = a;
  if constexpr (!std::is_same_v<V, nothing>) {
    const V value = c.values[low];
    c.values[low] = c.values[high];
    c.values[high] = value;
  }
}

/// The block copies `count` items.
template <class K, class V>
__device__ __forceinline__ void copy_items(const columns<K, V>& from, const columns<K, V>& to,
                                           unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to.put(i, from.get(i));
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
