#include "docs/build_results.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace {

using warpfold::measure::json;

std::string machine_line(const json& results) {
  const json& run = results.at("run");
  return fmt::format("\n{}, {} cores, {}{}, commit {}: `./dev bench build`. No compiler cache.\n",
                     run.at("processor").get<std::string>(), run.at("cores").get<int>(),
                     run.at("compiler").get<std::string>(),
                     run.at("nvcc") == "" ? "" : ", nvcc " + run.at("nvcc").get<std::string>(),
                     run.at("commit").get<std::string>());
}

}  // namespace

std::string build_stages_table(const json& results) {
  std::string text = "| command | wall, s | CPU, s | files compiled |\n|---|---:|---:|---:|\n";
  for (const json& stage : results.at("stages")) {
    text += fmt::format("| `{}` | {:.0f} | {:.0f} | {} |\n", stage.at("command").get<std::string>(),
                        stage.at("wall_s").get<double>(), stage.at("cpu_s").get<double>(),
                        stage.at("files").get<int>());
  }
  return text + machine_line(results);
}

std::string build_targets_table(const json& results) {
  std::string text = "| target | files | CPU, s |\n|---|---:|---:|\n";
  for (const json& target : results.at("targets")) {
    if (target.at("cpu_s").get<double>() < 1) continue;
    text += fmt::format("| {} | {} | {:.1f} |\n", target.at("name").get<std::string>(),
                        target.at("files").get<int>(), target.at("cpu_s").get<double>());
  }
  text += "\n| the ten most expensive files | CPU, s |\n|---|---:|\n";
  for (const json& file : results.at("files")) {
    text += fmt::format("| {} | {:.1f} |\n", file.at("file").get<std::string>(),
                        file.at("cpu_s").get<double>());
  }
  return text;
}

std::string build_calls_table(const json& results) {
  const json& calls = results.at("calls");
  const auto cell = [&](const std::string& call, const std::string& library) {
    const auto found = std::find_if(calls.begin(), calls.end(), [&](const json& c) {
      return c.at("call") == call && c.at("library") == library;
    });
    if (found == calls.end()) return std::string("– | –");
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
  return text + machine_line(results);
}
