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
#include "cli/judge/hand_in.hpp"
#include "cli/judge/ladder_rows.hpp"
#include "cli/judge/output.hpp"
#include "cli/judge/source.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/words.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

using judge::outcome;
using judge::verdict;

struct judge_options {
  std::string ladder;
  std::vector<std::string> files;
  std::string form, json, junit, sarif, csv;
  bool gives_template = false, score = false;
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

int run_judge(const judge_options& o) {
  const ladder::ladder_kind kind = kind_of(o.ladder);
  if (o.gives_template) {
    std::fputs(judge::template_text(kind, o.form).c_str(), stdout);
    return 0;
  }
  if (o.files.empty()) {
    throw usage_error("a hand-in is missing: warpfold judge " + o.ladder +
                      " my.cu; --template prints one to begin with");
  }
  const std::uint64_t seed = o.seed != 0 ? o.seed : std::random_device()();
  const std::vector<verdict> all = judge_all(
      o, {.ladder = kind, .most = {.seconds = o.seconds, .memory_bytes = o.memory}, .seed = seed});
  const judge::ladder_rows rows(kind);
  const bool quiet = o.json == "-" || o.junit == "-" || o.sarif == "-" || o.csv == "-";
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
  if (!o.json.empty()) put(o.json, json_of(all, rows, seed));
  if (!o.junit.empty()) put(o.junit, junit_of(all));
  if (!o.sarif.empty()) put(o.sarif, sarif_of(all));
  if (!o.csv.empty()) put(o.csv, csv_of(all, rows));
  return code;
}

double parse_seconds(std::string_view option, std::string_view text) {
  const auto seconds = parse_number<double>(option, text);
  if (seconds > 0 && seconds <= 86400) return seconds;
  throw usage_error(std::string(option) + " " + std::string(text) +
                    ": between 0 and 86400 seconds");
}

std::string parse_form(std::string_view option, std::string_view text) {
  if (text == "function" || text == "kernel") return std::string(text);
  throw usage_error(std::string(option) + " " + printable(text) + ": there are function, kernel");
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<judge_options>();
  o->form = "function";
  to.value("ladder", o->ladder, "The ladder: reduce, scan or sort", {.required = true});
  to.values("files", o->files, "CUDA sources, a hand-in each");
  to.flag("--template", o->gives_template, "Print a hand-in to begin with");
  to.value("--form", o->form, parse_form, "Of the template: function or kernel",
           {.shown = "function"});
  to.flag("--score", o->score, "Print a number from 0 to 100 only");
  to.value("--json", o->json, "Write the verdicts as JSON to this file, or to -");
  to.value("--junit", o->junit, "Write the verdicts as JUnit's XML to this file, or to -");
  to.value("--sarif", o->sarif, "Write the findings as SARIF 2.1.0 to this file, or to -");
  to.value("--csv", o->csv, "Write a line for each hand-in to this file, or to -");
  to.value("-j,--jobs", o->jobs, parse_small, "Number of hand-ins at once", {.shown = "1"});
  to.value("--limit", o->seconds, parse_seconds,
           "Seconds: of the processor to compile, on the clock to run", {.shown = "60"});
  to.value("--memory", o->memory, parse_bytes, "Memory that a hand-in may take", {.shown = "2GiB"});
  to.value("--seed", o->seed, parse_number<std::uint64_t>,
           "Of the random values; by default another one each time");
  to.then([o] { return run_judge(*o); });
}

}  // namespace warpfold::cli
