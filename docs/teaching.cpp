#include "docs/teaching.hpp"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "docs/lectures.hpp"
#include "docs/page.hpp"
#include "examples/specimens/specimens.hpp"
#include "measure/columns.hpp"
#include "measure/figure.hpp"
#include "measure/json.hpp"
#include "measure/text.hpp"
#include "warpfold/error.hpp"

namespace measure = warpfold::measure;
using warpfold::error;

namespace {

using measurements = std::vector<measure::measurement>;

/// By this sign: "a`b`c" is a, b, c.
std::vector<std::string> split(const std::string& text, char sign) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == sign) parts.emplace_back();
    if (c != sign) parts.back() += c;
  }
  return parts;
}

std::optional<measure::figure> figure_named(std::string_view name) {
  for (int i = 1; i <= static_cast<int>(measure::figure::bytes_moved); ++i) {
    const auto f = static_cast<measure::figure>(i);
    if (measure::name_of(f) == name) return f;
  }
  return std::nullopt;
}

/// "03 bytes moved": that figure of rung 03, or the counter of that name.
std::string figure_text(const measurements& rows, const std::string& asked) {
  const std::string name = asked.substr(3);
  for (const measure::measurement& row : rows) {
    if (row.reference || fmt::format("{:02}", row.number) != asked.substr(0, 2)) continue;
    if (const auto f = figure_named(name)) return measure::text_of(row, *f);
    if (const double* const counter = row.find(name)) return measure::with_separators(*counter, 1);
  }
  throw error("lectures: nothing counts " + asked);
}

/// The text with each `{…}` replaced by the figure that it names.
std::string with_figures(const std::string& text, const measurements& rows) {
  const auto parts = split(text, '{');
  std::string out = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t end = parts[i].find('}');
    out += figure_text(rows, parts[i].substr(0, end)) + parts[i].substr(end + 1);
  }
  return out;
}

std::string answer_of(const slide& s) {
  // The same answer where there is a GPU.
  const bool can_run_there = std::string_view(s.command).find("--rung") != std::string_view::npos;
  const std::string command = s.command + std::string(can_run_there ? " --backend simt" : "");
  const auto parts = split(s.answer, '`');  // every second one is quoted
  measurements rows;
  std::string printed, answer;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i % 2 == 0) {
      if (rows.empty() && parts[i].find('{') != std::string::npos) {
        rows = measure::parse_json_document(output_of(command + " --json -")).measurements;
      }
      answer += with_figures(parts[i], rows);
      continue;
    }
    const bool is_command = parts[i].starts_with("warpfold ");
    if (printed.empty()) printed = output_of(command);
    if (!is_command && printed.find(parts[i]) == std::string::npos) {
      throw error(fmt::format("lectures: `warpfold {}` does not print: {}", command, parts[i]));
    }
    answer += "`" + parts[i] + "`";
  }
  return answer;
}

}  // namespace

std::string slide_table(int document) {
  std::string text = "| slide | `warpfold …` | question | answer |\n|---|---|---|---|\n";
  for (const slide& s : slides()) {
    if (s.document != document) continue;
    text += fmt::format("| {} | `{}` | {} | {} |\n", s.title, s.command, s.question, answer_of(s));
  }
  return text;
}

std::string found_in(std::string_view specimen) {
  const std::string all = output_of(fmt::format("specimens run {}", specimen));
  const std::size_t from = all.find('\n') + 1;  // behind the specimen's name
  return all.substr(from, all.rfind("the corrected twin: no finding") - from);
}

std::string first_finding_in(std::string_view specimen) {
  const std::string all = found_in(specimen);
  std::size_t end = all.find('\n') + 1;
  while (all[end] == ' ') end = all.find('\n', end) + 1;  // the lines that belong to it
  return all.substr(0, end);
}

void check_exercises(const std::string& page) {
  for (const auto& s : warpfold::specimens::all()) {
    for (const char* part : {"found", "mended"}) {
      if (page.find(fmt::format("<!-- generated: {}-{} -->", part, s.name)) == std::string::npos) {
        throw error(fmt::format("docs/teaching.md does not show what is {} in {}", part, s.name));
      }
    }
  }
}
