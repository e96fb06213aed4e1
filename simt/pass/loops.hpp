// Makes the code of a thread that of a block: loops over its threads, from each cut to the next.
//
//   entry ── what the block is ─→ [ for z, y, x: thread ─→ … ─→ cut 1 ] ─→ at cut 1, once ─→ [ for
//   …
//
// Blocks of code that can be reached from several cuts are there once for each.
#pragma once

#include <llvm/IR/Function.h>

#include "cuts.hpp"

namespace simt::pass {

struct block_loops {
  std::uint64_t frame = 0;  // bytes that threads keep from cut to cut
  unsigned of_warps = 0;    // about as many instructions are in loops over a warp's lanes
};

/// `f` runs one thread, which others can interrupt at its cuts only; then it runs all threads of a
/// block. Nothing where `f` would grow too large, or have more than so many instructions in loops
/// over lanes; then it has not changed.
std::optional<block_loops> loop_over_threads(llvm::Function& f, const cut_kernel& kernel,
                                             unsigned most_of_warps);

}  // namespace simt::pass
