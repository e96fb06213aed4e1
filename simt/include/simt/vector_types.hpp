// CUDA's short vectors. A copy is one access as wide as the vector, as on the device.
#pragma once

#include <cstdint>

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  // NOLINTNEXTLINE(google-explicit-constructor): as in CUDA, a number is a dim3
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct uint3 {
  unsigned x, y, z;
};

namespace simt::detail {

// The volatile vector move keeps the compiler from splitting an access into its components.
template <unsigned Bytes>
struct wide_word;
template <>
struct wide_word<4> {
  using type = std::uint32_t;
};
template <>
struct wide_word<8> {
  using type = std::uint64_t;
};
template <>
struct wide_word<16> {
  using type = std::uint64_t __attribute__((vector_size(16), may_alias));
};

template <unsigned Bytes>
[[gnu::always_inline]] inline void wide_copy(void* to, const void* from) {
  using word [[gnu::may_alias]] = typename wide_word<Bytes>::type;
  *static_cast<volatile word*>(to) = *static_cast<const volatile word*>(from);
}

template <class T>
struct alignas(2 * sizeof(T)) vector2 {
  T x, y;
  vector2() = default;
  constexpr vector2(T x_, T y_) : x(x_), y(y_) {}
  ~vector2() = default;
  vector2(const vector2& o) { wide_copy<2 * sizeof(T)>(this, &o); }
  vector2& operator=(const vector2& o) {
    wide_copy<2 * sizeof(T)>(this, &o);
    return *this;
  }
};

template <class T>
struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) vector4 {
  T x, y, z, w;
  vector4() = default;
  constexpr vector4(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {}
  ~vector4() = default;
  vector4(const vector4& o) { copy(o); }
  vector4& operator=(const vector4& o) {
    copy(o);
    return *this;
  }

 private:
  [[gnu::always_inline]] void copy(const vector4& o) {
    if constexpr (sizeof(vector4) <= 16) {
      wide_copy<sizeof(vector4)>(this, &o);
    } else {
      wide_copy<16>(&x, &o.x);
      wide_copy<16>(&z, &o.z);
    }
  }
};

}  // namespace simt::detail

using char4 = simt::detail::vector4<signed char>;
using uchar4 = simt::detail::vector4<unsigned char>;
using short2 = simt::detail::vector2<short>;
using short4 = simt::detail::vector4<short>;
using int2 = simt::detail::vector2<int>;
using int4 = simt::detail::vector4<int>;
using uint2 = simt::detail::vector2<unsigned>;
using uint4 = simt::detail::vector4<unsigned>;
using longlong2 = simt::detail::vector2<long long>;
using ulonglong2 = simt::detail::vector2<unsigned long long>;
using float2 = simt::detail::vector2<float>;
using float4 = simt::detail::vector4<float>;
using double2 = simt::detail::vector2<double>;

// Trivial copy at -O1 would otherwise be split; the constructors below are CUDA's own names.
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }
