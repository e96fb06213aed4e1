// What the source step writes in place of inline PTX: registers, memory and lanes here, values in
// ptx_values.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/cuda.hpp"
#include "simt/lanes.hpp"
#include "simt/ptx_bits.hpp"

#define SIMT_HERE const char *file_ = __builtin_FILE(), int line_ = __builtin_LINE()
#define SIMT_AT(name) \
  simt::detail::place { file_, line_, simt::detail::intrinsic::name }
#define SIMT_PTX [[clang::convergent, gnu::always_inline]] inline

namespace simt::detail::ptx {

/// What an operand of `asm` brings into a register.
template <class Register, class T>
SIMT_PTX Register in(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return static_cast<Register>(reinterpret_cast<std::uintptr_t>(value));
  } else if constexpr (sizeof(T) == sizeof(Register)) {
    return bit_cast<Register>(value);
  } else {
    return static_cast<Register>(value);
  }
}
/// What a register leaves in an operand.
template <class T, class Register>
SIMT_PTX void out(T& to, Register value) {
  if constexpr (std::is_pointer_v<T>) {
    to = reinterpret_cast<T>(static_cast<std::uintptr_t>(value));
  } else if constexpr (sizeof(T) == sizeof(Register)) {
    to = bit_cast<std::remove_cv_t<T>>(value);
  } else {
    to = static_cast<std::remove_cv_t<T>>(value);
  }
}

SIMT_PTX void* address_in_global(std::uint64_t address) { return reinterpret_cast<void*>(address); }
SIMT_PTX void* address_in_shared(std::uint64_t address) { return shared_pointer(address); }
SIMT_PTX std::uint64_t to_shared(std::uint64_t generic) {
  return shared_address(reinterpret_cast<const void*>(generic));
}
SIMT_PTX std::uint64_t from_shared(std::uint64_t address) {
  return reinterpret_cast<std::uint64_t>(shared_pointer(address));
}
SIMT_PTX std::uint64_t map_shared(std::uint64_t address, unsigned rank) {
  return shared_address_in(address, rank);
}
SIMT_PTX std::uint64_t map_generic(std::uint64_t address, unsigned rank) {
  return reinterpret_cast<std::uint64_t>(in_block(reinterpret_cast<void*>(address), rank));
}

// Each of these is one access, which the compiler's callback before it tells.
template <class T>
SIMT_PTX T load(const void* p) {
  using word = word_of<sizeof(T)>;
  const word bits = *static_cast<const volatile word*>(p);
  return bit_cast<T>(bits);
}
template <class T>
SIMT_PTX void store(void* p, T value) {
  using word = word_of<sizeof(T)>;
  *static_cast<volatile word*>(p) = bit_cast<word>(value);
}
template <class T>
SIMT_PTX T load_volatile(const void* p) {
  note_volatile(p);
  return load<T>(p);
}
template <class T>
SIMT_PTX void store_volatile(void* p, T value) {
  note_volatile(p);
  store(p, value);
}
template <class T, int Order>
SIMT_PTX T load_ordered(const void* p) {
  using word = word_of<sizeof(T)>;
  note_word(p, false);
  return bit_cast<T>(__atomic_load_n(static_cast<const word*>(p), Order));
}
template <class T, int Order>
SIMT_PTX void store_ordered(void* p, T value) {
  using word = word_of<sizeof(T)>;
  note_word(p, Order == __ATOMIC_RELEASE);
  __atomic_store_n(static_cast<word*>(p), bit_cast<word>(value), Order);
}
template <class T>
SIMT_PTX T load_relaxed(const void* p) {
  return load_ordered<T, __ATOMIC_RELAXED>(p);
}
template <class T>
SIMT_PTX T load_acquire(const void* p) {
  return load_ordered<T, __ATOMIC_ACQUIRE>(p);
}
template <class T>
SIMT_PTX void store_relaxed(void* p, T value) {
  store_ordered<T, __ATOMIC_RELAXED>(p, value);
}
template <class T>
SIMT_PTX void store_release(void* p, T value) {
  store_ordered<T, __ATOMIC_RELEASE>(p, value);
}

template <class T, unsigned Count>
struct parts {
  T part[Count];
};
template <class T, unsigned Count>
SIMT_PTX parts<T, Count> load_vector(const void* p) {
  constexpr unsigned bytes = sizeof(T) * Count, each = bytes < 16 ? bytes : 16;
  parts<T, Count> all;
  for (unsigned at = 0; at < bytes; at += each) {
    const auto word = load<word_of<each>>(static_cast<const char*>(p) + at);
    std::memcpy(reinterpret_cast<char*>(&all) + at, &word, each);
  }
  return all;
}
template <class T, class... Values>
SIMT_PTX void store_vector(void* p, Values... values) {
  constexpr unsigned bytes = sizeof(T) * sizeof...(Values), each = bytes < 16 ? bytes : 16;
  const T all[] = {values...};
  for (unsigned at = 0; at < bytes; at += each) {
    word_of<each> word;
    std::memcpy(&word, reinterpret_cast<const char*>(all) + at, each);
    store(static_cast<char*>(p) + at, word);
  }
}

template <class T>
SIMT_PTX T atomic_add(void* p, T v) {
  if constexpr (std::is_arithmetic_v<T>) {
    return atomicAdd(static_cast<T*>(p), v);
  } else {
    return atomic_update(static_cast<T*>(p), [v](T old) { return sum<T>(old, v); });
  }
}
template <class T>
SIMT_PTX T atomic_min(void* p, T v) {
  return atomic_update(static_cast<T*>(p), [v](T old) { return least<T>(old, v); });
}
template <class T>
SIMT_PTX T atomic_max(void* p, T v) {
  return atomic_update(static_cast<T*>(p), [v](T old) { return greatest<T>(old, v); });
}
template <class T>
SIMT_PTX T atomic_and(void* p, T v) {
  return atomicAnd(static_cast<T*>(p), v);
}
template <class T>
SIMT_PTX T atomic_or(void* p, T v) {
  return atomicOr(static_cast<T*>(p), v);
}
template <class T>
SIMT_PTX T atomic_xor(void* p, T v) {
  return atomicXor(static_cast<T*>(p), v);
}
template <class T>
SIMT_PTX T atomic_inc(void* p, T v) {
  return atomicInc(static_cast<T*>(p), v);
}
template <class T>
SIMT_PTX T atomic_dec(void* p, T v) {
  return atomicDec(static_cast<T*>(p), v);
}
template <class T>
SIMT_PTX T atomic_exch(void* p, T v) {
  return atomicExch(static_cast<T*>(p), v);
}
template <class T>
SIMT_PTX T atomic_cas(void* p, T expected, T v) {
  return atomicCAS(static_cast<T*>(p), expected, v);
}

/// cp.async: 4, 8 or 16 bytes, of which only the first `given` come from there; the rest are 0.
SIMT_PTX void copy_async(void* to, const void* from, unsigned bytes, unsigned given = 16) {
  if (given >= bytes) {
    if (bytes == 16) return store(to, load<word_of<16>>(from));
    if (bytes == 8) return store(to, load<std::uint64_t>(from));
    return store(to, load<std::uint32_t>(from));
  }
  for (unsigned at = 0; at < bytes; at += 4) {
    std::uint32_t word = 0;
    if (at < given) word = load<std::uint32_t>(static_cast<const char*>(from) + at);
    store(static_cast<char*>(to) + at, word);
  }
}

SIMT_PTX void barrier_sync(unsigned id, unsigned threads, SIMT_HERE) {
  const unsigned all = block_size(0) * block_size(1) * block_size(2);
  if (id == 0 && (threads == 0 || threads == all)) return block_barrier(SIMT_AT(syncthreads));
  named_barrier(SIMT_AT(named_barrier), id, threads == 0 ? all : threads, true);
}
SIMT_PTX void barrier_arrive(unsigned id, unsigned threads, SIMT_HERE) {
  named_barrier(SIMT_AT(named_barrier), id, threads, false);
}
SIMT_PTX void cluster_sync(SIMT_HERE) { cluster_barrier(SIMT_AT(cluster_sync)); }

SIMT_PTX bool is_uniform(unsigned mask, bool predicate, SIMT_HERE) {
  unsigned came = 0;
  return lanes_with(SIMT_AT(match_any), mask, predicate, came) == came;
}
SIMT_PTX unsigned elected(unsigned mask, SIMT_HERE) {
  return static_cast<unsigned>(lowest(warp_ballot(SIMT_AT(ballot), mask, true)));
}

/// `bounds` has the last lane of a segment in its low bits, and what the lanes of one have in
/// common above; `inside` is whether the source is in it.
#define SIMT_SHUFFLE(name, kind, source, is_inside)                                               \
  SIMT_PTX unsigned shuffle_##name(unsigned mask, unsigned value, unsigned b, unsigned bounds,    \
                                   bool& inside, SIMT_HERE) {                                     \
    const unsigned lane = lane_index(), common = bounds >> 8 & 31;                                \
    const unsigned first = lane & common, last = first | (bounds & 31 & ~common);                 \
    static_cast<void>(first);                                                                     \
    b &= 31;                                                                                      \
    const unsigned from = source;                                                                 \
    inside = is_inside;                                                                           \
    return static_cast<unsigned>(warp_shuffle(SIMT_AT(kind), mask, value, inside ? from : lane)); \
  }
SIMT_SHUFFLE(up, shfl_up, lane - b, static_cast<int>(from) >= static_cast<int>(last))
SIMT_SHUFFLE(down, shfl_down, lane + b, from <= last)
SIMT_SHUFFLE(bfly, shfl_xor, lane ^ b, from <= last)
SIMT_SHUFFLE(idx, shfl, first | (b & ~common), from <= last)
#undef SIMT_SHUFFLE

/// Lane 8 i + r brings the address of row r of matrix i. Without transposition lane 4 r + c gets
/// elements 2 c and 2 c + 1 of row r.
template <unsigned Count, bool Transposed>
SIMT_PTX void load_matrices(const void* row, unsigned* to, SIMT_HERE) {
  std::uint64_t rows[32];
  warp_gather(SIMT_AT(shfl), ~0U, reinterpret_cast<std::uint64_t>(row), rows);
  const unsigned lane = lane_index();
#pragma unroll
  for (unsigned i = 0; i < Count; ++i) {
    const auto* const all = rows + 8 * i;
    if constexpr (Transposed) {
      const auto element = [&](unsigned r) -> unsigned {
        return load<std::uint16_t>(reinterpret_cast<const std::uint16_t*>(all[r]) + lane / 4);
      };
      const unsigned low = element(lane % 4 * 2);
      to[i] = low | element(lane % 4 * 2 + 1) << 16;
    } else {
      to[i] = load<unsigned>(reinterpret_cast<const unsigned*>(all[lane / 4]) + lane % 4);
    }
  }
}
template <unsigned Count, bool Transposed>
SIMT_PTX void store_matrices(void* row, const unsigned* from, SIMT_HERE) {
  std::uint64_t rows[32];
  warp_gather(SIMT_AT(shfl), ~0U, reinterpret_cast<std::uint64_t>(row), rows);
  const unsigned lane = lane_index();
#pragma unroll
  for (unsigned i = 0; i < Count; ++i) {
    const auto* const all = rows + 8 * i;
    if constexpr (Transposed) {
      const auto element = [&](unsigned r) {
        return reinterpret_cast<std::uint16_t*>(all[r]) + lane / 4;
      };
      store(element(lane % 4 * 2), static_cast<std::uint16_t>(from[i]));
      store(element(lane % 4 * 2 + 1), static_cast<std::uint16_t>(from[i] >> 16));
    } else {
      store(reinterpret_cast<unsigned*>(all[lane / 4]) + lane % 4, from[i]);
    }
  }
}

SIMT_PTX void multiply(const matrix_operation& what, const void* a, const void* b, const void* c,
                       void* d, SIMT_HERE) {
  multiply_matrices(SIMT_AT(matrices), what, a, b, c, d);
}

}  // namespace simt::detail::ptx

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's
[[clang::convergent, gnu::always_inline]] inline void __barrier_sync(unsigned id, SIMT_HERE) {
  simt::detail::ptx::barrier_sync(id, 0, file_, line_);
}
[[clang::convergent, gnu::always_inline]] inline void __barrier_sync_count(unsigned id,
                                                                           unsigned threads,
                                                                           SIMT_HERE) {
  simt::detail::ptx::barrier_sync(id, threads, file_, line_);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

#undef SIMT_PTX
#undef SIMT_AT
#undef SIMT_HERE
