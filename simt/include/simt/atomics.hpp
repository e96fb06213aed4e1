// cuda::atomic and cuda::atomic_ref. Scopes wider than the block's are the system's. A load or
// store orders as it is asked to; so does an operation that changes the word.
#pragma once

#include <atomic>
#include <cstddef>

#include "simt/cuda.hpp"

namespace cuda {

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's
enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
// NOLINTEND(readability-identifier-naming)

namespace detail {

constexpr bool releases(memory_order o) {
  return o == memory_order_release || o == memory_order_acq_rel || o == memory_order_seq_cst;
}

constexpr bool is_narrow(thread_scope s) {
  return s == thread_scope_block || s == thread_scope_thread;
}

/// The operations on a value that lies at `place()`.
template <class Own, class T, thread_scope Scope>
class atomic_operations {
  using word = simt::detail::word_of<sizeof(T)>;

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;
  [[nodiscard]] bool is_lock_free() const { return true; }

  [[gnu::always_inline]] T load(memory_order order = memory_order_seq_cst) const {
    note_scope();
    simt::detail::note_word(at(), false);
    if (order == memory_order_relaxed) return as_value(__atomic_load_n(at(), __ATOMIC_RELAXED));
    return as_value(__atomic_load_n(at(), __ATOMIC_SEQ_CST));
  }
  [[gnu::always_inline]] void store(T v, memory_order order = memory_order_seq_cst) const {
    note_scope();
    simt::detail::note_word(at(), releases(order));
    __atomic_store_n(at(), simt::detail::bit_cast<word>(v), __ATOMIC_SEQ_CST);
  }
  [[gnu::always_inline]] T exchange(T v, memory_order order = memory_order_seq_cst) const {
    return update([v](T) { return v; }, order);
  }
  [[gnu::always_inline]] bool compare_exchange_strong(T& expected, T wanted,
                                                      memory_order order = memory_order_seq_cst,
                                                      memory_order = memory_order_seq_cst) const {
    const T before = expected;
    const T found = update<simt::detail::note_exchange>(
        [=](T old) { return same(old, before) ? wanted : old; }, order);
    if (same(found, before)) return true;
    expected = found;
    return false;
  }
  [[gnu::always_inline]] bool compare_exchange_weak(
      T& expected, T wanted, memory_order order = memory_order_seq_cst,
      memory_order failed = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, wanted, order, failed);
  }

#define SIMT_FETCH(name, expression)                                                            \
  template <class V>                                                                            \
  [[gnu::always_inline]] T fetch_##name(V v, memory_order order = memory_order_seq_cst) const { \
    return update([&](T old) -> T { return expression; }, order);                               \
  }
  SIMT_FETCH(add, simt::detail::atomic_sum(at(), old, v))
  SIMT_FETCH(sub, static_cast<T>(old - v))
  SIMT_FETCH(and, static_cast<T>(old& v))
  SIMT_FETCH(or, static_cast<T>(old | v))
  SIMT_FETCH(xor, static_cast<T>(old ^ v))
  SIMT_FETCH(min, v < old ? static_cast<T>(v) : old)
  SIMT_FETCH(max, old < v ? static_cast<T>(v) : old)
#undef SIMT_FETCH

  T operator++() const { return fetch_add(1) + 1; }
  T operator++(int) const { return fetch_add(1); }
  T operator--() const { return fetch_sub(1) - 1; }
  T operator--(int) const { return fetch_sub(1); }
  template <class V>
  T operator+=(V v) const {
    return fetch_add(v) + v;
  }
  template <class V>
  T operator-=(V v) const {
    return fetch_sub(v) - v;
  }
  template <class V>
  T operator&=(V v) const {
    return fetch_and(v) & v;
  }
  template <class V>
  T operator|=(V v) const {
    return fetch_or(v) | v;
  }
  template <class V>
  T operator^=(V v) const {
    return fetch_xor(v) ^ v;
  }
  operator T() const { return load(); }  // NOLINT(google-explicit-constructor): as in CUDA

  void wait(T old, memory_order order = memory_order_seq_cst) const {
    while (same(load(order), old)) __nanosleep(0);
  }
  void notify_one() const {}
  void notify_all() const {}

 private:
  [[gnu::always_inline]] word* at() const {
    return reinterpret_cast<word*>(const_cast<T*>(static_cast<const Own*>(this)->place()));
  }
  [[gnu::always_inline]] static void note_scope() {
    if constexpr (is_narrow(Scope)) simt::detail::note_block_scope();
  }
  static T as_value(word w) { return simt::detail::bit_cast<T>(w); }
  static bool same(const T& a, const T& b) {
    return simt::detail::bit_cast<word>(a) == simt::detail::bit_cast<word>(b);
  }

  template <auto Note = simt::detail::note_atomic, class F>
  [[gnu::always_inline]] T update(F f, memory_order order) const {
    if (releases(order)) {
      note_scope();
      simt::detail::fence();
    }
    note_scope();
    Note(at(), sizeof(word));
    word seen = 0;  // a guess: a load of its own would be counted as one of the kernel's
    for (;;) {
      const word wanted = simt::detail::bit_cast<word>(f(as_value(seen)));
      if (__atomic_compare_exchange_n(at(), &seen, wanted, true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
        return as_value(seen);
      }
    }
  }
};

}  // namespace detail

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public detail::atomic_operations<atomic<T, Scope>, T, Scope> {
 public:
  atomic() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): as in CUDA
  constexpr atomic(T v) : value_(v) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  T operator=(T v) {  // NOLINT(misc-unconventional-assign-operator): as in CUDA
    this->store(v);
    return v;
  }

 private:
  friend detail::atomic_operations<atomic, T, Scope>;
  [[nodiscard]] const T* place() const { return &value_; }
  alignas(sizeof(T)) T value_;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public detail::atomic_operations<atomic_ref<T, Scope>, T, Scope> {
 public:
  static constexpr std::size_t required_alignment = sizeof(T);
  explicit atomic_ref(T& value) : at_(&value) {}
  T operator=(T v) const {  // NOLINT(misc-unconventional-assign-operator): as in CUDA
    this->store(v);
    return v;
  }

 private:
  friend detail::atomic_operations<atomic_ref, T, Scope>;
  [[nodiscard]] const T* place() const { return at_; }
  T* at_;
};

inline void atomic_thread_fence(memory_order, thread_scope scope = thread_scope_system) {
  if (detail::is_narrow(scope)) simt::detail::note_block_scope();
  simt::detail::fence();
}

}  // namespace cuda
