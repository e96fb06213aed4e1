// Heads that are parsed once: where texts are parted, and when a head is parsed anew.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "simt/source_step/compile.hpp"
#include "simt/source_step/heads.hpp"
#include "simt/source_step/markers.hpp"
#include "simt/source_step/scratch.hpp"

namespace {

namespace fs = std::filesystem;
using simt::source_step::ends_of_heads;
using simt::source_step::head_use;
using simt::source_step::options_for_head;
using simt::source_step::options_for_header;
using simt::source_step::parted_at;
using simt::source_step::words;

const std::string much(120'000, ';');

/// What the preprocessor makes of own.cu, with cuda_runtime.h before it.
std::string preprocessed(const std::string& included) {
  return "# 1 \"own.cu\"\n# 1 \"/m/simt/cuda/cuda_runtime.h\" 1\nint machine;\n# 1 \"own.cu\" 2\n"
         "\n# 1 \"other.h\" 1\n" +
         included + "\n# 2 \"own.cu\" 2\nint own;\n# 1 \"late.h\" 1\nint late;\n# 4 \"own.cu\" 2\n";
}

TEST(heads, end_behind_the_runtime_and_behind_what_is_included_first) {
  const std::string small = preprocessed("int other;"), large = preprocessed(much);
  EXPECT_EQ(ends_of_heads(small), std::vector{small.find("# 1 \"own.cu\" 2")});
  EXPECT_EQ(ends_of_heads(large),
            (std::vector{large.find("# 2 \"own.cu\" 2"), large.find("# 1 \"own.cu\" 2")}));
  EXPECT_TRUE(ends_of_heads("# 1 \"own.cpp\"\nint own;\n").empty());
}

TEST(heads, have_no_names_of_the_files_that_go_on) {
  const std::string text = preprocessed("int other;");
  const auto parted = parted_at(text, ends_of_heads(text)[0]);
  EXPECT_EQ(parted.head, "\n# 1 \"/m/simt/cuda/cuda_runtime.h\" 1\nint machine;\n");
  EXPECT_TRUE(parted.tail.starts_with("# 1 \"own.cu\"\n\n# 1 \"other.h\" 1\n")) << parted.tail;
}

TEST(heads, the_rest_enters_open_files_anew) {
  const std::string text =
      "# 1 \"all.cpp\"\n\n\n# 1 \"own.cu\" 1\n\n# 1 \"a.h\" 1\nint a;\n# 2 \"own.cu\" 2\nint own;\n"
      "# 4 \"all.cpp\" 2\n";
  const auto parted = parted_at(text, text.find("# 2"));
  EXPECT_EQ(parted.tail,
            "# 1 \"all.cpp\"\n# 3 \"all.cpp\"\n# 1 \"own.cu\" 1\n# 2 \"own.cu\"\nint own;\n"
            "# 4 \"all.cpp\" 2\n");
}

class cached_heads : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    setenv("SIMT_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("SIMT_CACHE");
    fs::remove_all(folder_);
  }

  std::string header(const std::string& text, int seconds_ago) {
    const fs::path file = folder_ / "own.hpp";
    std::ofstream(file) << text;
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::seconds(seconds_ago));
    return file;
  }

  const fs::path folder_ = fs::temp_directory_path() / "warpfold_heads";
  const words parse_{SIMT_TEST_COMPILER, "-std=c++17", "-x", "c++-header"};
};

TEST_F(cached_heads, a_header_is_parsed_anew_when_it_is_another) {
  const std::string file = header("inline int f() { return 1; }\n", 60);
  const words first = options_for_header(parse_, file);
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(options_for_header(parse_, file), first);
  header("inline int f() { return 2; }\n", 30);
  const words second = options_for_header(parse_, file);
  EXPECT_FALSE(second.empty());
  EXPECT_NE(second, first);
}

TEST_F(cached_heads, a_header_that_is_just_written_is_not_trusted) {
  EXPECT_TRUE(options_for_header(parse_, header("inline int f() { return 1; }\n", 0)).empty());
}

TEST_F(cached_heads, what_the_compiler_warns_about_is_said_with_each_file) {
  EXPECT_TRUE(options_for_header(parse_, header("#warning \"here\"\n", 60)).empty());
  EXPECT_TRUE(options_for_head(parse_, "int f( {\n", head_use::every_file).empty());
}

TEST_F(cached_heads, a_head_that_may_be_one_file_s_is_parsed_when_it_comes_again) {
  const std::string head = "inline int f() { return 1; }\n";
  EXPECT_TRUE(options_for_head(parse_, head, head_use::if_it_comes_again).empty());
  EXPECT_FALSE(options_for_head(parse_, head, head_use::if_it_comes_again).empty());
}

TEST_F(cached_heads, a_head_is_one_file_that_stays_while_others_come) {
  words parsed = options_for_head(parse_, "inline int f() { return 1; }\n", head_use::every_file);
  for (int other = 0; other < 40; ++other) {
    options_for_head(parse_, "int other_" + std::to_string(other) + ";\n", head_use::every_file);
  }
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().extension(), ".pch") << entry.path();
  }
  const std::string tail = folder_ / "tail.cpp";
  std::ofstream(tail) << "long f();\n";
  words command{SIMT_TEST_COMPILER, "-std=c++17", "-fsyntax-only"};
  command.insert(command.end(), parsed.begin(), parsed.end());
  command.push_back(tail);
  const std::string said = folder_ / "said.txt";
  EXPECT_EQ(simt::source_step::run(command, said), 1);
  // clang shows the line of the head where the note points.
  EXPECT_NE(simt::source_step::contents(said).find("inline int f() { return 1; }"),
            std::string::npos)
      << simt::source_step::contents(said);
}

TEST_F(cached_heads, a_head_of_yesterday_goes_when_many_come) {
  const fs::path old = options_for_head(parse_, "int old;\n", head_use::every_file).at(3);
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(24));
  for (int other = 0; other < 40; ++other) {
    options_for_head(parse_, "int other_" + std::to_string(other) + ";\n", head_use::every_file);
  }
  EXPECT_FALSE(fs::exists(old));
}

TEST_F(cached_heads, a_rule_for_make_does_not_name_them) {
  const std::string own = (folder_ / "0123.cu").string();
  EXPECT_EQ(simt::source_step::without_heads("x: a.cpp " + own + " \\\n  b.h\n"),
            "x: a.cpp  \\\n  b.h\n");
}

}  // namespace
