// A pass of LLVM's, loaded into the clang that compiles kernels for the CPU machine. Beside each
// kernel it puts one that nobody can look on at: without callbacks, with all that it calls in it,
// and where no thread can wait for another one as loops over the threads of a block. The machine
// takes that one for launches without observers (simt/src/run/plain.hpp). The kernel itself goes on
// as it came.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "cuts.hpp"
#include "flatten.hpp"
#include "hosts.hpp"
#include "levels.hpp"
#include "loops.hpp"
#include "middle.hpp"
#include "names.hpp"
#include "pipelines.hpp"
#include "regions.hpp"
#include "rounds.hpp"
#include "scattered.hpp"
#include "simt/abi/kernel_table.hpp"
#include "simt/engine.hpp"
#include "strides.hpp"
#include "versions.hpp"

namespace simt::pass {

using namespace llvm;
using detail::processor_level;

namespace {

cl::opt<std::string> levels(
    "simt-levels", cl::init("avx2"),
    cl::desc("What plain kernels of the CPU machine are compiled for: avx2, or all"));

enum class lanes_in { no_kernel, some_kernels, all_kernels };

cl::opt<lanes_in> lanes_wanted(
    "simt-lanes", cl::init(lanes_in::some_kernels),
    cl::desc(
        "Which plain kernels with operations of a warp are loops over a warp's lanes, and have "
        "such loops for loops over strides"),
    cl::values(clEnumValN(lanes_in::no_kernel, "none", "None"),
               clEnumValN(lanes_in::some_kernels, "some",
                          "Those that keep their file quick to compile"),
               clEnumValN(lanes_in::all_kernels, "all", "All that are not very large")));

cl::opt<bool> alone("simt-alone", cl::init(false),
                    cl::desc("No other file's kernels call functions of this one"));

/// Loops over lanes take about twice the time to compile that the watched kernel takes; so in a
/// file they are as much as leaves both kinds of kernels 1.7 times the watched ones. Instructions
/// of a file's headers count, too: a file of few kernels has room for them.
constexpr unsigned most_in_kernel = 4000, most_in_large_kernel = 20000;
constexpr unsigned instructions_for_meeting = 100;
constexpr unsigned most_in_any_file = 5000, instructions_for_one = 6;

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
    SmallVector<Function*, 16> both(kernels);
    both.append(stubs);
    spare_host_code(m, both, alone);
    if (kernels.empty()) return PreservedAnalyses::all();
    auto& analyses = of_module.getResult<FunctionAnalysisManagerModuleProxy>(m).getManager();
    left_ = most_in_any_file + m.getInstructionCount() / instructions_for_one;
    share_ = left_ / static_cast<unsigned>(kernels.size());
    for (Function* const f : kernels) add(*f, analyses);
    for (Function* const f : stubs) add_stub(*f);
    keep_conditions(m);
    for (const entry& e : entries_) {
      for (Function* const f : e.code) {
        if (f != nullptr) hold(*f);
      }
    }
    put_table(m);
    return PreservedAnalyses::none();
  }

 private:
  struct entry {
    Function* kernel;
    std::string why, relies_at;
    engine_kind kind;
    std::uint64_t frame = 0;
    std::array<Function*, detail::processor_levels> code{};
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

  /// In watched code no load moves in front of its condition: a thread that makes no load must not
  /// be counted as one that does. LLVM suppresses such speculation in functions that
  /// ThreadSanitizer would instrument. It inlines a function only into one with the same attribute,
  /// so host code has it, too.
  static void keep_conditions(Module& m) {
    for (Function& f : m) {
      if (!f.isDeclaration() && !f.getName().contains(".plain")) {
        f.addFnAttr(Attribute::SanitizeThread);
      }
    }
  }

  /// In what the source step makes of a kernel.
  static CallBase* scope_call(Function& f) {
    for (Instruction& i : instructions(f)) {
      auto* const call = dyn_cast<CallBase>(&i);
      if (call != nullptr && machine_call(*call) == "kernel_scope") return call;
    }
    return nullptr;
  }

  static Function* copy_of(Function& f, StringRef suffix) {
    ValueToValueMapTy values;
    Function* const copy = CloneFunction(&f, values);
    copy->setName((f.getName().take_back(6) == ".plain" ? f.getName() : f.getName() + ".plain") +
                  suffix);
    copy->setLinkage(GlobalValue::InternalLinkage);
    copy->setComdat(nullptr);
    copy->setDSOLocal(true);
    copy->removeFnAttr(Attribute::NoInline);
    copy->removeFnAttr(Attribute::OptimizeNone);
    copy->addFnAttr(Attribute::NoSanitizeCoverage);
    return copy;
  }

  void add(Function& kernel, FunctionAnalysisManager& analyses) {
    entry e{&kernel, "", "", engine_kind::watched};
    Function* copy = flat_copy(kernel, e, analyses);
    if (e.kind == engine_kind::blocks) copy = in_blocks(copy, e, analyses);
    if (e.kind == engine_kind::fibers) count_rounds(*copy, analyses, {});
    if (e.kind != engine_kind::watched) make_levels(*copy, e, analyses);
    erase(*copy, analyses);
    if (says_engines_) {
      errs() << "simt: kernel " << name_in_words(kernel) << ": " << name_of(e.kind)
             << (e.why.empty() ? "" : ", since it " + e.why) << "\n";
    }
    entries_.push_back(e);
  }

  /// One thread of the kernel, and in `e` how it may run.
  Function* flat_copy(Function& kernel, entry& e, FunctionAnalysisManager& analyses) {
    Function* const copy = copy_of(kernel, "");
    own_parameters(*copy);
    compile_for(*copy, processor_level::avx2);
    const unsigned most_meetings =
        (lanes_wanted == lanes_in::all_kernels ? most_in_kernel : share_) /
        instructions_for_meeting;
    const flat_kernel flat = flatten(*copy, analyses, passes_->clean, passes_->simplify,
                                     lanes_wanted != lanes_in::no_kernel, most_meetings);
    e.why = flat.waits;
    e.relies_at = flat.relies_at;
    if (flat.waits.empty()) {
      if (flat.meets) passes_->unroll.run(*copy, analyses);
      analyses.invalidate(*copy, PreservedAnalyses::none());
      e.why = flat.switches;
      e.kind = e.why.empty() ? engine_kind::blocks : engine_kind::fibers;
      meets_ = flat.meets;
    }
    return copy;
  }

  /// `flat` as blocks, if they are small enough; else as it was, for fibers.
  Function* in_blocks(Function* flat, entry& e, FunctionAnalysisManager& analyses) {
    SmallVector<strided_loop, 4> rounds;
    if (lanes_wanted != lanes_in::no_kernel) rounds = strided_loops(*flat, analyses);
    const bool is_large = lanes_wanted == lanes_in::all_kernels;
    const unsigned most = is_large ? most_in_large_kernel : std::min(most_in_kernel, left_);
    // Loops over strides are what they were where there is no room for them.
    for (const bool with_rounds : {true, false}) {
      if (!with_rounds && (rounds.empty() || meets_)) break;
      if (meets_ && least_of_lanes(*flat) > most) break;
      ValueToValueMapTy values;
      Function* const copy = CloneFunction(flat, values);
      SmallVector<strided_loop, 4> own;
      for (const strided_loop& l : rounds) {
        if (with_rounds) own.push_back(copied(l, values));
      }
      if (make_blocks(*copy, own, most, e, analyses)) {
        copy->takeName(flat);
        erase(*flat, analyses);
        return copy;
      }
      erase(*copy, analyses);
    }
    e.kind = engine_kind::fibers;
    e.why = is_large || left_ >= most_in_kernel ? "would grow too large"
                                                : "would take its file too long to compile";
    return flat;
  }

  static strided_loop copied(const strided_loop& l, ValueToValueMapTy& values) {
    strided_loop copy{cast<BasicBlock>(&*values[l.header]), {}};
    for (PHINode* const i : l.lines) copy.lines.push_back(cast<PHINode>(&*values[i]));
    return copy;
  }

  static void erase(Function& copy, FunctionAnalysisManager& analyses) {
    analyses.clear(copy, copy.getName());
    copy.eraseFromParent();
  }

  /// False: it would grow too large, and is not what it was.
  bool make_blocks(Function& f, ArrayRef<strided_loop> rounds, unsigned most_of_warps, entry& e,
                   FunctionAnalysisManager& analyses) {
    count_rounds(f, analyses, rounds);
    const cut_kernel kernel = cut_up(f, rounds, analyses);
    const auto made = loop_over_threads(f, kernel, most_of_warps);
    if (!made) return false;
    left_ -= std::min(left_, made->of_warps);
    has_lanes_ = any_of(kernel.cuts, [](const cut& c) { return c.is_of_warp(); });
    if (has_lanes_) stripDebugInfo(f);  // who asks for a line has the kernel run watched
    hoist_parameters(f);
    analyses.invalidate(f, PreservedAnalyses::none());
    e.frame = made->frame;
    (has_lanes_ ? passes_->simplify_lanes : passes_->simplify_loops).run(f, analyses);
    analyses.invalidate(f, PreservedAnalyses::none());
    if (has_lanes_) spare_scattered(f, analyses);
    split_off_middles(f, analyses);
    passes_->tidy.run(f, analyses);
    analyses.invalidate(f, PreservedAnalyses::none());
    return true;
  }

  /// One for each level that makes a difference.
  void make_levels(Function& f, entry& e, FunctionAnalysisManager& analyses) {
    const auto make = [&](processor_level level) {
      Function* const made = copy_of(f, level_name(level));
      compile_for(*made, level);
      if (e.kind == engine_kind::blocks) {
        (has_lanes_ ? passes_->vectorise_lanes : passes_->vectorise).run(*made, analyses);
      }
      analyses.invalidate(*made, PreservedAnalyses::none());
      e.code[static_cast<unsigned>(level)] = made;
      return made;
    };
    Function* const typical = make(processor_level::avx2);
    if (!gains_by_level(*typical)) {
      compile_for(*typical, processor_level::least);
      std::swap(e.code[0], e.code[1]);
    } else if (levels == "all") {
      make(processor_level::least);
      make(processor_level::avx512);
    }
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
    entry e{&kernel, "", "", engine_kind::watched};
    for (unsigned level = 0; level < detail::processor_levels; ++level) add_stub(e, level);
    if (e.kind != engine_kind::watched || !e.why.empty()) entries_.push_back(e);
  }

  void add_stub(entry& e, unsigned level) {
    Function* const copy = copy_of(*e.kernel, level_name(static_cast<processor_level>(level)));
    InlineFunctionInfo info;
    if (InlineFunction(*scope_call(*copy), info).isSuccess()) {
      for (CallBase* const call : info.InlinedCallSites) {
        if (machine_call(*call) != "run_kernel") continue;
        const auto* const body = call->getArgOperand(0)->stripPointerCasts();
        const auto known = find_if(entries_, [&](const entry& k) { return k.kernel == body; });
        if (known == entries_.end()) break;
        e.why = known->why;
        e.relies_at = known->relies_at;
        Function* const code = known->code[level];
        if (code == nullptr) break;
        IRBuilder<> b(call);
        b.CreateCall(code,
                     {call->getArgOperand(1), Constant::getNullValue(code->getArg(1)->getType())});
        auto* const invoke = dyn_cast<InvokeInst>(call);  // of a closure with a destructor
        (invoke != nullptr ? changeToCall(invoke) : call)->eraseFromParent();
        e.kind = known->kind;
        e.frame = known->frame;
        e.code[level] = copy;
        return;
      }
    }
    copy->eraseFromParent();
  }

  void put_table(Module& m) {
    IRBuilder<> b(m.getContext());
    auto* const byte = bytes_type(b.getContext());
    auto* const codes = ArrayType::get(byte, detail::processor_levels);
    auto* const type = StructType::get(byte, codes, byte, byte, b.getInt32Ty(), b.getInt64Ty());
    const auto address = [&](Constant* c) {
      return c != nullptr ? ConstantExpr::getPointerCast(c, byte) : ConstantPointerNull::get(byte);
    };
    SmallVector<Constant*, 16> rows;
    const auto text_of = [&](StringRef s) {
      auto* const text = ConstantDataArray::getString(m.getContext(), s);
      return address(new GlobalVariable(m, text->getType(), true, GlobalValue::PrivateLinkage, text,
                                        "simt.text"));
    };
    for (const entry& e : entries_) {
      SmallVector<Constant*, detail::processor_levels> code;
      for (Function* const f : e.code) code.push_back(address(f));
      rows.push_back(ConstantStruct::get(
          type,
          {address(e.kernel), ConstantArray::get(codes, code), text_of(e.why), text_of(e.relies_at),
           b.getInt32(static_cast<std::uint32_t>(e.kind)), b.getInt64(e.frame)}));
    }
    entries_.clear();
    auto* const list = ConstantArray::get(ArrayType::get(type, rows.size()), rows);
    auto* const table = new GlobalVariable(m, list->getType(), true, GlobalValue::PrivateLinkage,
                                           list, "simt.kernels");
    const FunctionCallee take =
        m.getOrInsertFunction(SIMT_NAME_OF(SIMT_TAKE_KERNELS), b.getVoidTy(), byte, b.getInt64Ty());
    Function* const ctor = Function::Create(FunctionType::get(b.getVoidTy(), false),
                                            GlobalValue::InternalLinkage, "simt.take_kernels", m);
    ctor->addFnAttr(Attribute::NoSanitizeCoverage);
    b.SetInsertPoint(BasicBlock::Create(m.getContext(), "", ctor));
    b.CreateCall(take, {ConstantExpr::getPointerCast(table, byte), b.getInt64(rows.size())});
    b.CreateRetVoid();
    appendToGlobalCtors(m, ctor, 65535);
  }

  /// Of a source step's body the kernel that it stands in: "enter_kernel<name(int*)::$_0>".
  static std::string name_in_words(const Function& kernel) {
    const std::string name = demangle(kernel.getName().str());
    const StringRef inside = StringRef(name).split("enter_kernel<").second;
    return inside.empty() ? name : inside.substr(0, inside.rfind("::")).str();
  }
  static const char* level_name(processor_level level) {
    return level == processor_level::least  ? ""
           : level == processor_level::avx2 ? ".avx2"
                                            : ".avx512";
  }

  const bool says_engines_ = std::getenv("SIMT_ENGINES") != nullptr;
  std::shared_ptr<passes> passes_;
  SmallVector<entry, 16> entries_;
  unsigned share_ = 0;                      // of each kernel, if all had as much
  unsigned left_ = 0;                       // as many instructions more may be in loops over lanes
  bool meets_ = false, has_lanes_ = false;  // lanes of the kernel at hand; loops over them
};

}  // namespace

}  // namespace simt::pass

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  simt::pass::keep_conditional_moves();  // also where another compilation makes the object
  return {LLVM_PLUGIN_API_VERSION, "simt-plain", LLVM_VERSION_STRING,
          [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [&builder](llvm::ModulePassManager& all, llvm::OptimizationLevel) {
                  all.addPass(simt::pass::plain_kernels(builder));
                });
            builder.registerOptimizerLastEPCallback(
                [](llvm::ModulePassManager& all, llvm::OptimizationLevel) {
                  all.addPass(simt::pass::let_go_of_plain_kernels());
                });
          }};
}
