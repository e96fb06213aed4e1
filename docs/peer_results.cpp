#include "docs/peer_results.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/text.hpp"

namespace {

using warpfold::measure::json;
using warpfold::measure::significant;
using warpfold::measure::with_separators;

std::string text_of(const json& object, const char* name) {
  return object.at(name).get<std::string>();
}

/// What all rows of a problem have in common.
std::string problem_of(const json& row) {
  return fmt::format("{} of {} {}", text_of(row, "job"), with_separators(row.at("n").get<double>()),
                     text_of(row, "type"));
}

bool is_ours(const std::string& who) { return who.starts_with("warpfold"); }
bool was_timed(const json& row) { return !row.contains("no") && !row.contains("wrong"); }

/// How often the time of the same problem's row of warpfold; 0 where either has none.
double times_ours(const json& rows, const json& row) {
  for (const json& ours : rows) {
    if (ours.at("who") != "warpfold" || problem_of(ours) != problem_of(row)) continue;
    if (!was_timed(ours) || !was_timed(row)) return 0;
    return row.at("median_us").get<double>() / ours.at("median_us").get<double>();
  }
  return 0;
}

/// Each once, in the order of the rows.
template <class Of>
std::vector<std::string> each_of(const json& rows, Of of) {
  std::vector<std::string> found;
  for (const json& row : rows) {
    const std::string one = of(row);
    if (std::ranges::find(found, one) == found.end()) found.push_back(one);
  }
  return found;
}

/// Ours first.
std::vector<std::string> programs_of(const json& rows) {
  auto programs = each_of(rows, [](const json& row) { return text_of(row, "who"); });
  std::stable_partition(programs.begin(), programs.end(), is_ours);
  return programs;
}

std::string faster_than_ours(const json& rows) {
  std::string text;
  for (const auto& who : programs_of(rows)) {
    std::vector<std::string> found;
    for (const json& row : rows) {
      const double ratio = times_ours(rows, row);
      if (text_of(row, "who") != who || ratio == 0 || ratio >= 1) continue;
      found.push_back(fmt::format("{} ({:.2f} times)", problem_of(row), 1 / ratio));
    }
    if (!found.empty()) text += fmt::format("- {}: {}\n", who, fmt::join(found, ", "));
  }
  if (text.empty()) return "\nNo other program was faster than warpfold in this run.\n";
  return "\nFaster than warpfold in this run:\n\n" + text;
}

std::string source_of(const json& part) {
  const json& run = part.at("run");
  std::vector<std::string> versions;
  for (const auto& [name, version] : run.at("versions").items()) {
    versions.push_back(name + " " + version.get<std::string>());
  }
  int most = 0;
  for (const json& row : part.at("rows")) most = std::max(most, row.value("count", 0));
  return fmt::format(
      "\n{}, {} cores, {}, {}, commit {}: `{}`. Medians of up to {} runs, each checked; ¹ of "
      "one.\n",
      text_of(run, "processor"), run.at("cores").get<int>(), text_of(run, "compiler"),
      fmt::join(versions, ", "), text_of(run, "commit"), text_of(run, "command"), most);
}

/// In the unit for a time of this many microseconds.
std::string time_of(const json& row, double unit) {
  return significant(row.at("median_us").get<double>() / unit) + (row.at("count") == 1 ? "¹" : "");
}

std::string cell(const json& rows, const std::string& problem, const std::string& who) {
  for (const json& row : rows) {
    if (problem_of(row) != problem || text_of(row, "who") != who) continue;
    if (!was_timed(row)) return row.contains("wrong") ? "wrong" : "no";
    const std::string time = time_of(row, 1e3);
    if (who == "warpfold") return time;
    const double ratio = times_ours(rows, row);
    const std::string text = fmt::format("{} ({:.2f})", time, ratio);
    return ratio > 0 && ratio < 1 ? "**" + text + "**" : text;
  }
  return is_ours(who) ? "" : "no";
}

/// What was called, by whom; the same for all types and sizes.
std::string calls_list(const json& rows) {
  std::string text = "\n| job | program | call |\n|---|---|---|\n";
  for (const auto& line : each_of(rows, [](const json& row) {
         return fmt::format("| {} | {} | `{}` |\n", text_of(row, "job"), text_of(row, "who"),
                            text_of(row, "call"));
       })) {
    if (line.find("| warpfold") == std::string::npos) text += line;
  }
  return text;
}

}  // namespace

std::string python_calls_table(const json& results) {
  if (!results.contains("calls")) return "No run has been stored here yet.\n";
  const json& part = results.at("calls");
  const json& rows = part.at("rows");
  const auto programs = programs_of(rows);
  std::string text = fmt::format("| time, ms | {} |\n|---|", fmt::join(programs, " | "));
  for (std::size_t i = 0; i < programs.size(); ++i) text += "---:|";
  text += "\n";
  for (const auto& problem : each_of(rows, problem_of)) {
    text += "| " + problem + " |";
    for (const auto& who : programs) text += " " + cell(rows, problem, who) + " |";
    text += "\n";
  }
  return text + source_of(part) + faster_than_ours(rows) + calls_list(rows);
}

std::string python_files_table(const json& results) {
  if (!results.contains("files")) return "No run has been stored here yet.\n";
  const json& part = results.at("files");
  const json& rows = part.at("rows");
  std::string text =
      "| job | program | time, s | times ours | memory held, MiB |\n|---|---|---:|---:|---:|\n";
  for (const json& row : rows) {
    text += fmt::format("| {} | {} |", text_of(row, "job"), text_of(row, "who"));
    if (!was_timed(row)) {
      text += fmt::format(" {} | – | – |\n",
                          row.contains("wrong") ? "wrong" : "no: " + text_of(row, "no"));
      continue;
    }
    const double ratio = times_ours(rows, row);
    text += fmt::format(" {} | {} | {:.0f} |\n", time_of(row, 1e6),
                        ratio > 0 ? fmt::format("{:.2f}", ratio) : "–",
                        row.at("peak_bytes").get<double>() / 0x1p20);
  }
  text += fmt::format("\n| program | how it is limited to {} MiB |\n|---|---|\n",
                      rows.at(0).at("memory_mib").get<int>());
  for (const auto& line : each_of(rows, [](const json& row) {
         return fmt::format("| {} | {} |\n", text_of(row, "who"), text_of(row, "told"));
       })) {
    text += line;
  }
  return text + source_of(part) +
         fmt::format("\nOutputs went to {}.\n", text_of(part.at("run"), "outputs")) +
         faster_than_ours(rows);
}
