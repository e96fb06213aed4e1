// CUDA's short vectors. A copy is one access as wide as the vector, as on the device.
#pragma once

#include "simt/runtime/vectors.h"
#include "simt/word_of.hpp"

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  // NOLINTNEXTLINE(google-explicit-constructor): as in CUDA, a number is a dim3
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr dim3(const uint3& v) : x(v.x), y(v.y), z(v.z) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator uint3() const { return {x, y, z}; }
};

namespace simt::detail {

/// Two numbers that are classes. The volatile move keeps the compiler from splitting an access into
/// its components.
template <class T>
struct alignas(2 * sizeof(T)) vector2 {
  T x, y;
  vector2() = default;
  constexpr vector2(T x_, T y_) : x(x_), y(y_) {}
  ~vector2() = default;
  vector2(const vector2& o) { copy(o); }
  vector2& operator=(const vector2& o) {
    copy(o);
    return *this;
  }

 private:
  [[gnu::always_inline]] void copy(const vector2& o) {
    using word = word_of<2 * sizeof(T)>;
    *reinterpret_cast<volatile word*>(this) = *reinterpret_cast<const volatile word*>(&o);
  }
};

}  // namespace simt::detail

#define SIMT_MAKE(name, type)                                                 \
  inline name##1 make_##name##1(type x) { return {x}; }                       \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
SIMT_ALL_VECTORS(SIMT_MAKE)
#undef SIMT_MAKE
#undef SIMT_ALL_VECTORS
