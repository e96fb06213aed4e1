// A pass of LLVM's, loaded into the clang that compiles kernels for the CPU machine. Beside each
// kernel it puts one that nobody can look on at: without callbacks, with all that it calls in it,
// and where no thread can wait for another one as loops over the threads of a block. The machine
// takes that one for launches without observers (simt/src/run/plain.hpp). The kernel itself goes on
// as it came.
#include <memory>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

#include "cuts.hpp"
#include "flatten.hpp"
#include "loops.hpp"
#include "names.hpp"
#include "record.hpp"
#include "simt/engine.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

/// No fused multiplication and addition: results are the watched kernel's to the bit.
constexpr const char* features =
    "+cx8,+cx16,+sahf,+fxsr,+mmx,+sse,+sse2,+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+x87,+avx,+avx2,"
    "+bmi,+bmi2,+lzcnt,+movbe,+xsave";

struct passes {
  FunctionPassManager clean, simplify, vectorise;

  explicit passes(PassBuilder& builder)
      : simplify(builder.buildFunctionSimplificationPipeline(OptimizationLevel::O2,
                                                             ThinOrFullLTOPhase::None)),
        vectorise(builder.buildFunctionSimplificationPipeline(OptimizationLevel::O3,
                                                              ThinOrFullLTOPhase::None)) {
    clean.addPass(SROAPass());
    clean.addPass(EarlyCSEPass());
    clean.addPass(SimplifyCFGPass());
    vectorise.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
    vectorise.addPass(LoopVectorizePass());
    vectorise.addPass(InstCombinePass());
    vectorise.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
    vectorise.addPass(SLPVectorizerPass());
    vectorise.addPass(InstCombinePass());
    vectorise.addPass(LoopUnrollPass(LoopUnrollOptions(2)));
    vectorise.addPass(InstCombinePass());
    vectorise.addPass(SimplifyCFGPass());
  }
};

class plain_kernels : public PassInfoMixin<plain_kernels> {
 public:
  explicit plain_kernels(PassBuilder& builder) : passes_(std::make_shared<passes>(builder)) {}

  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& m, ModuleAnalysisManager& of_module) {
    SmallVector<Function*, 16> kernels, stubs;
    for (Function* const f : marked(m)) kernels.push_back(f);
    for (Function& f : m) {
      if (!f.isDeclaration() && scope_call(f) != nullptr) stubs.push_back(&f);
    }
    if (kernels.empty()) return PreservedAnalyses::all();
    auto& analyses = of_module.getResult<FunctionAnalysisManagerModuleProxy>(m).getManager();
    for (Function* const f : kernels) add(*f, analyses);
    for (Function* const f : stubs) add_stub(*f);
    put_table(m);
    return PreservedAnalyses::none();
  }

 private:
  struct entry {
    Function *kernel, *code;
    std::string why;
    engine_kind kind;
    bool ends;
    std::uint64_t frame = 0;
  };

  /// The functions that simt/spaces.hpp and simt/kernel.hpp mark.
  static SmallVector<Function*, 16> marked(Module& m) {
    SmallVector<Function*, 16> found;
    const auto* const all = m.getGlobalVariable("llvm.global.annotations");
    if (all == nullptr) return found;
    for (const Use& u : cast<ConstantArray>(all->getInitializer())->operands()) {
      const auto* const one = cast<ConstantStruct>(u.get());
      auto* const f = dyn_cast<Function>(one->getOperand(0)->stripPointerCasts());
      const auto* const text = dyn_cast<GlobalVariable>(one->getOperand(1)->stripPointerCasts());
      if (f == nullptr || f->isDeclaration() || text == nullptr || !text->hasInitializer())
        continue;
      const auto* const data = dyn_cast<ConstantDataSequential>(text->getInitializer());
      if (data != nullptr && data->isCString() && data->getAsCString() == "simt.kernel" &&
          !is_contained(found, f)) {
        found.push_back(f);
      }
    }
    return found;
  }

  /// In what the source step makes of a kernel.
  static CallBase* scope_call(Function& f) {
    for (Instruction& i : instructions(f)) {
      auto* const call = dyn_cast<CallBase>(&i);
      if (call != nullptr && machine_call(*call) == "kernel_scope") return call;
    }
    return nullptr;
  }

  static Function* copy_of(Function& f) {
    ValueToValueMapTy values;
    Function* const copy = CloneFunction(&f, values);
    copy->setName(f.getName() + ".plain");
    copy->setLinkage(GlobalValue::InternalLinkage);
    copy->setComdat(nullptr);
    copy->setDSOLocal(true);
    copy->removeFnAttr(Attribute::NoInline);
    copy->removeFnAttr(Attribute::OptimizeNone);
    copy->addFnAttr(Attribute::NoSanitizeCoverage);
    return copy;
  }

  void add(Function& kernel, FunctionAnalysisManager& analyses) {
    Function* const copy = copy_of(kernel);
    own_parameters(*copy);
    if (Triple(kernel.getParent()->getTargetTriple()).getArch() == Triple::x86_64) {
      copy->addFnAttr("target-features", features);
    }
    const flat_kernel flat = flatten(*copy, analyses, passes_->clean, passes_->simplify);
    entry e{&kernel, copy, flat.waits, engine_kind::blocks, flat.ends};
    if (!flat.waits.empty()) {
      e.kind = engine_kind::watched;
      e.code = nullptr;
      analyses.clear(*copy, copy->getName());
      copy->eraseFromParent();
    } else if (!flat.switches.empty()) {
      e.kind = engine_kind::fibers;
      e.why = flat.switches;
    } else {
      const auto frame = loop_over_threads(*copy, cut_at_barriers(*copy, analyses));
      analyses.invalidate(*copy, PreservedAnalyses::none());
      if (!frame) {
        e.kind = engine_kind::fibers;
        e.why = "its code would grow too large";
      }
      e.frame = frame.getValueOr(0);
      passes_->vectorise.run(*copy, analyses);
      analyses.invalidate(*copy, PreservedAnalyses::none());
    }
    entries_.push_back(e);
  }

  /// A thread may change its parameters: those that come in memory are copied for each.
  static void own_parameters(Function& f) {
    IRBuilder<> b(&*f.getEntryBlock().getFirstInsertionPt());
    const DataLayout& layout = f.getParent()->getDataLayout();
    for (Argument& a : f.args()) {
      if (!a.hasByValAttr()) continue;
      AllocaInst* const own = b.CreateAlloca(a.getParamByValType());
      own->setAlignment(a.getParamAlign().valueOrOne());
      a.replaceAllUsesWith(own);
      b.CreateMemCpy(own, own->getAlign(), &a, own->getAlign(),
                     layout.getTypeAllocSize(a.getParamByValType()));
    }
    if (machine_name(f) == "enter_kernel") {
      f.getArg(0)->addAttr(Attribute::NoAlias);
      f.getArg(0)->addAttr(Attribute::ReadOnly);
    }
  }

  /// The source step's kernel, which the launching functions of C call: it hands its parameters on.
  void add_stub(Function& kernel) {
    Function* const copy = copy_of(kernel);
    InlineFunctionInfo info;
    if (!InlineFunction(*scope_call(*copy), info).isSuccess()) return copy->eraseFromParent();
    for (CallBase* const call : info.InlinedCallSites) {
      if (machine_call(*call) != "run_kernel") continue;
      const auto* const body = call->getArgOperand(0)->stripPointerCasts();
      const auto known = find_if(entries_, [&](const entry& e) { return e.kernel == body; });
      if (known == entries_.end() || known->code == nullptr) break;
      IRBuilder<> b(call);
      Value* const closure = call->getArgOperand(1);
      b.CreateCall(known->code,
                   {closure, Constant::getNullValue(known->code->getArg(1)->getType())});
      call->eraseFromParent();
      entries_.push_back({&kernel, copy, known->why, known->kind, known->ends, known->frame});
      return;
    }
    copy->eraseFromParent();
  }

  void put_table(Module& m) {
    IRBuilder<> b(m.getContext());
    auto* const byte = b.getInt8PtrTy();
    auto* const type =
        StructType::get(byte, byte, byte, b.getInt32Ty(), b.getInt32Ty(), b.getInt64Ty());
    SmallVector<Constant*, 16> rows;
    for (const entry& e : entries_) {
      auto* const text = ConstantDataArray::getString(m.getContext(), e.why);
      auto* const why = new GlobalVariable(m, text->getType(), true, GlobalValue::PrivateLinkage,
                                           text, "simt.why");
      Constant* const code = e.code != nullptr ? ConstantExpr::getPointerCast(e.code, byte)
                                               : ConstantPointerNull::get(byte);
      rows.push_back(ConstantStruct::get(type, {ConstantExpr::getPointerCast(e.kernel, byte), code,
                                                ConstantExpr::getPointerCast(why, byte),
                                                b.getInt32(static_cast<std::uint32_t>(e.kind)),
                                                b.getInt32(e.ends ? 1 : 0), b.getInt64(e.frame)}));
    }
    entries_.clear();
    auto* const list = ConstantArray::get(ArrayType::get(type, rows.size()), rows);
    auto* const table = new GlobalVariable(m, list->getType(), true, GlobalValue::PrivateLinkage,
                                           list, "simt.kernels");
    const FunctionCallee take =
        m.getOrInsertFunction("simt_take_kernels", b.getVoidTy(), byte, b.getInt64Ty());
    Function* const ctor = Function::Create(FunctionType::get(b.getVoidTy(), false),
                                            GlobalValue::InternalLinkage, "simt.take_kernels", m);
    ctor->addFnAttr(Attribute::NoSanitizeCoverage);
    b.SetInsertPoint(BasicBlock::Create(m.getContext(), "", ctor));
    b.CreateCall(take, {ConstantExpr::getPointerCast(table, byte), b.getInt64(rows.size())});
    b.CreateRetVoid();
    appendToGlobalCtors(m, ctor, 65535);
  }

  std::shared_ptr<passes> passes_;
  SmallVector<entry, 16> entries_;
};

}  // namespace

}  // namespace simt::pass

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "simt-plain", LLVM_VERSION_STRING,
          [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [&builder](llvm::ModulePassManager& all, llvm::OptimizationLevel) {
                  all.addPass(simt::pass::plain_kernels(builder));
                });
          }};
}
