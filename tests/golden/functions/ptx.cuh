// PTX's instructions on values and on lanes, those that are defined to the last bit.
#pragma once

#include "atomics.cuh"

namespace probe {
namespace {

/// What a register holds of a value.
template <class T>
struct held {
  using type = T;
};
template <>
struct held<__half> {
  using type = unsigned short;
};
template <>
struct held<__nv_bfloat16> {
  using type = unsigned short;
};
template <>
struct held<__half2> {
  using type = unsigned;
};
template <>
struct held<__nv_bfloat162> {
  using type = unsigned;
};
template <class T>
__device__ typename held<T>::type in_register(T v) {
  return from_word<typename held<T>::type>(to_word(v));
}

// The type and the constraint of each register.
#define PROBE_TYPE_f32 float
#define PROBE_TYPE_f64 double
#define PROBE_TYPE_u32 unsigned
#define PROBE_TYPE_s32 int
#define PROBE_TYPE_u64 ull
#define PROBE_TYPE_s64 ll
#define PROBE_TYPE_u16 ushort_t
#define PROBE_TYPE_s16 short
#define PROBE_TYPE_f16 __half
#define PROBE_TYPE_bf16 __nv_bfloat16
#define PROBE_TYPE_f16x2 __half2
#define PROBE_TYPE_bf16x2 __nv_bfloat162
#define PROBE_IN_f32 "f"
#define PROBE_IN_f64 "d"
#define PROBE_IN_u32 "r"
#define PROBE_IN_s32 "r"
#define PROBE_IN_u64 "l"
#define PROBE_IN_s64 "l"
#define PROBE_IN_u16 "h"
#define PROBE_IN_s16 "h"
#define PROBE_IN_f16 "h"
#define PROBE_IN_bf16 "h"
#define PROBE_IN_f16x2 "r"
#define PROBE_IN_bf16x2 "r"
#define PROBE_T(t) PROBE_TYPE_##t
#define PROBE_IN(t, v) PROBE_IN_##t(in_register(v))
#define PROBE_ASM(R, text, ...)                           \
  typename held<PROBE_T(R)>::type r;                      \
  asm volatile(text : "=" PROBE_IN_##R(r) : __VA_ARGS__); \
  return from_word<PROBE_T(R)>(to_word(r));
#define PTX_1(op, R, A) \
  PROBE(op, PROBE_T(R), (PROBE_T(A) a), PROBE_ASM(R, op " %0, %1;", PROBE_IN(A, a)))
#define PTX_2(op, R, A, B)                            \
  PROBE(op, PROBE_T(R), (PROBE_T(A) a, PROBE_T(B) b), \
        PROBE_ASM(R, op " %0, %1, %2;", PROBE_IN(A, a), PROBE_IN(B, b)))
#define PTX_3(op, R, A, B, C)                                       \
  PROBE(op, PROBE_T(R), (PROBE_T(A) a, PROBE_T(B) b, PROBE_T(C) c), \
        PROBE_ASM(R, op " %0, %1, %2, %3;", PROBE_IN(A, a), PROBE_IN(B, b), PROBE_IN(C, c)))
#define PTX_4(op, R, A, B, C, D)                                                                \
  PROBE(op, PROBE_T(R), (PROBE_T(A) a, PROBE_T(B) b, PROBE_T(C) c, PROBE_T(D) d),               \
        PROBE_ASM(R, op " %0, %1, %2, %3, %4;", PROBE_IN(A, a), PROBE_IN(B, b), PROBE_IN(C, c), \
                  PROBE_IN(D, d)))
#define PTX_UNARY(op, t) PTX_1(op "." #t, t, t)
#define PTX_BINARY(op, t) PTX_2(op "." #t, t, t, t)
#define PTX_TERNARY(op, t) PTX_3(op "." #t, t, t, t, t)

// Integers.
#define PTX_INTEGER(s, u, b)  \
  PTX_BINARY("add", s)        \
  PTX_BINARY("sub", u)        \
  PTX_BINARY("mul.lo", s)     \
  PTX_BINARY("mul.hi", s)     \
  PTX_BINARY("mul.hi", u)     \
  PTX_TERNARY("mad.lo", s)    \
  PTX_TERNARY("mad.hi", s)    \
  PTX_TERNARY("mad.hi", u)    \
  PTX_TERNARY("sad", s)       \
  PTX_TERNARY("sad", u)       \
  PTX_BINARY("min", s)        \
  PTX_BINARY("min", u)        \
  PTX_BINARY("max", s)        \
  PTX_BINARY("max", u)        \
  PTX_UNARY("neg", s)         \
  PTX_UNARY("abs", s)         \
  PTX_2("and." b, u, u, u)    \
  PTX_2("or." b, u, u, u)     \
  PTX_2("xor." b, u, u, u)    \
  PTX_1("not." b, u, u)       \
  PTX_1("cnot." b, u, u)      \
  PTX_2("shl." b, u, u, u32)  \
  PTX_2("shr." #u, u, u, u32) \
  PTX_2("shr." #s, s, s, u32)
PTX_INTEGER(s32, u32, "b32")
PTX_INTEGER(s64, u64, "b64")
PTX_INTEGER(s16, u16, "b16")
#define PTX_DIVISION(t)                                                                            \
  PROBE(                                                                                           \
      "div." #t, PROBE_T(t), (PROBE_T(t) a, PROBE_T(t) b),                                         \
      if (b == 0) { b = 3; } if (b + 1 == 0) { b = 5; } PROBE_ASM(t, "div." #t " %0, %1, %2;",     \
                                                                  PROBE_IN(t, a), PROBE_IN(t, b))) \
  PROBE(                                                                                           \
      "rem." #t, PROBE_T(t), (PROBE_T(t) a, PROBE_T(t) b),                                         \
      if (b == 0) { b = 3; } if (b + 1 == 0) { b = 5; } PROBE_ASM(t, "rem." #t " %0, %1, %2;",     \
                                                                  PROBE_IN(t, a), PROBE_IN(t, b)))
PTX_DIVISION(s32)
PTX_DIVISION(u32)
PTX_DIVISION(s64)
PTX_DIVISION(u64)
PTX_BINARY("add.sat", s32)
PTX_BINARY("sub.sat", s32)
PTX_2("mul.wide.s32", s64, s32, s32)
PTX_2("mul.wide.u32", u64, u32, u32)
PTX_2("mul.wide.u16", u32, u16, u16)
PTX_2("mul.wide.s16", s32, s16, s16)
PTX_3("mad.wide.s32", s64, s32, s32, s64)
PTX_3("mad.wide.u32", u64, u32, u32, u64)
PTX_BINARY("mul24.lo", s32)
PTX_BINARY("mul24.lo", u32)
PTX_BINARY("mul24.hi", s32)
PTX_BINARY("mul24.hi", u32)
PTX_TERNARY("mad24.lo", s32)
PTX_TERNARY("mad24.hi", u32)
PTX_1("popc.b32", u32, u32)
PTX_1("popc.b64", u32, u64)
PTX_1("clz.b32", u32, u32)
PTX_1("clz.b64", u32, u64)
PTX_1("brev.b32", u32, u32)
PTX_1("brev.b64", u64, u64)
PTX_1("bfind.u32", u32, u32)
PTX_1("bfind.s32", u32, s32)
PTX_1("bfind.u64", u32, u64)
PTX_1("bfind.s64", u32, s64)
PTX_1("bfind.shiftamt.u32", u32, u32)
PTX_1("bfind.shiftamt.s32", u32, s32)
PTX_1("bfind.shiftamt.u64", u32, u64)
PTX_1("bfind.shiftamt.s64", u32, s64)
PTX_3("bfe.u32", u32, u32, u32, u32)
PTX_3("bfe.s32", s32, s32, u32, u32)
PTX_3("bfe.u64", u64, u64, u32, u32)
PTX_3("bfe.s64", s64, s64, u32, u32)
PTX_4("bfi.b32", u32, u32, u32, u32, u32)
PTX_4("bfi.b64", u64, u64, u64, u32, u32)
PTX_3("shf.l.wrap.b32", u32, u32, u32, u32)
PTX_3("shf.l.clamp.b32", u32, u32, u32, u32)
PTX_3("shf.r.wrap.b32", u32, u32, u32, u32)
PTX_3("shf.r.clamp.b32", u32, u32, u32, u32)
PTX_3("prmt.b32", u32, u32, u32, u32)
PTX_3("prmt.b32.f4e", u32, u32, u32, u32)
PTX_3("prmt.b32.b4e", u32, u32, u32, u32)
PTX_3("prmt.b32.rc8", u32, u32, u32, u32)
PTX_3("prmt.b32.ecl", u32, u32, u32, u32)
PTX_3("prmt.b32.ecr", u32, u32, u32, u32)
PTX_3("prmt.b32.rc16", u32, u32, u32, u32)
#define PTX_LOOKUP(table)                                                   \
  PROBE("lop3.b32 " #table, unsigned, (unsigned a, unsigned b, unsigned c), \
        PROBE_ASM(u32, "lop3.b32 %0, %1, %2, %3, " #table ";", "r"(a), "r"(b), "r"(c)))
PTX_LOOKUP(0x96)
PTX_LOOKUP(0xca)
PTX_LOOKUP(0xe8)
PTX_LOOKUP(0x1d)
PTX_3("dp4a.s32.s32", s32, s32, s32, s32)
PTX_3("dp4a.u32.u32", u32, u32, u32, u32)
PTX_3("dp4a.u32.s32", s32, u32, s32, s32)
PTX_3("dp4a.s32.u32", s32, s32, u32, s32)
PTX_3("dp2a.lo.s32.u32", s32, s32, u32, s32)
PTX_3("dp2a.hi.u32.s32", s32, u32, s32, s32)
#define PTX_VIDEO_4(op)                             \
  PTX_3(op "4.u32.u32.u32", u32, u32, u32, u32)     \
  PTX_3(op "4.s32.s32.s32", u32, u32, u32, u32)     \
  PTX_3(op "4.s32.s32.s32.sat", u32, u32, u32, u32) \
  PTX_3(op "4.u32.u32.s32.sat", u32, u32, u32, u32) \
  PTX_3(op "4.u32.u32.u32.add", u32, u32, u32, u32) \
  PTX_3(op "4.s32.s32.s32.add", u32, u32, u32, u32)
PTX_VIDEO_4("vadd")
PTX_VIDEO_4("vsub")
PTX_VIDEO_4("vmin")
PTX_VIDEO_4("vmax")
PTX_VIDEO_4("vabsdiff")
#define PTX_VIDEO(op)                     \
  PTX_2(op ".s32.s32.s32", s32, s32, s32) \
  PTX_2(op ".u32.u32.u32", u32, u32, u32) \
  PTX_3(op ".s32.s32.s32.add", s32, s32, s32, s32)
PTX_VIDEO("vadd")
PTX_VIDEO("vsub")
PTX_VIDEO("vmin")
PTX_VIDEO("vmax")
PTX_VIDEO("vabsdiff")
PTX_3("vmin.u32.u32.u32.max", u32, u32, u32, u32)
PTX_3("vmax.u32.u32.u32.max", u32, u32, u32, u32)
PTX_3("vabsdiff.u32.u32.u32.max", u32, u32, u32, u32)
PTX_2("vshl.u32.u32.u32.clamp", u32, u32, u32)
PTX_2("vshl.u32.u32.u32.wrap", u32, u32, u32)
PTX_2("vshr.u32.u32.u32.clamp", u32, u32, u32)
PTX_2("vshr.s32.s32.u32.wrap", s32, s32, u32)
// Carries through two words.
#define PTX_CARRY(name, text)                                                                     \
  PROBE(name, ull, (unsigned a, unsigned b, unsigned c, unsigned d), unsigned low; unsigned high; \
        asm volatile(text                                                                         \
                     : "=r"(low), "=r"(high)                                                      \
                     : "r"(a), "r"(b), "r"(c), "r"(d));                                           \
        return low | ull{high} << 32;)
PTX_CARRY("add.cc addc", "{ add.cc.u32 %0, %2, %3; addc.u32 %1, %4, %5; }")
PTX_CARRY("sub.cc subc", "{ sub.cc.u32 %0, %2, %3; subc.u32 %1, %4, %5; }")
PTX_CARRY("mad.lo.cc madc.hi", "{ mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5; }")
PTX_CARRY("add.cc addc.cc addc",
          "{ add.cc.u32 %0, %2, %3; addc.cc.u32 %1, %4, %5; addc.u32 %0, %0, 0; }")

// Floating point.
#define PTX_ROUNDED(op, t) op(".rn", t) op(".rz", t) op(".rm", t) op(".rp", t)
#define PTX_FLOAT(mode, t)   \
  PTX_BINARY("add" mode, t)  \
  PTX_BINARY("sub" mode, t)  \
  PTX_BINARY("mul" mode, t)  \
  PTX_TERNARY("fma" mode, t) \
  PTX_BINARY("div" mode, t)  \
  PTX_UNARY("rcp" mode, t)   \
  PTX_UNARY("sqrt" mode, t)
PTX_ROUNDED(PTX_FLOAT, f32)
PTX_ROUNDED(PTX_FLOAT, f64)
#define PTX_FLUSHED(mode, t)        \
  PTX_BINARY("add" mode ".ftz", t)  \
  PTX_BINARY("sub" mode ".ftz", t)  \
  PTX_BINARY("mul" mode ".ftz", t)  \
  PTX_TERNARY("fma" mode ".ftz", t) \
  PTX_BINARY("div" mode ".ftz", t)  \
  PTX_UNARY("rcp" mode ".ftz", t)   \
  PTX_UNARY("sqrt" mode ".ftz", t)
PTX_ROUNDED(PTX_FLUSHED, f32)
PTX_BINARY("add.sat", f32)
PTX_BINARY("mul.sat", f32)
PTX_BINARY("mul.ftz.sat", f32)
PTX_TERNARY("fma.rn.sat", f32)
PTX_TERNARY("mad.rn", f32)
PTX_TERNARY("mad.rn", f64)
PTX_UNARY("neg", f32)
PTX_UNARY("neg", f64)
PTX_UNARY("abs", f32)
PTX_UNARY("abs", f64)
PTX_UNARY("abs.ftz", f32)
PTX_BINARY("min", f32)
PTX_BINARY("max", f32)
PTX_BINARY("min.ftz", f32)
PTX_BINARY("max.ftz", f32)
PTX_BINARY("min.NaN", f32)
PTX_BINARY("max.NaN", f32)
PTX_BINARY("min.ftz.NaN", f32)
PTX_BINARY("min", f64)
PTX_BINARY("max", f64)
PTX_BINARY("copysign", f32)
PTX_BINARY("copysign", f64)
#define PTX_HALF(t)             \
  PTX_BINARY("add.rn", t)       \
  PTX_BINARY("sub.rn", t)       \
  PTX_BINARY("mul.rn", t)       \
  PTX_TERNARY("fma.rn", t)      \
  PTX_TERNARY("fma.rn.relu", t) \
  PTX_UNARY("neg", t)           \
  PTX_UNARY("abs", t)           \
  PTX_BINARY("min", t)          \
  PTX_BINARY("max", t)          \
  PTX_BINARY("min.NaN", t)      \
  PTX_BINARY("max.NaN", t)
PTX_HALF(f16)
PTX_HALF(f16x2)
PTX_HALF(bf16)
PTX_HALF(bf16x2)
PTX_BINARY("add.sat", f16)
PTX_BINARY("add.ftz", f16)
PTX_BINARY("mul.sat", f16x2)
PTX_BINARY("mul.ftz", f16x2)
PTX_TERNARY("fma.rn.sat", f16)
PTX_TERNARY("fma.rn.ftz", f16)

// Comparisons.
#define PTX_SETP(how, t)                                                                      \
  PROBE("setp." how "." #t, bool, (PROBE_T(t) a, PROBE_T(t) b), unsigned r;                   \
        asm volatile("{ .reg .pred p; setp." how "." #t " p, %1, %2; selp.u32 %0, 1, 0, p; }" \
                     : "=r"(r)                                                                \
                     : PROBE_IN(t, a), PROBE_IN(t, b));                                       \
        return r != 0;)
#define PTX_ORDERS(t) \
  PTX_SETP("eq", t)   \
  PTX_SETP("ne", t)   \
  PTX_SETP("lt", t)   \
  PTX_SETP("le", t)   \
  PTX_SETP("gt", t)   \
  PTX_SETP("ge", t)
#define PTX_ORDERS_OF_FLOATS(t) \
  PTX_ORDERS(t)                 \
  PTX_SETP("equ", t)            \
  PTX_SETP("neu", t)            \
  PTX_SETP("ltu", t)            \
  PTX_SETP("leu", t)            \
  PTX_SETP("gtu", t)            \
  PTX_SETP("geu", t)            \
  PTX_SETP("num", t)            \
  PTX_SETP("nan", t)
PTX_ORDERS(s32)
PTX_ORDERS(u32)
PTX_ORDERS(s64)
PTX_ORDERS(u64)
PTX_ORDERS(s16)
PTX_ORDERS(u16)
PTX_SETP("lo", u32)
PTX_SETP("ls", u32)
PTX_SETP("hi", u32)
PTX_SETP("hs", u32)
PTX_ORDERS_OF_FLOATS(f32)
PTX_ORDERS_OF_FLOATS(f64)
PTX_ORDERS_OF_FLOATS(f16)
PTX_ORDERS_OF_FLOATS(bf16)
PTX_SETP("lt.ftz", f32)
PTX_SETP("eq.ftz", f32)
PTX_2("set.lt.u32.f32", u32, f32, f32)
PTX_2("set.gtu.f32.f32", f32, f32, f32)
PTX_2("set.ge.s32.u32", s32, u32, u32)
PTX_2("set.ne.ftz.f32.f32", f32, f32, f32)

// Conversions.
#define PTX_CVT(how, R, A) PTX_1("cvt" how "." #R "." #A, R, A)
#define PTX_TO_INTEGER(how, A) \
  PTX_CVT(how, s32, A)         \
  PTX_CVT(how, u32, A)         \
  PTX_CVT(how, s64, A)         \
  PTX_CVT(how, u64, A)         \
  PTX_CVT(how, s16, A)         \
  PTX_CVT(how, u16, A)
#define PTX_ROUNDED_TO_INTEGER(A) \
  PTX_TO_INTEGER(".rni", A)       \
  PTX_TO_INTEGER(".rzi", A)       \
  PTX_TO_INTEGER(".rmi", A)       \
  PTX_TO_INTEGER(".rpi", A)
PTX_ROUNDED_TO_INTEGER(f32)
PTX_ROUNDED_TO_INTEGER(f64)
PTX_ROUNDED_TO_INTEGER(f16)
PTX_TO_INTEGER(".rzi.ftz", f32)
PTX_TO_INTEGER(".rzi.sat", f32)
PTX_TO_INTEGER(".rni", bf16)
#define PTX_FROM_INTEGER(how, R) \
  PTX_CVT(how, R, s32)           \
  PTX_CVT(how, R, u32)           \
  PTX_CVT(how, R, s64)           \
  PTX_CVT(how, R, u64)           \
  PTX_CVT(how, R, s16)           \
  PTX_CVT(how, R, u16)
#define PTX_ROUNDED_FROM_INTEGER(R) \
  PTX_FROM_INTEGER(".rn", R)        \
  PTX_FROM_INTEGER(".rz", R)        \
  PTX_FROM_INTEGER(".rm", R)        \
  PTX_FROM_INTEGER(".rp", R)
PTX_ROUNDED_FROM_INTEGER(f32)
PTX_ROUNDED_FROM_INTEGER(f64)
PTX_ROUNDED_FROM_INTEGER(f16)
PTX_FROM_INTEGER(".rn", bf16)
#define PTX_MODES(R, A) \
  PTX_CVT(".rn", R, A) PTX_CVT(".rz", R, A) PTX_CVT(".rm", R, A) PTX_CVT(".rp", R, A)
PTX_MODES(f32, f64)
PTX_MODES(f16, f64)
PTX_CVT(".rn", f16, f32)
PTX_CVT(".rz", f16, f32)
PTX_CVT(".rn.sat", f16, f32)
PTX_CVT(".rn.relu", f16, f32)
PTX_CVT(".rn.ftz", f16, f32)
PTX_CVT(".rn", bf16, f32)
PTX_CVT(".rz", bf16, f32)
PTX_CVT(".rn.relu", bf16, f32)
PTX_CVT("", f64, f32)
PTX_CVT("", f32, f16)
PTX_CVT("", f32, bf16)
PTX_CVT("", f64, f16)
PTX_CVT(".ftz", f64, f32)
PTX_CVT(".rn.ftz", f32, f64)
PTX_CVT(".sat", f32, f32)
PTX_CVT(".rni", f32, f32)
PTX_CVT(".rzi", f32, f32)
PTX_CVT(".rmi", f32, f32)
PTX_CVT(".rpi.ftz", f32, f32)
PTX_CVT(".rni.sat", f32, f32)
PTX_CVT(".rmi", f64, f64)
PTX_CVT(".rpi", f64, f64)
PTX_CVT(".rni", f16, f16)
PTX_CVT(".rzi", f16, f16)
PTX_CVT("", s64, s32)
PTX_CVT("", u64, u32)
PTX_CVT("", s32, s16)
PTX_CVT("", u16, u32)
PTX_CVT(".sat", s16, s32)
PTX_CVT(".sat", u16, s32)
PTX_CVT(".sat", u32, s32)
PTX_CVT(".sat", s32, u32)
PTX_CVT(".sat", s32, s64)
PTX_CVT(".sat", u32, u64)
PTX_CVT(".sat", u64, s64)
PTX_CVT(".sat", s64, u64)
PTX_1("cvt.rna.tf32.f32", u32, f32)
PTX_1("cvt.rn.tf32.f32", u32, f32)
PTX_1("cvt.rz.tf32.f32", u32, f32)
PTX_2("cvt.rn.f16x2.f32", f16x2, f32, f32)
PTX_2("cvt.rz.f16x2.f32", f16x2, f32, f32)
PTX_2("cvt.rn.relu.f16x2.f32", f16x2, f32, f32)
PTX_2("cvt.rn.bf16x2.f32", bf16x2, f32, f32)
PTX_2("cvt.rz.relu.bf16x2.f32", bf16x2, f32, f32)
PTX_2("cvt.rn.satfinite.e4m3x2.f32", u16, f32, f32)
PTX_2("cvt.rn.satfinite.e5m2x2.f32", u16, f32, f32)
PTX_2("cvt.rn.satfinite.relu.e4m3x2.f32", u16, f32, f32)
PTX_1("cvt.rn.satfinite.e4m3x2.f16x2", u16, f16x2)
PTX_1("cvt.rn.satfinite.e5m2x2.f16x2", u16, f16x2)
PTX_1("cvt.rn.f16x2.e4m3x2", f16x2, u16)
PTX_1("cvt.rn.f16x2.e5m2x2", f16x2, u16)
PTX_1("cvt.rn.relu.f16x2.e4m3x2", f16x2, u16)

// Lanes.
#define PTX_SHFL(mode)                                                                      \
  PROBE("shfl.sync." mode ".b32", ull, (unsigned a, unsigned b, segment w), unsigned r;     \
        unsigned p; const unsigned c = (32U - w.v) << 8 | (mode[0] == 'u' ? 0 : 31);        \
        asm volatile("{ .reg .pred q; shfl.sync." mode ".b32 %0|q, %2, %3, %4, 0xffffffff;" \
                     " selp.u32 %1, 1, 0, q; }"                                             \
                     : "=r"(r), "=r"(p)                                                     \
                     : "r"(a), "r"(b), "r"(c));                                             \
        return r | ull{p} << 32;)
PTX_SHFL("up")
PTX_SHFL("down")
PTX_SHFL("bfly")
PTX_SHFL("idx")
#define PTX_REDUX(op, t)                                                                         \
  PROBE(                                                                                         \
      "redux.sync." op "." #t, unsigned, (unsigned a, lane_mask m), unsigned r = 0; if (in(m)) { \
        asm volatile("redux.sync." op "." #t " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(m.v));       \
      } return r;)
PTX_REDUX("add", s32)
PTX_REDUX("min", s32)
PTX_REDUX("max", u32)
PTX_REDUX("and", b32)
PTX_REDUX("or", b32)
PTX_REDUX("xor", b32)
PROBE(
    "vote.sync.ballot.b32", unsigned, (unsigned a, lane_mask m), unsigned r = 0; if (in(m)) {
      asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 255; vote.sync.ballot.b32 %0, p, %2; }"
                   : "=r"(r)
                   : "r"(a), "r"(m.v));
    } return r;)
PROBE(
    "vote.sync.uni.pred", unsigned, (unsigned a, lane_mask m), unsigned r = 0; if (in(m)) {
      asm volatile(
          "{ .reg .pred p, q; setp.gt.u32 p, %1, 255; vote.sync.uni.pred q, p, %2;"
          " selp.u32 %0, 1, 0, q; }"
          : "=r"(r)
          : "r"(a), "r"(m.v));
    } return r;)
PROBE(
    "match.any.sync.b32", unsigned, (unsigned a, lane_mask m), unsigned r = 0; if (in(m)) {
      asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(a & 3), "r"(m.v));
    } return r;)
PROBE(
    "match.all.sync.b64", unsigned, (ull a, lane_mask m), unsigned r = 0; if (in(m)) {
      asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %1, %2; }"
                   : "=r"(r)
                   : "l"(a >> 63), "r"(m.v));
    } return r;)

}  // namespace
}  // namespace probe
