// Which lane runs, and how it lets others run.
#pragma once

#include <cstdint>

#include "simt/src/run/model.hpp"

namespace simt::detail {

run_order order_of(std::uint64_t seed);

void make_ready(warp& w, std::uint32_t lanes);

/// Leaves the running lane, which somebody will make ready, and returns when it is scheduled again.
void switch_away();
/// Lets others run: the time slice is over.
void yield();
/// The same, one time in four.
void yield_at_times();

/// Ends the fiber's run for good and goes back to its worker. The launch has failed.
[[noreturn]] void abandon(lane& self);

/// Points the fiber of `l` at the start of its life on this stack.
void reset_fiber(lane& l, std::byte* stack_top, std::size_t size);

/// No lane of `w` can go on, but some converge: lets those that came to one call do so.
void converge(warp& w);

}  // namespace simt::detail
