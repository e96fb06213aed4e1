// CUDA's functions on integers and on parts of words.
#pragma once

#include "table.cuh"

namespace probe {
namespace {

using std::int64_t;
using ll = long long;
using ull = unsigned long long;
using ushort_t = unsigned short;

#define PROBE_ALIKE_2(name, T) PROBE(#name "(" #T ")", T, (T a, T b), return name(a, b);)
#define PROBE_ALIKE_3(name, T) PROBE_3(name, T, T, T, T)
PROBE_1(__popc, int, unsigned)
PROBE_1(__popcll, int, ull)
PROBE_1(__clz, int, int)
PROBE_1(__clzll, int, ll)
PROBE_1(__ffs, int, int)
PROBE_1(__ffsll, int, ll)
PROBE_1(__brev, unsigned, unsigned)
PROBE_1(__brevll, ull, ull)
PROBE_1(abs, int, int)
PROBE_1(llabs, ll, ll)
PROBE_3(__byte_perm, unsigned, unsigned, unsigned, unsigned)
PROBE_3(__funnelshift_l, unsigned, unsigned, unsigned, unsigned)
PROBE_3(__funnelshift_r, unsigned, unsigned, unsigned, unsigned)
PROBE_3(__funnelshift_lc, unsigned, unsigned, unsigned, unsigned)
PROBE_3(__funnelshift_rc, unsigned, unsigned, unsigned, unsigned)
PROBE_ALIKE_2(__mul24, int)
PROBE_ALIKE_2(__umul24, unsigned)
PROBE_ALIKE_2(__mulhi, int)
PROBE_ALIKE_2(__umulhi, unsigned)
PROBE_ALIKE_2(__mul64hi, ll)
PROBE_ALIKE_2(__umul64hi, ull)
PROBE_ALIKE_2(__hadd, int)
PROBE_ALIKE_2(__rhadd, int)
PROBE_ALIKE_2(__uhadd, unsigned)
PROBE_ALIKE_2(__urhadd, unsigned)
PROBE_3(__sad, unsigned, int, int, unsigned)
PROBE_3(__usad, unsigned, unsigned, unsigned, unsigned)
PROBE_ALIKE_3(__dp4a, int)
PROBE_ALIKE_3(__dp4a, unsigned)
PROBE_ALIKE_3(__dp2a_lo, int)
PROBE_ALIKE_3(__dp2a_lo, unsigned)
PROBE_ALIKE_3(__dp2a_hi, int)
PROBE_ALIKE_3(__dp2a_hi, unsigned)
PROBE("__fns(unsigned)", unsigned, (unsigned mask, unsigned base, int offset),
      return __fns(mask, base % 32, offset % 40);)
PROBE_ALIKE_2(min, int)
PROBE_ALIKE_2(max, int)
PROBE_ALIKE_2(min, unsigned)
PROBE_ALIKE_2(max, unsigned)
PROBE_ALIKE_2(min, ll)
PROBE_ALIKE_2(max, ll)
PROBE_ALIKE_2(min, ull)
PROBE_ALIKE_2(max, ull)
PROBE_2(min, unsigned, int, unsigned)
PROBE_2(max, unsigned, int, unsigned)
PROBE_ALIKE_2(umin, unsigned)
PROBE_ALIKE_2(umax, unsigned)
PROBE_ALIKE_2(llmin, ll)
PROBE_ALIKE_2(llmax, ll)
PROBE_ALIKE_2(ullmin, ull)
PROBE_ALIKE_2(ullmax, ull)

// Two or four integers in one word.
#define PROBE_WORDS(name) PROBE_2(name, unsigned, unsigned, unsigned)
#define PROBE_COMPARED(n, how) PROBE_WORDS(__vcmp##how##n) PROBE_WORDS(__vset##how##n)
#define PROBE_SIMD(n)                      \
  PROBE_WORDS(__vadd##n)                   \
  PROBE_WORDS(__vaddss##n)                 \
  PROBE_WORDS(__vaddus##n)                 \
  PROBE_WORDS(__vsub##n)                   \
  PROBE_WORDS(__vsubss##n)                 \
  PROBE_WORDS(__vsubus##n)                 \
  PROBE_WORDS(__vavgs##n)                  \
  PROBE_WORDS(__vavgu##n)                  \
  PROBE_WORDS(__vhaddu##n)                 \
  PROBE_WORDS(__vmaxs##n)                  \
  PROBE_WORDS(__vmaxu##n)                  \
  PROBE_WORDS(__vmins##n)                  \
  PROBE_WORDS(__vminu##n)                  \
  PROBE_WORDS(__vabsdiffs##n)              \
  PROBE_WORDS(__vabsdiffu##n)              \
  PROBE_WORDS(__vsads##n)                  \
  PROBE_WORDS(__vsadu##n)                  \
  PROBE_1(__vabs##n, unsigned, unsigned)   \
  PROBE_1(__vabsss##n, unsigned, unsigned) \
  PROBE_1(__vneg##n, unsigned, unsigned)   \
  PROBE_1(__vnegss##n, unsigned, unsigned) \
  PROBE_COMPARED(n, eq)                    \
  PROBE_COMPARED(n, ne)                    \
  PROBE_COMPARED(n, lts)                   \
  PROBE_COMPARED(n, les)                   \
  PROBE_COMPARED(n, gts)                   \
  PROBE_COMPARED(n, ges)                   \
  PROBE_COMPARED(n, ltu)                   \
  PROBE_COMPARED(n, leu)                   \
  PROBE_COMPARED(n, gtu)                   \
  PROBE_COMPARED(n, geu)
PROBE_SIMD(2)
PROBE_SIMD(4)

// For dynamic programming.
#define PROBE_OF_THREE(name)            \
  PROBE_ALIKE_3(name##_s32, int)        \
  PROBE_ALIKE_3(name##_u32, unsigned)   \
  PROBE_ALIKE_3(name##_s16x2, unsigned) \
  PROBE_ALIKE_3(name##_u16x2, unsigned) \
  PROBE_ALIKE_3(name##_s32_relu, int)   \
  PROBE_ALIKE_3(name##_s16x2_relu, unsigned)
PROBE_OF_THREE(__vimax3)
PROBE_OF_THREE(__vimin3)
PROBE_OF_THREE(__viaddmax)
PROBE_OF_THREE(__viaddmin)
PROBE_ALIKE_2(__vimax_s32_relu, int)
PROBE_ALIKE_2(__vimax_s16x2_relu, unsigned)
PROBE_ALIKE_2(__vimin_s32_relu, int)
PROBE_ALIKE_2(__vimin_s16x2_relu, unsigned)
#define PROBE_CHOICE(name)                                                                      \
  PROBE(#name "_s32", ull, (int a, int b), bool p; const unsigned r = name##_s32(a, b, &p);     \
        return r | ull{p} << 32;)                                                               \
  PROBE(#name "_u32", ull, (unsigned a, unsigned b), bool p;                                    \
        const unsigned r = name##_u32(a, b, &p); return r | ull{p} << 32;)                      \
  PROBE(#name "_s16x2", ull, (unsigned a, unsigned b), bool p; bool q;                          \
        const unsigned r = name##_s16x2(a, b, &p, &q); return r | ull{p} << 32 | ull{q} << 33;) \
  PROBE(#name "_u16x2", ull, (unsigned a, unsigned b), bool p; bool q;                          \
        const unsigned r = name##_u16x2(a, b, &p, &q); return r | ull{p} << 32 | ull{q} << 33;)
PROBE_CHOICE(__vibmax)
PROBE_CHOICE(__vibmin)

}  // namespace
}  // namespace probe
