// The operands that functions of the device are tried on: a list of words for each type, whose low
// bits are the values. Every list begins with what is special to the type.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace probe {

using word = unsigned long long;
constexpr unsigned values_of_a_type = 64, values_of_one_operand = 4096;

template <class T>
__host__ __device__ inline T from_word(word w) {
  T v;
  std::memcpy(static_cast<void*>(&v), &w, sizeof(T));
  return v;
}
template <class T>
__host__ __device__ inline word to_word(T v) {
  word w = 0;
  std::memcpy(&w, static_cast<const void*>(&v), sizeof(T));
  return w;
}

/// splitmix64's mixing of bits.
__host__ __device__ inline word mixed(word v) {
  v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9;
  v = (v ^ v >> 27) * 0x94d049bb133111eb;
  return v ^ v >> 31;
}

// Operands that are no plain numbers: an operation takes the word in them.
struct lane_mask {
  unsigned v;
};
struct segment {
  int v;
};

/// `special` ones, then random bits, every other one of `alike(bits)`.
template <class Alike>
std::vector<word> list_of(std::vector<word> special, unsigned n, Alike alike) {
  for (unsigned i = 0; special.size() < n; ++i) {
    const word bits = mixed(i + 1);
    special.push_back(i % 2 != 0 ? alike(bits) : bits);
  }
  return special;
}

template <class T>
struct operands;

/// A format of floating point: with both signs of zero, the ends of all ranges, and numbers near 1.
inline std::vector<word> list_of_floats(unsigned exponent_bits, unsigned mantissa_bits,
                                        unsigned n) {
  const word one = word{1} << mantissa_bits, bias = (word{1} << (exponent_bits - 1)) - 1,
             infinity = ((word{1} << exponent_bits) - 1) * one, half = one / 2;
  const auto power = [&](int e) { return (bias + e) * one; };
  std::vector<word> all;
  for (const word magnitude :
       {word{0}, word{1}, half + 1, one - 1, one, one + 1, power(-1), power(0) - 1, power(0),
        power(0) + 1, power(0) + half, power(1), power(1) + half / 2, power(3) + half,
        power(mantissa_bits), infinity - 1, infinity, infinity + half}) {
    all.push_back(magnitude);
    all.push_back(magnitude | infinity + one);
  }
  const word sign = infinity + one;
  return list_of(all, n, [=](word bits) {
    return (bits & (sign | (one - 1))) | power(static_cast<int>(bits >> 32 & 7) - 3);
  });
}
template <>
struct operands<float> {
  static std::vector<word> list(unsigned n) { return list_of_floats(8, 23, n); }
};
template <>
struct operands<double> {
  static std::vector<word> list(unsigned n) { return list_of_floats(11, 52, n); }
};
template <>
struct operands<__half> {
  static std::vector<word> list(unsigned n) { return list_of_floats(5, 10, n); }
};
template <>
struct operands<__nv_bfloat16> {
  static std::vector<word> list(unsigned n) { return list_of_floats(8, 7, n); }
};
/// Two numbers: the second one is taken from another place of the list.
inline std::vector<word> list_of_pairs(const std::vector<word>& one, unsigned bits) {
  std::vector<word> all;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const word low = one[i], high = one[(i * 13 + 5) % one.size()], mask = (word{1} << bits) - 1;
    all.push_back((low & mask) | (high & mask) << bits);
  }
  return all;
}
template <>
struct operands<__half2> {
  static std::vector<word> list(unsigned n) { return list_of_pairs(operands<__half>::list(n), 16); }
};
template <>
struct operands<__nv_bfloat162> {
  static std::vector<word> list(unsigned n) {
    return list_of_pairs(operands<__nv_bfloat16>::list(n), 16);
  }
};
template <>
struct operands<float2> {
  static std::vector<word> list(unsigned n) { return list_of_pairs(operands<float>::list(n), 32); }
};

template <unsigned Bits>
std::vector<word> list_of_integers(unsigned n) {
  const word top = word{1} << (Bits - 1);
  std::vector<word> all{0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255};
  for (const word w : {word{256},
                       top / 2,
                       top - 2,
                       top - 1,
                       top,
                       top + 1,
                       2 * top - 256,
                       2 * top - 129,
                       2 * top - 128,
                       2 * top - 33,
                       2 * top - 32,
                       2 * top - 31,
                       2 * top - 3,
                       2 * top - 2,
                       2 * top - 1,
                       word{0x8000000000000000},
                       word{0x7fffffff80000000},
                       word{0x00ff00ff00ff00ff},
                       word{0x8080808080808080},
                       word{0x7f7f7f7f7f7f7f7f},
                       word{0x8000800080008000},
                       word{0x7fff7fff7fff7fff},
                       word{0x0123456789abcdef}}) {
    all.push_back(w);
  }
  return list_of(all, n, [](word bits) { return bits & 63; });
}
#define PROBE_INTEGER(type, bits)                                                   \
  template <>                                                                       \
  struct operands<type> {                                                           \
    static std::vector<word> list(unsigned n) { return list_of_integers<bits>(n); } \
  };
PROBE_INTEGER(int, 32)
PROBE_INTEGER(unsigned, 32)
PROBE_INTEGER(long long, 64)
PROBE_INTEGER(unsigned long long, 64)
PROBE_INTEGER(short, 16)
PROBE_INTEGER(unsigned short, 16)
PROBE_INTEGER(signed char, 8)
PROBE_INTEGER(unsigned char, 8)
#undef PROBE_INTEGER

/// Lanes of a warp, never none.
template <>
struct operands<lane_mask> {
  static std::vector<word> list(unsigned n) {
    return list_of({~0U, 1, 0x80000000, 0xffff, 0xffff0000, 0x55555555, 0xaaaaaaaa, 3, 0x7fffffff},
                   n, [](word bits) { return bits | 1U << (bits >> 40 & 31); });
  }
};
/// What a shuffle cuts the warp into.
template <>
struct operands<segment> {
  static std::vector<word> list(unsigned n) {
    std::vector<word> all;
    for (unsigned i = 0; i < n; ++i) all.push_back(32U >> i % 6);
    return all;
  }
};

}  // namespace probe
