// The processors that a kernel is compiled for: the machine takes the best that the host can run.
#pragma once

#include <llvm/IR/Function.h>

#include "record.hpp"

namespace simt::pass {

/// Lets the back end use what this level has.
void compile_for(llvm::Function& f, detail::processor_level level);

/// Whether more than the least level would make other code of it.
bool gains_by_level(const llvm::Function& f);

}  // namespace simt::pass
