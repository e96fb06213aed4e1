// The seam's side of a GPU: what nvcc compiles. Included by platform.hpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define WARPFOLD_MACHINE cuda_machine_per_thread
#else
#define WARPFOLD_MACHINE cuda_machine
#endif
#define WARPFOLD_HAS_DEVICE 1

#include <cuda_runtime_api.h>

namespace warpfold::inline WARPFOLD_MACHINE::detail {
using stream_type = cudaStream_t;
}  // namespace warpfold::inline WARPFOLD_MACHINE::detail

#include "warpfold/platform/launch_config.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::detail {

/// The block's object of this type. It starts out unwritten.
template <class Storage>
__device__ __forceinline__ Storage& shared_storage() {
  __shared__ Storage storage;
  return storage;
}

/// The block's dynamic shared memory. A bulk copy there is a tenth faster where its target begins a
/// line of 128 bytes.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
  extern __shared__ __align__(128) unsigned char warpfold_dynamic_shared[];
  return reinterpret_cast<T*>(warpfold_dynamic_shared);
}

/// 16 bytes in one load that leaves no trace in the first-level cache: read once, not again.
__device__ __forceinline__ uint4 load_once(const uint4* p) { return __ldcs(p); }
/// Brings what is there into the second-level cache.
__device__ __forceinline__ void prefetch(const void* p) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}
/// 16 bytes in one store: the compiler splits plain ones where it shares their code with others.
__device__ __forceinline__ void store_whole(uint4* p, const uint4& word) { __stwb(p, word); }

/// Words through which blocks publish. One store is seen whole or not at all; what the storing
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
__device__ __forceinline__ void count_op_call() {}

/// Returns when all that is before this grid in its stream has ended, and can be read.
__device__ __forceinline__ void wait_for_primary() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Once all blocks have called it, blocks of the next grid may start if that is launched with
/// programmatic_launch.
__device__ __forceinline__ void trigger_dependents() {
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

/// The lanes of the warp in whose word the one bit of `bit` is as it is in this lane's. By hand:
/// the compiler makes half as much again of it.
__device__ __forceinline__ unsigned lanes_with_same(unsigned word, unsigned bit) {
  unsigned lanes = 0;
  asm volatile(
      "{ .reg .pred p; and.b32 %0, %1, %2; setp.ne.u32 p, %0, 0;\n\t"
      "vote.sync.ballot.b32 %0, p, 0xffffffff; @!p not.b32 %0, %0; }"
      : "=r"(lanes)
      : "r"(word), "r"(bit));
  return lanes;
}

/// In a loop that waits for what other threads do: the CPU machine runs one lane at a time. Here
/// nothing: even __nanosleep(0) keeps a warp from looking again for a third of a microsecond.
__device__ __forceinline__ void let_others_run() {}

/// A barrier of all blocks in the cluster; what they wrote to shared memory before is seen after.
__device__ __forceinline__ void cluster_sync() {
  WARPFOLD_PTX_90("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

/// This block of a cluster has begun. `wait_for_cluster`, which all threads call next of the
/// barriers of a cluster, waits until all its blocks have: their shared memory is there then. What
/// they wrote may not be seen yet; a `cluster_sync` takes many times as long.
__device__ __forceinline__ void cluster_begins() {
  WARPFOLD_PTX_90("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_for_cluster() {
  WARPFOLD_PTX_90("barrier.cluster.wait.aligned;" ::: "memory");
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

}  // namespace warpfold::inline WARPFOLD_MACHINE::detail

#include "warpfold/platform/cuda_launch.hpp"
