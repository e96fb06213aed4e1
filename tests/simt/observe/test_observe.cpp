// What the plugin puts into a kernel file beside the costs of its blocks.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/IR/Constants.h>

#include "ir.hpp"
#include "simt/observe/accesses.hpp"
#include "simt/observe/costs.hpp"
#include "simt/observe/kernel_sizes.hpp"
#include "simt/observe/positions.hpp"
#include "simt/observe/standard_library.hpp"
#include "simt/observe/volatiles.hpp"
#include "simt/observe/wide_copies.hpp"

namespace {

using namespace simt::observe;
using testing::HasSubstr;
using testing::Not;

template <class F>
std::string after(F pass, const std::string& text) {
  llvm::Module& m = module_of(text);
  pass(m);
  return in_words(m);
}

const std::string hook = "declare void @__sanitizer_cov_trace_pc_guard(ptr)\n";
const std::string copies =
    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
    "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\n"
    "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
    "declare void @__sanitizer_cov_load4(ptr)\ndeclare void @__sanitizer_cov_load8(ptr)\n"
    "declare void @__sanitizer_cov_store8(ptr)\n";

/// In a function that the compiler put its callbacks into, or not.
std::string accesses(const std::string& lines, bool watched = true) {
  return after(add_accesses,
               hook + copies + "define void @f(ptr %p, ptr %q, i64 %n) {\n" +
                   (watched ? "  call void @__sanitizer_cov_trace_pc_guard(ptr %q)\n" : "") +
                   lines + "  ret void\n}\n");
}

TEST(accesses, copies_and_their_width) {
  EXPECT_THAT(accesses("  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 %p, "
                       "ptr align 8 %q, i64 12, i1 false)\n"),
              HasSubstr("  tail call void @simt_copy(ptr %p, ptr %q, i64 12, i32 4)"));
  EXPECT_THAT(accesses("  call void @llvm.memmove.p0.p0.i64(ptr align 32 %p, ptr align 32 %q, i64 "
                       "%n, i1 false)\n"),
              HasSubstr("@simt_copy(ptr %p, ptr %q, i64 %n, i32 16)"));
  EXPECT_THAT(accesses("  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 12, i1 false)\n"),
              HasSubstr("  call void @simt_fill(ptr %p, i8 zeroext 0, i64 12, i32 1)"));
}

TEST(accesses, of_any_address_are_told_in_parts) {
  const std::string joined = accesses(
      "  call void @__sanitizer_cov_load4(ptr %p)\n  %x = load i32, ptr %p, align 1\n"
      "  call void @__sanitizer_cov_store8(ptr %q)\n  store i64 %n, ptr %q, align 2\n");
  EXPECT_THAT(joined, HasSubstr("  call void @simt_load4_parts(ptr %p, i32 1)\n  %x = load"));
  EXPECT_THAT(joined, HasSubstr("  call void @simt_store8_parts(ptr %q, i32 2)\n  store"));
  EXPECT_THAT(accesses("  call void @__sanitizer_cov_load8(ptr %p)\n"
                       "  %x = load i64, ptr %p, align 8\n"),
              HasSubstr("  call void @__sanitizer_cov_load8(ptr %p)\n  %x = load"));
}

TEST(accesses, of_a_width_that_the_compiler_leaves_out) {
  const std::string odd = accesses(
      "  %x = load i24, ptr %p, align 4\n"
      "  store volatile <8 x float> zeroinitializer, ptr %q, align 32\n"
      "  store i40 -1, ptr %q, align 8\n");
  EXPECT_THAT(odd, HasSubstr("  call void @simt_load_parts(ptr %p, i32 3, i32 4)\n  %x = load"));
  EXPECT_THAT(odd, HasSubstr("  call void @simt_store_parts(ptr %q, i32 32, i32 16)\n"));
  EXPECT_THAT(odd, HasSubstr("  call void @simt_store_parts(ptr %q, i32 5, i32 8)\n"));
  EXPECT_THAT(accesses("  %x = load <4 x float>, ptr %p, align 16\n"
                       "  %y = load { i32, i32 }, ptr %q\n  %z = load ptr, ptr %q, align 8\n"
                       "  %w = load <2 x ptr>, ptr %q, align 16\n"),
              Not(HasSubstr("_parts")));
}

TEST(accesses, that_are_not_watched_are_left_alone) {
  const std::string copy = "  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 12, i1 false)\n";
  EXPECT_THAT(accesses(copy, false), Not(HasSubstr("simt_copy")));
  EXPECT_THAT(accesses("  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 12, i1 true)\n"),
              Not(HasSubstr("simt_copy")));
}

TEST(standard_library, functions_stay_in_the_file) {
  const std::string text =
      after(keep_standard_library,
            "$_ZNSt3fooEv = comdat any\n$_ZN4mine3fooEv = comdat any\n"
            "@one = private global [1 x i32] zeroinitializer, comdat($_ZNSt3fooEv)\n"
            "@two = private global [1 x i32] zeroinitializer, comdat($_ZN4mine3fooEv)\n"
            "define linkonce_odr hidden void @_ZNSt3fooEv(ptr %this) comdat {\n  ret void\n}\n"
            "define linkonce_odr void @_ZN4mine3fooEv() comdat {\n  ret void\n}\n");
  EXPECT_THAT(text, HasSubstr("define internal void @_ZNSt3fooEv(ptr %this) {\n"));
  EXPECT_THAT(text, HasSubstr("@one = private global [1 x i32] zeroinitializer\n"));
  EXPECT_THAT(text, HasSubstr("@two = private global [1 x i32] zeroinitializer, comdat($"));
  EXPECT_THAT(text, HasSubstr("define linkonce_odr void @_ZN4mine3fooEv() comdat {\n"));
}

simt::instruction_counts cost_of(const std::string& lines, const std::string& parameters = "") {
  return costs_of(function_of(guard + lines + "  ret void\n", parameters)).at(0);
}

TEST(costs, a_remainder_is_left_by_the_division_of_the_same_values) {
  const auto both = cost_of("  %q = udiv i32 %a, %b\n  %r = urem i32 %a, %b\n");
  EXPECT_EQ(both.divides, 1U);
  EXPECT_EQ(both.multiplies, 1U);
  EXPECT_EQ(cost_of("  %q = udiv i32 %a, %b\n  %r = urem i32 %b, %a\n").divides, 2U);
  EXPECT_EQ(cost_of("  %q = udiv i32 %a, %b\n  %r = srem i32 %a, %b\n").divides, 2U);
  EXPECT_EQ(cost_of("  %q = udiv i32 %a, 8\n  %r = urem i32 %a, 8\n").divides, 0U);
}

TEST(costs, the_reciprocal_of_a_root_is_one_instruction) {
  const auto of = [](const std::string& lines) {
    return cost_of("  %s = tail call float @sqrtf(float %x)\n" + lines, "float %x");
  };
  const auto both = of("  %r = fdiv float 1.000000e+00, %s\n");
  EXPECT_EQ(both.special, 1U);
  EXPECT_LT(both.floats, of("").floats);
  EXPECT_EQ(of("  %r = fdiv float 1.000000e+00, %x\n").special, 2U);
  EXPECT_EQ(of("  %r = fdiv float 2.000000e+00, %s\n").special, 2U);
}

TEST(costs, lie_in_the_table_of_blocks) {
  llvm::Module& m = module_of(
      hook +
      R"(@pcs = private constant [2 x ptr] [ptr @f, ptr inttoptr (i64 1 to ptr)], section "__sancov_pcs"
define void @f(i32 %x, i32 %y, ptr %g) {
  call void @__sanitizer_cov_trace_pc_guard(ptr %g)
  %m = mul i32 %x, %y
  ret void
}
)");
  put_costs(m);
  const auto* const list =
      llvm::cast<llvm::ConstantArray>(m.getGlobalVariable("pcs", true)->getInitializer());
  const auto* const flags = llvm::cast<llvm::ConstantExpr>(list->getOperand(1));
  const auto word = llvm::cast<llvm::ConstantInt>(flags->getOperand(0))->getZExtValue();
  EXPECT_EQ(word & 1U, 1U);
  EXPECT_EQ(simt::unpacked(word).multiplies, 1U);
}

/// A copy of four floats, or of what `described` says.
std::string copied(const std::string& described =
                       "i64 0, i64 4, !8, i64 4, i64 4, !8, i64 8, i64 4, !8, i64 12, i64 4, !8",
                   const std::string& type = "float4", int alignment = 16) {
  return after(widen_copies,
               "%struct." + type + " = type { float, float, float, float }\n" + copies +
                   "define void @f(ptr %p) {\n  %v = alloca %struct." + type +
                   "\n  call void @llvm.memcpy.p0.p0.i64(ptr align " + std::to_string(alignment) +
                   " %v, ptr nonnull align 16 %p, i64 16, i1 false), !tbaa.struct !5\n  ret "
                   "void\n}\n!5 = !{" +
                   described + "}\n!8 = !{!\"float\"}\n!9 = !{!\"int\"}\n");
}

TEST(wide_copies, a_vector_is_one_access) {
  EXPECT_THAT(copied(), HasSubstr(" = load volatile <4 x i32>, ptr %p, align 16\n"));
  EXPECT_THAT(copied(), HasSubstr("  store <4 x i32> %1, ptr %v, align 16\n"));
}

/// The address of a vector's member was cast: clang believes in the member's alignment.
TEST(wide_copies, a_vector_has_its_types_alignment) {
  const std::string whole =
      "i64 0, i64 4, !8, i64 4, i64 4, !8, i64 8, i64 4, !8, i64 12, i64 4, !8";
  EXPECT_THAT(copied(whole, "float4", 4), HasSubstr("store <4 x i32> %1, ptr %v, align 16\n"));
  EXPECT_THAT(copied(whole, "mine4", 4), HasSubstr("  call void @llvm.memcpy"));
}

TEST(wide_copies, other_members_are_accesses_of_their_own) {
  const std::string text = copied("i64 0, i64 4, !8, i64 4, i64 4, !8, i64 8, i64 4, !9");
  EXPECT_THAT(text, HasSubstr("load volatile i64, ptr %p, align 16"));
  EXPECT_THAT(text, HasSubstr("getelementptr inbounds i8, ptr %p, i64 8"));
  EXPECT_THAT(text, HasSubstr(" = load i32, ptr %"));
  for (const char* const kept : {"i64 0, i64 16, !8", "i64 0, i64 4, !8, i64 8, i64 8, !9"}) {
    EXPECT_THAT(copied(kept), HasSubstr("  call void @llvm.memcpy")) << kept;
  }
}

const std::string debug_info =
    "!llvm.dbg.cu = !{!20}\n!llvm.module.flags = !{!22}\n"
    "!20 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !21, emissionKind: "
    "LineTablesOnly)\n!22 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
    "!23 = !DISubroutineType(types: !24)\n!24 = !{}\n"
    "!9 = distinct !DISubprogram(name: \"f\", file: !21, line: 3, type: !23, unit: !20, spFlags: "
    "DISPFlagDefinition)\n";

/// The line of the callback of a block whose first instruction is of another line, or of none.
unsigned line_of_guard(const std::string& body) {
  llvm::Module& m = module_of(
      hook + "declare void @barrier(i32)\ndeclare i32 @index()\n" +
      "define void @f(ptr %p, i32 %x) !dbg !9 {\n"
      "  call void @__sanitizer_cov_trace_pc_guard(ptr %p), !dbg !1\n" +
      body + "\n}\n!1 = !DILocation(line: 7, scope: !9)\n!2 = !DILocation(line: 8, scope: !9)\n" +
      "!3 = !DILocation(line: 0, scope: !9)\n!21 = !DIFile(filename: \"a.cu\", directory: \"\")\n" +
      debug_info);
  place_blocks(m);
  return m.getFunction("f")->getEntryBlock().front().getDebugLoc().getLine();
}

TEST(block_positions, are_those_of_what_stays) {
  const std::string moved = "  %1 = add i32 %x, 4, !dbg !1\n";
  EXPECT_EQ(line_of_guard(moved + "  call void @barrier(i32 1), !dbg !2\n  ret void, !dbg !1"), 8U);
  EXPECT_EQ(line_of_guard(moved + "  br label %next, !dbg !2\nnext:\n  ret void, !dbg !1"), 8U);
  EXPECT_EQ(line_of_guard("  %1 = call i32 @index(), !dbg !3\n  store i32 1, ptr %p, !dbg !2\n  "
                          "ret void, !dbg !1"),
            8U)
      << "no line";
  EXPECT_EQ(line_of_guard("  ret void"), 7U);
}

TEST(volatiles, are_told_before_they_happen) {
  const auto noted = [](const std::string& line, const std::string& file = "/home/a/prog.cu") {
    return after(note_volatiles, "define void @f(ptr %p) !dbg !9 {\n" + line +
                                     "  ret void\n}\n!21 = !DIFile(filename: \"" + file +
                                     "\", directory: \"\")\n" + debug_info);
  };
  const std::string call = "  call void @_ZN4simt6detail13note_volatileEPVKv(ptr %p)\n";
  const std::string load = "  %1 = load volatile i32, ptr %p, align 4\n";
  EXPECT_THAT(noted(load), HasSubstr(call + load));
  EXPECT_THAT(noted("  store volatile <2 x i32> <i32 1, i32 2>, ptr %p, align 8\n"),
              HasSubstr(call + "  store volatile"));
  EXPECT_THAT(noted(load, "/usr/include/simt/ptx.hpp"), Not(HasSubstr("note_volatile")));
  EXPECT_THAT(noted("  %1 = load i32, ptr %p, align 4\n"), Not(HasSubstr("note_volatile")));
}

const std::string note = "  call void @_ZN4simt6detail13note_volatileEPVKv(ptr %p)\n";
const std::string notes = "declare void @_ZN4simt6detail13note_volatileEPVKv(ptr)\n";

/// Of a loop that is left when what was loaded says so, and of one that is left after some rounds.
TEST(volatiles, are_told_apart_where_they_decide_about_their_loop) {
  const auto loop = [](const char* left_by) {
    return after([](llvm::Module& m) { note_polls(m); },
                 notes + "define void @f(ptr %p) {\nentry:\n  br label %round\n\nround:\n" +
                     "  %i = phi i32 [ 0, %entry ], [ %next, %round ]\n" + note +
                     "  %x = load volatile i32, ptr %p, align 4\n  %next = add i32 %i, 1\n"
                     "  %more = icmp slt i32 " +
                     left_by +
                     ", 9\n  br i1 %more, label %round, label %end\n\nend:\n  ret void\n}\n");
  };
  EXPECT_THAT(loop("%x"), HasSubstr("  call void @_ZN4simt6detail11note_polledEPVKv(ptr %p)\n  "
                                    "%x = load volatile"));
  EXPECT_THAT(loop("%next"), Not(HasSubstr("note_polled")));
}

/// A loop that lanes may go round past its volatile accesses.
TEST(volatiles, lanes_meet_at_them) {
  const auto met = [](bool stores) {
    return after([](llvm::Module& m) { note_polls(m); },
                 notes +
                     "define void @f(ptr %p) {\nentry:\n  br label %round\n\nround:\n"
                     "  %i = phi i32 [ 0, %entry ], [ %next, %behind ]\n  %odd = trunc i32 %i to "
                     "i1\n  br i1 %odd, label %then, label %behind\n\nthen:\n" +
                     note + "  %x = load volatile i32, ptr %p, align 4\n" +
                     (stores ? note + "  store volatile i32 %x, ptr %p, align 4\n" : "") +
                     "  br label %behind\n\nbehind:\n  %next = add i32 %i, 1\n"
                     "  %more = icmp slt i32 %next, 9\n"
                     "  br i1 %more, label %round, label %end\n\nend:\n  ret void\n}\n");
  };
  const std::string call = "  call void @_ZN4simt6detail11in_lockstepEPVKvj(ptr ";
  EXPECT_THAT(met(true), HasSubstr(call + "%p, i32 12)\n  call void @_ZN4simt6detail13note"));
  EXPECT_THAT(met(true), HasSubstr("align 4\n" + call + "%p, i32 14)\n  br label %behind"));
  EXPECT_THAT(met(true), HasSubstr("%behind ]\n" + call + "null, i32 23)\n  %odd"));
  EXPECT_THAT(met(false), Not(HasSubstr("in_lockstep")));
}

/// A struct's last member is a float, and there is a hole before it.
TEST(kernel_sizes, count_locals_as_they_lie_in_memory) {
  const std::string text = after(
      put_kernel_sizes,
      "%struct.own = type { i8, float }\n@tag = external global i8\n"
      "declare ptr @_ZN4simt6detail13shared_objectEPKvmmPKc(ptr, i64, i64, ptr)\n"
      "declare void @_ZN4simt6detail10run_kernelEv(ptr, ptr, ptr, ptr, i32, i32, i32, i32)\n"
      "define void @body(ptr %p) {\n  %v = alloca %struct.own\n"
      "  %s = call ptr @_ZN4simt6detail13shared_objectEPKvmmPKc(ptr @tag, i64 400, i64 4, ptr "
      "null)\n  ret void\n}\n"
      "define void @kernel(ptr %p) {\n  call void @_ZN4simt6detail10run_kernelEv(ptr @body, ptr "
      "%p, ptr %p, ptr %p, i32 256, i32 2, i32 0, i32 1)\n  ret void\n}\n");
  EXPECT_THAT(text, HasSubstr("kernel\\22, 400, 8, 256, 2, 0, 1"));
}

}  // namespace
