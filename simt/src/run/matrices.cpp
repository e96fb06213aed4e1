// Products of matrices that the lanes of a warp hold together.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "simt/lanes.hpp"
#include "simt/small_float.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

constexpr unsigned most_of_factor = 128, most_of_sum = 16;  // elements that a lane holds

/// What a lane brings: its part of both factors.
struct factors {
  std::array<double, most_of_factor> a, b;
};

template <class T>
T element_at(const void* from, unsigned n) {
  T v;
  std::memcpy(&v, static_cast<const std::byte*>(from) + n * sizeof(T), sizeof(T));
  return v;
}
template <class T>
void set_element(void* to, unsigned n, T v) {
  std::memcpy(static_cast<std::byte*>(to) + n * sizeof(T), &v, sizeof(T));
}

/// Elements of less than a byte: the first one is lowest.
unsigned bits_at(const void* from, unsigned n, unsigned bits) {
  const unsigned per_byte = 8 / bits;
  return element_at<std::uint8_t>(from, n / per_byte) >> (n % per_byte * bits) & ((1U << bits) - 1);
}

double read_element(element e, const void* from, unsigned n) {
  switch (e) {
    case element::f16: return decode(small_format::half, element_at<std::uint16_t>(from, n));
    case element::bf16: return decode(small_format::bfloat16, element_at<std::uint16_t>(from, n));
    case element::e4m3: return decode(small_format::e4m3, element_at<std::uint8_t>(from, n));
    case element::e5m2: return decode(small_format::e5m2, element_at<std::uint8_t>(from, n));
    case element::tf32: return as_tf32(element_at<float>(from, n));
    case element::f32: return element_at<float>(from, n);
    case element::f64: return element_at<double>(from, n);
    case element::s8: return element_at<std::int8_t>(from, n);
    case element::u8: return element_at<std::uint8_t>(from, n);
    case element::s32: return element_at<std::int32_t>(from, n);
    case element::u4: return bits_at(from, n, 4);
    case element::s4: return static_cast<int>(bits_at(from, n, 4) ^ 8) - 8;
    case element::b1: return bits_at(from, n, 1);
  }
  return 0;
}

void write_element(const matrix_operation& what, void* to, unsigned n, double v) {
  switch (what.d) {
    case element::f16:
      return set_element(to, n, static_cast<std::uint16_t>(encode(small_format::half, v)));
    case element::f32: return set_element(to, n, static_cast<float>(v));
    case element::f64: return set_element(to, n, v);
    default: break;
  }
  auto whole = static_cast<std::int64_t>(v);  // all sums of products of bytes are exact
  if (what.saturates)
    whole = std::max<std::int64_t>(std::min<std::int64_t>(whole, INT32_MAX), INT32_MIN);
  set_element(to, n, static_cast<std::int32_t>(static_cast<std::uint32_t>(whole)));
}

}  // namespace

void multiply_matrices(place at, const matrix_operation& what, const void* a, const void* b,
                       const void* c, void* d) {
  const lane& self = running("mma");
  const matrix_layout of_a = factor_layout(what.m, element_bits(what.a)),
                      of_b = factor_layout(what.n, element_bits(what.b)),
                      of_sum = sum_layout(what.m);
  factors own;
  for (unsigned i = 0; i < what.m * what.k / warp_size; ++i) own.a[i] = read_element(what.a, a, i);
  for (unsigned i = 0; i < what.n * what.k / warp_size; ++i) own.b[i] = read_element(what.b, b, i);

  std::array<std::uint64_t, warp_size> all{};
  const std::uint32_t came =
      warp_gather(at, ~0U, reinterpret_cast<std::uint64_t>(&own), all.data());
  if (came != ~0U) fail(self, "multiplies matrices; all 32 lanes of the warp must");
  std::array<double, most_of_sum> sums;
  for (unsigned i = 0; i < what.m * what.n / warp_size; ++i) {
    const auto [row, column] = of_sum.position_of(self.index, i);
    double sum = read_element(what.c, c, i);
    for (unsigned k = 0; k < what.k; ++k) {
      const auto* const with_a = reinterpret_cast<const factors*>(all[of_a.lane_of({row, k})]);
      const auto* const with_b = reinterpret_cast<const factors*>(all[of_b.lane_of({column, k})]);
      const double x = with_a->a[of_a.index_of({row, k})],
                   y = with_b->b[of_b.index_of({column, k})];
      sum = what.differs ? sum + std::abs(x - y) : std::fma(x, y, sum);
    }
    sums[i] = sum;
  }
  warp_barrier(at, ~0U);  // nobody reads the factors any more
  for (unsigned i = 0; i < what.m * what.n / warp_size; ++i) write_element(what, d, i, sums[i]);
}

}  // namespace simt::detail
