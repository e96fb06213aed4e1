#include "kernel_sizes.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include "code.hpp"
#include "simt/pass/names.hpp"

namespace simt::observe {

using namespace llvm;

namespace {

struct extent {
  std::uint64_t alignment, bytes;
};
using extents = std::map<const Value*, extent>;

std::uint64_t number(const Value* v) {
  const auto* const n = dyn_cast<ConstantInt>(v);
  return n != nullptr ? n->getZExtValue() : 0;
}

/// What `f` reaches: its variables, and the longest stack of locals, returned.
std::uint64_t reach(const Function& f, value_set& seen, extents& variables) {
  if (!seen.insert(&f).second) return 0;
  const DataLayout& layout = f.getParent()->getDataLayout();
  std::uint64_t locals = 0, deepest = 0;
  for (const Instruction& i : instructions(f)) {
    if (const auto* const local = dyn_cast<AllocaInst>(&i))
      locals += layout.getTypeAllocSize(local->getAllocatedType());
    const auto* const call = dyn_cast<CallBase>(&i);
    const Function* const callee = call != nullptr ? pass::callee_of(*call) : nullptr;
    if (callee == nullptr) continue;
    deepest = std::max(deepest, reach(*callee, seen, variables));
    if (pass::machine_name(*callee) == "shared_object")
      variables[call->getArgOperand(0)->stripPointerCasts()] = {number(call->getArgOperand(2)),
                                                                number(call->getArgOperand(1))};
  }
  return locals + deepest;
}

/// As a device's linker lays them out: the most aligned ones first.
std::uint64_t laid_out(const extents& variables) {
  std::multimap<std::uint64_t, std::uint64_t, std::greater<>> by_alignment;
  for (const auto& [tag, e] : variables) by_alignment.emplace(e.alignment, e.bytes);
  std::uint64_t end = 0;
  for (const auto& [alignment, bytes] : by_alignment) {
    end = (end + alignment - 1) / alignment * alignment + bytes;
  }
  return end;
}

/// What `kernel` gives run_kernel: its body, and what its attributes say.
void put_size(const Function& kernel, const CallBase& run) {
  constexpr unsigned first_limit = 4, limits = 4;
  const auto* const body = dyn_cast<Function>(run.getArgOperand(0)->stripPointerCasts());
  if (body == nullptr) return;
  value_set seen;
  extents variables;
  const std::uint64_t locals = reach(*body, seen, variables);
  std::string line = ".quad \"" + kernel.getName().str() + "\", " +
                     std::to_string(laid_out(variables)) + ", " + std::to_string(locals);
  for (unsigned i = 0; i < limits; ++i)
    line += ", " + std::to_string(number(run.getArgOperand(first_limit + i)));
  Module& m = const_cast<Module&>(*kernel.getParent());
  m.appendModuleInlineAsm(".pushsection simt_kernel_sizes,\"aw\"\n" + line + "\n.popsection");
}

}  // namespace

void put_kernel_sizes(Module& m) {
  for (const Function& f : m) {
    const CallBase* run = nullptr;
    for (const Instruction& i : instructions(f)) {
      const auto* const call = dyn_cast<CallBase>(&i);
      if (call != nullptr && pass::machine_call(*call) == "run_kernel") run = call;
    }
    if (run != nullptr) put_size(f, *run);
  }
}

}  // namespace simt::observe
