// nvcc's own atomics, with an order and a scope: __nv_atomic_load_n and the like. Scopes wider than
// the block's are the system's. What changes a word orders as it is asked to.
#pragma once

#include "simt/cuda.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's
enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

namespace simt::detail {

/// Of integers of any size, of floats and of structs as large as one.
template <class T>
using bits_of = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
template <class T>
using unqualified = std::remove_cv_t<T>;

constexpr bool releases(int order) { return order >= __NV_ATOMIC_RELEASE; }
[[gnu::always_inline]] inline void note_scope(int scope) {
  if (scope <= __NV_THREAD_SCOPE_BLOCK) note_block_scope();
}

template <class T>
[[gnu::always_inline]] inline unqualified<T> load_word(T* p, int scope) {
  static_assert(sizeof(T) == sizeof(bits_of<T>), "an atomic takes 1, 2, 4 or 8 bytes");
  auto* const at = reinterpret_cast<bits_of<T>*>(const_cast<unqualified<T>*>(p));
  note_scope(scope);
  note_word(at, false);
  return bit_cast<unqualified<T>>(__atomic_load_n(at, __ATOMIC_SEQ_CST));
}
template <class T>
[[gnu::always_inline]] inline void store_word(T* p, unqualified<T> v, int order, int scope) {
  static_assert(sizeof(T) == sizeof(bits_of<T>), "an atomic takes 1, 2, 4 or 8 bytes");
  auto* const at = reinterpret_cast<bits_of<T>*>(const_cast<unqualified<T>*>(p));
  note_scope(scope);
  note_word(at, releases(order));
  __atomic_store_n(at, bit_cast<bits_of<T>>(v), __ATOMIC_SEQ_CST);
}
template <auto Note = note_atomic, class T, class F>
[[gnu::always_inline]] inline unqualified<T> update_word(T* p, int order, int scope, F f) {
  if (releases(order)) {
    note_scope(scope);
    fence();
  }
  note_scope(scope);
  return atomic_update<Note>(const_cast<unqualified<T>*>(p), f);
}
template <class T>
[[gnu::always_inline]] inline bool exchange_word(T* p, unqualified<T>* expected, unqualified<T> v,
                                                 int order, int scope) {
  const unqualified<T> before = *expected;
  const auto same = [before](const unqualified<T>& old) {
    return bit_cast<bits_of<T>>(old) == bit_cast<bits_of<T>>(before);
  };
  const unqualified<T> found = update_word<note_exchange>(
      p, order, scope, [=](unqualified<T> old) { return same(old) ? v : old; });
  if (same(found)) return true;
  *expected = found;
  return false;
}

}  // namespace simt::detail

#define SIMT_INLINE  \
  template <class T> \
  [[gnu::always_inline]] inline
#define SIMT_SCOPE int scope = __NV_THREAD_SCOPE_SYSTEM
SIMT_INLINE simt::detail::unqualified<T> __nv_atomic_load_n(T* p, int, SIMT_SCOPE) {
  return simt::detail::load_word(p, scope);
}
SIMT_INLINE void __nv_atomic_load(T* p, simt::detail::unqualified<T>* value, int, SIMT_SCOPE) {
  *value = simt::detail::load_word(p, scope);
}
SIMT_INLINE void __nv_atomic_store_n(T* p, simt::detail::same<T> v, int order, SIMT_SCOPE) {
  simt::detail::store_word(p, v, order, scope);
}
SIMT_INLINE void __nv_atomic_store(T* p, const simt::detail::same<T>* v, int order, SIMT_SCOPE) {
  simt::detail::store_word(p, *v, order, scope);
}
SIMT_INLINE simt::detail::unqualified<T> __nv_atomic_exchange_n(T* p, simt::detail::same<T> v,
                                                                int order, SIMT_SCOPE) {
  return simt::detail::update_word(p, order, scope,
                                   [v](simt::detail::unqualified<T>) { return v; });
}
SIMT_INLINE void __nv_atomic_exchange(T* p, const simt::detail::same<T>* v,
                                      simt::detail::unqualified<T>* before, int order, SIMT_SCOPE) {
  *before = __nv_atomic_exchange_n(p, *v, order, scope);
}
SIMT_INLINE bool __nv_atomic_compare_exchange_n(T* p, simt::detail::unqualified<T>* expected,
                                                simt::detail::same<T> v, bool /*weak*/, int order,
                                                int /*failed*/, SIMT_SCOPE) {
  return simt::detail::exchange_word(p, expected, v, order, scope);
}
SIMT_INLINE bool __nv_atomic_compare_exchange(T* p, simt::detail::unqualified<T>* expected,
                                              const simt::detail::same<T>* v, bool /*weak*/,
                                              int order, int /*failed*/, SIMT_SCOPE) {
  return simt::detail::exchange_word(p, expected, *v, order, scope);
}
/// Each with what was there, and without.
#define SIMT_UPDATE(name, expression)                                                              \
  SIMT_INLINE simt::detail::unqualified<T> __nv_atomic_fetch_##name(T* p, simt::detail::same<T> v, \
                                                                    int order, SIMT_SCOPE) {       \
    using value = simt::detail::unqualified<T>;                                                    \
    return simt::detail::update_word(p, order, scope,                                              \
                                     [&](value old) { return static_cast<value>(expression); });   \
  }                                                                                                \
  SIMT_INLINE void __nv_atomic_##name(T* p, simt::detail::same<T> v, int order, SIMT_SCOPE) {      \
    static_cast<void>(__nv_atomic_fetch_##name(p, v, order, scope));                               \
  }
SIMT_UPDATE(add, simt::detail::atomic_sum(const_cast<const value*>(p), old, v))
SIMT_UPDATE(sub, old - v)
SIMT_UPDATE(and, old& v)
SIMT_UPDATE(or, old | v)
SIMT_UPDATE(xor, old ^ v)
SIMT_UPDATE(min, v < old ? v : old)
SIMT_UPDATE(max, old < v ? v : old)
#undef SIMT_UPDATE
inline void __nv_atomic_thread_fence(int, SIMT_SCOPE) {
  simt::detail::note_scope(scope);
  simt::detail::fence();
}
#undef SIMT_SCOPE
#undef SIMT_INLINE
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
