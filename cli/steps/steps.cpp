// warpfold steps: what a rung's kernel does to a few values, step by step: as text, as pictures and
// as JSON.
#include "ladder/steps/steps.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/ladder/request.hpp"
#include "cli/ladder/rungs.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/steps/network_svg.hpp"
#include "cli/steps/steps.hpp"
#include "cli/steps/steps_json.hpp"
#include "cli/steps/steps_svg.hpp"
#include "cli/steps/steps_text.hpp"
#include "ladder/ladder.hpp"
#include "measure/progress.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

using ladder::ladder_kind;

struct steps_options {
  std::string rung, values, svg, json;
  svg_theme theme = svg_theme::automatic;
  value_type type = value_type::i32;
  ladder::steps_problem problem;  // all but the rung and its values
  bool network = false;
};

/// A rung of this ladder, named with it or without: "reduce/sequential", "12".
const ladder::rung& find_rung(const ladder::ladder_entry& here, std::string_view text) {
  const std::string prefix = std::string(name_of(here.kind)) + "/";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  if (text.empty()) {
    throw usage_error(
        fmt::format("steps {0}: name a rung, as in `warpfold steps {0} 1`; `warpfold ladder {0} "
                    "--list` lists them",
                    name_of(here.kind)));
  }
  return choose_rung(text, here.rungs(ladder::backend_kind::simt), here.host());
}

void check_options(const steps_options& o) {
  if (o.network && o.svg.empty()) {
    throw usage_error("--network: needs --svg FILE, or --svg - for standard output");
  }
  if (o.svg == "-" && o.json == "-") {
    throw usage_error("--svg - and --json -: both would be on standard output; give one a file");
  }
}

std::string title_of(const steps_options& o, ladder_kind ladder, const ladder::rung& r,
                     const data::array& values, const ladder::walkthrough& w) {
  std::string what(name_of(o.problem.op));
  if (ladder == ladder_kind::scan)
    what = (o.problem.exclusive ? "exclusive " : "inclusive ") + what;
  if (ladder == ladder_kind::sort) {
    what = fmt::format("{} {}", o.problem.descending ? "descending" : "ascending",
                       o.problem.pairs ? "pairs" : "keys");
  }
  if (ladder == ladder_kind::histogram) what = fmt::format("{} bins", o.problem.bins);
  if (ladder == ladder_kind::select) what = "what is not 0";
  return fmt::format("{}/{} · {} of {} {} · {} of {} threads · CPU machine", name_of(ladder),
                     r.about.name, what, values.size(), name_of(values.type),
                     w.blocks == 1 ? "1 block" : fmt::format("{} blocks", w.blocks), w.block);
}

/// What stands for the number of the step in "step-%d.svg"; nullopt where nothing does.
std::optional<std::size_t> place_of_number(std::string_view file) {
  const auto at = file.find('%');
  if (at == std::string_view::npos) return std::nullopt;
  if (file.substr(at, 2) != "%d" || file.find('%', at + 1) != std::string_view::npos) {
    throw usage_error(fmt::format(
        "--svg {}: give at most one %d, for the step's number, as in step-%d.svg", file));
  }
  return at;
}

void draw(const steps_options& o, const ladder::walkthrough& w, const std::string& title) {
  const auto number = place_of_number(o.svg);
  if (o.network) {
    if (number) throw usage_error("--network: the network is one picture; leave out the %d");
    return put(o.svg, network_svg(w, title, o.theme));
  }
  if (!number) return put(o.svg, steps_svg(w, title, o.theme));
  const auto pictures = step_svgs(w, title, o.theme);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const std::string digits = fmt::format("{:0{}}", i + 1, pictures.size() > 9 ? 2 : 1);
    put(o.svg.substr(0, *number) + digits + o.svg.substr(*number + 2), pictures[i]);
  }
}

/// The lecture's sixteen values. A rung whose threads take any number of values gets them eight
/// times, so that each thread takes several.
std::string default_values(const ladder::rung& r, value_type type) {
  constexpr std::string_view lecture = "10,1,8,-1,0,-2,3,5,-2,-3,2,7,0,11,0,2";
  std::string values(lecture);
  for (int i = 1; i < 8 && ladder::takes_any_number(r); ++i) values += "," + std::string(lecture);
  if (name_of(type).front() == 'u') std::erase(values, '-');
  return values;
}

/// An empty list is a mistake, and not the default.
std::string given_values(std::string_view option, std::string_view text) {
  if (text.empty()) throw usage_error(fmt::format("{} '': value 1 is missing", option));
  return std::string(text);
}

int show_steps(const ladder::ladder_entry& here, const steps_options& o) {
  const ladder::rung& rung = find_rung(here, o.rung);
  check_options(o);
  const data::array values =
      parse_values("--values", o.values.empty() ? default_values(rung, o.type) : o.values, o.type);
  ladder::steps_problem problem = o.problem;
  problem.ladder = here.kind;
  problem.which = &rung;
  problem.values = {o.type, values.bytes.data(), values.size()};
  const ladder::walkthrough w = ladder::walk(problem);
  const std::string title = title_of(o, here.kind, rung, values, w);
  if (!o.svg.empty()) draw(o, w, title);
  if (!o.json.empty()) put(o.json, steps_json(w, rung.about.name));
  if (o.svg == "-" || o.json == "-") return w.verdict.right ? 0 : 1;
  const std::string text = steps_text(w, title, measure::shows_color(STDOUT_FILENO));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return w.verdict.right ? 0 : 1;
}

}  // namespace

void describe_steps(options& to, const ladder::ladder_entry& here) {
  const auto o = std::make_shared<steps_options>();
  const bool scans = here.kind == ladder_kind::scan, sorts = here.kind == ladder_kind::sort,
             counts = here.kind == ladder_kind::histogram;
  to.value("RUNG", o->rung,
           fmt::format("The rung: its name or number, {}/1 or 1", name_of(here.kind)));
  to.value("--values", o->values, given_values,
           "The values: 10,1,8,-1 (default: the lecture's sixteen)");
  to.value("--type", o->type, parse_type, "Type of the values (default: i32)");
  if (here.kind == ladder_kind::reduce || scans) {
    to.value("--op", o->problem.op, parse_operation, "sum, product, min, max, and, or, xor");
  }
  to.value("--block", o->problem.block, parse_small,
           "Threads of a block (default: the fewest for all values)");
  if (scans) to.flag("--exclusive", o->problem.exclusive, "Exclude each value from its own result");
  if (counts) {
    to.value("--bins", o->problem.bins, parse_bins,
             "Number of bins; bin k counts the values that are k");
  }
  if (sorts) {
    to.flag("--descending", o->problem.descending, "The greatest key first");
    to.flag("--pairs", o->problem.pairs, "Move values 0, 1, 2, … with the keys");
    to.flag("--network", o->network, "Draw the network of wires and comparators");
  }
  to.value(
      "--svg", o->svg,
      "Draw the steps to this file; step-%d.svg: one file for each step; - for standard output");
  to.value("--theme", o->theme, parse_theme,
           "Colours of the picture: light, dark, or auto (the viewer's)");
  to.value("--json", o->json, "Write the steps to this file; - for standard output");
  to.then([o, &here] { return show_steps(here, *o); });
}

}  // namespace warpfold::cli
