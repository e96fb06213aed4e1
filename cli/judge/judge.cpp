// warpfold judge: your own kernels against a ladder.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cli/command.hpp"
#include "cli/judge/exercises.hpp"
#include "cli/judge/hand_in.hpp"
#include "cli/judge/ladder_rows.hpp"
#include "cli/judge/output.hpp"
#include "cli/judge/page.hpp"
#include "cli/judge/source.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/words.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

using judge::outcome;
using judge::verdict;

/// What is asked of the exercises.
struct exercise_options {
  std::string name;
  unsigned hint = 0;
  bool lists = false, gives_solution = false;
};

/// Files, or - for standard output.
struct output_files {
  std::string json, junit, sarif, csv, html;
};

struct judge_options {
  std::string ladder;
  std::vector<std::string> files;
  exercise_options exercise;
  std::string form = "function";
  output_files to;
  bool gives_template = false, score = false, annotates = false;
  double seconds = 60;
  std::size_t memory = std::size_t{2} << 30;
  unsigned jobs = 1;
  std::uint64_t seed = 0;
};

ladder::ladder_kind kind_of(const std::string& name) {
  if (const auto kind = ladder::ladder_named(name)) return *kind;
  std::vector<std::string> known;
  for (const auto k : ladder::ladder_kinds) known.emplace_back(ladder::name_of(k));
  throw usage_error("there is no ladder " + printable(name) + "; " + suggestion(name, known));
}

/// Each hand-in in a process of its own, several at once.
std::vector<verdict> judge_all(const judge_options& o, const judge::conditions& c) {
  std::vector<verdict> all(o.files.size());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failed;
  std::mutex lock;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < o.files.size();) {
      try {
        all[i] = judge::judge_hand_in(o.files[i], c);
      } catch (...) {
        const std::scoped_lock held(lock);
        failed = std::current_exception();
        next = o.files.size();
      }
    }
  };
  std::vector<std::thread> others;
  for (unsigned j = 1; j < o.jobs; ++j) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  if (failed) std::rethrow_exception(failed);
  return all;
}

int code_of(outcome is) {
  switch (is) {
    case outcome::right: return 0;
    case outcome::refused:
    case outcome::does_not_compile: return 4;
    default: return 1;
  }
}

/// The verdicts, as they were asked for; returns the exit code.
int put_out(const judge_options& o, const std::vector<verdict>& all,
            const judge::conditions& judged) {
  const judge::ladder_rows rows(judged.ladder);
  const output_files& to = o.to;
  const bool quiet =
      to.json == "-" || to.junit == "-" || to.sarif == "-" || to.csv == "-" || to.html == "-";
  int code = 0;
  for (const verdict& v : all) {
    code = std::max(code, code_of(v.is));
    if (o.score) {
      std::printf("%d%s\n", score(v, rows),
                  all.size() == 1 ? "" : (" " + printable(v.file)).c_str());
    } else if (!quiet && all.size() == 1) {
      std::fputs(text_of(v, rows).c_str(), stdout);
    } else if (!quiet) {
      std::printf("%s: %s\n", printable(v.file).c_str(), v.sentence.c_str());
    }
  }
  if (o.annotates) std::fputs(annotations_of(all).c_str(), stdout);
  if (!to.json.empty()) put(to.json, json_of(all, rows, judged.seed));
  if (!to.junit.empty()) put(to.junit, junit_of(all));
  if (!to.sarif.empty()) put(to.sarif, sarif_of(all));
  if (!to.csv.empty()) put(to.csv, csv_of(all, rows));
  if (!to.html.empty()) put(to.html, page_of(all, rows));
  return code;
}

int judge_files(const judge_options& o, ladder::ladder_kind kind, const judge::exercise* exercise) {
  if (o.files.empty()) {
    const std::string what = exercise != nullptr ? "--exercise " + exercise->name : o.ladder;
    throw usage_error("a hand-in is missing: warpfold judge " + what +
                      " my.cu; --template prints one to begin with");
  }
  const judge::conditions judged{.ladder = kind,
                                 .most = {.seconds = o.seconds, .memory_bytes = o.memory},
                                 .seed = o.seed != 0 ? o.seed : std::random_device()()};
  std::vector<verdict> all = judge_all(o, judged);
  if (exercise != nullptr) {
    for (verdict& v : all) judge::hold_to_goals(v, *exercise);
  }
  return put_out(o, all, judged);
}

/// The words by their place are all files where there is an exercise, which names its ladder.
int run_exercise(judge_options o) {
  const judge::exercise& e = judge::exercise_named(o.exercise.name);
  if (!o.ladder.empty()) o.files.insert(o.files.begin(), o.ladder);
  if (o.exercise.hint > 0) {
    std::printf("%s\n", e.hints.at(o.exercise.hint - 1).c_str());
  } else if (o.exercise.gives_solution) {
    std::fputs(e.solution.c_str(), stdout);
  } else if (o.gives_template) {
    std::printf("// %s: %s.\n// The goal: %s.\n%s", e.name.c_str(), e.about.c_str(),
                judge::goals_of(e).c_str(), e.start.c_str());
  } else {
    return judge_files(o, e.ladder, &e);
  }
  return 0;
}

int run_judge(const judge_options& o) {
  if (o.exercise.lists) {
    std::fputs(judge::list_of_exercises().c_str(), stdout);
    return 0;
  }
  if (!o.exercise.name.empty()) return run_exercise(o);
  if (o.exercise.hint > 0 || o.exercise.gives_solution) {
    throw usage_error("--hint and --solution need --exercise NAME");
  }
  if (o.ladder.empty()) {
    throw usage_error("ladder is missing: " + std::string(judge::list_of_ladders) +
                      "; or --exercise NAME");
  }
  const ladder::ladder_kind kind = kind_of(o.ladder);
  if (o.gives_template) {
    std::fputs(judge::template_text(kind, o.form).c_str(), stdout);
    return 0;
  }
  return judge_files(o, kind, nullptr);
}

unsigned parse_hint(std::string_view option, std::string_view text) {
  const auto number = parse_number<unsigned>(option, text);
  if (number >= 1 && number <= 3) return number;
  throw usage_error(std::string(option) + " " + std::string(text) + ": must be 1, 2 or 3");
}

double parse_seconds(std::string_view option, std::string_view text) {
  const auto seconds = parse_number<double>(option, text);
  if (seconds > 0 && seconds <= 86400) return seconds;
  throw usage_error(std::string(option) + " " + std::string(text) +
                    ": must be between 0 and 86400 seconds");
}

std::string parse_form(std::string_view option, std::string_view text) {
  if (text == "function" || text == "kernel") return std::string(text);
  throw usage_error(std::string(option) + " " + printable(text) + ": must be function or kernel");
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<judge_options>();
  to.value("ladder", o->ladder,
           "The ladder: " + std::string(judge::list_of_ladders) + "; an exercise names its own");
  to.values("files", o->files, "CUDA source files; each is one hand-in");
  to.flag("--template", o->gives_template, "Print a starting file for the ladder or the exercise");
  to.value("--form", o->form, parse_form, "Form of the template: function or kernel",
           {.shown = "function"});
  to.value("--exercise", o->exercise.name, "Judge by the goal of this exercise");
  to.flag("--exercises", o->exercise.lists, "List the exercises");
  to.value("--hint", o->exercise.hint, parse_hint, "Print a hint of the exercise: 1, 2 or 3");
  to.flag("--solution", o->exercise.gives_solution, "Print the solution of the exercise");
  to.flag("--score", o->score, "Print a number from 0 to 100 only");
  to.value("--html", o->to.html,
           "Write the report page, a row for each hand-in, to this file or -");
  to.value("--json", o->to.json, "Write the verdicts as JSON to this file, or to -");
  to.value("--junit", o->to.junit, "Write the verdicts as JUnit's XML to this file, or to -");
  to.value("--sarif", o->to.sarif, "Write the findings as SARIF 2.1.0 to this file, or to -");
  to.flag("--annotations", o->annotates, "Print the findings as annotations of GitHub's runners");
  to.value("--csv", o->to.csv, "Write a line for each hand-in to this file, or to -");
  to.value("-j,--jobs", o->jobs, parse_small, "Number of hand-ins judged in parallel",
           {.shown = "1"});
  to.value("--limit", o->seconds, parse_seconds,
           "Time limit in seconds: CPU time to compile, wall-clock time to run", {.shown = "60"});
  to.value("--memory", o->memory, parse_bytes, "Memory limit of a hand-in", {.shown = "2GiB"});
  to.value("--seed", o->seed, parse_number<std::uint64_t>,
           "Seed of the random values (default: a new one for each run)");
  to.then([o] { return run_judge(*o); });
}

}  // namespace warpfold::cli
