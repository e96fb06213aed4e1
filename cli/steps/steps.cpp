// warpfold steps: what a rung's kernel does to a few values, step by step, as text and as a
// picture.
#include "ladder/steps/steps.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/ladder/rungs.hpp"
#include "cli/parse.hpp"
#include "cli/steps/steps.hpp"
#include "cli/steps/steps_svg.hpp"
#include "cli/steps/steps_text.hpp"
#include "data/file.hpp"
#include "ladder/ladder.hpp"
#include "measure/progress.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

using ladder::ladder_kind;

struct steps_options {
  std::string rung, values, svg;
  value_type type = value_type::i32;
  std::optional<ladder::operation> op;
  unsigned block = 0;
  bool exclusive = false, pairs = false, descending = false;
};

/// A rung of this ladder, named with it or without: "reduce/sequential", "12".
const ladder::rung& find_rung(const ladder::ladder_entry& here, std::string_view text) {
  const std::string prefix = std::string(name_of(here.kind)) + "/";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  if (text.empty()) {
    throw usage_error(
        fmt::format("steps {}: a rung is named with its ladder, like reduce/sequential or scan/3",
                    name_of(here.kind)));
  }
  return choose_rung(text, here.rungs(ladder::backend_kind::simt), here.host());
}

void check_options(const steps_options& o, ladder_kind ladder) {
  const auto only = [&](bool given, const char* option, ladder_kind where) {
    if (given && ladder != where) {
      throw usage_error(
          fmt::format("steps {}: {} is for {} rungs", o.rung, option, name_of(where)));
    }
  };
  only(o.exclusive, "--exclusive", ladder_kind::scan);
  only(o.pairs, "--pairs", ladder_kind::sort);
  only(o.descending, "--descending", ladder_kind::sort);
  if (o.op && ladder == ladder_kind::sort) {
    throw usage_error(fmt::format("steps {}: a sort has no --op", o.rung));
  }
}

std::string title_of(const steps_options& o, ladder_kind ladder, const ladder::rung& r,
                     const data::array& values, const ladder::walkthrough& w) {
  std::string what(name_of(o.op.value_or(ladder::operation::sum)));
  if (ladder == ladder_kind::scan) what = (o.exclusive ? "exclusive " : "inclusive ") + what;
  if (ladder == ladder_kind::sort) {
    what =
        fmt::format("{} {}", o.descending ? "descending" : "ascending", o.pairs ? "pairs" : "keys");
  }
  return fmt::format("{}/{} · {} of {} {} · {} of {} threads · CPU machine", name_of(ladder),
                     r.about.name, what, values.size(), name_of(values.type),
                     w.blocks == 1 ? "1 block" : fmt::format("{} blocks", w.blocks), w.block);
}

int show_steps(const ladder::ladder_entry& here, const steps_options& o) {
  const ladder::rung& rung = find_rung(here, o.rung);
  check_options(o, here.kind);
  const data::array values = parse_values("--values", o.values, o.type);
  const ladder::steps_problem problem{.ladder = here.kind,
                                      .which = &rung,
                                      .values = {o.type, values.bytes.data(), values.size()},
                                      .op = o.op.value_or(ladder::operation::sum),
                                      .exclusive = o.exclusive,
                                      .pairs = o.pairs,
                                      .descending = o.descending,
                                      .block = o.block};
  const ladder::walkthrough w = ladder::walk(problem);
  const std::string title = title_of(o, here.kind, rung, values, w);
  if (!o.svg.empty()) {
    const std::string svg = steps_svg(w, title);
    data::replace_file(o.svg, {std::as_bytes(std::span(svg))});
  }
  const std::string text = steps_text(w, title, measure::shows_color(STDOUT_FILENO));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return w.verdict.right ? 0 : 1;
}

}  // namespace

void describe_steps(options& to, const ladder::ladder_entry& here) {
  const auto o = std::make_shared<steps_options>();
  to.value("RUNG", o->rung, "Ladder and rung: reduce/sequential, scan/3");
  to.value("--values", o->values, "What it works on: 10,1,8,-1", {.required = true});
  to.value("--type", o->type, parse_type, "Of the values (default: i32)");
  to.value("--op", o->op, parse_operation, "sum, product, min, max, and, or, xor");
  to.value("--block", o->block, parse_small, "Threads (default: the fewest that take all values)");
  to.flag("--exclusive", o->exclusive, "A scan: each result without its own value");
  to.flag("--descending", o->descending, "A sort: the greatest key first");
  to.flag("--pairs", o->pairs, "A sort: values 0, 1, 2, … travel with the keys");
  to.value("--svg", o->svg, "Write a picture of it to this file too");
  to.then([o, &here] { return show_steps(here, *o); });
}

}  // namespace warpfold::cli
