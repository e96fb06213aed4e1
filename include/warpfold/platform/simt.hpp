// The seam's side of the CPU machine. Included by platform.hpp only.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define WARPFOLD_MACHINE cpu_machine_per_thread
#else
#define WARPFOLD_MACHINE cpu_machine
#endif
#define WARPFOLD_HAS_DEVICE 1

#include "simt/cuda.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::detail {
using stream_type = void*;  // a name: launches run at once, in order
}  // namespace warpfold::inline WARPFOLD_MACHINE::detail

#include "warpfold/platform/launch_config.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::detail {

template <class... Parameters, class... Args>
void launch(const launch_config& c, void (*kernel)(Parameters...), Args&&... args) {
  simt::launch({.grid = {c.grid},
                .block = {c.block},
                .shared_bytes = c.shared_bytes,
                .cluster = c.cluster,
                .stream = c.stream},
               kernel, static_cast<Parameters>(args)...);
}

template <class Storage>
Storage& shared_storage() {
  static constexpr char tag = 0;
  return *static_cast<Storage*>(
      simt::detail::shared_object(&tag, sizeof(Storage), alignof(Storage)));
}

template <class T>
T* dynamic_shared() {
  return static_cast<T*>(simt::detail::dynamic_shared());
}

[[gnu::always_inline]] inline uint4 load_once(const uint4* p) { return *p; }
[[gnu::always_inline]] inline void prefetch(const void*) {}
[[gnu::always_inline]] inline void store_whole(uint4* p, const uint4& word) { *p = word; }

[[gnu::always_inline]] inline std::uint64_t load_relaxed(const std::uint64_t* p) {
  simt::detail::note_word(p, false);
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
[[gnu::always_inline]] inline void store_relaxed(std::uint64_t* p, std::uint64_t word) {
  simt::detail::note_word(p, false);
  __atomic_store_n(p, word, __ATOMIC_RELAXED);
}
[[gnu::always_inline]] inline word_pair load_relaxed(const word_pair* p) {
  return {load_relaxed(&p->first), load_relaxed(&p->second)};
}
[[gnu::always_inline]] inline void store_relaxed(word_pair* p, const word_pair& word) {
  store_relaxed(&p->first, word.first);
  store_relaxed(&p->second, word.second);
}
[[gnu::always_inline]] inline unsigned load_acquire(const unsigned* p) {
  simt::detail::note_word(p, false);
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
[[gnu::always_inline]] inline void store_release(unsigned* p, unsigned word) {
  simt::detail::note_word(p, true);
  __atomic_store_n(p, word, __ATOMIC_RELEASE);
}

constexpr bool finds_shared_workspaces = true;
// Not the kernel's own accesses: they are kept out of the counters.
[[gnu::noinline, clang::no_sanitize("coverage")]] inline std::uint64_t claim(std::uint64_t* user,
                                                                             std::uint64_t mine) {
  std::uint64_t was = 0;
  __atomic_compare_exchange_n(user, &was, mine, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return was;
}
[[gnu::noinline, clang::no_sanitize("coverage")]] inline void unclaim(std::uint64_t* user) {
  __atomic_store_n(user, std::uint64_t{0}, __ATOMIC_RELAXED);
}
inline void stop_kernel(const char* why, const char* file = __builtin_FILE(),
                        int line = __builtin_LINE()) {
  simt::detail::fail_here(file, line, why);
}

inline void wait_for_primary() {}
inline void trigger_dependents() {}
inline void let_others_run() { __nanosleep(0); }
[[clang::convergent, gnu::always_inline]] inline unsigned lanes_with_same(unsigned word,
                                                                          unsigned bit) {
  const bool set = (word & bit) != 0;
  const unsigned lanes = __ballot_sync(0xffffffff, set);
  return set ? lanes : ~lanes;
}

[[gnu::always_inline]] inline void count_op_call() { simt::detail::note_application(); }

inline unsigned cluster_rank() { return simt::detail::cluster_rank(); }

[[clang::convergent, gnu::always_inline]] inline void cluster_sync(
    const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  simt::detail::cluster_barrier({file, line, simt::detail::intrinsic::cluster_sync});
}

// All shared memory of a cluster is there when its first block begins.
inline void cluster_begins() { simt::detail::need_9_0("clusters"); }
inline void wait_for_cluster() { simt::detail::need_9_0("clusters"); }

template <class T>
T* in_block(T* shared, unsigned rank) {
  return static_cast<T*>(simt::detail::in_block(shared, rank));
}

inline void fence_before_bulk_store() { simt::detail::need_9_0("bulk copies"); }
inline void bulk_store(void* global, const void* shared, unsigned bytes) {
  simt::detail::bulk_store(global, shared, bytes);
}
template <int Behind>
void wait_bulk_read() {
  simt::detail::need_9_0("bulk copies");
}
inline void wait_bulk_written() { simt::detail::need_9_0("bulk copies"); }

// Its accesses are the copy engine's, not the lanes': they are kept out of the counters.
struct copy_barrier {
  std::uint64_t word;  // phases ended << 32 | bytes still to come

  [[gnu::noinline, clang::no_sanitize("coverage")]] void init() {
    simt::detail::need_9_0("bulk copies");
    word = 0;
  }
  [[gnu::noinline, clang::no_sanitize("coverage")]] void expect(unsigned bytes) { word += bytes; }
  [[gnu::noinline, clang::no_sanitize("coverage")]] void skip() { word += std::uint64_t{1} << 32; }
  [[gnu::noinline, clang::no_sanitize("coverage")]] void copy(void* shared, const void* global,
                                                              unsigned bytes) {
    simt::detail::bulk_copy(shared, global, bytes);
    word -= bytes;
    if (static_cast<std::uint32_t>(word) == 0) word += std::uint64_t{1} << 32;
  }
  [[gnu::noinline, clang::no_sanitize("coverage")]] void wait(unsigned parity) const {
    while ((static_cast<const volatile std::uint64_t&>(word) >> 32 & 1) == parity) __nanosleep(0);
  }
};

}  // namespace warpfold::inline WARPFOLD_MACHINE::detail

#include "warpfold/platform/simt_runtime.hpp"
