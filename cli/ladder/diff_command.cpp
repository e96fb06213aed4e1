// warpfold ladder diff: what one rung's kernel changes in another's.
#include <cstdio>
#include <iterator>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/ladder/diff.hpp"
#include "cli/ladder/rungs.hpp"
#include "cli/ladder/sources.hpp"
#include "cli/words.hpp"
#include "ladder/rung.hpp"
#include "measure/progress.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

struct diff_options {
  ladder::ladder_kind ladder = ladder::ladder_kind::reduce;
  std::string from, to;
  bool host = false;
};

const ladder::rung_source& choose_source(const diff_options& d, const std::string& wanted) {
  std::vector<std::string> known;
  for (const auto& source : sources_of(d.ladder).rungs) {
    if (is_named(number_of(source), name_of(source), wanted)) return source;
    known.push_back(name_of(source));
  }
  const std::string list =
      fmt::format("`warpfold ladder {} --list` lists the rungs", name_of(d.ladder));
  throw usage_error(fmt::format("rung {}: no kernel has this number or name; {}", wanted,
                                nearest_or(wanted, known, list)));
}

int show_diff(const diff_options& d) {
  const std::string text =
      rung_diff(choose_source(d, d.from), choose_source(d, d.to), sources_of(d.ladder).helpers,
                d.host ? diff_of::host : diff_of::kernel, measure::shows_color(STDOUT_FILENO));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace

void describe(options& to) {
  const auto d = std::make_shared<diff_options>();
  to.value("LADDER", d->ladder, parse_ladder, "reduce, scan, sort, histogram or select",
           {.required = true});
  to.value("FROM", d->from, "A rung's number or name", {.required = true});
  to.value("TO", d->to, "A rung's number or name", {.required = true});
  to.flag("--host", d->host, "Compare the host's launches: grid, block, the switch");
  to.then([d] { return show_diff(*d); });
}

}  // namespace warpfold::cli
