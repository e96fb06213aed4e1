#include "constructors.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/Support/raw_ostream.h>

namespace simt::observe {

using namespace llvm;

void name_constructors(const Module& m) {
  for (const Function& f : m) {
    const bool is_one = f.getName().contains("_ZN4simt6detail11constructedI") &&
                        f.getName().contains("simt_shared_");
    if (is_one && !f.isDeclaration() && !isa<ReturnInst>(f.getEntryBlock().front()))
      errs() << "simt: constructor " << f.getName() << "\n";
  }
}

}  // namespace simt::observe
