// A loop over some lanes of a warp, from the cuts that they have come to on to the next: those of
// the last warp, and those that have parted from the others.
#pragma once

#include "lanes.hpp"

namespace simt::pass {

/// The code of all regions of warps, once for all of them: it begins in `enter`, with the active
/// lanes at the region whose number in `all.regions` is in `where`, and goes to `behind`. Its lanes
/// note themselves where they come to.
void loop_over_parted_lanes(warp_parts& warp, llvm::Value* where, llvm::BasicBlock* enter,
                            llvm::BasicBlock* behind);

}  // namespace simt::pass
