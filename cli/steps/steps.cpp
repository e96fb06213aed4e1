// warpfold steps: what a rung's kernel does to a few values, step by step, as text and as a
// picture.
#include "ladder/steps.hpp"

#include <cstdio>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/parse.hpp"
#include "cli/steps/steps_svg.hpp"
#include "cli/steps/steps_text.hpp"
#include "data/file.hpp"
#include "ladder/ladders.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

struct options {
  std::string rung, values, type, op = "sum", block, svg;
  bool exclusive = false, pairs = false, descending = false;
  bool op_given = false;
};

/// A ladder's name and a rung of it: "reduce/sequential", "scan/3".
std::pair<std::string_view, const ladder::rung*> find_rung(const ladder::machine& where,
                                                           std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) {
    throw usage_error(fmt::format(
        "steps {}: a rung is named with its ladder, like reduce/sequential or scan/3", text));
  }
  const auto& found = ladder::find_ladder(text.substr(0, slash));
  return {found.name, &choose_rung(text.substr(slash + 1), (where.*found.rungs)(), found.host())};
}

void check_options(const options& o, std::string_view ladder) {
  const auto only = [&](bool given, const char* option, const char* where) {
    if (given && ladder != where) {
      throw usage_error(fmt::format("steps {}: {} is for {} rungs", o.rung, option, where));
    }
  };
  only(o.exclusive, "--exclusive", "scan");
  only(o.pairs, "--pairs", "sort");
  only(o.descending, "--descending", "sort");
  if (o.op_given && ladder == "sort") {
    throw usage_error(fmt::format("steps {}: a sort has no --op", o.rung));
  }
}

std::string title_of(const options& o, std::string_view ladder, const ladder::rung& r,
                     const data::array& values, const ladder::walkthrough& w) {
  std::string what = o.op;
  if (ladder == "scan") what = (o.exclusive ? "exclusive " : "inclusive ") + o.op;
  if (ladder == "sort") {
    what =
        fmt::format("{} {}", o.descending ? "descending" : "ascending", o.pairs ? "pairs" : "keys");
  }
  return fmt::format("{}/{} · {} of {} {} · {} of {} threads · CPU machine", ladder, r.about.name,
                     what, values.size(), name_of(values.type),
                     w.blocks == 1 ? "1 block" : fmt::format("{} blocks", w.blocks), w.block);
}

int show_steps(const options& o) {
  const auto machine = ladder::make_simt_machine();
  const auto [name, rung] = find_rung(*machine, o.rung);
  check_options(o, name);
  const value_type type = o.type.empty() ? value_type::i32 : parse_type(o.type);
  const data::array values = parse_values("--values", o.values, type);
  ladder::steps_problem problem{.ladder = name,
                                .which = rung,
                                .values = {type, values.bytes.data(), values.size()},
                                .op = parse_operation(o.op),
                                .exclusive = o.exclusive,
                                .pairs = o.pairs,
                                .descending = o.descending};
  if (!o.block.empty()) {
    problem.block = static_cast<unsigned>(
        std::min<std::size_t>(parse_size("--block", o.block), std::size_t{1} << 20));
  }
  const ladder::walkthrough w = ladder::walk(problem);
  const std::string title = title_of(o, name, *rung, values, w);
  if (!o.svg.empty()) {
    const std::string svg = steps_svg(w, title);
    data::replace_file(o.svg, {std::as_bytes(std::span(svg))});
  }
  const std::string text = steps_text(w, title, isatty(STDOUT_FILENO) == 1);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return w.verdict.right ? 0 : 1;
}

}  // namespace

void add_steps(CLI::App& app, action& chosen) {
  auto* const steps = app.add_subcommand("steps", "What a rung does to a few values, step by step");
  const auto o = std::make_shared<options>();
  steps->add_option("RUNG", o->rung, "Ladder and rung: reduce/sequential, scan/3")->required();
  steps->add_option("--values", o->values, "What it works on: 10,1,8,-1")->required();
  steps->add_option("--type", o->type, "Of the values (default: i32)");
  steps->add_option("--op", o->op, "sum, product, min, max, and, or, xor")
      ->each([o](const std::string&) { o->op_given = true; });
  steps->add_option("--block", o->block, "Threads (default: the fewest that take all values)");
  steps->add_flag("--exclusive", o->exclusive, "A scan: each result without its own value");
  steps->add_flag("--descending", o->descending, "A sort: the greatest key first");
  steps->add_flag("--pairs", o->pairs, "A sort: values 0, 1, 2, … travel with the keys");
  steps->add_option("--svg", o->svg, "Write a picture of it to this file too");
  steps->callback([=, &chosen] { chosen = [o] { return show_steps(*o); }; });
}

}  // namespace warpfold::cli
