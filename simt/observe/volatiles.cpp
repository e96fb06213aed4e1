#include "volatiles.hpp"

#include <vector>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "lockstep.hpp"
#include "polling.hpp"
#include "simt/pass/versions.hpp"

namespace simt::observe {

using namespace llvm;

namespace {

FunctionCallee hook(Module& m, const char* name) {
  return m.getOrInsertFunction(name, Type::getVoidTy(m.getContext()),
                               pass::bytes_type(m.getContext()));
}

bool is_of_machine(const DISubprogram& f) {
  constexpr const char* headers = "include/simt/";
  return f.getFilename().contains(headers) || f.getDirectory().contains(headers);
}

/// Loads that decide about their loop become polls; at all others lanes meet.
void note_polls(Function& function) {
  std::vector<noted_access> others;
  std::vector<std::size_t> polls;
  const control_flow f(function);
  for (std::size_t k = 0; k < f.blocks.size(); ++k) {
    CallInst* note = nullptr;
    for (const Instruction* const each : f.blocks[k].code) {
      auto* const i = const_cast<Instruction*>(each);
      if (callee_name(*i) == volatile_hook) note = dyn_cast<CallInst>(i);
      if (note == nullptr || !(isa<LoadInst>(i) || isa<StoreInst>(i)) || !i->isVolatile()) continue;
      if (may_poll(*i) && decides_loop(f, k, *i)) {
        note->setCalledFunction(hook(*function.getParent(), polled_hook));
        polls.push_back(k);
      } else {
        others.push_back({k, note, i});
      }
      note = nullptr;
    }
  }
  add_meetings(f, others, polls);
}

}  // namespace

void note_volatiles(Module& m) {
  for (Function& f : m) {
    const DISubprogram* const described = f.getSubprogram();
    if (f.isDeclaration() || described == nullptr || is_of_machine(*described)) continue;
    std::vector<Instruction*> accesses;
    for (Instruction& i : instructions(f)) {
      if ((isa<LoadInst>(i) || isa<StoreInst>(i)) && i.isVolatile()) accesses.push_back(&i);
    }
    for (Instruction* const i : accesses) {
      IRBuilder<> b(i);
      Value* const pointer = getLoadStorePointerOperand(i);
      b.CreateCall(hook(m, volatile_hook),
                   {b.CreatePointerCast(pointer, pass::bytes_type(m.getContext()))});
    }
  }
}

void note_polls(Module& m) {
  const Function* const noted = m.getFunction(volatile_hook);
  if (noted == nullptr) return;
  value_set functions;
  for (const User* const u : noted->users()) {
    if (const auto* const call = dyn_cast<CallInst>(u)) functions.insert(call->getFunction());
  }
  for (Function& f : m) {
    if (functions.contains(&f)) note_polls(f);
  }
}

}  // namespace simt::observe
