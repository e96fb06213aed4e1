// 65 cases of the canonical order, each with a 64-bit digest of what a reduction and two scans
// give. The operators are not associative in their types; whatever a compiler could contract is
// fused by name, and exp and log are sums of products, so that the digests are the same on every
// machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/library/canonical/cases.hpp"
#include "warpfold/operators.hpp"

namespace warpfold::tests {

/// The floating-point number of these bits: nvcc's device code has no std::bit_cast.
template <class T, class Bits>
__host__ __device__ T float_of(Bits bits) {
  static_assert(sizeof(T) == sizeof(Bits));
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Values of 16 bits, which are accumulated in f32: f16 (5 bits of exponent) and bf16 (8).
template <int Exponent>
struct small_float {
  std::uint16_t bits;
  __host__ __device__ explicit operator float() const {  // normal numbers
    constexpr int fraction = 15 - Exponent, bias = (1 << (Exponent - 1)) - 1;
    const std::uint32_t sign = bits >> 15, rest = bits & 0x7fffU;
    const std::uint32_t moved = (rest << (23 - fraction)) + ((127U - bias) << 23);
    return float_of<float>(sign << 31 | moved);
  }
};
using f16 = small_float<5>;
using bf16 = small_float<8>;

/// log(exp(a) + exp(b)), within a few units of the last place.
struct log_sum_exp {
  static constexpr bool commutative = true;
  __host__ __device__ double operator()(double a, double b) const {
    const double larger = a < b ? b : a, distance = larger - (a < b ? a : b);
    if (!(distance < 50)) return larger;
    const double powers = rint(distance * -1.4426950408889634);
    const double rest = fma(powers, -0.6931471805599453, -distance);
    double e = 1;
    for (int i = 14; i > 0; --i) e = fma(e, rest / i, 1.0);
    e *= float_of<double>((1023ULL + static_cast<std::int64_t>(powers)) << 52);
    const double t = e / (2 + e), square = t * t;  // log(1 + e) = 2 atanh(e / (2 + e))
    double sum = 1.0 / 31;
    for (int odd = 29; odd > 0; odd -= 2) sum = fma(sum, square, 1.0 / odd);
    return fma(2 * t, sum, larger);
  }
  template <class T>
  __host__ __device__ static T identity() {
    return -HUGE_VAL;
  }
};

struct quaternion {
  float w, x, y, z;
};
struct quaternion_product {
  __host__ __device__ quaternion operator()(const quaternion& p, const quaternion& q) const {
    return {fmaf(p.w, q.w, fmaf(-p.x, q.x, fmaf(-p.y, q.y, -(p.z * q.z)))),
            fmaf(p.w, q.x, fmaf(p.x, q.w, fmaf(p.y, q.z, -(p.z * q.y)))),
            fmaf(p.w, q.y, fmaf(-p.x, q.z, fmaf(p.y, q.w, p.z * q.x))),
            fmaf(p.w, q.z, fmaf(p.x, q.y, fmaf(-p.y, q.x, p.z * q.w)))};
  }
  template <class T>
  __host__ __device__ static T identity() {
    return {1, 0, 0, 0};
  }
};

/// Count, mean and sum of squared deviations, combined by Chan's rule.
struct moments {
  double count, mean, squares;
};
struct combine_moments {
  __host__ __device__ moments operator()(const moments& a, const moments& b) const {
    const double count = a.count + b.count, between = b.mean - a.mean, share = b.count / count;
    return {count, fma(between, share, a.mean),
            a.squares + fma(between * between, a.count * share, b.squares)};
  }
  template <class T>
  __host__ __device__ static T identity() {
    return {0, 0, 0};
  }
};

/// The first of the largest values.
struct place {
  float value;
  std::uint32_t index;
};
struct first_largest {
  __host__ __device__ place operator()(const place& a, const place& b) const {
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
  }
  template <class T>
  __host__ __device__ static T identity() {
    return {-HUGE_VALF, 0xffffffff};
  }
};

/// The polynomial hash of a string, and the power of its length.
struct text_hash {
  std::uint64_t hash, power;
};
struct append_text {
  __host__ __device__ text_hash operator()(const text_hash& a, const text_hash& b) const {
    return {a.hash * b.power + b.hash, a.power * b.power};
  }
  template <class T>
  __host__ __device__ static T identity() {
    return {0, 1};
  }
};

template <class T>
T digest_value(std::uint64_t i) {
  if constexpr (std::is_same_v<T, f16>) {  // 1/4 to 8, both signs
    const std::uint64_t bits = mixed_bits(i);
    return {static_cast<std::uint16_t>((bits & 0x83ffU) | (13 + (bits >> 40) % 5) << 10)};
  } else if constexpr (std::is_same_v<T, bf16>) {
    const std::uint64_t bits = mixed_bits(i);
    return {static_cast<std::uint16_t>((bits & 0x807fU) | (125 + (bits >> 40) % 5) << 7)};
  } else if constexpr (std::is_same_v<T, quaternion>) {
    const auto m = value_at<matrix_f32>(i);  // of a length near 1
    return {m.a * 0.625F, m.b / 1.2F, m.c / 1.2F, m.d * 0.625F};
  } else if constexpr (std::is_same_v<T, moments>) {
    return {1, value_at<double>(i) + 1000, 0};
  } else if constexpr (std::is_same_v<T, place>) {
    return {static_cast<float>(mixed_bits(i) % 97), static_cast<std::uint32_t>(i)};
  } else if constexpr (std::is_same_v<T, text_hash>) {
    return {mixed_bits(i) % 256, 0x100000001b3U};
  } else {
    return value_at<T>(i);
  }
}

template <class T>
std::uint64_t digest_of(const T* results, std::size_t n, std::uint64_t digest = 0) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(results + i);
    for (std::size_t at = 0; at < sizeof(T); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + at, std::min<std::size_t>(8, sizeof(T) - at));
      digest = mixed_bits(digest ^ word) + 0x9e3779b97f4a7c15U;
    }
  }
  return digest;
}

/// visit(name, values, init, op) for each operator and number of values.
template <class Visit>
void each_digest(Visit visit) {
  const auto sizes = [&]<class T, class Acc, class Op>(const char* name, T, Acc init, Op op) {
    for (const std::size_t n : {0, 3, 4096, 65'537, 1'000'003}) {
      std::vector<T> values(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = digest_value<T>(i);
      visit(name, values, init, op);
    }
  };
  sizes("plus f16", f16{}, 0.5F, pairwise_plus{});
  sizes("plus bf16", bf16{}, 0.5F, pairwise_plus{});
  sizes("plus f32", 0.0F, 0.5F, pairwise_plus{});
  sizes("plus f64", 0.0, 0.5, pairwise_plus{});
  sizes("multiplies f32", 0.0F, 1.5F, multiplies{});
  sizes("log-sum-exp f64", 0.0, -1.0, log_sum_exp{});
  sizes("complex product f32", complex_f32{}, complex_f32{1, 0}, complex_product{});
  sizes("matrix product f32", matrix_f32{}, matrix_f32{1, 0, 0, 1}, matrix_product{});
  sizes("quaternion product f32", quaternion{}, quaternion{1, 0, 0, 0}, quaternion_product{});
  sizes("moments f64", moments{}, moments{1, 3, 0}, combine_moments{});
  sizes("first largest f32", place{}, place{-1, 0}, first_largest{});
  sizes("text hash u64", text_hash{}, text_hash{1, 1}, append_text{});
  sizes("affine maps f32", affine_f32{}, affine_f32{1, 0}, compose_f32{});
}

}  // namespace warpfold::tests
