// Constructors of __shared__ variables, which nobody runs.
#pragma once

#include <llvm/IR/Module.h>

namespace simt::observe {

/// Names each that does something; the source step makes warnings of that.
void name_constructors(const llvm::Module& m);

}  // namespace simt::observe
