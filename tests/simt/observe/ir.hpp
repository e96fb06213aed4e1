// LLVM's assembly, read for the tests of what is made of it.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace simt::observe {

inline std::unique_ptr<llvm::LLVMContext> new_context() {
  auto context = std::make_unique<llvm::LLVMContext>();
#if LLVM_VERSION_MAJOR < 15
  context->enableOpaquePointers();
#endif
  return context;
}

inline std::string in_words(const llvm::Module& m) {
  std::string text;
  llvm::raw_string_ostream out(text);
  m.print(out, nullptr);
  return out.str();
}

/// The module lasts as long as the process, since what is found in it refers to it. It has a
/// context of its own: names of types are unique in one.
inline llvm::Module& module_of(const std::string& text) {
  static std::vector<std::unique_ptr<llvm::LLVMContext>> contexts;
  static std::vector<std::unique_ptr<llvm::Module>> all;
  llvm::SMDiagnostic problem;
  auto m = llvm::parseAssemblyString(text, problem, *contexts.emplace_back(new_context()));
  std::string said;
  llvm::raw_string_ostream out(said);
  if (m == nullptr) problem.print("test", out);
  if (m == nullptr || llvm::verifyModule(*m, &out)) throw std::invalid_argument(out.str() + text);
  return *all.emplace_back(std::move(m));
}

inline constexpr const char* prelude =
    R"(target datalayout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128"
%struct.s = type { ptr, i32 }
%struct.pair = type { i32, i32 }
@g = external global i32
@done = external global i32
declare void @__sanitizer_cov_trace_pc_guard(ptr)
declare void @simt_barrier()
declare void @simt_other()
declare i32 @other()
declare ptr @shared()
declare float @sqrtf(float)
declare i32 @__gxx_personality_v0(...)
declare i32 @_ZN4simt6detail12thread_indexEi(i32)
declare i32 @_ZN4simt6detail11block_indexEi(i32)
declare i32 @_ZN4simt6detail10lane_indexEv()
declare ptr @_ZN4simt6detail14dynamic_sharedEv()
declare ptr @_ZN4simt6detail14other_pointerEv()
declare i64 @_ZN4simt6detail12warp_shuffleENS0_5placeEjmj(ptr, i64, i32, i64, i32)
)";

/// A function with this body, which may use a few names that it does not make.
inline llvm::Function& function_of(const std::string& body, const std::string& parameters = "") {
  constexpr std::pair<const char*, const char*> values[]{
      {"k", "i32"},     {"n", "i32"}, {"a", "i32"},    {"b", "i32"},     {"d", "i32"},
      {"x", "i32"},     {"y", "i32"}, {"i", "i64"},    {"c", "i1"},      {"more", "i1"},
      {"first", "i32"}, {"p", "ptr"}, {"flag", "ptr"}, {"start", "ptr"}, {"parameter", "ptr"}};
  std::string all = parameters;
  for (const auto& [name, type] : values) {
    const std::string value = std::string("%") + name;
    const bool known = body.find(value + " = ") != std::string::npos ||
                       (parameters + ",").find(" " + value + ",") != std::string::npos;
    if (!known) all += (all.empty() ? "" : ", ") + std::string(type) + " " + value;
  }
  return *module_of(prelude + ("define void @f(" + all) +
                    ") personality ptr @__gxx_personality_v0 {\n" + body + "}\n")
              .getFunction("f");
}

/// The callback of a basic block.
inline const std::string guard = "  call void @__sanitizer_cov_trace_pc_guard(ptr @g)\n";

}  // namespace simt::observe
