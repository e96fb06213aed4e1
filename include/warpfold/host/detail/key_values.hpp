// Keys alone, or keys with a value each, as the sorts move them.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "warpfold/operators.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

template <class K, class V>
struct key_value_view {
  static constexpr std::size_t row_bytes = sizeof(K) + sizeof(V);

  K* key;
  V* value;

  [[gnu::always_inline]] key_value_view operator+(std::size_t by) const {
    return {key + by, value + by};
  }
  /// Row i goes to row j of `to`.
  [[gnu::always_inline]] void move(std::size_t i, const key_value_view& to, std::size_t j) const {
    to.key[j] = key[i];
    to.value[j] = value[i];
  }
  void copy(std::size_t n, const key_value_view& to) const {
    std::memcpy(to.key, key, n * sizeof(K));
    std::memcpy(to.value, value, n * sizeof(V));
  }
};

template <class K>
struct key_value_view<K, void> {
  static constexpr std::size_t row_bytes = sizeof(K);

  K* key;

  [[gnu::always_inline]] key_value_view operator+(std::size_t by) const { return {key + by}; }
  [[gnu::always_inline]] void move(std::size_t i, const key_value_view& to, std::size_t j) const {
    to.key[j] = key[i];
  }
  void copy(std::size_t n, const key_value_view& to) const {
    std::memcpy(to.key, key, n * sizeof(K));
  }
};

/// Room for n values, not written: pages are first touched by the threads that fill them. So much
/// room that the C library asks the system for it at each call (glibc from 32 MiB on) comes in
/// large pages, where the system gives them to those who ask: to touch 4 KiB after 4 KiB for the
/// first time takes five times as long.
template <class T>
class uninitialized_buffer {
 public:
  explicit uninitialized_buffer(std::size_t n)
      : bytes_(n * sizeof(T)), data_(static_cast<T*>(::operator new(bytes_, alignment()))) {
#if defined(MADV_HUGEPAGE)
    if (is_large()) (void)madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
  }
  uninitialized_buffer(const uninitialized_buffer&) = delete;
  uninitialized_buffer& operator=(const uninitialized_buffer&) = delete;
  ~uninitialized_buffer() { ::operator delete(data_, alignment()); }

  [[nodiscard]] T* data() const { return data_; }

 private:
  static constexpr std::size_t large_page = std::size_t{2} << 20;
  [[nodiscard]] bool is_large() const { return bytes_ >= 16 * large_page; }
  [[nodiscard]] std::align_val_t alignment() const {
    return std::align_val_t{is_large() ? large_page : alignof(std::max_align_t)};
  }

  std::size_t bytes_;
  T* data_;
};

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
