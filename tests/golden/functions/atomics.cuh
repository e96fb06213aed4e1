// CUDA's atomics, on a word of each thread's own: what it holds then, or ~ of that where what they
// return is not what it held.
#pragma once

#include "lanes.cuh"

namespace probe {
namespace {

constexpr unsigned words_in_global = 64 * 64 * 8;
__device__ word in_global[words_in_global];

template <class T, class F>
__device__ word changed(T* at, T before, F f) {
  *at = before;
  const T returned = f(at);
  const bool same = result_of(returned) == result_of(before);
  const T after = *at;
  return same ? result_of(after) : ~result_of(after);
}
/// Without what is returned: that may be another instruction.
template <class T, class F>
__device__ word changed_only(T* at, T before, F f) {
  *at = before;
  f(at);
  const volatile T* const again = at;
  return result_of(from_word<T>(to_word(*const_cast<const T*>(again))));
}
#define PROBE_ATOMIC(name, T, ...)                                                              \
  PROBE(name "(" #T " global)", word, (T a, T b, T c),                                          \
        return changed(reinterpret_cast<T*>(in_global + blockIdx.x * threads + threadIdx.x), a, \
                       [=](T* p) { return __VA_ARGS__; });)                                     \
  PROBE(name "(" #T " shared)", word, (T a, T b, T c), __shared__ T words[threads];             \
        return changed(words + threadIdx.x, a, [=](T* p) { return __VA_ARGS__; });)
#define PROBE_ATOMICS(T)                          \
  PROBE_ATOMIC("atomicExch", T, atomicExch(p, b)) \
  PROBE_ATOMIC("atomicMin", T, atomicMin(p, b))   \
  PROBE_ATOMIC("atomicMax", T, atomicMax(p, b))   \
  PROBE_ATOMIC("atomicAnd", T, atomicAnd(p, b))   \
  PROBE_ATOMIC("atomicOr", T, atomicOr(p, b))     \
  PROBE_ATOMIC("atomicXor", T, atomicXor(p, b))   \
  PROBE_ATOMIC("atomicCAS", T, atomicCAS(p, b, c))
PROBE_ATOMICS(int)
PROBE_ATOMICS(unsigned)
PROBE_ATOMICS(ull)
PROBE_ATOMIC("atomicMin", ll, atomicMin(p, b))
PROBE_ATOMIC("atomicMax", ll, atomicMax(p, b))
PROBE_ATOMIC("atomicAdd", int, atomicAdd(p, b))
PROBE_ATOMIC("atomicAdd", unsigned, atomicAdd(p, b))
PROBE_ATOMIC("atomicAdd", ull, atomicAdd(p, b))
PROBE_ATOMIC("atomicAdd", float, atomicAdd(p, b))
PROBE_ATOMIC("atomicAdd", double, atomicAdd(p, b))
PROBE_ATOMIC("atomicAdd", __half2, atomicAdd(p, b))
PROBE_ATOMIC("atomicAdd", __nv_bfloat162, atomicAdd(p, b))
PROBE_ATOMIC("atomicAdd_block", float, atomicAdd_block(p, b))
PROBE_ATOMIC("atomicAdd_system", float, atomicAdd_system(p, b))
PROBE_ATOMIC("atomicExch", float, atomicExch(p, b))
PROBE_ATOMIC("atomicSub", int, atomicSub(p, b))
PROBE_ATOMIC("atomicSub", unsigned, atomicSub(p, b))
PROBE_ATOMIC("atomicInc", unsigned, atomicInc(p, b))
PROBE_ATOMIC("atomicDec", unsigned, atomicDec(p, b))
#define PROBE_ATOM(text, letter, T)                                                              \
  PROBE("atom.global." text, word, (T a, T b, T c),                                              \
        return changed(reinterpret_cast<T*>(in_global + blockIdx.x * threads + threadIdx.x), a,  \
                       [=](T* p) {                                                               \
                         T r;                                                                    \
                         asm volatile("atom.global." text " %0, [%1], %2;"                       \
                                      : "=" letter(r)                                            \
                                      : "l"(p), letter(b)                                        \
                                      : "memory");                                               \
                         return r;                                                               \
                       });)                                                                      \
  PROBE("red.global." text, word, (T a, T b, T c),                                               \
        return changed_only(                                                                     \
            reinterpret_cast<T*>(in_global + blockIdx.x * threads + threadIdx.x), a, [=](T* p) { \
              asm volatile("red.global." text " [%0], %1;" ::"l"(p), letter(b) : "memory");      \
            });)                                                                                 \
  PROBE("atom.shared." text, word, (T a, T b, T c), __shared__ T words[threads];                 \
        return changed(words + threadIdx.x, a, [=](T* p) {                                       \
          T r;                                                                                   \
          asm volatile("atom.shared." text " %0, [%1], %2;"                                      \
                       : "=" letter(r)                                                           \
                       : "r"(static_cast<unsigned>(__cvta_generic_to_shared(p))), letter(b)      \
                       : "memory");                                                              \
          return r;                                                                              \
        });)
PROBE_ATOM("add.f32", "f", float)
PROBE_ATOM("add.f64", "d", double)
PROBE_ATOM("add.u32", "r", unsigned)
PROBE_ATOM("add.u64", "l", ull)
PROBE_ATOM("min.s32", "r", int)
PROBE_ATOM("min.u32", "r", unsigned)
PROBE_ATOM("max.s64", "l", ll)
PROBE_ATOM("max.u64", "l", ull)
PROBE_ATOM("and.b32", "r", unsigned)
PROBE_ATOM("or.b64", "l", ull)
PROBE_ATOM("xor.b32", "r", unsigned)
PROBE_ATOM("inc.u32", "r", unsigned)
PROBE_ATOM("dec.u32", "r", unsigned)

}  // namespace
}  // namespace probe
