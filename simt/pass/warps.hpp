// The part of a block's code in which its warps run one after the other: loops over the lanes of a
// warp, from each cut to the next.
//
//   for each warp ─→ [ lanes that can go on: → … → cut ] ─→ those who meet there go on ─→ [ lanes …
//
// All 32 lanes together are a loop that the vectoriser takes; some of them are one without vectors.
#pragma once

#include "regions.hpp"

namespace simt::pass {

/// Makes all of the regions that lead from or to cuts of warps. Goes to `behind` when all warps
/// have come to cuts of the block, or have ended: which of these are possible.
std::uint64_t loop_over_warps(block_parts& all, llvm::BasicBlock* behind);

}  // namespace simt::pass
