#include "cli/judge/page.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "cli/judge/source.hpp"
#include "cli/judge/texts.hpp"
#include "cli/ladder/sources.hpp"
#include "cli/program.hpp"
#include "measure/facts.hpp"
#include "measure/json.hpp"
#include "simt/page/page.hpp"

namespace warpfold::cli::judge {

namespace {

using measure::json;
using measure::measurement;

bool is_counted(const verdict& v) { return v.row && v.is <= outcome::unclean; }

placed place_of(const verdict& v, const ladder_rows& rows) {
  return is_counted(v) ? place(v, rows) : placed{};
}

/// The hand-in among the rungs: of the same problem as one of them.
measurement row_of(const verdict& v, const measurement& rung) {
  measurement m = is_counted(v) ? *v.row : measurement{};
  if (!is_counted(v)) {
    m.ladder = rung.ladder;
    m.backend = rung.backend;
    m.n = rung.n;
    m.type = rung.type;
    m.skipped = v.sentence;
  }
  m.name = v.file;
  m.reference = true;
  m.idea = v.sentence;
  m.op = rung.op;
  m.form = rung.form;
  m.profiles.clear();
  return m;
}

std::string source_of(const verdict& v) {
  try {
    return read_hand_in(v.file);
  } catch (const refused&) {
    return {};
  }
}

/// As a rung describes itself, held against the rung that it is like.
json description_of(const verdict& v, const std::string& source, const placed& at) {
  json j{{"rung", v.file}, {"idea", v.sentence}};
  if (at.like != nullptr) j["compared_with"] = at.like->number;
  if (source.empty()) return j;
  j["file"] = std::filesystem::path(v.file).filename().string();
  j["text"] = source;
  return j;
}

/// What the rungs say of themselves, with their sources.
json descriptions(ladder::ladder_kind kind) {
  json rungs = json::parse(ladder_text(kind)).at("rungs");
  for (json& r : rungs) {
    for (const auto& s : sources_of(kind).rungs) {
      if (r.value("file", "") == std::string(s.stem) + ".cuh") r["text"] = s.text;
    }
  }
  return rungs;
}

/// One document: a row for each rung and each hand-in, with the report on the hand-ins' kernels.
std::string document_of(std::span<const verdict> all, const ladder_rows& rows) {
  std::vector<measurement> shown = rows.all();
  const auto counted = std::find_if(all.begin(), all.end(), is_counted);
  for (measurement& m : shown) {
    m.profiles.clear();
    if (counted != all.end()) m.type = counted->row->type;
  }
  const measurement rung = shown.front();
  std::string command = "warpfold judge " + rung.ladder;
  json rungs = descriptions(all.front().ladder);
  // Sources are of hand-ins alone: a program that is not trusted names the other files.
  json report{{"kernels", json::array()},
              {"findings", json::array()},
              {"errors", json::array()},
              {"sources", json::array()}};
  for (const verdict& v : all) {
    const std::string source = source_of(v);
    command += " " + v.file;
    shown.push_back(row_of(v, rung));
    rungs.push_back(description_of(v, source, place_of(v, rows)));
    for (json kernel : v.kernels) {
      kernel["rung"] = v.file;
      report["kernels"].push_back(std::move(kernel));
    }
    for (const judged_finding& f : v.findings) report["findings"].push_back(f.whole);
    for (const std::string& e : v.errors) report["errors"].push_back(e);
    if (!source.empty()) report["sources"].push_back({{"file", v.file}, {"text", source}});
  }
  return measure::json_document(shown, {.command = command},
                                {{"rungs", rungs}, {"report", report}});
}

/// The numbers of the rungs to play.
std::set<int> rungs_beside(std::span<const verdict> all, const ladder_rows& rows) {
  std::set<int> numbers;
  for (const verdict& v : all) {
    const placed at = place_of(v, rows);
    for (const measurement* m : {at.like, at.next}) {
      if (m != nullptr) numbers.insert(m->number);
    }
  }
  return numbers;
}

}  // namespace

std::string page_of(std::span<const verdict> all, const ladder_rows& rows) {
  const std::string ladder(ladder::name_of(all.front().ladder));
  std::vector<simt::page::document> documents{{ladder, document_of(all, rows)}};
  for (const int number : rungs_beside(all, rows)) {
    const std::string words[] = {fmt::format("{}", number), "--json", "-"};
    const program_output steps = output_of(program_of("steps " + ladder), words, true);
    const std::string name = fmt::format("steps {}/{:02}", ladder, number);
    if (steps.code <= 1) documents.push_back({name, steps.text});
  }
  return simt::page::html_of(
      documents, all.size() == 1 ? "warpfold judge: " + all.front().file
                                 : fmt::format("warpfold judge: {} hand-ins", all.size()));
}

}  // namespace warpfold::cli::judge
