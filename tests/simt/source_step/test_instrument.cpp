// What the source step puts into LLVM's assembly of a kernel file.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/source_step/instrument.hpp"

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

}  // namespace
