#include "positions.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

#include "code.hpp"

namespace simt::observe {

using namespace llvm;

namespace {

/// Whether the optimiser leaves the instruction where it is.
bool stays(const Instruction& i) {
  return is(i, Instruction::Load, Instruction::Store, Instruction::Br, Instruction::Ret,
            Instruction::Switch, Instruction::Unreachable) ||
         (isa<CallInst>(i) && !begins(callee_name(i), "llvm."));
}

}  // namespace

void place_blocks(Module& m) {
  for (Function& f : m) {
    for (Instruction& guard : instructions(f)) {
      if (!is_guard(guard) || !guard.getDebugLoc()) continue;
      for (const Instruction* i = guard.getNextNode(); i != nullptr; i = i->getNextNode()) {
        const DebugLoc& position = i->getDebugLoc();
        if (!position || position.getLine() == 0 || !stays(*i)) continue;
        guard.setDebugLoc(position);
        break;
      }
    }
  }
}

}  // namespace simt::observe
