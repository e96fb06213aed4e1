// Which lane runs, and how it lets others run.
#pragma once

#include <cstdint>

#include "simt/src/run/model.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

run_order order_of(std::uint64_t seed);

void make_ready(warp& w, std::uint32_t lanes);

/// Leaves the running lane, which somebody will make ready, and returns when it is scheduled again.
void switch_away();
/// Lets others run: the time slice is over. From `frame` up lie the caller's registers, then the
/// lane's stack: SIMT_SAVED_REGISTERS.
void yield(const void* frame);
/// The same of a lane that may come to where others of its warp wait for it in lockstep.
void end_slice(const void* frame);
/// The same, one time in four.
void yield_at_times(const void* frame);

/// Where the function in which it stands has saved all registers of its caller that it must keep.
#if defined(__x86_64__)
#define SIMT_SAVED_REGISTERS() \
  (__builtin_unwind_init(), static_cast<std::uint64_t*>(__builtin_frame_address(0)) - 5)
#else
#define SIMT_SAVED_REGISTERS() (__builtin_unwind_init(), __builtin_frame_address(0))
#endif

/// The running lane waits, for its block, until all blocks of the grid have come.
void wait_for_grid(lane& self);

/// Ends the fiber's run for good and goes back to its worker. The launch has failed.
[[noreturn]] void abandon(lane& self);

/// Points the fiber of `l` at the start of its life on this stack.
void reset_fiber(lane& l, std::byte* stack_top, std::size_t size);

/// `gone` has ended: the barriers of its block and its cluster that waited for nobody else let
/// their threads go on.
void release_without(const lane& gone);
/// The same of the operations of its warp.
void complete_without(const lane& gone);

/// The running lane looks at a word that others may change, or, with nullptr, at any for which it
/// goes round a loop. If it comes back to it, and it has not changed, while lanes of its warp wait
/// for it in lockstep, they go on without it.
void look_again(const volatile void* p);
inline void look(const volatile void* p) {
  if (tls.warp != nullptr && tls.warp->in_step != 0) look_again(p);
}

/// No lane of `w` can go on, but some converge: lets those that came to one call do so.
void converge(warp& w);

}  // namespace simt::detail
