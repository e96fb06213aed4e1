#include "cli/ladder/report.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "cli/ladder/explain.hpp"
#include "cli/ladder/rungs_json.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "measure/facts.hpp"
#include "measure/table.hpp"

namespace warpfold::cli {

namespace {

/// A rung's source is built in; other files are read where they were compiled.
ladder::source_reader reader_of(const ladder::ladder_entry& ladder) {
  return [&ladder](const std::string& file) {
    const std::string name = file.substr(file.rfind('/') + 1);
    for (const auto& s : ladder.sources()) {
      if (name == std::string(s.stem) + ".cuh") return std::string(s.text);
    }
    std::ifstream in(file, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  };
}

/// Beside the table, or out of the JSON's way.
FILE* remarks_of(const ladder_options& o) { return o.json == "-" ? stderr : stdout; }

void print_sources(const ladder_options& o, const ladder::ladder_entry& here,
                   ladder::machine& where) {
  const auto* const profiler = where.profiler();
  if (profiler == nullptr || o.json == "-") return;  // the JSON has them
  for (const auto& view : profiler->source_views(reader_of(here))) print("\n" + view);
}

/// "checked 23 rungs: no finding".
void print_what_was_checked(const ladder_options& o, std::span<const measure::measurement> rows,
                            ladder::machine& where) {
  if (!o.check && !o.schedules && !o.schedule) return;
  const auto checked = std::count_if(rows.begin(), rows.end(), [](const auto& m) {
    return m.backend == ladder::backend_kind::simt && m.skipped.empty();
  });
  const std::size_t orders = where.profiler()->orders().size();
  std::string text =
      fmt::format("\nchecked {} rung{}: no finding\n", checked, checked == 1 ? "" : "s");
  if (orders > 0) {
    text += fmt::format("{} more order{} of blocks, warps and lanes: the same results\n", orders,
                        orders == 1 ? "" : "s");
  }
  std::fputs(text.c_str(), remarks_of(o));
}

/// What the JSON has besides measurements.
measure::json about_run(const ladder_options& o, const ladder::ladder_entry& here,
                        std::span<const ladder::rung* const> rungs, ladder::machine& where) {
  measure::json more;
  more["rungs"] = rungs_json(rungs, here.sources());
  const auto* const profiler = where.profiler();
  if (profiler != nullptr && (o.lines || o.check)) {
    more["report"] = measure::json::parse(profiler->report_json(reader_of(here)));
  }
  return more;
}

}  // namespace

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_rung(const ladder::description& about, bool why) {
  print(list_line(about));
  if (why) print(why_text(about));
}

void write_json(const ladder_options& o, std::span<const measure::measurement> rows,
                const ladder::machine& where, const measure::json& more) {
  if (o.json.empty()) return;
  put(o.json, measure::json_document(rows, provenance(where), more));
}

void list_rungs(std::span<const ladder::rung* const> rungs,
                std::span<const ladder::description> on_host, bool why) {
  std::vector<ladder::description> all(on_host.begin(), on_host.end());
  for (const auto* r : rungs) all.push_back(r->about);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.number < b.number; });
  for (const auto& about : all) print_rung(about, why);
}

bool print_findings(const ladder_options& o, ladder::machine& where) {
  const auto* const profiler = where.profiler();
  if (profiler == nullptr) return true;
  const auto findings = profiler->findings();
  for (const auto& text : findings) std::fputs(text.c_str(), remarks_of(o));
  return findings.empty();
}

bool report_run(const ladder_options& o, const ladder::ladder_entry& here,
                std::span<const ladder::rung* const> rungs,
                std::span<const measure::measurement> rows, ladder::machine& where) {
  write_json(o, rows, where, about_run(o, here, rungs, where));
  if (o.json != "-") {
    print(measure::table(rows, measure::style_of_output()));
    const std::string more =
        o.counters ? measure::further_table(rows, measure::style_of_output()) : "";
    if (!more.empty()) print("\n" + more);
  }
  const bool right = std::all_of(rows.begin(), rows.end(), [](const measure::measurement& m) {
    return !m.skipped.empty() || measure::is_right(m);
  });
  print_sources(o, here, where);
  const bool clean = right && print_findings(o, where);
  if (clean) print_what_was_checked(o, rows, where);
  return clean;
}

}  // namespace warpfold::cli
