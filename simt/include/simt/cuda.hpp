// CUDA's intrinsics for a plain C++ compiler: a kernel file that includes this, compiled by clang
// with simt_add_kernels, runs on the CPU machine.
//
// A mask names the lanes that must come, a width cuts the warp into segments, as on the device.
// Who has ended is waited for nowhere: a mask may name such lanes, and `__syncthreads` is complete
// when all the others have come. A source lane outside the mask, which the device leaves undefined,
// is an error here.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/address_space.hpp"
#include "simt/bits.hpp"
#include "simt/functions.hpp"
#include "simt/intrinsics.hpp"
#include "simt/launch.hpp"
#include "simt/math.hpp"
#include "simt/shift.hpp"
#include "simt/simd.hpp"
#include "simt/spaces.hpp"
#include "simt/three_way.hpp"
#include "simt/vector_types.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's

namespace simt::detail {

template <unsigned (*Get)(int), class Value>
struct coordinates {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  [[gnu::always_inline]] static unsigned get_x() { return Get(0); }
  [[gnu::always_inline]] static unsigned get_y() { return Get(1); }
  [[gnu::always_inline]] static unsigned get_z() { return Get(2); }
  // NOLINTNEXTLINE(google-explicit-constructor): CUDA's are variables of this type
  operator Value() const { return {x, y, z}; }
};

/// What warp operations move: its bytes are all there is to it.
template <class T>
inline constexpr bool is_moved_by_bytes = std::is_trivially_copyable<T>::value;
template <class T>
inline constexpr bool is_moved_by_bytes<vector2<T>> = true;

template <class T>
[[gnu::always_inline]] inline std::uint64_t to_bits(const T& value) {
  static_assert(sizeof(T) <= 8 && is_moved_by_bytes<T>,
                "this warp operation takes values of at most 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
  return bits;
}
template <class T>
[[gnu::always_inline]] inline T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

/// The value that lane `from` brings: one shuffle for each 8 bytes.
template <class T>
[[clang::convergent, gnu::always_inline]] inline T shuffle_value(place at, unsigned mask,
                                                                 const T& value, unsigned from) {
  static_assert(is_moved_by_bytes<T>,
                "a shuffle takes values whose bytes are all there is to them");
  if constexpr (sizeof(T) <= 8) {
    return from_bits<T>(warp_shuffle(at, mask, to_bits(value), from));
  } else {
    constexpr std::size_t count = (sizeof(T) + 7) / 8;
    std::uint64_t words[count] = {};
    std::memcpy(words, static_cast<const void*>(&value), sizeof(T));
#pragma unroll
    for (std::size_t i = 0; i < count; ++i) words[i] = warp_shuffle(at, mask, words[i], from);
    T result;
    std::memcpy(static_cast<void*>(&result), words, sizeof(T));
    return result;
  }
}

/// One instruction of the device: its loop is not the kernel's, so it is not instrumented.
template <class T, class F>
[[gnu::noinline, clang::no_sanitize("coverage")]] T fold_lanes(const std::uint64_t* all,
                                                               unsigned mask, F f) {
  T result{};
  bool first = true;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const T v = from_bits<T>(all[lowest(rest)]);
    result = first ? v : f(result, v);
    first = false;
  }
  return result;
}
template <class T, class F>
[[gnu::always_inline]] inline T reduce_lanes(place at, unsigned mask, T value, F f) {
  std::uint64_t all[32];
  const unsigned came = warp_gather(at, mask, to_bits(value), all);
  return fold_lanes<T>(all, came, f);
}

/// Those that bring the same bits; `came` are all that brought any.
template <class T>
[[gnu::always_inline]] inline unsigned lanes_with(place at, unsigned mask, T value,
                                                  unsigned& came) {
  std::uint64_t all[32];
  came = warp_gather(at, mask, to_bits(value), all);
  unsigned equal = 0;
  for (unsigned rest = came; rest != 0; rest &= rest - 1) {
    const int l = lowest(rest);
    if (all[l] == to_bits(value)) equal |= 1U << l;
  }
  return equal;
}

}  // namespace simt::detail

inline constexpr simt::detail::coordinates<simt::detail::thread_index, uint3> threadIdx{};
inline constexpr simt::detail::coordinates<simt::detail::block_index, uint3> blockIdx{};
inline constexpr simt::detail::coordinates<simt::detail::block_size, dim3> blockDim{};
inline constexpr simt::detail::coordinates<simt::detail::grid_size, dim3> gridDim{};
inline constexpr int warpSize = 32;

// Every intrinsic that waits takes the caller's place, for the message if it waits in vain.
#define SIMT_HERE const char *file_ = __builtin_FILE(), int line_ = __builtin_LINE()
#define SIMT_AT(name) \
  simt::detail::place { file_, line_, simt::detail::intrinsic::name }
#define SIMT_WORD [[clang::convergent, gnu::always_inline]] inline

SIMT_WORD void __syncthreads(SIMT_HERE) { simt::detail::block_barrier(SIMT_AT(syncthreads)); }
SIMT_WORD int __syncthreads_count(int predicate, SIMT_HERE) {
  return simt::detail::block_vote(SIMT_AT(syncthreads_count), predicate != 0);
}
SIMT_WORD int __syncthreads_or(int predicate, SIMT_HERE) {
  return simt::detail::block_vote(SIMT_AT(syncthreads_or), predicate != 0) != 0;
}
SIMT_WORD int __syncthreads_and(int predicate, SIMT_HERE) {
  return simt::detail::block_vote(SIMT_AT(syncthreads_and), predicate == 0) == 0;
}
SIMT_WORD void __syncwarp(unsigned mask = 0xffffffffU, SIMT_HERE) {
  simt::detail::warp_barrier(SIMT_AT(syncwarp), mask);
}

template <class T>
SIMT_WORD T __shfl_sync(unsigned mask, T value, int source, int width = 32, SIMT_HERE) {
  const unsigned lane = simt::detail::lane_index();
  const unsigned w = static_cast<unsigned>(width) - 1;
  const unsigned from = (lane & ~w) | (static_cast<unsigned>(source) & w);
  return simt::detail::shuffle_value(SIMT_AT(shfl), mask, value, from);
}
template <class T>
SIMT_WORD T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_HERE) {
  const unsigned lane = simt::detail::lane_index();
  delta &= 31;  // as the instruction does
  const unsigned first = lane & ~(static_cast<unsigned>(width) - 1);
  const unsigned from = lane < first + delta ? lane : lane - delta;
  return simt::detail::shuffle_value(SIMT_AT(shfl_up), mask, value, from);
}
template <class T>
SIMT_WORD T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_HERE) {
  const unsigned lane = simt::detail::lane_index();
  delta &= 31;
  const unsigned last = lane | (static_cast<unsigned>(width) - 1);
  const unsigned from = lane + delta > last ? lane : lane + delta;
  return simt::detail::shuffle_value(SIMT_AT(shfl_down), mask, value, from);
}
template <class T>
SIMT_WORD T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, SIMT_HERE) {
  const unsigned lane = simt::detail::lane_index();
  const unsigned last = lane | (static_cast<unsigned>(width) - 1);
  const unsigned other = lane ^ static_cast<unsigned>(lanes);
  return simt::detail::shuffle_value(SIMT_AT(shfl_xor), mask, value, other > last ? lane : other);
}

SIMT_WORD unsigned __ballot_sync(unsigned mask, int predicate, SIMT_HERE) {
  return simt::detail::warp_ballot(SIMT_AT(ballot), mask, predicate != 0);
}
SIMT_WORD int __any_sync(unsigned mask, int predicate, SIMT_HERE) {
  return simt::detail::warp_ballot(SIMT_AT(any), mask, predicate != 0) != 0;
}
SIMT_WORD int __all_sync(unsigned mask, int predicate, SIMT_HERE) {
  return simt::detail::warp_ballot(SIMT_AT(all), mask, predicate == 0) == 0;
}
/// The lanes that are here together: all of the warp that come here before they wait elsewhere.
SIMT_WORD unsigned __activemask(SIMT_HERE) {
  return simt::detail::converged_lanes(SIMT_AT(activemask));
}

// Without a mask, as before Volta: of the lanes that are here together.
template <class T>
SIMT_WORD T __shfl(T value, int source, int width = 32, SIMT_HERE) {
  return __shfl_sync(__activemask(file_, line_), value, source, width, file_, line_);
}
template <class T>
SIMT_WORD T __shfl_up(T value, unsigned delta, int width = 32, SIMT_HERE) {
  return __shfl_up_sync(__activemask(file_, line_), value, delta, width, file_, line_);
}
template <class T>
SIMT_WORD T __shfl_down(T value, unsigned delta, int width = 32, SIMT_HERE) {
  return __shfl_down_sync(__activemask(file_, line_), value, delta, width, file_, line_);
}
template <class T>
SIMT_WORD T __shfl_xor(T value, int lanes, int width = 32, SIMT_HERE) {
  return __shfl_xor_sync(__activemask(file_, line_), value, lanes, width, file_, line_);
}
SIMT_WORD unsigned __ballot(int predicate, SIMT_HERE) {
  return __ballot_sync(__activemask(file_, line_), predicate, file_, line_);
}
SIMT_WORD int __any(int predicate, SIMT_HERE) {
  return __any_sync(__activemask(file_, line_), predicate, file_, line_);
}
SIMT_WORD int __all(int predicate, SIMT_HERE) {
  return __all_sync(__activemask(file_, line_), predicate, file_, line_);
}

template <class T>
SIMT_WORD unsigned __match_any_sync(unsigned mask, T value, SIMT_HERE) {
  unsigned came = 0;
  return simt::detail::lanes_with(SIMT_AT(match_any), mask, value, came);
}
template <class T>
SIMT_WORD unsigned __match_all_sync(unsigned mask, T value, int* all_equal, SIMT_HERE) {
  unsigned came = 0;
  const unsigned equal = simt::detail::lanes_with(SIMT_AT(match_any), mask, value, came);
  *all_equal = equal == came ? 1 : 0;
  return equal == came ? mask : 0;
}

#define SIMT_REDUCE(name, type, expression)                                               \
  SIMT_WORD type __reduce_##name##_sync(unsigned mask, type value, SIMT_HERE) {           \
    return simt::detail::reduce_lanes(SIMT_AT(reduce), mask, value,                       \
                                      [](type a, type b) -> type { return expression; }); \
  }
SIMT_REDUCE(add, unsigned, a + b)
SIMT_REDUCE(add, int, static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
SIMT_REDUCE(min, unsigned, a < b ? a : b)
SIMT_REDUCE(min, int, a < b ? a : b)
SIMT_REDUCE(max, unsigned, a < b ? b : a)
SIMT_REDUCE(max, int, a < b ? b : a)
SIMT_REDUCE(and, unsigned, a& b)
SIMT_REDUCE(or, unsigned, a | b)
SIMT_REDUCE(xor, unsigned, a ^ b)
#undef SIMT_REDUCE
#undef SIMT_AT
#undef SIMT_WORD
#undef SIMT_HERE

// Atomics act on integers and floating-point numbers of 4 and 8 bytes and return the old value.
namespace simt::detail {

template <auto Note = note_atomic, class T, class F>
[[gnu::always_inline]] inline T atomic_update(T* p, F f) {
  using word = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  static_assert(sizeof(T) == sizeof(word), "atomics take values of 2, 4 or 8 bytes");
  Note(p, sizeof(T));
  word* const at = reinterpret_cast<word*>(p);
  word seen = 0;  // a guess: a load of its own would be counted as one of the kernel's
  for (;;) {
    const T wanted = f(bit_cast<T>(seen));
    if (__atomic_compare_exchange_n(at, &seen, bit_cast<word>(wanted), true, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return bit_cast<T>(seen);
    }
  }
}

/// What an atomic leaves of `old` at p.
template <class T, class V>
[[gnu::always_inline]] inline T atomic_sum(const void*, T old, V v) {
  return static_cast<T>(old + v);
}
[[gnu::always_inline]] inline float atomic_sum(const void* p, float old, float v) {
  const float sum = old + v;
  const auto is_tiny = [](float x) { return x != 0 && __builtin_fabsf(x) < 0x1p-126F; };
  if (__builtin_expect(is_tiny(old) || is_tiny(v) || is_tiny(sum), 0)) {
    return flushed_sum(p, old, v);
  }
  return sum;
}

}  // namespace simt::detail

template <class T>
[[gnu::always_inline]] inline T atomicAdd(T* p, simt::detail::same<T> v) {
  if constexpr (std::is_integral_v<T>) {
    simt::detail::note_atomic(p, sizeof(T));
    asm("" : "+r"(v));  // clang makes a plain load of an atomic that adds 0
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
  } else {
    return simt::detail::atomic_update(
        p, [p, v](T old) -> T { return simt::detail::atomic_sum(p, old, v); });
  }
}
/// As the device has it, each component by itself.
[[gnu::always_inline]] inline float2 atomicAdd(float2* p, float2 v) {
  const float x = atomicAdd(&p->x, v.x);
  return {x, atomicAdd(&p->y, v.y)};
}
[[gnu::always_inline]] inline float4 atomicAdd(float4* p, float4 v) {
  const float x = atomicAdd(&p->x, v.x), y = atomicAdd(&p->y, v.y), z = atomicAdd(&p->z, v.z);
  return {x, y, z, atomicAdd(&p->w, v.w)};
}
template <class T>
[[gnu::always_inline]] inline T atomicSub(T* p, simt::detail::same<T> v) {
  return atomicAdd(p, static_cast<T>(0) - v);
}
template <class T>
[[gnu::always_inline]] inline T atomicExch(T* p, simt::detail::same<T> v) {
  return simt::detail::atomic_update(p, [v](T) { return v; });
}
template <class T>
[[gnu::always_inline]] inline T atomicCAS(T* p, simt::detail::same<T> expected,
                                          simt::detail::same<T> v) {
  return simt::detail::atomic_update<simt::detail::note_exchange>(
      p, [=](T old) { return old == expected ? v : old; });
}
template <class T>
[[gnu::always_inline]] inline T atomicMin(T* p, simt::detail::same<T> v) {
  return simt::detail::atomic_update(p, [v](T old) { return v < old ? v : old; });
}
template <class T>
[[gnu::always_inline]] inline T atomicMax(T* p, simt::detail::same<T> v) {
  return simt::detail::atomic_update(p, [v](T old) { return old < v ? v : old; });
}
template <class T>
[[gnu::always_inline]] inline T atomicAnd(T* p, simt::detail::same<T> v) {
  return simt::detail::atomic_update(p, [v](T old) { return old & v; });
}
template <class T>
[[gnu::always_inline]] inline T atomicOr(T* p, simt::detail::same<T> v) {
  return simt::detail::atomic_update(p, [v](T old) { return old | v; });
}
template <class T>
[[gnu::always_inline]] inline T atomicXor(T* p, simt::detail::same<T> v) {
  return simt::detail::atomic_update(p, [v](T old) { return old ^ v; });
}
/// Counts down to 0, then starts again at `limit`.
[[gnu::always_inline]] inline unsigned atomicDec(unsigned* p, unsigned limit) {
  return simt::detail::atomic_update(
      p, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}
/// Counts up to `limit`, then starts again at 0.
[[gnu::always_inline]] inline unsigned atomicInc(unsigned* p, unsigned limit) {
  return simt::detail::atomic_update(p,
                                     [limit](unsigned old) { return old >= limit ? 0 : old + 1; });
}

#define SIMT_SCOPES(name)                                             \
  template <class T, class... Args>                                   \
  [[gnu::always_inline]] inline T name##_block(T* p, Args... args) {  \
    simt::detail::note_block_scope();                                 \
    return name(p, args...);                                          \
  }                                                                   \
  template <class T, class... Args>                                   \
  [[gnu::always_inline]] inline T name##_system(T* p, Args... args) { \
    return name(p, args...);                                          \
  }
SIMT_SCOPES(atomicAdd)
SIMT_SCOPES(atomicSub)
SIMT_SCOPES(atomicExch)
SIMT_SCOPES(atomicCAS)
SIMT_SCOPES(atomicMin)
SIMT_SCOPES(atomicMax)
SIMT_SCOPES(atomicAnd)
SIMT_SCOPES(atomicOr)
SIMT_SCOPES(atomicXor)
SIMT_SCOPES(atomicInc)
SIMT_SCOPES(atomicDec)
#undef SIMT_SCOPES

inline void __threadfence() { simt::detail::fence(); }
inline void __threadfence_block() {
  simt::detail::note_block_scope();
  simt::detail::fence();
}
inline void __threadfence_system() { simt::detail::fence(); }
inline void __nanosleep(unsigned) { simt::detail::yield_lane(); }

inline void __trap(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  simt::detail::fail_here(file, line, "__trap()");
}
inline long long clock64() { return simt::detail::clock_ticks(); }

// Loads and stores with a hint for the caches.
#define SIMT_LOAD(name)                              \
  template <class T>                                 \
  [[gnu::always_inline]] inline T name(const T* p) { \
    return *p;                                       \
  }
SIMT_LOAD(__ldg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcg)
SIMT_LOAD(__ldcs)
SIMT_LOAD(__ldcv)
SIMT_LOAD(__ldlu)
#undef SIMT_LOAD
#define SIMT_STORE(name)                                                   \
  template <class T>                                                       \
  [[gnu::always_inline]] inline void name(T* p, simt::detail::same<T> v) { \
    *p = v;                                                                \
  }
SIMT_STORE(__stwb)
SIMT_STORE(__stcg)
SIMT_STORE(__stcs)
SIMT_STORE(__stwt)
#undef SIMT_STORE
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
