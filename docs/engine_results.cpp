#include "docs/engine_results.hpp"

#include <bit>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "measure/json.hpp"
#include "warpfold/error.hpp"

namespace measure = warpfold::measure;
namespace fs = std::filesystem;

namespace {

/// A kernel's times, in milliseconds, by who ran it.
struct kernel_times {
  std::string what;
  std::map<std::string, double> ms;
};

std::vector<kernel_times> kernels_of(const measure::document& document, const fs::path& file) {
  std::vector<kernel_times> all;
  for (const auto& m : document.measurements) {
    if (!m.timing) continue;
    if (!m.verdict.right) throw warpfold::error(file.string() + ": a result is wrong");
    const std::string what =
        m.ladder == "simt" ? fmt::format("rung 12 of 2^{}", std::bit_width(m.n) - 1) : m.op;
    if (all.empty() || all.back().what != what) all.push_back({what, {}});
    all.back().ms[m.name] = m.timing->median() / 1000;
  }
  return all;
}

std::string ms_cell(const kernel_times& k, const std::string& who) {
  const auto found = k.ms.find(who);
  if (found == k.ms.end()) return "–";
  return fmt::format("{:.{}f}", found->second, found->second < 10 ? 2 : 1);
}

std::string ratio_cell(const kernel_times& k, const std::string& over, const std::string& under) {
  const auto above = k.ms.find(over), below = k.ms.find(under);
  if (above == k.ms.end() || below == k.ms.end()) return "–";
  const double ratio = above->second / below->second;
  return fmt::format("{:.{}f}", ratio, ratio < 10 ? 2 : 0);
}

}  // namespace

std::string engine_table(const fs::path& file) {
  if (!fs::exists(file)) return "No run has been stored here yet.\n";
  std::ifstream in(file, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto document = measure::parse_json_document(content);
  std::string text =
      "| kernel | fast, ms | instrumented, ms | times as fast | OpenMP, ms | of its time | POCL, "
      "ms | "
      "of "
      "its time |\n|---|---:|---:|---:|---:|---:|---:|---:|\n";
  std::string watched;
  for (const kernel_times& k : kernels_of(document, file)) {
    if (k.ms.contains("counters")) {
      watched += fmt::format("| {} | {} | {} |\n", k.what, ms_cell(k, "counters"),
                             ms_cell(k, "counters and checks"));
      continue;
    }
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", k.what, ms_cell(k, "plain"),
                        ms_cell(k, "watched"), ratio_cell(k, "watched", "plain"),
                        ms_cell(k, "OpenMP"), ratio_cell(k, "plain", "OpenMP"), ms_cell(k, "POCL"),
                        ratio_cell(k, "plain", "POCL"));
  }
  if (!watched.empty()) {
    text += "\n| kernel | counted, ms | counted and checked, ms |\n|---|---:|---:|\n" + watched;
  }
  const auto& run = document.run;
  return text + fmt::format("\n{}, {}, commit {}: `{}`. Medians; every result was checked.\n",
                            run.device, run.toolkit, run.commit, run.command);
}
