// What stands behind CUDA's intrinsics (simt/cuda.hpp) on the CPU machine. Compiled once, without
// the coverage callbacks. User code has no need of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/vector_types.hpp"

namespace simt::detail {

/// Those that wait.
enum class intrinsic : std::uint8_t {
  none,
  syncthreads,
  syncthreads_count,
  syncthreads_or,
  syncthreads_and,
  cluster_sync,
  syncwarp,
  shfl,
  shfl_up,
  shfl_down,
  shfl_xor,
  ballot,
  any,
  all,
  match_any,
  reduce,
  activemask,
  grid_sync,
  named_barrier,
  matrices,
};

/// An intrinsic in the user's source. Two registers: it is passed at every barrier.
struct place {
  const char* file = nullptr;
  int line = 0;
  intrinsic what = intrinsic::none;
};

// Constant for the life of a thread, so the compiler may keep them.
[[gnu::const]] unsigned thread_index(int axis);
[[gnu::const]] unsigned block_index(int axis);
[[gnu::const]] unsigned block_size(int axis);
[[gnu::const]] unsigned grid_size(int axis);
[[gnu::const]] unsigned lane_index();

/// A block-wide barrier.
[[clang::convergent, clang::noduplicate]] void block_barrier(place at);
/// The same; returns how many threads brought a true `predicate`.
[[clang::convergent, clang::noduplicate]] int block_vote(place at, bool predicate);
/// A barrier of all blocks in the cluster.
[[clang::convergent, clang::noduplicate]] void cluster_barrier(place at);

/// Waits until every lane of `mask` that has not ended has come, copies the value that each brought
/// to `out[32]`, and returns those that came.
[[clang::convergent]] std::uint32_t warp_gather(place at, std::uint32_t mask, std::uint64_t value,
                                                std::uint64_t* out);
/// The same, but hands over one lane's value only. A source outside `mask` is an error; one that
/// has ended gives 0, and a finding.
[[clang::convergent]] std::uint64_t warp_shuffle(place at, std::uint32_t mask, std::uint64_t value,
                                                 unsigned source);
[[clang::convergent]] std::uint32_t warp_ballot(place at, std::uint32_t mask, bool predicate);
[[clang::convergent]] void warp_barrier(place at, std::uint32_t mask);
/// Waits until the warp's other lanes have come to this very call or wait elsewhere; returns those
/// that came.
[[gnu::noinline, clang::convergent, clang::noduplicate]] std::uint32_t converged_lanes(place at);
/// Lanes that are converged come to a volatile access of `p` together, and leave it so: waits as
/// converged_lanes does, where lanes go in order. Of those that wait at several calls those at the
/// lowest rank go first: from there others are come to. nullptr: of no access.
[[gnu::noinline, clang::convergent, clang::noduplicate]] void in_lockstep(const volatile void* p,
                                                                          unsigned rank);
/// The lanes that the warp of the caller started with.
std::uint32_t lanes_of_warp();
/// A barrier of all blocks of a cooperative launch.
[[clang::convergent, clang::noduplicate]] void grid_barrier(place at);
bool is_cooperative();

/// Whether the caller is a thread of a kernel: for functions of both sides.
bool in_kernel();

/// Storage of the running block for one object of the type that `tag` stands for.
void* shared_object(const void* tag, std::size_t bytes, std::size_t alignment,
                    const char* name = nullptr);
void* dynamic_shared();
std::size_t dynamic_shared_bytes();

unsigned cluster_size();
unsigned cluster_rank();
/// Blocks of the cluster along x, y or z, and where this block is among them.
unsigned cluster_extent(int axis);
unsigned block_in_cluster(int axis);
/// The address of the same shared object in another block of the cluster.
void* in_block(void* shared, unsigned rank);

void yield_lane();
/// Nanoseconds: the machine has no clock of its own.
long long clock_ticks();
/// clock() in code of the device; on the host the C library's.
long device_clock();

/// Operators applied by kernels on this OS thread. Atomic, though nobody shares it: the callbacks
/// do not see atomics, so that the counting is not counted.
#if defined(__cpp_constinit)
extern constinit thread_local std::uint64_t applications [[gnu::tls_model("initial-exec")]];
#else
extern thread_local std::uint64_t applications
    [[gnu::tls_model("initial-exec")]] [[clang::require_constant_initialization]];
#endif
[[gnu::always_inline]] inline void note_application() {
  __atomic_fetch_add(&applications, 1, __ATOMIC_RELAXED);
}

/// The running thread's next atomic or fence is of the block's scope.
void note_block_scope();
/// Orders the running thread's accesses before it with those after it.
void fence();
/// What the running thread did is told to whoever acquires after that: the arrival at a barrier,
/// and the end of the wait. Neither is an access.
void release();
void acquire();
/// The next access, of `word`, is an atomic load or store, which the callbacks take for a plain
/// one. With `release` it publishes the thread's earlier accesses to whoever reads the word.
void note_word(const volatile void* word, bool release);
/// The next access there is one of a volatile object, or one of those that go past the first cache.
void note_volatile(const volatile void* p);
/// The same of a load that decides when the loop around it is left; the compilation puts it there.
void note_polled(const volatile void* p);
[[gnu::noinline]] void note_atomic(const volatile void* p, unsigned bytes);
/// The same of one that compares: what the thread read there before was a guess.
[[gnu::noinline]] void note_exchange(const volatile void* p, unsigned bytes);
/// What an atomic leaves at `p` of a sum with a number that is too small for all of its bits: in
/// global memory such numbers are zeros.
float flushed_sum(const void* p, float old, float v);
/// Copies into shared memory at once; the bytes are counted, the lanes made no access.
void bulk_copy(void* shared, const void* global, std::size_t bytes);
/// The way back.
void bulk_store(void* global, const void* shared, std::size_t bytes);
/// Ends the kernel where the device is older than 9.0 and has no `what`.
void need_9_0(const char* what);
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line,
                                   const char* function);
[[noreturn]] void fail_here(const char* file, int line, const char* what);

}  // namespace simt::detail
