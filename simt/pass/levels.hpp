// The processors that a kernel is compiled for: the machine takes the best that the host can run.
#pragma once

#include <llvm/IR/Function.h>

#include "simt/abi/kernel_table.hpp"

namespace simt::pass {

/// Lets the back end use what this level has.
void compile_for(llvm::Function& f, detail::processor_level level);

/// Whether more than the least level would make other code of it.
bool gains_by_level(const llvm::Function& f);

/// Has the back end of this compilation make no branches of conditional moves: threads differ in
/// what they choose, so nothing foresees it. An option of the compiler's command line goes first.
void keep_conditional_moves();

}  // namespace simt::pass
