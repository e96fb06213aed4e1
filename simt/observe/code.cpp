#include "code.hpp"

#include <llvm/IR/CFG.h>

namespace simt::observe {

using namespace llvm;

control_flow::control_flow(Function& f) : before(f), loops(before) {
  for (const BasicBlock& b : f) {
    numbers[&b] = blocks.size();
    basic_block& made = blocks.emplace_back();
    made.at = &b;
    for (const Loop* l = loops.getLoopFor(&b); l != nullptr; l = l->getParentLoop()) made.loop = l;
    for (const Instruction& i : b) {
      is_guard(i) ? void(made.watched = true) : made.code.push_back(&i);
    }
  }
  for (basic_block& b : blocks) {
    for (const BasicBlock* const to : llvm::successors(b.at)) {
      b.successors.push_back(numbers.lookup(to));
      ++blocks[b.successors.back()].ways_there;
    }
  }
}

}  // namespace simt::observe
