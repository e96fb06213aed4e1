// cuRAND's generators in kernels: XORWOW and Philox4x32-10, with the numbers that cuRAND draws, and
// its distributions on them (what the device's sine and logarithm round otherwise differs last).
#pragma once

#include "simt/cuda.hpp"
#include "simt/math.hpp"
#include "simt/xorwow.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's

namespace simt::detail {

/// The second number of a pair, which the next call of the same kind takes.
struct spare_normals {
  enum kind : unsigned char { none, normal, log_normal };
  kind is_float = none, is_double = none;
  float of_float = 0;
  double of_double = 0;
};

}  // namespace simt::detail

struct curandStateXORWOW {
  unsigned d, v[5];
  simt::detail::spare_normals spare;
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;  // how many of `output` are drawn
  simt::detail::spare_normals spare;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

namespace simt::detail {

inline constexpr unsigned xorwow_step = 362437;
inline constexpr float ulp_32 = 2.3283064e-10F, two_pi = 6.2831855F;
inline constexpr double ulp_32_double = 2.3283064365386963e-10;
inline constexpr double ulp_53 = 1.1102230246251565e-16;

inline uint4 philox(uint4 c, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53} * c.x, q = std::uint64_t{0xCD9E8D57} * c.z;
    c = {static_cast<unsigned>(q >> 32) ^ c.y ^ key.x, static_cast<unsigned>(q),
         static_cast<unsigned>(p >> 32) ^ c.w ^ key.y, static_cast<unsigned>(p)};
    key.x += 0x9E3779B9;
    key.y += 0xBB67AE85;
  }
  return c;
}

/// Adds to the counter's words from the one given on.
inline void advance(uint4& c, std::uint64_t by, bool high = false) {
  const auto word = [](unsigned low, unsigned up) { return std::uint64_t{up} << 32 | low; };
  std::uint64_t low = word(c.x, c.y), up = word(c.z, c.w);
  if (high) {
    up += by;
  } else {
    low += by;
    if (low < by) ++up;
  }
  c = {static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(up),
       static_cast<unsigned>(up >> 32)};
}

inline float uniform_of(unsigned x) { return static_cast<float>(x) * ulp_32 + ulp_32 / 2; }
inline double uniform_of(unsigned x, unsigned y) {
  return static_cast<double>(x ^ std::uint64_t{y} << 21) * ulp_53 + ulp_53 / 2;
}
inline float2 box_muller(unsigned x, unsigned y) {
  const float s = sqrtf(-2 * logf(uniform_of(x)));
  const float angle = fmaf(static_cast<float>(y), ulp_32 * two_pi, ulp_32 * two_pi / 2);
  return {s * sinf(angle), s * cosf(angle)};
}
inline double2 box_muller(unsigned x, unsigned x_up, unsigned y, unsigned y_up) {
  const double s = sqrt(-2 * log(uniform_of(x, x_up)));
  const double angle = 2 * uniform_of(y, y_up);
  return {s * sinpi(angle), s * cospi(angle)};
}

}  // namespace simt::detail

inline void skipahead(unsigned long long n, curandStateXORWOW* s) {
  simt::detail::skip_xorwow(s->v, n, 0);
  s->d += simt::detail::xorwow_step * static_cast<unsigned>(n);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW* s) {
  simt::detail::skip_xorwow(s->v, n, 67);
}
inline void skipahead(unsigned long long n, curandStatePhilox4_32_10* s) {
  s->STATE += static_cast<unsigned>(n & 3);
  n /= 4;
  if (s->STATE > 3) {
    ++n;
    s->STATE -= 4;
  }
  simt::detail::advance(s->ctr, n);
  s->output = simt::detail::philox(s->ctr, s->key);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* s) {
  simt::detail::advance(s->ctr, n, true);
  s->output = simt::detail::philox(s->ctr, s->key);
}

inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateXORWOW* s) {
  const unsigned s0 = static_cast<unsigned>(seed) ^ 0xaad26b49;
  const unsigned s1 = static_cast<unsigned>(seed >> 32) ^ 0xf7dcefdd;
  const unsigned t0 = 1099087573 * s0, t1 = 2591861531 * s1;
  *s = {6615241 + t1 + t0,
        {123456789 + t0, 362436069 ^ t0, 521288629 + t1, 88675123 ^ t1, 5783321 + t0},
        {}};
  skipahead_sequence(subsequence, s);
  skipahead(offset, s);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStatePhilox4_32_10* s) {
  *s = {};
  s->key = {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
  skipahead_sequence(subsequence, s);
  skipahead(offset, s);
}

inline unsigned curand(curandStateXORWOW* s) {
  const unsigned t = s->v[0] ^ s->v[0] >> 2, last = s->v[4];
  for (int i = 0; i < 4; ++i) s->v[i] = s->v[i + 1];
  s->v[4] = last ^ last << 4 ^ t ^ t << 1;
  s->d += simt::detail::xorwow_step;
  return s->v[4] + s->d;
}
inline unsigned curand(curandStatePhilox4_32_10* s) {
  const uint4& o = s->output;
  const unsigned drawn = s->STATE == 0 ? o.x : s->STATE == 1 ? o.y : s->STATE == 2 ? o.z : o.w;
  if (++s->STATE == 4) {
    simt::detail::advance(s->ctr, 1);
    s->output = simt::detail::philox(s->ctr, s->key);
    s->STATE = 0;
  }
  return drawn;
}
template <class State>
uint4 curand4(State* s) {
  const unsigned x = curand(s), y = curand(s), z = curand(s), w = curand(s);
  return {x, y, z, w};
}

template <class State>
float curand_uniform(State* s) {
  return simt::detail::uniform_of(curand(s));
}
template <class State>
float4 curand_uniform4(State* s) {
  const uint4 x = curand4(s);
  using simt::detail::uniform_of;
  return {uniform_of(x.x), uniform_of(x.y), uniform_of(x.z), uniform_of(x.w)};
}
inline double curand_uniform_double(curandStateXORWOW* s) {
  const unsigned x = curand(s), y = curand(s);
  return simt::detail::uniform_of(x, y);
}
inline double curand_uniform_double(curandStatePhilox4_32_10* s) {
  using namespace simt::detail;
  return curand(s) * ulp_32_double + ulp_32_double / 2;
}
template <class State>
double2 curand_uniform2_double(State* s) {
  const uint4 x = curand4(s);
  return {simt::detail::uniform_of(x.x, x.y), simt::detail::uniform_of(x.z, x.w)};
}

template <class State>
float2 curand_normal2(State* s) {
  const unsigned x = curand(s), y = curand(s);
  return simt::detail::box_muller(x, y);
}
template <class State>
float4 curand_normal4(State* s) {
  const float2 a = curand_normal2(s), b = curand_normal2(s);
  return {a.x, a.y, b.x, b.y};
}
template <class State>
double2 curand_normal2_double(State* s) {
  const uint4 x = curand4(s);
  return simt::detail::box_muller(x.x, x.y, x.z, x.w);
}
/// One number of the pair that `draw` makes.
#define SIMT_DRAW_ONE(name, type, kind, draw, result, ...)      \
  template <class State>                                        \
  type name(__VA_ARGS__) {                                      \
    auto& spare = s->spare;                                     \
    if (spare.is_##type == simt::detail::spare_normals::kind) { \
      spare.is_##type = simt::detail::spare_normals::none;      \
      return spare.of_##type;                                   \
    }                                                           \
    const auto of = [&](type x) -> type { return result; };     \
    const auto drawn = draw(s);                                 \
    spare.is_##type = simt::detail::spare_normals::kind;        \
    spare.of_##type = of(drawn.y);                              \
    return of(drawn.x);                                         \
  }
SIMT_DRAW_ONE(curand_normal, float, normal, curand_normal2, x, State* s)
SIMT_DRAW_ONE(curand_normal_double, double, normal, curand_normal2_double, x, State* s)
SIMT_DRAW_ONE(curand_log_normal, float, log_normal, curand_normal2, expf(mean + deviation * x),
              State* s, float mean, float deviation)
SIMT_DRAW_ONE(curand_log_normal_double, double, log_normal, curand_normal2_double,
              exp(mean + deviation * x), State* s, double mean, double deviation)
#undef SIMT_DRAW_ONE

// NOLINTEND(readability-identifier-naming)
