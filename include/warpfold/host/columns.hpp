// Keys alone, or keys with a value each, as the sorts move them.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

#include "warpfold/operators.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

template <class K, class V>
struct columns {
  static constexpr std::size_t row_bytes = sizeof(K) + sizeof(V);

  K* key;
  V* value;

  [[gnu::always_inline]] columns operator+(std::size_t by) const { return {key + by, value + by}; }
  /// Row i goes to row j of `to`.
  [[gnu::always_inline]] void move(std::size_t i, const columns& to, std::size_t j) const {
    to.key[j] = key[i];
    to.value[j] = value[i];
  }
  void copy(std::size_t n, const columns& to) const {
    std::memcpy(to.key, key, n * sizeof(K));
    std::memcpy(to.value, value, n * sizeof(V));
  }
};

template <class K>
struct columns<K, void> {
  static constexpr std::size_t row_bytes = sizeof(K);

  K* key;

  [[gnu::always_inline]] columns operator+(std::size_t by) const { return {key + by}; }
  [[gnu::always_inline]] void move(std::size_t i, const columns& to, std::size_t j) const {
    to.key[j] = key[i];
  }
  void copy(std::size_t n, const columns& to) const { std::memcpy(to.key, key, n * sizeof(K)); }
};

/// Room for n values, not written: pages are first touched by the threads that fill them.
template <class T>
class room {
 public:
  explicit room(std::size_t n) : data_(std::allocator<T>{}.allocate(n)), size_(n) {}
  room(const room&) = delete;
  room& operator=(const room&) = delete;
  ~room() { std::allocator<T>{}.deallocate(data_, size_); }

  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_;
  std::size_t size_;
};

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
