// warpfold report: an HTML page of ladders that run now or of stored JSON.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/report/documents.hpp"
#include "cli/words.hpp"
#include "ladder/machines/machine.hpp"
#include "simt/page/page.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

using strings = std::vector<std::string>;

const strings known_ladders{"reduce", "scan", "sort", "histogram", "select", "streams"};

struct report_options {
  std::string output = "page.html", rungs, values, n, backend = "auto";
  strings ladders, files, reports;
  bool check = false;
};

strings parse_ladders(std::string_view option, std::string_view text) {
  strings chosen;
  if (text == "all") return known_ladders;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const std::string name(text.substr(0, comma));
    if (std::find(known_ladders.begin(), known_ladders.end(), name) == known_ladders.end()) {
      throw usage_error(fmt::format("{} {}: there is no such ladder; {}", option, name,
                                    suggestion(name, known_ladders)));
    }
    chosen.push_back(name);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (chosen.empty()) throw usage_error(fmt::format("{}: name a ladder, or all", option));
  return chosen;
}

std::string parse_where(std::string_view option, std::string_view text) {
  if (text == "auto" || text == "simt" || text == "cuda") return std::string(text);
  throw usage_error(fmt::format("{} {}: must be auto, simt or cuda", option, text));
}

int make_page(const report_options& o) {
  const bool stored = !o.files.empty() || !o.reports.empty();
  collected all;
  for (const auto* files : {&o.files, &o.reports}) {
    for (const std::string& file : *files) all.documents.push_back(read_document(file));
  }
  if (stored && o.ladders.empty() && (!o.rungs.empty() || !o.values.empty() || !o.n.empty())) {
    throw usage_error("--rung, --values and --n apply to a run; also give --ladder");
  }
  ladder_run what{
      .ladders = o.ladders,
      .arguments = {},
      .rungs = o.rungs,
      .values = o.values,
      .check = o.check,
      .timed = o.backend == "cuda" || (o.backend == "auto" && ladder::has_cuda_device())};
  if (what.ladders.empty() && !stored) what.ladders = {"reduce"};
  if (!o.n.empty()) what.arguments = {"--n", o.n};
  collected ran = run_ladders(what);
  std::move(ran.documents.begin(), ran.documents.end(), std::back_inserter(all.documents));
  const std::string title = what.ladders.empty()
                                ? "warpfold report"
                                : fmt::format("warpfold report: {}", fmt::join(what.ladders, ", "));
  put(o.output, simt::page::html_of(all.documents, title));
  if (o.output != "-") std::fprintf(stderr, "wrote %s\n", printable(o.output).c_str());
  return ran.code;
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<report_options>();
  to.value("-o,--output", o->output, "The page; - for standard output", {.shown = "page.html"});
  to.value("--ladder", o->ladders, parse_ladders,
           "Run these now: reduce, scan, sort, histogram, select, streams, or all",
           {.shown = "reduce"});
  to.list("--json", o->files, "Show stored JSON of ladders, steps and bench instead of a run");
  to.list("--from", o->reports, "Show the report.json of your own kernels");
  to.value("--n", o->n, "Number of random values of each ladder: 2^20 (default: the ladder's)");
  to.value("--rung", o->rungs, "Run only these, by number or name: 01,07,cascade");
  to.value("--values", o->values, "Values of the steps: 10,1,8,-1 (default: each rung's own)");
  to.value("--backend", o->backend, parse_where,
           "auto (a GPU if there is one), cuda, or simt (the CPU machine)");
  to.flag("--check", o->check, "Also check for races and wrong accesses");
  to.then([o] { return make_page(*o); });
}

}  // namespace warpfold::cli
