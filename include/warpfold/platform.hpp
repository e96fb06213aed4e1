// The one seam between a GPU and the CPU machine. Kernels are plain CUDA C++; what does not survive
// a plain C++ compiler, or has no meaning on a CPU, has a small named wrapper here.
//
// Everything that contains kernels lives in `inline namespace WARPFOLD_MACHINE`, so that the two
// builds of one kernel can be linked into one program; so can sources for which the default stream
// is another (nvcc's --default-stream per-thread).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "warpfold/language.hpp"

namespace warpfold {
/// Two words that one relaxed store writes and one relaxed load reads. Each is seen as a whole, the
/// pair need not be.
struct alignas(16) word_pair {
  std::uint64_t first, second;
};
}  // namespace warpfold

#if defined(__CUDACC__) && !defined(__SIMT__)

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define WARPFOLD_MACHINE cuda_machine_per_thread
#else
#define WARPFOLD_MACHINE cuda_machine
#endif
#define WARPFOLD_HAS_DEVICE 1

#include <cuda_runtime_api.h>

namespace warpfold::inline WARPFOLD_MACHINE {

using stream_type = cudaStream_t;

struct launch_config {
  unsigned grid = 1;
  unsigned block = 1;
  std::size_t shared_bytes = 0;  // dynamic
  unsigned cluster = 1;          // blocks per cluster; more than one needs compute capability 9.0
  stream_type stream = nullptr;
  /// Blocks may start while what is before them in the stream still runs (9.0); the kernel calls
  /// wait_for_earlier_grids before it touches memory.
  bool early = false;
};

/// The block's object of this type. It starts out unwritten.
template <class Storage>
__device__ __forceinline__ Storage& shared_storage() {
  __shared__ Storage storage;
  return storage;
}

/// The block's dynamic shared memory, 16-byte aligned.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char warpfold_dynamic_shared[];
  return reinterpret_cast<T*>(warpfold_dynamic_shared);
}

/// 16 bytes in one load that leaves no trace in the first-level cache: read once, not again.
__device__ __forceinline__ uint4 load_once(const uint4* p) { return __ldcs(p); }
/// 16 bytes in one store, wherever it stands: compilers part plain ones to share code with others.
__device__ __forceinline__ void store_whole(uint4* p, const uint4& word) { __stwb(p, word); }

/// Words that blocks tell each other by. One store is seen whole or not at all; what the storing
/// thread wrote before a release is seen by the thread that acquires what it stored.
__device__ __forceinline__ std::uint64_t load_relaxed(const std::uint64_t* p) {
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(p) : "memory");
  return word;
}
__device__ __forceinline__ void store_relaxed(std::uint64_t* p, std::uint64_t word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(word) : "memory");
}
__device__ __forceinline__ word_pair load_relaxed(const word_pair* p) {
  word_pair word;
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(word.first), "=l"(word.second)
               : "l"(p)
               : "memory");
  return word;
}
__device__ __forceinline__ void store_relaxed(word_pair* p, const word_pair& word) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(word.first),
               "l"(word.second)
               : "memory");
}
__device__ __forceinline__ unsigned load_acquire(const unsigned* p) {
  unsigned word;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(p) : "memory");
  return word;
}
__device__ __forceinline__ void store_release(unsigned* p, unsigned word) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(word) : "memory");
}

/// Whether launches look for another one at work in their workspace. It takes an atomic a block.
#if defined(__CUDACC_DEBUG__)
constexpr bool finds_shared_workspaces = true;
#else
constexpr bool finds_shared_workspaces = false;
#endif
/// Marks memory that one launch at a time may use: sets `*user` to `mine` if it is 0. What it was.
__device__ __forceinline__ std::uint64_t claim(std::uint64_t* user, std::uint64_t mine) {
  using word = unsigned long long;
  return atomicCAS(reinterpret_cast<word*>(user), word{0}, static_cast<word>(mine));
}
__device__ __forceinline__ void unclaim(std::uint64_t* user) { store_relaxed(user, 0); }
/// Ends the kernel with an error; `why` goes to standard output.
__device__ __forceinline__ void stop_kernel(const char* why) {
  printf("warpfold: %s\n", why);
  __trap();
}

/// The CPU machine counts the calls.
__device__ __forceinline__ void note_application() {}

/// Returns when all that is before this grid in its stream has ended, and can be read.
__device__ __forceinline__ void wait_for_earlier_grids() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Once all blocks have called it, blocks of the next grid may start if that is launched `early`.
__device__ __forceinline__ void let_next_grid_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Clusters and bulk copies: for older devices the same code compiles, but must not run.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define WARPFOLD_PTX_90(...) asm volatile(__VA_ARGS__)
#else
#define WARPFOLD_PTX_90(...) __trap()
#endif

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank = 0;
  WARPFOLD_PTX_90("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// In a loop that waits for what other threads do: the CPU machine runs one lane at a time. Here
/// nothing: even __nanosleep(0) keeps a warp from looking again for a third of a microsecond.
__device__ __forceinline__ void let_others_run() {}

/// A barrier of all blocks in the cluster; what they wrote to shared memory before is seen after.
__device__ __forceinline__ void cluster_sync() {
  WARPFOLD_PTX_90("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

/// The address of `shared`, an object in shared memory, in the block with this rank.
template <class T>
__device__ __forceinline__ T* in_block(T* shared, unsigned rank) {
  T* there = nullptr;
  WARPFOLD_PTX_90("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(shared), "r"(rank));
  return there;
}

/// Makes this thread's writes to shared memory visible to bulk copies that start after a barrier.
__device__ __forceinline__ void fence_before_bulk_store() {
  WARPFOLD_PTX_90("fence.proxy.async.shared::cta;" ::: "memory");
}
/// Copies from shared to global memory in the background; one group a call, in the order of this
/// thread's calls. Addresses and size: multiples of 16.
__device__ __forceinline__ void bulk_store(void* global, const void* shared, unsigned bytes) {
  WARPFOLD_PTX_90("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                  "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "r"(bytes)
                  : "memory");
  WARPFOLD_PTX_90("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until shared memory has been read for all of this thread's bulk stores but the last
/// `Behind`; `wait_bulk_written` until all are in global memory.
template <int Behind>
__device__ __forceinline__ void wait_bulk_read() {
  WARPFOLD_PTX_90("cp.async.bulk.wait_group.read %0;" ::"n"(Behind) : "memory");
}
__device__ __forceinline__ void wait_bulk_written() {
  WARPFOLD_PTX_90("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// A barrier in shared memory that bulk copies complete. One thread calls `init`, then the block
/// synchronises; `expect` and `copy` are for one thread, `wait` is for all.
struct copy_barrier {
  std::uint64_t word;

  __device__ void init() {
    WARPFOLD_PTX_90("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&word)) : "memory");
    WARPFOLD_PTX_90("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  /// This phase ends when `bytes` have come.
  __device__ void expect(unsigned bytes) {
    WARPFOLD_PTX_90("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&word)),
                    "r"(bytes)
                    : "memory");
  }
  /// This phase ends at once.
  __device__ void skip() { expect(0); }
  /// Copies from global to shared memory in the background. Addresses and size: multiples of 16.
  __device__ void copy(void* shared, const void* global, unsigned bytes) {
    WARPFOLD_PTX_90(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(address(shared)),
        "l"(global), "r"(bytes), "r"(address(&word))
        : "memory");
  }
  /// Waits for the end of the phase with this parity (0, 1, 0, … from the first).
  __device__ void wait(unsigned parity) {
    WARPFOLD_PTX_90(
        "{\n\t.reg .pred done;\n\tAGAIN:\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
        "@!done bra AGAIN;\n\t}" ::"r"(address(&word)),
        "r"(parity)
        : "memory");
  }

 private:
  static __device__ unsigned address(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
  }
};

#undef WARPFOLD_PTX_90

}  // namespace warpfold::inline WARPFOLD_MACHINE

#elif defined(SIMT_KERNELS)

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define WARPFOLD_MACHINE cpu_machine_per_thread
#else
#define WARPFOLD_MACHINE cpu_machine
#endif
#define WARPFOLD_HAS_DEVICE 1

#include "simt/cuda.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

using stream_type = void*;  // a name: launches run at once, in order

struct launch_config {
  unsigned grid = 1;
  unsigned block = 1;
  std::size_t shared_bytes = 0;
  unsigned cluster = 1;
  stream_type stream = nullptr;
  bool early = false;
};

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

inline void wait_for_earlier_grids() {}
inline void let_next_grid_start() {}
inline void let_others_run() { __nanosleep(0); }

[[gnu::always_inline]] inline void note_application() { simt::detail::note_application(); }

inline unsigned cluster_rank() { return simt::detail::cluster_rank(); }

[[clang::convergent, gnu::always_inline]] inline void cluster_sync(
    const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  simt::detail::cluster_barrier({file, line, simt::detail::intrinsic::cluster_sync});
}

template <class T>
T* in_block(T* shared, unsigned rank) {
  return static_cast<T*>(simt::detail::in_block(shared, rank));
}

inline void fence_before_bulk_store() {}
inline void bulk_store(void* global, const void* shared, unsigned bytes) {
  simt::detail::bulk_store(global, shared, bytes);
}
template <int Behind>
void wait_bulk_read() {}
inline void wait_bulk_written() {}

// Its accesses are the copy engine's, not the lanes': they are kept out of the counters.
struct copy_barrier {
  std::uint64_t word;  // phases ended << 32 | bytes still to come

  [[gnu::noinline, clang::no_sanitize("coverage")]] void init() { word = 0; }
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

}  // namespace warpfold::inline WARPFOLD_MACHINE

#else  // plain C++: the host's algorithms alone

#define WARPFOLD_MACHINE host_machine
#define WARPFOLD_HAS_DEVICE 0

#if !defined(__host__)
#define __host__
#define __device__
#endif
#if !defined(__forceinline__)
#define __forceinline__ inline __attribute__((always_inline))
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
inline void note_application() {}
}  // namespace warpfold::inline WARPFOLD_MACHINE

#endif

#if defined(__CUDACC__) && !defined(__SIMT__)
#include "warpfold/platform/cuda_runtime.hpp"
#elif defined(SIMT_KERNELS)
#include "warpfold/platform/simt_runtime.hpp"
#endif
