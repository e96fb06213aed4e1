// CUDA's short vectors. A copy is one access as wide as the vector, as on the device.
#pragma once

#include <cstdint>

struct uint3 {
  unsigned x, y, z;
};
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

// The volatile vector move keeps the compiler from splitting an access into its components.
template <unsigned Bytes>
struct wide_word;
template <>
struct wide_word<1> {
  using type = std::uint8_t;
};
template <>
struct wide_word<2> {
  using type = std::uint16_t;
};
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

/// No device moves it at once: one access for each component.
template <class T>
struct vector3 {
  T x, y, z;
  vector3() = default;
  constexpr vector3(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
  ~vector3() = default;
  vector3(const vector3& o) { copy(o); }
  vector3& operator=(const vector3& o) {
    copy(o);
    return *this;
  }

 private:
  [[gnu::always_inline]] void copy(const vector3& o) {
    wide_copy<sizeof(T)>(&x, &o.x);
    wide_copy<sizeof(T)>(&y, &o.y);
    wide_copy<sizeof(T)>(&z, &o.z);
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

#define SIMT_VECTORS(name, type)                                   \
  struct name##1 { type x; };                                      \
  using name##2 = simt::detail::vector2<type>;                     \
  using name##4 = simt::detail::vector4<type>;                     \
  inline name##1 make_##name##1(type x) { return {x}; }            \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; } \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define SIMT_VECTOR3(name, type)               \
  using name##3 = simt::detail::vector3<type>; \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }
SIMT_VECTORS(char, signed char)
SIMT_VECTORS(uchar, unsigned char)
SIMT_VECTORS(short, short)
SIMT_VECTORS(ushort, unsigned short)
SIMT_VECTORS(int, int)
SIMT_VECTORS(uint, unsigned)
SIMT_VECTORS(long, long)
SIMT_VECTORS(ulong, unsigned long)
SIMT_VECTORS(longlong, long long)
SIMT_VECTORS(ulonglong, unsigned long long)
SIMT_VECTORS(float, float)
SIMT_VECTORS(double, double)
SIMT_VECTOR3(char, signed char)
SIMT_VECTOR3(uchar, unsigned char)
SIMT_VECTOR3(short, short)
SIMT_VECTOR3(ushort, unsigned short)
SIMT_VECTOR3(int, int)
SIMT_VECTOR3(long, long)
SIMT_VECTOR3(ulong, unsigned long)
SIMT_VECTOR3(longlong, long long)
SIMT_VECTOR3(ulonglong, unsigned long long)
SIMT_VECTOR3(float, float)
SIMT_VECTOR3(double, double)
#undef SIMT_VECTORS
#undef SIMT_VECTOR3
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
