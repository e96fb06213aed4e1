// Whether loops around operations of a warp are unrolled.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Function.h>

namespace simt::pass {

/// Each operation is much code, so they stay rolled for the time being, whatever the source asks
/// for.
void keep_meetings_rolled(llvm::Function& f, const llvm::LoopInfo& loops);

/// What lanes exchange is simpler where the distance is known: loops may be unrolled if that makes
/// at most so many operations of all.
void let_meetings_unroll(llvm::Function& f, const llvm::LoopInfo& loops,
                         llvm::ScalarEvolution& evolution, unsigned most);

}  // namespace simt::pass
