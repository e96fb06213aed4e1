#include "varying.hpp"

namespace simt::observe {

using namespace llvm;

value_set varying_values(const control_flow& f) {
  value_set all;
  const auto makes_one = [&](const Instruction& i) {
    const StringRef name = callee_name(i);
    return is(i, Instruction::AtomicRMW, Instruction::AtomicCmpXchg) ||
           name.contains("thread_index") || name.contains("lane") || name.contains("shuffle") ||
           has_any_of(i, all);
  };
  for (bool more = true; more;) {
    more = false;
    for (const basic_block& b : f.blocks) {
      for (const Instruction* const i : b.code) {
        if (!i->getType()->isVoidTy() && !all.contains(i) && makes_one(*i))
          more = all.insert(i).second;
      }
    }
  }
  return all;
}

}  // namespace simt::observe
