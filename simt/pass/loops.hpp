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

/// `f` runs one thread, which others can interrupt at its cuts only; then it runs all threads of a
/// block. Returns the bytes that these keep from cut to cut, or nothing where `f` would grow too
/// large; then it has not changed.
llvm::Optional<std::uint64_t> loop_over_threads(llvm::Function& f, const cut_kernel& kernel);

}  // namespace simt::pass
