#include "levels.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>

#include "versions.hpp"

namespace simt::pass {

using namespace llvm;
using detail::processor_level;

namespace {

// What simt/src/run/plain.cpp asks the processor for.
constexpr const char* least =
    "+cx8,+cx16,+sahf,+fxsr,+mmx,+sse,+sse2,+sse3,+ssse3,+sse4.1,"
    "+sse4.2,+popcnt,+x87";
constexpr const char* avx2 = ",+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+xsave";
constexpr const char* avx512 = ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl";

}  // namespace

void compile_for(Function& f, processor_level level) {
  if (Triple(f.getParent()->getTargetTriple()).getArch() != Triple::x86_64) return;
  std::string features = least;
  if (level >= processor_level::avx2) features += avx2;
  if (level >= processor_level::avx512) features += avx512;
  f.addFnAttr("target-features", features);
}

bool gains_by_level(const Function& f) {
  if (Triple(f.getParent()->getTargetTriple()).getArch() != Triple::x86_64) return false;
  const auto gains = [](const Instruction& i) {
    if (i.getType()->isVectorTy()) return true;
    const auto* const call = dyn_cast<IntrinsicInst>(&i);
    return call != nullptr && call->getIntrinsicID() == Intrinsic::fma;
  };
  return any_of(instructions(f), gains);
}

void keep_conditional_moves() {
  auto& options = cl::getRegisteredOptions();
  const auto known = options.find("x86-cmov-converter");
  if (known == options.end() || known->second->getNumOccurrences() != 0) return;
  static_cast<cl::opt<bool>*>(known->second)->setValue(false);
}

}  // namespace simt::pass
