#include "hosts.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

namespace simt::pass {

using namespace llvm;

namespace {

/// All that kernels may come to, be it by a pointer.
class reached {
 public:
  void add(const Value& v) {
    if (isa<Constant>(v) && all_.insert(&v).second) next_.push_back(&v);
  }
  bool contains(const Function& f) {
    while (!next_.empty()) {
      const Value* const v = next_.pop_back_val();
      for (const Use& u : cast<User>(v)->operands()) add(*u);
      const auto* const function = dyn_cast<Function>(v);
      if (function == nullptr) continue;
      for (const Instruction& i : instructions(*function)) {
        for (const Use& u : i.operands()) add(*u);
      }
    }
    return all_.contains(&f);
  }

 private:
  SmallPtrSet<const Value*, 32> all_;
  SmallVector<const Value*, 64> next_;
};

/// Whether kernels of other files may call it.
bool is_shared(const Function& f, bool alone) {
  if (f.hasLocalLinkage() || f.getName() == "main") return false;
  return !alone || f.isWeakForLinker();
}

}  // namespace

void spare_host_code(Module& m, ArrayRef<Function*> kernels, bool alone) {
  reached by_kernels;
  for (const Function* const f : kernels) by_kernels.add(*f);
  for (const Function& f : m) {
    if (is_shared(f, alone)) by_kernels.add(f);
  }
  for (const GlobalVariable& v : m.globals()) {
    if (!v.getName().startswith("llvm.")) by_kernels.add(v);
  }
  for (Function& f : m) {
    if (!by_kernels.contains(f)) f.addFnAttr(Attribute::NoSanitizeCoverage);
  }
}

}  // namespace simt::pass
