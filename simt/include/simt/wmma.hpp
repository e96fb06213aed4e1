// nvcuda::wmma: products of small matrices by all lanes of a warp. The elements of a fragment lie
// over the lanes as those of mma.sync do (simt/lanes.hpp).
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/cuda.hpp"
#include "simt/half_arithmetic.hpp"
#include "simt/half_conversions.hpp"
#include "simt/lanes.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct s4;
struct u4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

namespace detail {

using simt::detail::element;

template <class T>
struct element_type {
  using type = T;
};
template <>
struct element_type<precision::tf32> {
  using type = float;
};
/// Of less than a byte; a word holds several.
namespace small = experimental::precision;
template <class T>
inline constexpr bool is_packed =
    std::is_same_v<T, small::s4> || std::is_same_v<T, small::u4> || std::is_same_v<T, small::b1>;
template <>
struct element_type<small::s4> {
  using type = int;
};
template <>
struct element_type<small::u4> {
  using type = unsigned;
};
template <>
struct element_type<small::b1> {
  using type = unsigned;
};

template <class T>
constexpr element element_of() {
  return std::is_same_v<T, __half>            ? element::f16
         : std::is_same_v<T, __nv_bfloat16>   ? element::bf16
         : std::is_same_v<T, precision::tf32> ? element::tf32
         : std::is_same_v<T, float>           ? element::f32
         : std::is_same_v<T, double>          ? element::f64
         : std::is_same_v<T, signed char>     ? element::s8
         : std::is_same_v<T, unsigned char>   ? element::u8
         : std::is_same_v<T, small::s4>       ? element::s4
         : std::is_same_v<T, small::u4>       ? element::u4
         : std::is_same_v<T, small::b1>       ? element::b1
                                              : element::s32;
}

template <class T>
constexpr bool is_shape(int m, int n, int k) {
  if (std::is_same_v<T, double>) return m == 8 && n == 8 && k == 4;
  if (is_packed<T>) return m == 8 && n == 8 && k == (std::is_same_v<T, small::b1> ? 128 : 32);
  if (std::is_same_v<T, precision::tf32>) return m == 16 && n == 16 && k == 8;
  return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
}
template <class T>
inline constexpr bool is_factor =
    std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16> || std::is_same_v<T, double> ||
    std::is_same_v<T, precision::tf32> || std::is_same_v<T, signed char> ||
    std::is_same_v<T, unsigned char> || is_packed<T>;

template <unsigned Bytes>
using word = std::conditional_t<
    Bytes == 2, std::uint16_t,
    std::conditional_t<Bytes == 4, std::uint32_t,
                       std::conditional_t<Bytes == 8, std::uint64_t,
                                          std::uint64_t __attribute__((vector_size(16)))>>>;
template <class T, unsigned Count>
[[gnu::always_inline]] inline void copy_together(T* to, const T* from) {
  using whole [[gnu::may_alias]] = word<sizeof(T) * Count>;
  const whole bits = *reinterpret_cast<const volatile whole*>(from);
  std::memcpy(to, &bits, sizeof(bits));
}
template <class T, unsigned Count>
[[gnu::always_inline]] inline void put_together(T* to, const T* from) {
  using whole [[gnu::may_alias]] = word<sizeof(T) * Count>;
  whole bits;
  std::memcpy(&bits, from, sizeof(bits));
  *reinterpret_cast<volatile whole*>(to) = bits;
}

/// How a lane's elements lie in memory: the row of the layout runs along memory, or across it.
template <unsigned Width, unsigned Elements, class T, class F>
[[gnu::always_inline]] inline void for_each_piece(simt::detail::matrix_layout lies, unsigned stride,
                                                  bool along, T* memory, F f) {
  const unsigned lane = simt::detail::lane_index();
#pragma unroll
  for (unsigned i = 0; i < Elements; i += Width) {
    const auto [row, column] = lies.position_of(lane, i);
    f(memory + (along ? row * stride + column : column * stride + row), i);
  }
}

}  // namespace detail

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
  static constexpr bool sums = std::is_same_v<Use, accumulator>;
  static constexpr bool is_a = std::is_same_v<Use, matrix_a>;
  static_assert(sums || (detail::is_factor<T> && detail::is_shape<T>(M, N, K)),
                "this shape or type of wmma fragments is not on the CPU machine");
  static_assert(!detail::is_packed<T> ||
                    (is_a ? std::is_same_v<Layout, row_major> : std::is_same_v<Layout, col_major>),
                "small elements are in row_major factors on the left, col_major on the right");

 public:
  using element_type = T;
  using storage_element_type = typename detail::element_type<T>::type;
  static constexpr int num_elements = (sums ? M * N : is_a ? M * K : N * K) / 32;
  /// Elements in one of `x`.
  static constexpr int packed =
      detail::is_packed<T>
          ? 32 / static_cast<int>(simt::detail::element_bits(detail::element_of<T>()))
          : 1;
  static constexpr int num_storage_elements = num_elements / packed;
  storage_element_type x[num_storage_elements];

  /// Whether what lies side by side in a row of the layout does so in memory.
  static constexpr bool along =
      sums || (is_a ? std::is_same_v<Layout, row_major> : std::is_same_v<Layout, col_major>);
  static constexpr simt::detail::matrix_layout lies =
      sums ? simt::detail::sum_layout(M)
           : simt::detail::factor_layout(is_a ? M : N,
                                         8 * sizeof(storage_element_type) / unsigned{packed});
};

template <class Use, int M, int N, int K, class T, class Layout>
[[gnu::always_inline]] inline void fill_fragment(
    fragment<Use, M, N, K, T, Layout>& f,
    const simt::detail::same<typename fragment<Use, M, N, K, T, Layout>::storage_element_type>& v) {
  constexpr int packed = fragment<Use, M, N, K, T, Layout>::packed;
  auto filled = v;
  if constexpr (packed == 32) {
    filled = (v & 1) != 0 ? ~0U : 0U;
  } else if constexpr (packed > 1) {
    filled = static_cast<decltype(filled)>((static_cast<unsigned>(v) & 15U) * 0x11111111U);
  }
#pragma unroll
  for (int i = 0; i < f.num_storage_elements; ++i) f.x[i] = filled;
}

namespace detail {

template <class Fragment, class T>
[[gnu::always_inline]] inline void load(Fragment& f, const T* from, unsigned stride, bool along,
                                        simt::detail::place at) {
  constexpr unsigned width = Fragment::lies.width;
  if constexpr (Fragment::packed > 1) {  // a word of memory for each of x
    using word [[gnu::may_alias]] = typename Fragment::storage_element_type;
    const unsigned lane = simt::detail::lane_index();
#pragma unroll
    for (unsigned i = 0; i < Fragment::num_elements; i += width) {
      const auto [row, column] = Fragment::lies.position_of(lane, i);
      f.x[i / width] = static_cast<const volatile word*>(
          static_cast<const void*>(from))[(row * stride + column) / width];
    }
  } else {
    for_each_piece<width, Fragment::num_elements>(Fragment::lies, stride, along, from,
                                                  [&](const T* p, unsigned i) {
                                                    if (along)
                                                      return copy_together<T, width>(&f.x[i], p);
#pragma unroll
                                                    for (unsigned n = 0; n < width; ++n)
                                                      f.x[i + n] = p[n * stride];
                                                  });
  }
  simt::detail::warp_barrier(at, ~0U);
}

}  // namespace detail

template <class Use, int M, int N, int K, class T, class Layout, class From>
[[clang::convergent, gnu::always_inline]] inline void load_matrix_sync(
    fragment<Use, M, N, K, T, Layout>& f, const From* from, unsigned stride,
    const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  detail::load(f, from, stride, f.along, {file, line, simt::detail::intrinsic::matrices});
}
template <int M, int N, int K, class T, class From>
[[clang::convergent, gnu::always_inline]] inline void load_matrix_sync(
    fragment<accumulator, M, N, K, T>& f, const From* from, unsigned stride, layout_t layout,
    const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  detail::load(f, from, stride, layout == mem_row_major,
               {file, line, simt::detail::intrinsic::matrices});
}

template <int M, int N, int K, class T, class To>
[[clang::convergent, gnu::always_inline]] inline void store_matrix_sync(
    To* to, const fragment<accumulator, M, N, K, T>& f, unsigned stride, layout_t layout,
    const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  using own = fragment<accumulator, M, N, K, T>;
  constexpr unsigned width = own::lies.width;
  const bool along = layout == mem_row_major;
  simt::detail::warp_barrier({file, line, simt::detail::intrinsic::matrices}, ~0U);
  detail::for_each_piece<width, own::num_elements>(
      own::lies, stride, along, to, [&](To* p, unsigned i) {
        if (along) return detail::put_together<To, width>(p, &f.x[i]);
#pragma unroll
        for (unsigned n = 0; n < width; ++n) p[n * stride] = f.x[i + n];
      });
}

template <int M, int N, int K, class T, class LayoutA, class LayoutB, class C, class D>
[[clang::convergent, gnu::always_inline]] inline void mma_sync(
    fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, T, LayoutA>& a,
    const fragment<matrix_b, M, N, K, T, LayoutB>& b, const fragment<accumulator, M, N, K, C>& c,
    bool saturates = false, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  using detail::element_of;
  simt::detail::multiply_matrices(
      {file, line, simt::detail::intrinsic::matrices},
      {M, N, K, element_of<T>(), element_of<T>(), element_of<C>(), element_of<D>(), saturates}, a.x,
      b.x, c.x, d.x);
}

template <class LayoutA, class LayoutB>
[[clang::convergent, gnu::always_inline]] inline void bmma_sync(
    fragment<accumulator, 8, 8, 128, int>& d,
    const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, LayoutA>& a,
    const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, LayoutB>& b,
    const fragment<accumulator, 8, 8, 128, int>& c,
    experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
    experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC,
    const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  using simt::detail::element;
  simt::detail::multiply_matrices({file, line, simt::detail::intrinsic::matrices},
                                  {8, 8, 128, element::b1, element::b1, element::s32, element::s32,
                                   false, operation == experimental::bmmaBitOpXOR},
                                  a.x, b.x, c.x, d.x);
}

[[gnu::always_inline]] inline float __float_to_tf32(float v) {
  return simt::detail::bit_cast<float>(
      simt::detail::encode(simt::detail::small_format::tf32, v, simt::detail::rounding::away)
      << 13);
}

}  // namespace nvcuda::wmma
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
