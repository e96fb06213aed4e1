// warpfold specimens: kernels that each carry one classic mistake, and their mended twins.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/text_diff.hpp"
#include "cli/words.hpp"
#include "examples/specimens/examine.hpp"
#include "examples/specimens/twins.hpp"
#include "measure/progress.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

using specimens::specimen;

struct specimen_options {
  std::string name;
  bool mended = false;
};

const specimen& find(const std::string& name) {
  std::vector<std::string> known;
  for (const specimen& s : specimens::all()) {
    if (s.name == name) return s;
    known.emplace_back(s.name);
  }
  throw usage_error(fmt::format("there is no specimen '{}'; {}", name,
                                nearest_or(name, known, "`warpfold specimens` lists them")));
}

int list() {
  std::size_t width = 0;
  for (const specimen& s : specimens::all()) width = std::max(width, s.name.size());
  for (const specimen& s : specimens::all()) fmt::print("{:<{}}  {}\n", s.name, width, s.mistake);
  return 0;
}

int show(const specimen_options& o) {
  const specimen& s = find(o.name);
  fmt::print("{}.cu: {}\n(numbered as in the file, without the lines of its {} twin)\n\n", s.name,
             o.mended ? "corrected" : s.mistake, o.mended ? "mistaken" : "corrected");
  for (const auto& line : specimens::kernel_of(s.name, o.mended)) {
    fmt::print("{:>4}{}{}\n", line.number, line.text.empty() ? "" : "  ", line.text);
  }
  return 0;
}

lines kernel_lines(const specimen& s, bool mended) {
  lines all;
  for (const auto& line : specimens::kernel_of(s.name, mended)) all.push_back(line.text);
  return all;
}

int diff(const specimen_options& o) {
  const specimen& s = find(o.name);
  const std::string name(s.name);
  const painter paint(measure::shows_color(STDOUT_FILENO));
  fmt::print("{}{}", paint.titles(name, name + ", corrected"),
             hunks(kernel_lines(s, false), kernel_lines(s, true), paint));
  return 0;
}

/// Prints what is found; how much that is.
std::size_t run_twin(const specimen& s, bool mended) {
  const auto findings = specimens::examine(s, mended);
  for (const auto& f : findings) fmt::print("{}", f.text());
  if (findings.empty())
    fmt::print("{}: no finding\n", mended ? "the corrected twin" : "the mistake");
  return findings.size();
}

bool run_one(const specimen& s, bool only_mended) {
  fmt::print("{}: {}\n", s.name, s.mistake);
  const bool found = only_mended || run_twin(s, false) != 0;
  return run_twin(s, true) == 0 && found;
}

int run(const specimen_options& o) {
  if (!o.name.empty()) return run_one(find(o.name), o.mended) ? 0 : 1;
  bool all_well = true;
  for (const specimen& s : specimens::all()) {
    if (&s != &specimens::all().front()) fmt::print("\n");
    all_well = run_one(s, o.mended) && all_well;
  }
  return all_well ? 0 : 1;
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<specimen_options>();
  to.then(list);
  to.command("list", "The specimens, and the mistake of each").then(list);
  options& shown = to.command("show", "The kernel with the mistake, or without it");
  shown.value("name", o->name, "The specimen", {.required = true});
  shown.flag("--mended", o->mended, "The corrected twin");
  shown.then([o] { return show(*o); });
  options& compared =
      to.command("diff", "The difference between the kernel and its corrected twin");
  compared.value("name", o->name, "The specimen", {.required = true});
  compared.then([o] { return diff(*o); });
  options& ran =
      to.command("run", "The findings of the CPU machine in the kernel and in its corrected twin");
  ran.value("name", o->name, "The specimen; without one, each");
  ran.flag("--mended", o->mended, "Only the corrected twin");
  ran.then([o] { return run(*o); });
}

}  // namespace warpfold::cli
