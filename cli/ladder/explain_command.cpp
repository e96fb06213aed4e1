// warpfold ladder explain: what one rung is about, with its evidence counted on the CPU machine.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/ladder/explain.hpp"
#include "cli/ladder/input.hpp"
#include "cli/ladder/rungs.hpp"
#include "ladder/ladder.hpp"
#include "ladder/streams/run.hpp"
#include "measure/text.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

using ladder::ladder_kind;

constexpr unsigned block = 256;

/// So many values that the evidence shows, and few enough to count in a second.
std::size_t values_for(ladder_kind kind, std::span<const ladder::rung* const> rungs) {
  std::size_t n = std::size_t{1} << (kind == ladder_kind::reduce ? 20
                                     : kind == ladder_kind::scan ? 17
                                                                 : 14);
  for (const auto* r : rungs) {
    if (r->about.most_values != 0) n = std::min(n, std::bit_floor(r->about.most_values));
  }
  return n;
}

/// The rung and the one that its evidence is held against.
std::vector<const ladder::rung*> with_baseline(const ladder::description& about,
                                               std::span<const ladder::rung* const> all) {
  std::vector<const ladder::rung*> pair;
  for (const auto* r : all) {
    const bool before = about.compared_with > 0 ? r->about.number == about.compared_with
                                                : r->about.number < about.number;
    if (before) pair = {r};
    if (r->about.name == about.name) pair.push_back(r);
  }
  return pair;
}

std::string explain_kernel(const ladder::ladder_entry& here, std::string_view name) {
  const auto all = here.rungs(ladder::backend_kind::simt);
  const ladder::description& about = choose_description(name, all, here.host());
  const auto pair = with_baseline(about, all);
  std::vector<measure::measurement> rows;
  std::string problem;
  if (pair.size() == 2) {
    const std::size_t n = values_for(here.kind, pair);
    const bool counts = here.kind == ladder_kind::sort || here.kind == ladder_kind::histogram;
    const data::array values = random_values(value_type::u32, ladder::operation::sum, n, 1);
    const auto machine = ladder::make_simt_machine({.workers = 1});
    rows = here.run_once({reinterpret_cast<const std::uint32_t*>(values.bytes.data()), n}, block,
                         *machine, pair);
    problem = fmt::format("{} {}, block {}, CPU machine",
                          measure::with_separators(static_cast<double>(n)), counts ? "u32" : "i32",
                          block);
  }
  return explain_text(name_of(here.kind), about, rows, problem);
}

std::string explain_streams(std::string_view name) {
  std::vector<std::string> known;
  for (const auto* r : ladder::streams_rungs(false)) {
    if (is_named(r->about, name)) return explain_text("streams", r->about, {}, "");
    known.emplace_back(r->about.name);
  }
  throw_no_rung(name, known, "`warpfold ladder streams --list` lists them");
}

int explain(const std::string& rung) {
  const auto slash = std::min(rung.find('/'), rung.size());
  const std::string ladder = rung.substr(0, slash);
  const std::string name = rung.substr(std::min(slash + 1, rung.size()));
  if (name.empty()) {
    throw usage_error(
        fmt::format("explain {}: a rung is named with its ladder, like reduce/12 or scan/blelloch; "
                    "`warpfold ladder reduce --list --why` explains a whole ladder",
                    rung));
  }
  const std::string text = ladder == "streams"
                               ? explain_streams(name)
                               : explain_kernel(ladder::entry_of(parse_ladder(ladder)), name);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

void describe(options& to) {
  const auto rung = std::make_shared<std::string>();
  to.value("RUNG", *rung, "Ladder and rung: reduce/12, scan/blelloch, streams/4",
           {.required = true});
  to.then([rung] { return explain(*rung); });
}

}  // namespace warpfold::cli
