#include "docs/build_results.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace {

using warpfold::measure::json;

/// Each part was stored by itself, and may be of another commit than the others.
std::string machine_line(const json& results, std::initializer_list<const char*> parts) {
  const json& run = results.at("run");
  std::vector<std::string> commits;
  for (const char* const part : parts) {
    if (!results.contains(part)) continue;
    const auto commit = results.at(part).at("commit").get<std::string>();
    if (std::ranges::find(commits, commit) == commits.end()) commits.push_back(commit);
  }
  return fmt::format("\n{}, {} cores, {}{}, commit {}: `./dev bench build`. No compiler cache.\n",
                     run.at("processor").get<std::string>(), run.at("cores").get<int>(),
                     run.at("compiler").get<std::string>(),
                     run.at("nvcc") == "" ? "" : ", nvcc " + run.at("nvcc").get<std::string>(),
                     fmt::join(commits, ", "));
}

std::string none_stored() { return "No run has been stored here yet.\n"; }

}  // namespace

std::string build_stages_table(const json& results) {
  const auto parts = {"commands", "test", "test_without_nvcc", "changes"};
  std::string text =
      "| command | wall, s | of which tests, s | CPU, s | files compiled "
      "|\n|---|---:|---:|---:|---:|\n";
  for (const char* const part : parts) {
    if (!results.contains(part)) continue;
    for (const json& stage : results.at(part).at("stages")) {
      text += fmt::format(
          "| `{}`{} | {:.0f} | {} | {:.0f} | {} |\n", stage.at("command").get<std::string>(),
          stage.contains("failed") ? " (failed)" : "", stage.at("wall_s").get<double>(),
          stage.contains("tests_s") ? fmt::format("{:.0f}", stage.at("tests_s").get<double>()) : "",
          stage.at("cpu_s").get<double>(), stage.at("files").get<int>());
    }
  }
  return text + machine_line(results, parts);
}

std::string build_targets_table(const json& results) {
  if (!results.contains("commands")) return none_stored();
  std::string text = "| target | files | CPU, s |\n|---|---:|---:|\n";
  for (const json& target : results.at("commands").at("targets")) {
    if (target.at("cpu_s").get<double>() < 1) continue;
    text += fmt::format("| {} | {} | {:.1f} |\n", target.at("name").get<std::string>(),
                        target.at("files").get<int>(), target.at("cpu_s").get<double>());
  }
  for (const auto& [part, whose] :
       {std::pair("commands", "these"), std::pair("test", "`./dev test`")}) {
    if (!results.contains(part)) continue;
    text += fmt::format("\n| the ten most expensive files of {} | CPU, s |\n|---|---:|\n", whose);
    for (const json& file : results.at(part).at("files")) {
      text += fmt::format("| {} | {:.1f} |\n", file.at("file").get<std::string>(),
                          file.at("cpu_s").get<double>());
    }
  }
  return text;
}

std::string build_calls_table(const json& results) {
  if (!results.contains("calls")) return none_stored();
  const json& calls = results.at("calls").at("calls");
  const auto cell = [&](const std::string& call, const std::string& library) {
    const auto found = std::find_if(calls.begin(), calls.end(), [&](const json& c) {
      return c.at("call") == call && c.at("library") == library;
    });
    if (found == calls.end() || found->contains("failed")) return std::string("– | –");
    return fmt::format("{:.1f} | {:.0f}", found->at("cpu_s").get<double>(),
                       found->at("object_bytes").get<double>() / 1024);
  };
  std::string text =
      "| one call | warpfold, s | KiB | CUB, s | KiB | Thrust, s | KiB |\n"
      "|---|---:|---:|---:|---:|---:|---:|\n";
  for (const std::string call : {"reduce", "scan", "sort"}) {
    text += fmt::format("| {} | {} | {} | {} |\n", call, cell(call, "warpfold"), cell(call, "cub"),
                        cell(call, "thrust"));
  }
  return text + machine_line(results, {"calls"});
}
