// What a shell offers behind `warpfold`: the words that each program says of itself, and the three
// files in cli/completions, run by their own shells where these are installed.
#include <string>
#include <string_view>
#include <vector>

#include "cli/words.hpp"
#include "tests/cli/command_line.hpp"

namespace warpfold::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> values_in(std::string_view description) {
  std::vector<std::string> values;
  for (const auto& each : listed_values(description)) values.push_back(each.value);
  return values;
}

TEST(listed_values, are_what_a_description_lists) {
  EXPECT_THAT(values_in("sum or max"), ElementsAre("sum", "max"));
  EXPECT_THAT(values_in("min, and, or, xor"), ElementsAre("min", "and", "or", "xor"));
  EXPECT_THAT(values_in("auto, cuda, or simt (the CPU machine)"),
              ElementsAre("auto", "cuda", "simt"));
  EXPECT_THAT(values_in("Element type: i32, u8, …"), ElementsAre("i32", "u8"));
  EXPECT_THAT(values_in("Of outputs: auto (.npy if the name ends so, else raw), npy"),
              ElementsAre("auto", "npy"));
  EXPECT_THAT(values_in("Seed of the random values"), IsEmpty());
  EXPECT_THAT(values_in("Threads; 0: one for each processor"), IsEmpty());
  EXPECT_THAT(values_in("Threads"), IsEmpty());
  EXPECT_THAT(values_in(""), IsEmpty());
}

TEST(listed_values, have_lines_with_what_each_is_for) {
  const auto values = listed_values("The operation:\n  sum    in 64 bits\n  min    NaN if any is");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].value, "sum");
  EXPECT_EQ(values[0].about, "in 64 bits");
  EXPECT_EQ(values[1].about, "NaN if any is");
}

TEST_F(command_line, completes_commands_options_and_values) {
  EXPECT_THAT(run("--complete").out,
              AllOf(HasSubstr("ladder\t"), HasSubstr("doctor\tShow what is")));
  EXPECT_THAT(run("--complete ladder").out,
              AllOf(HasSubstr("scan\tThe prefix scans"), Not(HasSubstr("doctor"))));
  EXPECT_THAT(run("--complete ladder scan").out,
              AllOf(HasSubstr("--exclusive\t"), HasSubstr("--type\t")));
  EXPECT_EQ(run("--complete ladder reduce --finish").out, "relaunch\t\nhost\t\n");
  EXPECT_EQ(run("--complete steps sort --theme").out, "light\t\ndark\t\nauto\t\n");
  EXPECT_EQ(run("--complete ladder histogram --values").out,
            "random\t\nsorted\t\nreversed\t\nconstant\t\nfew\t\n");
  EXPECT_EQ(run("--complete bench sort --order").out, "ascending\t\nown\t\n");
  EXPECT_EQ(run("--complete bench scan --against").out, "cub\t\nthrust\t\ntbb\t\nnone\t\n");
  EXPECT_THAT(run("--complete reduce --op").out,
              AllOf(StartsWith("sum\tin 64 bits"), HasSubstr("\nexact-sum\tof f32")));
  EXPECT_THAT(run("--complete reduce --json").out, IsEmpty());  // a file: the shell knows those
  EXPECT_THAT(run("--complete ladder scan --exclusive").out, HasSubstr("--type\t"));
}

TEST_F(command_line, pages_of_the_manual_show_which_options_take_a_value) {
  const outcome program = shell("$(dirname " WARPFOLD_PROGRAM ")/warpfold-ladder-scan --man");
  EXPECT_THAT(program.out, AllOf(HasSubstr("\n.B \\-\\-op TEXT\n"),
                                 HasSubstr("\n.B \\-\\-exclusive\nExclude each")));
}

/// Scripts for shells that find warpfold, and its files of completions as COMPLETIONS.
class shell_completion : public command_line {
 protected:
  bool is_here(const std::string& name) { return shell("command -v " + name).code == 0; }
  outcome run_in(const std::string& start, const std::string& script) {
    return shell("cd " + folder_.string() +
                 " && COMPLETIONS=" WARPFOLD_COMPLETIONS " PATH=\"$(dirname " WARPFOLD_PROGRAM
                 "):$PATH\" HOME=" +
                 folder_.string() + " " + start + " " + write("script", script));
  }
};

TEST_F(shell_completion, bash_offers_what_fits) {
  const outcome o = run_in("bash --norc", R"(
    source "$COMPLETIONS/warpfold.bash"
    offer() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _warpfold; echo "${COMPREPLY[@]}"; }
    offer warpfold lad
    offer warpfold ladder scan --exc
    offer warpfold ladder reduce --finish ''
    offer warpfold reduce numb
    complete -p warpfold
  )");
  EXPECT_EQ(o.out,
            "ladder\n--exclusive\nrelaunch host\n\n"
            "complete -o default -F _warpfold warpfold\n")
      << o.err;  // by default: files
}

TEST_F(shell_completion, zsh_completes_the_line) {
  if (!is_here("zsh")) GTEST_SKIP() << "zsh is not here";
  EXPECT_EQ(shell("zsh -n " WARPFOLD_COMPLETIONS "/_warpfold").err, "");
  write("numbers.raw", "");
  // A shell on a terminal, where a tab is typed; the line that it makes of that goes to a file.
  const outcome o = run_in("zsh -f", R"(
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell 'fpath=($COMPLETIONS $fpath); autoload -Uz compinit; compinit -u -d dump'
    complete() { zpty -w shell $'\C-u'"$1"$'\t\C-a\'\C-e\'>>lines\C-aprint -r -- \C-e'; }
    complete 'warpfold lad'
    complete 'warpfold ladder scan --excl'
    complete 'warpfold ladder reduce --finish rel'
    complete 'warpfold reduce numb'
    zpty -w shell exit
    while zpty -r shell answer; do done
    cat lines
  )");
  EXPECT_EQ(o.out,
            "warpfold ladder\nwarpfold ladder scan --exclusive\n"
            "warpfold ladder reduce --finish relaunch\nwarpfold reduce numbers.raw\n")
      << o.err;
}

TEST_F(shell_completion, fish_offers_what_fits) {
  if (!is_here("fish")) GTEST_SKIP() << "fish is not here";
  EXPECT_EQ(shell("fish -n " WARPFOLD_COMPLETIONS "/warpfold.fish").err, "");
  write("numbers.raw", "");
  const outcome o = run_in("fish --no-config", R"(
    source $COMPLETIONS/warpfold.fish
    complete -C 'warpfold lad'
    complete -C 'warpfold ladder scan --exc'
    complete -C 'warpfold ladder reduce --finish rel'
    complete -C 'warpfold reduce numb'
  )");
  EXPECT_EQ(o.out,
            "ladder\n--exclusive\tExclude each value from its own result\n"
            "relaunch\nnumbers.raw\n")
      << o.err;
}

}  // namespace
}  // namespace warpfold::cli
