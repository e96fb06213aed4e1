#include "docs/specimens.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "examples/specimens/examine.hpp"
#include "warpfold/error.hpp"

namespace {

namespace specimens = warpfold::specimens;

constexpr const char* tools[] = {"memcheck", "racecheck", "synccheck", "initcheck"};

/// By "specimen twin tool": whether it found anything, and where.
struct measurements {
  std::string made_on;
  std::map<std::string, std::pair<std::string, std::string>, std::less<>> found;
};

measurements read_measured(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw warpfold::data_error(path.string() + ": can't be read");
  measurements all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# ")) {
      all.made_on = line.substr(2);
      continue;
    }
    std::istringstream stream(line);
    std::vector<std::string> row;
    for (std::string part; row.size() < 6 && std::getline(stream, part, ',');) row.push_back(part);
    if (row.size() < 6) {
      throw warpfold::data_error(path.string() + ": a line of too few columns: " + line);
    }
    if (row[0] != "specimen") all.found[row[0] + " " + row[1] + " " + row[2]] = {row[3], row[5]};
  }
  return all;
}

/// "race in a warp, lines 17 and 19", or "a note: …".
std::string in_brief(const simt::finding& f) {
  const auto [low, high] = std::minmax(f.here.line, f.other.line);
  return (f.note ? "a note: " : "") + std::string(simt::name_of(f.kind)) + ", " +
         (low == high ? fmt::format("line {}", low) : fmt::format("lines {} and {}", low, high));
}

std::string sanitizer_cell(const measurements& m, const std::string& key) {
  const auto known = m.found.find(key);
  if (known == m.found.end()) return "not run";
  const auto& [found, place] = known->second;
  if (found != "yes") return found;
  return place.empty() ? "yes" : "yes, line " + place.substr(place.find(':') + 1);
}

}  // namespace

std::string specimen_table(const std::filesystem::path& measured) {
  const measurements m = read_measured(measured);
  std::string text = "| specimen | the CPU machine |";
  for (const char* tool : tools) text += fmt::format(" {} |", tool);
  text += "\n|---|---|---|---|---|---|\n";
  std::string alarms;
  for (const specimens::specimen& s : specimens::all()) {
    const auto findings = specimens::examine(s, false);
    text += fmt::format("| `{}`: {} | {} |", s.name, s.mistake,
                        findings.empty() ? "no" : in_brief(findings.front()));
    for (const char* tool : tools) {
      text += fmt::format(" {} |", sanitizer_cell(m, fmt::format("{} broken {}", s.name, tool)));
      const std::string mended = sanitizer_cell(m, fmt::format("{} mended {}", s.name, tool));
      if (mended.starts_with("yes")) alarms += fmt::format(" {} in `{}`;", tool, s.name);
    }
    text += "\n";
    for (const auto& f : specimens::examine(s, true)) {
      alarms += fmt::format(" the CPU machine in `{}` ({});", s.name, in_brief(f));
    }
  }
  if (!alarms.empty()) alarms.pop_back();
  text += "\nFalse alarms in the corrected twins:" + (alarms.empty() ? " none" : alarms) + ".";
  if (!m.made_on.empty()) text += " compute-sanitizer: " + m.made_on + ".";
  return text + "\n";
}
