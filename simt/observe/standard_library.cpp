#include "standard_library.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>

#include "code.hpp"

namespace simt::observe {

using namespace llvm;

namespace {

bool is_of_standard_library(StringRef function) {
  return any_of(ArrayRef<const char*>{"_ZNSt", "_ZNKSt", "_ZSt", "_ZNSa", "_ZNKSa", "_ZN9__gnu_cxx",
                                      "_ZNK9__gnu_cxx"},
                [&](const char* begin) { return begins(function, begin); });
}

}  // namespace

void keep_standard_library(Module& m) {
  SmallPtrSet<const Comdat*, 16> kept;
  for (Function& f : m) {
    if (f.isDeclaration() || !f.hasLinkOnceODRLinkage() || !is_of_standard_library(f.getName()))
      continue;
    kept.insert(f.getComdat());
    f.setComdat(nullptr);
    f.setLinkage(GlobalValue::InternalLinkage);
  }
  for (GlobalVariable& v : m.globals()) {
    if (v.hasComdat() && kept.contains(v.getComdat())) v.setComdat(nullptr);
  }
}

}  // namespace simt::observe
