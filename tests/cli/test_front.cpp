// `warpfold` itself: its help, the words it does not know, and the program that it becomes.
#include "cli/words.hpp"
#include "tests/cli/command_line.hpp"

namespace warpfold::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST_F(command_line, without_words_it_helps) {
  const outcome bare = run("");
  EXPECT_EQ(bare.code, 0);
  EXPECT_THAT(bare.err, IsEmpty());
  for (const char* command : {"ladder reduce", "ladder diff", "steps scan", "sort", "bench"}) {
    EXPECT_THAT(bare.out, HasSubstr("\n  " + std::string(command) + " ")) << command;
  }
  EXPECT_EQ(run("--help").out, bare.out);
  EXPECT_EQ(run("-h").out, bare.out);
  EXPECT_EQ(run("help").out, bare.out);
  EXPECT_THAT(run("--version").out,
              testing::MatchesRegex("[0-9]+[.][0-9]+[.][0-9]+( [(].+[)])?\n"));
  EXPECT_EQ(run("> /dev/full").code, 4);
}

TEST_F(command_line, groups_and_commands_have_help_of_their_own) {
  const outcome ladder = run("ladder --help");
  EXPECT_EQ(ladder.code, 0);
  EXPECT_THAT(ladder.out, AllOf(HasSubstr("ladder scan"), Not(HasSubstr("bench"))));
  const outcome scan = run("ladder scan --help");
  EXPECT_EQ(scan.code, 0);
  EXPECT_THAT(scan.out, AllOf(HasSubstr("warpfold ladder scan"), HasSubstr("--exclusive")));
  EXPECT_EQ(run("help ladder scan").out, scan.out);
  EXPECT_THAT(run("bench sort --help").out, AllOf(HasSubstr("--order"), Not(HasSubstr("--op "))));
}

TEST_F(command_line, unknown_words_are_named_with_the_nearest_one) {
  expect_refusal("redcue", 2, "'redcue'; did you mean reduce?");
  expect_refusal("ladder redcue", 2, "'ladder redcue'; did you mean reduce?");
  expect_refusal("ladder", 2, "reduce, scan, sort, histogram, select, streams, diff");
  expect_refusal("no-such-command", 2, "there are");
  expect_refusal("--type f32 reduce x.npy", 2, "'--type'");
  expect_refusal("reduce --opp sum x.npy", 2,
                 "'--opp': there is no such option; did you mean --op?");
  expect_refusal("reduce -x.npy", 2, "with a dash after --");
  expect_refusal("doctor now", 2, "'now': is not expected here");
  expect_refusal("bench median", 2, "'median'");
  expect_refusal("bench", 2, "reduce, scan, sort");
  expect_refusal("ladder reduce --rung cascde", 2, "did you mean cascade?");
  expect_refusal("ladder streams --rung rign", 2, "did you mean ring?");
  expect_refusal("ladder explain streams/rign", 2, "did you mean ring?");
  expect_refusal("ladder explain redcue/12", 2, "did you mean reduce?");
  expect_refusal("ladder diff scan 1 bleloch", 2, "did you mean blelloch?");
  expect_refusal("ladder diff streams 1 2", 2, "there are reduce, scan, sort, histogram, select");
  expect_refusal("ladder reduce --type u32", 2, "i32, i64, f32 and f64, not for u32\n");
  expect_refusal("reduce --type u4 x.raw", 2, "u32 has 4 bytes");
  expect_refusal("reduce --type f8 x.raw", 2, "f64 has 8 bytes");
}

TEST_F(command_line, hints_name_the_command) {
  EXPECT_THAT(run("reduce --opp").err, HasSubstr("'warpfold reduce --help'"));
  EXPECT_THAT(run("ladder scan --opp").err, HasSubstr("'warpfold ladder scan --help'"));
  EXPECT_THAT(run("bench sort --opp").err, HasSubstr("'warpfold bench sort --help'"));
  EXPECT_THAT(run("reduce").err, HasSubstr("'warpfold reduce --help'"));
}

TEST_F(command_line, what_is_echoed_stays_on_its_line) {
  const auto word = [](const std::string& octal) { return "\"$(printf '" + octal + "')\""; };
  expect_refusal("reduce x.npy --op " + word(R"(\033[31m)"), 2, R"(\x1b[31m)");
  expect_refusal(word(R"(a\nb)"), 2, R"(a\x0ab)");
  expect_refusal("reduce --" + word(R"(a\nb)"), 2, R"(--a\x0ab)");
  expect_refusal("ladder reduce " + word(R"(no\nfile.npy)"), 4, R"(no\x0afile.npy)");
}

TEST_F(command_line, a_program_that_is_not_there_is_said) {
  const std::string alone = folder_ / "warpfold";
  std::filesystem::copy_file(WARPFOLD_PROGRAM, alone);
  const outcome o = shell(alone + " doctor");
  EXPECT_EQ(o.code, 4);
  EXPECT_THAT(o.err, AllOf(StartsWith("warpfold: "), HasSubstr("warpfold-doctor"),
                           HasSubstr("`./dev run doctor` builds it")));
  EXPECT_THAT(shell(alone + " ladder reduce").err, HasSubstr("`./dev run ladder reduce`"));
}

TEST(words, nearest_forgives_a_slip_and_no_more) {
  const std::string known[] = {"reduce", "scan", "sort"};
  EXPECT_EQ(nearest("redcue", known), "reduce");
  EXPECT_EQ(nearest("reduces", known), "reduce");
  EXPECT_EQ(nearest("scam", known), "scan");
  EXPECT_EQ(nearest("frobnicate", known), "");
  EXPECT_EQ(nearest("", known), "");
}

TEST(words, control_characters_are_printable) {
  EXPECT_EQ(printable("a\nb\t\x1b[0m\x7f"), R"(a\x0ab\x09\x1b[0m\x7f)");
  EXPECT_EQ(printable("Größe, 2^20"), "Größe, 2^20");
}

}  // namespace
}  // namespace warpfold::cli
