// What the source step puts into LLVM's assembly of a kernel file.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/source_step/costs.hpp"
#include "simt/source_step/instrument.hpp"
#include "simt/source_step/positions.hpp"
#include "simt/source_step/volatiles.hpp"
#include "simt/source_step/wide_copies.hpp"

namespace {

using simt::source_step::instrument;
using testing::HasSubstr;
using testing::Not;

/// A function that the compiler put its callbacks into.
std::string watched(const std::string& line) {
  return "define void @f(i8* %p, i8* %q) {\n"
         "  call void @__sanitizer_cov_trace_pc_guard(i32* @guard)\n" +
         line + "\n  ret void\n}\n";
}

TEST(instrument, tells_copies_and_their_width) {
  EXPECT_THAT(
      instrument(watched("  tail call void @llvm.memcpy.p0i8.p0i8.i64(i8* noundef nonnull align 4 "
                         "dereferenceable(12) %p, i8* align 8 %q, i64 12, i1 false) #5, !dbg !7")),
      HasSubstr("  tail call void @simt_copy(i8* noundef nonnull align 4 dereferenceable(12) %p, "
                "i8* align 8 %q, i64 12, i32 4) #5, !dbg !7\n"));
  const std::string opaque = instrument(
      watched("  call void @llvm.memmove.p0.p0.i64(ptr align 32 getelementptr inbounds ({ i8, i8 "
              "}, ptr @g, i64 0, i32 1), ptr align 32 %q, i64 %n, i1 false)"));
  EXPECT_THAT(opaque, HasSubstr("@simt_copy(ptr align 32 getelementptr inbounds ({ i8, i8 }, ptr "
                                "@g, i64 0, i32 1), ptr align 32 %q, i64 %n, i32 16)\n"));
  EXPECT_THAT(opaque, HasSubstr("declare void @simt_copy(ptr, ptr, i64, i32)\n"));
  EXPECT_THAT(instrument(watched("  call void @llvm.memset.p0i8.i64(i8* %p, i8 0, i64 12, i1 "
                                 "false)")),
              HasSubstr("  call void @simt_fill(i8* %p, i8 zeroext 0, i64 12, i32 1)\n"));
}

TEST(instrument, tells_accesses_of_any_address_in_parts) {
  const std::string joined =
      instrument(watched("  call void @__sanitizer_cov_load4(i32* %p), !dbg !7\n"
                         "  %x = load i32, i32* %p, align 1, !dbg !7\n"
                         "  call void @__sanitizer_cov_store8(i64* %q)\n"
                         "  store i64 %y, i64* %q, align 2"));
  EXPECT_THAT(joined, HasSubstr("  call void @simt_load4_parts(i32* %p, i32 1), !dbg !7\n"));
  EXPECT_THAT(joined, HasSubstr("  call void @simt_store8_parts(i64* %q, i32 2)\n"));
  EXPECT_THAT(joined, HasSubstr("declare void @simt_load4_parts(i32*, i32)\n"));
  EXPECT_THAT(joined, HasSubstr("declare void @simt_store8_parts(i64*, i32)\n"));
  EXPECT_THAT(instrument(watched("  call void @__sanitizer_cov_load8(i64* %p)\n"
                                 "  %x = load i64, i64* %p, align 4")),
              HasSubstr("  call void @simt_load8_parts(i64* %p, i32 4)\n"));
  const std::string whole = watched(
      "  call void @__sanitizer_cov_load8(i64* %p)\n"
      "  %x = load i64, i64* %p, align 8");
  EXPECT_EQ(instrument(whole), whole);
}

TEST(instrument, tells_accesses_of_a_width_that_the_compiler_leaves_out) {
  const std::string typed =
      instrument(watched("  %x = load i24, i24* %p, align 4, !dbg !7\n"
                         "  store volatile <8 x float> %v, <8 x float>* %q, align 32, !dbg !8"));
  EXPECT_THAT(typed, HasSubstr("  %simt.odd.0 = bitcast i24* %p to i8*, !dbg !7\n"
                               "  call void @simt_load_parts(i8* %simt.odd.0, i32 3, i32 4), "
                               "!dbg !7\n"
                               "  %x = load i24"));
  EXPECT_THAT(typed, HasSubstr("  %simt.odd.1 = bitcast <8 x float>* %q to i8*, !dbg !8\n"
                               "  call void @simt_store_parts(i8* %simt.odd.1, i32 32, i32 16), "
                               "!dbg !8\n"));
  EXPECT_THAT(typed, HasSubstr("declare void @simt_load_parts(i8*, i32, i32)\n"));
  EXPECT_THAT(instrument(watched("  store i40 -1, ptr %q, align 8")),
              HasSubstr("  call void @simt_store_parts(ptr %q, i32 5, i32 8)\n"));
  const std::string known = watched(
      "  %x = load <4 x float>, <4 x float>* %p, align 16\n"
      "  %y = load { i32, i32 }, { i32, i32 }* %r\n"
      "  %z = load i8*, i8** %q, align 8");
  EXPECT_EQ(instrument(known), known);
}

TEST(instrument, leaves_alone_what_is_not_watched) {
  const std::string function =
      "define void @f(i8* %p, i8* %q) {\n"
      "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %p, i8* %q, i64 12, i1 false)\n"
      "  ret void\n"
      "}\n";
  EXPECT_EQ(instrument(function), function);
  const std::string is_volatile =
      watched("  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %p, i8* %q, i64 12, i1 true)");
  EXPECT_EQ(instrument(is_volatile), is_volatile);
}

TEST(instrument, keeps_the_standard_librarys_functions_in_the_file) {
  const std::string text = instrument(
      "$_ZNSt3fooEv = comdat any\n"
      "$_ZN4mine3fooEv = comdat any\n"
      "@__sancov_gen_ = private global [1 x i32] zeroinitializer, section \"__sancov_guards\", "
      "comdat($_ZNSt3fooEv), align 4, !associated !0\n"
      "@__sancov_gen_.1 = private global [1 x i32] zeroinitializer, comdat($_ZN4mine3fooEv)\n"
      "define linkonce_odr dso_local void @_ZNSt3fooEv(i8* %this) #3 comdat align 2 !dbg !4 {\n"
      "  ret void\n"
      "}\n"
      "define linkonce_odr dso_local void @_ZN4mine3fooEv() comdat {\n"
      "  ret void\n"
      "}\n");
  EXPECT_THAT(text,
              HasSubstr("define internal void @_ZNSt3fooEv(i8* %this) #3 align 2 !dbg !4 {\n"));
  EXPECT_THAT(text, Not(HasSubstr("$_ZNSt3fooEv")));
  EXPECT_THAT(text, HasSubstr("section \"__sancov_guards\", align 4, !associated !0\n"));
  EXPECT_THAT(text, HasSubstr("$_ZN4mine3fooEv = comdat any\n"));
  EXPECT_THAT(text, HasSubstr("zeroinitializer, comdat($_ZN4mine3fooEv)\n"));
  EXPECT_THAT(text, HasSubstr("define linkonce_odr dso_local void @_ZN4mine3fooEv() comdat {\n"));
}

/// A copy of four floats, or of what `described` says.
std::string copied(const std::string& type, const std::string& described =
                                                "i64 0, i64 4, !8, i64 4, "
                                                "i64 4, !8, i64 8, i64 4, "
                                                "!8, i64 12, i64 4, !8") {
  return simt::source_step::with_wide_copies(
      "define void @f(" + type +
      " %p) {\n  %1 = alloca %struct.float4, align 16\n"
      "  call void @llvm.memcpy.p0.p0.i64(" +
      type + " align 16 %1, " + type +
      " nonnull align 16 dereferenceable(16) %p, i64 16, i1 false), !dbg !7, !tbaa.struct !5\n"
      "}\n!5 = !{" +
      described + "}\n");
}

simt::instruction_counts costs_of(const std::string& lines) {
  const std::string text = simt::source_step::with_costs(
      "@pcs = private constant [2 x i64*] [i64* bitcast (void ()* @f to i64*), i64* inttoptr (i64 "
      "1 "
      "to i64*)], section \"__sancov_pcs\", align 8\n"
      "define void @f() {\n"
      "  call void @__sanitizer_cov_trace_pc_guard(i32* inttoptr (i64 add (i64 ptrtoint ([1 x "
      "i32]* "
      "@g to i64), i64 0) to i32*))\n" +
      lines + "  ret void\n}\n");
  const std::string before = "i64* inttoptr (i64 ";
  const auto at = text.find(before);
  return simt::unpacked(std::stoull(text.substr(at + before.size())));
}

TEST(costs, a_remainder_is_left_by_the_division_of_the_same_values) {
  const auto both = costs_of("  %q = udiv i32 %a, %b\n  %r = urem i32 %a, %b\n");
  EXPECT_EQ(both.divides, 1U);
  EXPECT_EQ(both.multiplies, 1U);
  EXPECT_EQ(costs_of("  %q = udiv i32 %a, %b\n  %r = urem i32 %b, %a\n").divides, 2U);
  EXPECT_EQ(costs_of("  %q = udiv i32 %a, %b\n  %r = srem i32 %a, %b\n").divides, 2U);
  EXPECT_EQ(costs_of("  %q = udiv i32 %a, 8\n  %r = urem i32 %a, 8\n").divides, 0U);
}

TEST(costs, the_reciprocal_of_a_root_is_one_instruction) {
  const std::string root = "  %s = tail call float @sqrtf(float noundef %x) #5\n";
  const auto both = costs_of(root + "  %r = fdiv float 1.000000e+00, %s\n");
  EXPECT_EQ(both.special, 1U);
  EXPECT_LT(both.floats, costs_of(root).floats);
  EXPECT_EQ(costs_of(root + "  %r = fdiv float 1.000000e+00, %x\n").special, 2U);
  EXPECT_EQ(costs_of(root + "  %r = fdiv float 2.000000e+00, %s\n").special, 2U);
}

TEST(wide_copies, a_vector_is_one_access) {
  EXPECT_THAT(copied("ptr"),
              HasSubstr("  %simt.wide.0 = load volatile <4 x i32>, ptr %p, align 16, !dbg !7\n"
                        "  store <4 x i32> %simt.wide.0, ptr %1, align 16, !dbg !7\n}\n"));
  EXPECT_THAT(copied("i8*"),
              HasSubstr("  %simt.wide.1 = bitcast i8* %p to <4 x i32>*, !dbg !7\n"
                        "  %simt.wide.2 = bitcast i8* %1 to <4 x i32>*, !dbg !7\n"
                        "  %simt.wide.0 = load volatile <4 x i32>, <4 x i32>* %simt.wide.1, align "
                        "16, !dbg !7\n"));
}

/// The address of a vector's member was cast: clang believes in the member's alignment.
TEST(wide_copies, a_vector_has_its_types_alignment) {
  const auto cast = [](const std::string& type) {
    return simt::source_step::with_wide_copies(
        "define void @f(%struct." + type + "* %p, i8* %q) {\n  %1 = bitcast %struct." + type +
        "* %p to i8*\n  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %1, i8* align 16 %q, "
        "i64 16, i1 false), !tbaa.struct !5\n}\n!5 = !{i64 0, i64 4, !8, i64 4, i64 4, !8, i64 8, "
        "i64 4, !8, i64 12, i64 4, !8}\n");
  };
  EXPECT_THAT(cast("float4"), HasSubstr("store volatile <4 x i32> %simt.wide.0, <4 x i32>* "
                                        "%simt.wide.2, align 16\n"));
  EXPECT_THAT(cast("mine4"), HasSubstr("call void @llvm.memcpy"));
}

TEST(wide_copies, other_members_are_accesses_of_their_own) {
  const std::string text = copied("ptr", "i64 0, i64 4, !8, i64 4, i64 4, !8, i64 8, i64 4, !9");
  EXPECT_THAT(text, HasSubstr("load volatile i64, ptr %p, align 16"));
  EXPECT_THAT(text, HasSubstr("getelementptr inbounds i8, ptr %p, i64 8"));
  EXPECT_THAT(text, HasSubstr(" = load i32, ptr %simt.wide."));
  for (const char* const kept : {"i64 0, i64 16, !8", "i64 0, i64 4, !8, i64 8, i64 8, !9"}) {
    EXPECT_THAT(copied("ptr", kept), HasSubstr("call void @llvm.memcpy")) << kept;
  }
}

/// A block whose first instruction is of another line, or of none.
TEST(block_positions, are_those_of_what_stays) {
  const auto placed = [](const std::string& body) {
    return simt::source_step::with_block_positions(
        "define void @f(ptr %p) {\n  call void @__sanitizer_cov_trace_pc_guard(ptr @guard), !dbg "
        "!1\n" +
        body +
        "\n}\n!1 = !DILocation(line: 7, scope: !9)\n!2 = !DILocation(line: 8, scope: !9)\n"
        "!3 = !DILocation(line: 0, scope: !9)\n");
  };
  const auto guard_at = [](const std::string& position) {
    return HasSubstr("trace_pc_guard(ptr @guard), !dbg " + position + "\n");
  };
  const std::string moved = "  %1 = add i32 %x, 4, !dbg !1\n";
  EXPECT_THAT(placed(moved + "  call void @barrier(i32 1), !dbg !2\n  ret void, !dbg !1"),
              guard_at("!2"));
  EXPECT_THAT(placed(moved + "  br label %next, !dbg !2, !llvm.loop !7"), guard_at("!2"));
  EXPECT_THAT(placed("  %1 = call i32 @index(), !dbg !3\n  store i32 1, ptr %p, !dbg !2"),
              guard_at("!2"))
      << "no line";
  EXPECT_THAT(placed("  ret void"), guard_at("!1"));
}

TEST(volatiles, are_told_before_they_happen) {
  const auto noted = [](const std::string& line, const std::string& file = "/home/a/prog.cu") {
    return simt::source_step::with_noted_volatiles(
        "define void @f(i32* %p) !dbg !5 {\n" + line +
        "\n}\n!5 = distinct !DISubprogram(name: "
        "\"f\", file: !6, line: 3)\n!6 = !DIFile(filename: \"" +
        file + "\", directory: \"\")\n");
  };
  const std::string load = "  %1 = load volatile i32, i32* %p, align 4, !dbg !7, !tbaa !8";
  EXPECT_THAT(noted(load), HasSubstr("  %simt.volatile.0 = bitcast i32* %p to i8*, !dbg !7\n"
                                     "  call void @_ZN4simt6detail13note_volatileEPVKv(i8* "
                                     "%simt.volatile.0), !dbg !7\n" +
                                     load + "\n"));
  EXPECT_THAT(noted("  store volatile <2 x i32> <i32 1, i32 2>, ptr %p, align 8"),
              HasSubstr("note_volatileEPVKv(ptr %p)\n  store volatile"));
  EXPECT_THAT(noted(load), HasSubstr("declare void @_ZN4simt6detail13note_volatileEPVKv(i8*)"));
  EXPECT_THAT(noted(load, "/usr/include/simt/ptx.hpp"), Not(HasSubstr("note_volatile")));
  EXPECT_THAT(noted("  %1 = load i32, i32* %p, align 4"), Not(HasSubstr("note_volatile")));
}

/// Of a loop that is left when what was loaded says so, and of one that is left after some rounds.
TEST(volatiles, are_told_apart_where_they_decide_about_their_loop) {
  const auto loop = [](const std::string& pointer, const std::string& type, const char* left_by) {
    const std::string call = "  call void @_ZN4simt6detail13note_volatileEPVKv(" + type + " %p)\n";
    return simt::source_step::with_noted_polls(
        "; a file\ndeclare void @_ZN4simt6detail13note_volatileEPVKv(" + type +
        ")\ndefine void @f(" + type + " %p) {\nentry:\n  br label %round\n\nround:\n" +
        "  %i = phi i32 [ 0, %entry ], [ %next, %round ]\n" + call + "  %x = load volatile i32, " +
        pointer + " %p, align 4\n  %next = add i32 %i, 1\n  %more = icmp slt i32 " + left_by +
        ", 9\n  br i1 %more, label %round, label %end\n\nend:\n  ret void\n}\n");
  };
  const std::string polled = "  call void @_ZN4simt6detail11note_polledEPVKv(";
  for (const std::string type : {"i8*", "ptr"}) {
    const std::string pointer = type == "ptr" ? "ptr" : "i32*";
    const std::string decided = loop(pointer, type, "%x");
    EXPECT_THAT(decided, HasSubstr(polled + type + " %p)\n  %x = load volatile"));
    EXPECT_THAT(decided,
                HasSubstr("declare void @_ZN4simt6detail11note_polledEPVKv(" + type + ")"));
    EXPECT_THAT(loop(pointer, type, "%next"), Not(HasSubstr("note_polled")));
  }
}

/// A loop that lanes may go round past its volatile accesses.
TEST(volatiles, lanes_meet_at_them) {
  const auto met = [](const std::string& type, bool stores) {
    const std::string note = "  call void @_ZN4simt6detail13note_volatileEPVKv(" + type + " %p)\n";
    const std::string pointer = type == "ptr" ? "ptr" : "i32*";
    return simt::source_step::with_noted_polls(
        "; a file\ndeclare void @_ZN4simt6detail13note_volatileEPVKv(" + type +
        ")\ndefine void @f(" + type +
        " %p) {\nentry:\n  br label %round\n\nround:\n"
        "  %i = phi i32 [ 0, %entry ], [ %next, %behind ]\n  %odd = trunc i32 %i to i1\n"
        "  br i1 %odd, label %then, label %behind\n\nthen:\n" +
        note + "  %x = load volatile i32, " + pointer + " %p, align 4\n" +
        (stores ? note + "  store volatile i32 %x, " + pointer + " %p, align 4\n" : "") +
        "  br label %behind\n\nbehind:\n  %next = add i32 %i, 1\n"
        "  %more = icmp slt i32 %next, 9\n"
        "  br i1 %more, label %round, label %end\n\nend:\n  ret void\n}\n");
  };
  for (const std::string type : {"i8*", "ptr"}) {
    const std::string call = "  call void @_ZN4simt6detail11in_lockstepEPVKvj(" + type;
    const std::string text = met(type, true);
    EXPECT_THAT(text, HasSubstr(call + " %p, i32 12)\n  call void @_ZN4simt6detail13note"));
    EXPECT_THAT(text, HasSubstr("align 4\n" + call + " %p, i32 14)\n  br label %behind"));
    EXPECT_THAT(text, HasSubstr("%next, %behind ]\n" + call + " null, i32 23)\n  %odd"));
    EXPECT_THAT(text, HasSubstr("declare void @_ZN4simt6detail11in_lockstepEPVKvj(" + type));
    EXPECT_THAT(met(type, false), Not(HasSubstr("in_lockstep")));
  }
}

}  // namespace
