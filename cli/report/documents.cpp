#include "cli/report/documents.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "data/file.hpp"
#include "measure/progress.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

using nlohmann::json;
using strings = std::vector<std::string>;

/// A check that failed is on the page; any other failure was said on stderr.
std::string run_program(const std::string& words, const strings& arguments, int& worst) {
  const program_output out = output_of(program_of(words), arguments);
  if (out.code > 1) std::exit(out.code);
  worst = std::max(worst, out.code);
  return out.text;
}

/// The numbers of the rungs that have kernels.
strings rungs_of(const std::string& document) {
  strings numbers;
  const json all = json::parse(document);
  for (const json& r : all.at("rungs")) {
    if (r.contains("file")) numbers.push_back(r.at("rung").get<std::string>().substr(0, 2));
  }
  return numbers;
}

/// So many that a warp's lanes reach around the 32 banks.
constexpr std::size_t many_values = 64;
const std::string many = [] {
  std::string text = "1";
  for (std::size_t i = 1; i < many_values; ++i) text += fmt::format(",{}", i * 7 % 19 + 1);
  return text;
}();

/// Bytes of JSON: a page cannot show a kernel of hundreds of steps.
constexpr std::size_t most_followed = 128 << 10;

/// One ladder's: measured where that was asked for, counted, its growth, and each rung's steps.
class ladder_pages {
 public:
  ladder_pages(const ladder_run& what, const std::string& ladder, collected& to)
      : what_(what), ladder_(ladder), to_(to) {}

  void add() {
    strings arguments = what_.arguments;
    if (!what_.rungs.empty()) arguments.insert(arguments.end(), {"--rung", what_.rungs});
    arguments.insert(arguments.end(), {"--json", "-"});
    if (ladder_ == "streams") {
      keep("", run_program("ladder streams", arguments, to_.code));
      return;
    }
    if (what_.timed) {
      strings timed = arguments;
      timed.insert(timed.end(), {"--backend", "cuda"});
      keep(" measured", run_program("ladder " + ladder_, timed, to_.code));
    }
    arguments.emplace_back("--lines");
    if (what_.check) arguments.emplace_back("--check");
    const std::string counted = run_program("ladder " + ladder_, arguments, to_.code);
    keep("", counted);
    add_growth();
    add_steps(rungs_of(counted));
  }

 private:
  void keep(const std::string& what, std::string text) {
    to_.documents.push_back({ladder_ + what, std::move(text)});
  }

  /// Small sizes show the laws as well; a sort by comparators is slow.
  void add_growth() {
    strings arguments{"--scaling", "--n", "2^14", "--json", "-"};
    if (!what_.rungs.empty()) arguments.insert(arguments.end(), {"--rung", what_.rungs});
    const program_output out = output_of(program_of("ladder " + ladder_), arguments, true);
    if (out.code <= 1 && !out.text.empty()) keep(" growth", out.text);
  }

  /// On the lecture's sixteen values, which are easily followed, and on as many as bring conflicts
  /// of banks; or on those that were asked for. A rung that can't work on them in one block has no
  /// steps to show.
  void add_steps(const strings& numbers) {
    measure::progress progress(true);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::string name = ladder_ + "/" + numbers[i];
      progress.update("steps " + name, i + 1, numbers.size());
      const std::size_t shown = add_steps_of(name, what_.values);
      // A network of 64 wires is nothing to look at.
      const bool more = ladder_ != "sort" && what_.values.empty();
      if (more && shown > 0 && shown < many_values) add_steps_of(name, many);
    }
    progress.erase();
  }

  /// On these values, or on its own; how many they are, 0 where nothing is shown.
  std::size_t add_steps_of(const std::string& name, const std::string& values) {
    strings arguments{name, "--json", "-"};
    if (!values.empty()) arguments.insert(arguments.end(), {"--values", values});
    program_output out = output_of(program_of("steps " + ladder_), arguments, true);
    if (out.code > 1 || out.text.size() > most_followed) return 0;
    to_.code = std::max(to_.code, out.code);
    const json steps = json::parse(out.text);
    to_.documents.push_back({"steps " + name, std::move(out.text)});
    return steps.at("arrays").at(0).at("cells").size();
  }

  const ladder_run& what_;
  const std::string& ladder_;
  collected& to_;
};

bool is_ours(const json& j) {
  const auto has = [&](const char* a, const char* b) { return j.contains(a) && j.contains(b); };
  return j.is_object() && j.contains("schema") &&
         (has("measurements", "run") || has("steps", "arrays") || has("kernels", "findings") ||
          has("scaling", "one_block"));
}

}  // namespace

collected run_ladders(const ladder_run& what) {
  collected all;
  for (const std::string& ladder : what.ladders) ladder_pages(what, ladder, all).add();
  return all;
}

simt::page::document read_document(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw data_error(data::in_quotes(file) + ": can't be read; name a file that --json wrote");
  }
  simt::page::document d{file, {std::istreambuf_iterator<char>(in), {}}};
  d.json = simt::page::valid_utf8(d.json);
  if (!is_ours(json::parse(d.json, nullptr, false))) {
    throw data_error(data::in_quotes(file) +
                     ": is not a report: expected JSON from --json of a ladder, steps or bench, or "
                     "the report.json of your own kernels");
  }
  return d;
}

}  // namespace warpfold::cli
