// malloc, free, new and delete in kernels: memory of the device's heap, which
// cudaLimitMallocHeapSize bounds. The source step writes these in their place; on the host they are
// the C library's.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace simt::detail {

/// nullptr where the heap has not that much left.
void* device_malloc(std::size_t bytes);
void* device_calloc(std::size_t count, std::size_t bytes);
void device_free(void* pointer);

struct on_heap {};

/// delete and delete[].
template <class T>
[[gnu::always_inline]] inline void device_delete(T* object) {
  if (object == nullptr) return;
  if constexpr (std::has_virtual_destructor<T>::value) {
    void* const whole = dynamic_cast<void*>(object);
    object->~T();
    device_free(whole);
  } else {
    object->~T();
    device_free(const_cast<std::remove_cv_t<T>*>(object));
  }
}
inline void device_delete(const volatile void* memory) { device_free(const_cast<void*>(memory)); }

/// Where the compiler keeps how many there are, if they have a destructor, it is in front of them.
template <class T>
[[gnu::always_inline]] inline void device_delete_array(T* first) {
  if (first == nullptr) return;
  if constexpr (std::is_trivially_destructible<T>::value) {
    device_free(const_cast<std::remove_cv_t<T>*>(first));
  } else {
    constexpr std::size_t front =
        alignof(T) > sizeof(std::size_t) ? alignof(T) : sizeof(std::size_t);
    for (std::size_t n = reinterpret_cast<const std::size_t*>(first)[-1]; n-- > 0;) first[n].~T();
    device_free(reinterpret_cast<char*>(const_cast<std::remove_cv_t<T>*>(first)) - front);
  }
}

}  // namespace simt::detail

[[gnu::always_inline]] inline void* operator new(std::size_t bytes,
                                                 simt::detail::on_heap) noexcept {
  return simt::detail::device_malloc(bytes);
}
[[gnu::always_inline]] inline void* operator new[](std::size_t bytes,
                                                   simt::detail::on_heap) noexcept {
  return simt::detail::device_malloc(bytes);
}
