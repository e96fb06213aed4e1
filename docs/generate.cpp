// Fills the generated parts of README.md and docs/*.md: what stands between
// <!-- generated: NAME --> and <!-- end --> is written anew from the code and from bench/results.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/ladder/input.hpp"
#include "cli/ladder/streams_text.hpp"
#include "docs/build_results.hpp"
#include "docs/exact_errors.hpp"
#include "docs/figures.hpp"
#include "docs/library_results.hpp"
#include "docs/specimens.hpp"
#include "files/backend.hpp"
#include "ladder/run/evidence.hpp"
#include "ladder/run/reduce_driver.hpp"
#include "ladder/run/scan_driver.hpp"
#include "ladder/run/sort_driver.hpp"
#include "ladder/streams/climb.hpp"
#include "measure/json.hpp"
#include "measure/markdown.hpp"
#include "measure/peers.hpp"
#include "measure/table.hpp"
#include "measure/text.hpp"
#include "simt/counters.hpp"
#include "warpfold/error.hpp"

namespace {

namespace cli = warpfold::cli;
namespace ladder = warpfold::ladder;
namespace measure = warpfold::measure;
using warpfold::data_error;
using warpfold::error;
using warpfold::value_type;
namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw data_error(path.string() + ": can't be read");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string output_of(const std::string& arguments, const std::string& program = WARPFOLD_PROGRAM) {
  FILE* const pipe = popen((program + " " + arguments).c_str(), "r");
  if (pipe == nullptr) throw error("can't run " + program);
  std::string out;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    out.append(buffer.data(), got);
  }
  if (pclose(pipe) != 0) throw error(program + " " + arguments + " failed");
  return out;
}

/// Without the number of this machine's threads.
std::string same_anywhere(std::string text) {
  const auto at = text.find("CPU machine, ");
  if (at != std::string::npos) text.erase(at + 11, text.find('\n') - at - 11);
  return text;
}

std::string in_fence(const std::string& text) {
  std::string trimmed;  // without the spaces that fill the table's lines
  for (const char c : text) {
    if (c == '\n') trimmed.erase(trimmed.find_last_not_of(' ') + 1);
    trimmed += c;
  }
  return "```text\n" + trimmed + "```\n";
}

std::string in_fence_of(const std::string& language, const std::string& text) {
  return "```" + language + "\n" + text + "```\n";
}

/// The tests whose names contain this.
std::string excerpt(const fs::path& path, const std::string& name) {
  const std::string text = read(path);
  std::string found;
  for (std::size_t at = 0; (at = text.find("\nTEST(", at)) != std::string::npos;) {
    const std::size_t end = text.find("\n}\n", at) + 3;
    const std::string test = text.substr(at + 1, end - at - 1);
    if (test.substr(0, test.find('{')).find(name) != std::string::npos) found += test;
    at = end;
  }
  return found;
}

std::string gpu_table(const fs::path& file) {
  auto document = measure::parse_json_document(read(file));
  for (auto& m : document.measurements) {
    for (const auto* r : ladder::make_simt_machine()->reduce_rungs()) {
      m.begins_series |= m.ladder == "reduce" && m.name == r->about.name && r->about.begins_series;
    }
  }
  const auto& run = document.run;
  return measure::markdown_table(document.measurements) +
         fmt::format("\n{}, driver {}, {}, commit {}: `{}`. Medians of {} samples, each checked.\n",
                     run.device, run.driver, run.toolkit, run.commit, run.command,
                     document.measurements.back().timing->count());
}

std::string host_table(const fs::path& file) {
  const auto document = measure::parse_json_document(read(file));
  const auto& run = document.run;
  const auto runs_of = [](const measure::measurement& row) { return row.timing->count(); };
  const auto [sorts, others] = std::ranges::minmax(document.measurements, {}, runs_of);
  const auto columns = measure::case_columns(document.measurements, "warpfold");
  return measure::markdown_table(std::span<const measure::column>(columns)) +
         fmt::format(
             "\n{}, {}, commit {}: `{}`. Medians and quartiles of {} runs of the sorts and {} "
             "of the others, each checked.\n",
             run.device, run.toolkit, run.commit, run.command, runs_of(sorts), runs_of(others));
}

/// What ran, how long it took, and how many bytes a second that is.
std::string rate_table(const fs::path& file) {
  if (!fs::exists(file)) return "No run has been stored here yet.\n";
  const auto document = measure::parse_json_document(read(file));
  const auto& run = document.run;
  std::string text = "| | n | ms | GB/s |\n|---|---:|---:|---:|\n";
  for (const auto& m : document.measurements) {
    if (!m.verdict.right) throw error(file.string() + ": a result is wrong");
    const double time = m.timing->median();
    text += fmt::format("| {} | {} {} | {:.0f} | {:.1f} |\n", m.name, m.n, m.type, time / 1000,
                        static_cast<double>(m.useful_bytes) / time / 1000);
  }
  return text + fmt::format("\n{}{}{}, commit {}: `{}`. Medians of {} runs.\n", run.device,
                            run.driver.empty() ? "" : ", driver " + run.driver,
                            run.toolkit.empty() ? "" : ", " + run.toolkit, run.commit, run.command,
                            document.measurements.back().timing->count());
}

/// The ladders on the CPU machine, once each: of one worker the counts are the same each time.
const std::vector<measure::measurement>& reduce_rows() {
  static const auto rows = [] {
    const auto machine = ladder::make_simt_machine();
    const std::size_t n = std::size_t{1} << 22;
    const auto values = cli::random_values(value_type::i32, ladder::operation::sum, n, 1);
    auto all = ladder::climb({.values = {values.type, values.bytes.data(), n}}, *machine,
                             machine->reduce_rungs());
    for (auto& m : all) {
      if (m.backend == "simt") m.device = "CPU machine";  // the same text whatever its cores
    }
    return all;
  }();
  return rows;
}

const std::vector<measure::measurement>& scan_rows() {
  static const auto rows = [] {
    const auto machine = ladder::make_simt_machine({.workers = 1});
    const std::size_t n = std::size_t{1} << 16;
    const auto values = cli::random_values(value_type::i32, ladder::operation::sum, n, 1);
    return ladder::climb_scan({.values = {values.type, values.bytes.data(), n}}, *machine,
                              machine->scan_rungs());
  }();
  return rows;
}

const std::vector<measure::measurement>& sort_rows() {
  static const auto rows = [] {
    const auto machine = ladder::make_simt_machine({.workers = 1});
    const std::size_t n = std::size_t{1} << 14;
    const auto keys = cli::random_values(value_type::u32, ladder::operation::sum, n, 1);
    return ladder::climb_sort({.keys = {keys.type, keys.bytes.data(), n}}, *machine,
                              machine->sort_rungs());
  }();
  return rows;
}

template <class Rung>
std::string rung_list(std::span<const Rung* const> rungs,
                      std::span<const measure::measurement> rows = {}) {
  std::string text =
      "| rung | idea | what it improves | watch | source | corrected here |\n"
      "|---|---|---|---|---|---|\n";
  for (const auto* r : rungs) {
    const auto& a = r->about;
    text += fmt::format("| {:02} {} | {} | {} | {} | {} | {} |\n", a.number, a.name, a.idea,
                        a.improves, ladder::evidence_text(a, rows), a.source,
                        a.corrections.empty() ? "–" : a.corrections);
  }
  return text;
}

/// Empty of figures until a run has been stored.
std::string streams_table(const fs::path& file) {
  if (!fs::exists(file)) return "No run on a GPU has been stored here yet.\n";
  const auto document = measure::parse_json_document(read(file));
  const auto& run = document.run;
  const auto columns = cli::streams_columns(document.measurements, measure::view::document);
  return measure::markdown_table(std::span<const measure::column>(columns)) +
         fmt::format("\n{}, driver {}, {}, commit {}: `{}`. Medians of {} runs, each checked.\n",
                     run.device, run.driver, run.toolkit, run.commit, run.command,
                     document.measurements.back().timing->count());
}

/// The page explains every counter, and by its name.
void check_counters(const std::string& page) {
  for (const auto& [name, value] : simt::counters{}.named()) {
    if (page.find("`" + std::string(name) + "`") == std::string::npos) {
      throw error("docs/counters.md does not explain " + std::string(name));
    }
  }
}

/// From how many bytes on the device takes less time, by the rule; for links and cores.
std::string backend_table() {
  namespace files = warpfold::files;
  constexpr double links[] = {12e9, 25e9, 54.9e9};
  constexpr unsigned cores[] = {2, 4, 8, 16, 64};
  std::string text = "| | link |", rule = "|---|---:|";
  for (const unsigned c : cores) {
    text += fmt::format(" {} cores |", c);
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  for (const auto& task : files::tasks) {
    for (const double link : links) {
      text += fmt::format("| `{}` | {} GB/s |", task.name, link / 1e9);
      for (const unsigned c : cores) {
        const auto least =
            files::least_device_bytes(task.what, files::run_options{}.memory, {c, link});
        text += least ? fmt::format(" {} |", measure::humanised(static_cast<double>(*least), "B"))
                      : std::string(" never |");
      }
      text += "\n";
    }
  }
  return text + "\nWith `--memory 512MiB`.\n";
}

using parts = std::map<std::string, std::function<std::string()>>;

std::string filled(const fs::path& path, const parts& known) {
  constexpr std::string_view open = "<!-- generated: ", close = " -->\n", end = "<!-- end -->";
  std::string text = read(path);
  for (std::size_t at = 0; (at = text.find(open, at)) != std::string::npos;) {
    const auto name_end = text.find(close, at);
    const auto stop = text.find(end, at);
    if (name_end == std::string::npos || stop == std::string::npos) {
      throw error(path.string() + ": a generated part has no end");
    }
    const std::string name = text.substr(at + open.size(), name_end - at - open.size());
    const auto part = known.find(name);
    if (part == known.end()) throw error(path.string() + ": nothing generates " + name);
    const auto from = name_end + close.size();
    const std::string content = part->second();
    text.replace(from, stop - from, content);
    at = from + content.size();
  }
  return text;
}

int run(const fs::path& root) {
  const fs::path results = root / "bench" / "results";
  const fs::path own = root / "examples" / "own_kernel";
  constexpr const char* of_the_library[] = {"library_reduce_h100.json",
                                            "library_reduce_wide_h100.json",
                                            "library_scan_h100.json",
                                            "library_scan_wide_h100.json",
                                            "library_sort_keys_h100.json",
                                            "library_sort_keys_own_h100.json",
                                            "library_sort_pairs_h100.json",
                                            "library_sort_pairs_own_h100.json",
                                            "library_h100.json"};  // rows, statistics, narrow types
  const library_results library(results, of_the_library);
  const auto of_builds = [&](std::string (*table)(const measure::json&)) -> std::string {
    const fs::path file = results / "build_2core.json";
    if (!fs::exists(file)) return "No run has been stored here yet.\n";
    return table(measure::json::parse(read(file)));
  };
  const parts known{
      {"cpu-table", [] { return in_fence(measure::table(reduce_rows(), {.width = 140})); }},
      {"h100-2^22", [&] { return gpu_table(results / "reduce_h100_2e22.json"); }},
      {"h100-2^24", [&] { return gpu_table(results / "reduce_h100_2e24.json"); }},
      {"h100-2^26", [&] { return gpu_table(results / "reduce_h100_2e26.json"); }},
      {"host-2-cores", [&] { return host_table(results / "host_2core.json"); }},
      {"rungs",
       [] { return rung_list(ladder::make_simt_machine()->reduce_rungs(), reduce_rows()); }},
      {"scan-rungs",
       [] { return rung_list(ladder::make_simt_machine()->scan_rungs(), scan_rows()); }},
      {"scan-h100-2^20", [&] { return gpu_table(results / "scan_h100_2e20.json"); }},
      {"scan-h100-2^24", [&] { return gpu_table(results / "scan_h100_2e24.json"); }},
      {"scan-h100-2^26", [&] { return gpu_table(results / "scan_h100_2e26.json"); }},
      {"scan-cpu-table",
       [] {
         const std::string rungs = " --rung 1,2,3,4,5,6,7";  // 08 counts differ from run to run
         return in_fence(same_anywhere(output_of("ladder scan --n 2^16 --backend simt" + rungs)));
       }},
      {"steps-sequential",
       [] {
         return in_fence(
             output_of(std::string("steps reduce/sequential --values ") + lecture_values));
       }},
      {"steps-blelloch",
       [] {
         return in_fence(
             output_of(std::string("steps scan/blelloch --exclusive --values ") + lecture_scan));
       }},
      {"steps-bitonic",
       [] {
         return in_fence(
             output_of(std::string("steps sort/bitonic-shared --values ") + lecture_scan));
       }},
      {"help-steps", [] { return in_fence(output_of("steps reduce --help")); }},
      {"scaling-reduce", [] { return in_fence(output_of("ladder reduce --scaling")); }},
      {"scaling-scan",
       [] { return in_fence(output_of("ladder scan --scaling --rung 1,2,3,4,5,6,7")); }},
      {"scaling-sort",
       [] {
         const std::string rungs = " --rung 1,3,4,5,6,7";  // 08 goes other ways as n grows
         return in_fence(output_of("ladder sort --scaling --n 2^16" + rungs));
       }},
      {"headline", [&] { return library.headline(); }},
      {"exact-cost",
       [&] {
         return exact_cost_table(measure::parse_json_document(read(results / "exact_h100.json")));
       }},
      {"exact-host",
       [&] {
         return exact_host_table(measure::parse_json_document(read(results / "exact_host.json")));
       }},
      {"exact-errors", [] { return error_table(); }},
      {"library-sum", [&] { return library.table("sum"); }},
      {"library-scan", [&] { return library.table("scan"); }},
      {"library-rows", [&] { return library.table("rows"); }},
      {"library-statistics", [&] { return library.table("statistics"); }},
      {"library-sort-pairs", [&] { return library.table("sort-pairs"); }},
      {"library-sort-keys", [&] { return library.table("sort-keys"); }},
      {"library-sort-pairs-own", [&] { return library.table("sort-pairs-own-order"); }},
      {"library-sort-keys-own", [&] { return library.table("sort-keys-own-order"); }},
      {"sort-rungs",
       [] { return rung_list(ladder::make_simt_machine()->sort_rungs(), sort_rows()); }},
      {"sort-h100-2^20", [&] { return gpu_table(results / "sort_h100_2e20.json"); }},
      {"sort-h100-2^24", [&] { return gpu_table(results / "sort_h100_2e24.json"); }},
      {"sort-h100-2^26", [&] { return gpu_table(results / "sort_h100_2e26.json"); }},
      {"sort-cpu-table",
       [] {
         return in_fence(
             same_anywhere(output_of("ladder sort --n 1000 --block 32 --backend simt")));
       }},
      {"streams-rungs", [] { return rung_list(ladder::streams_rungs(false)); }},
      {"streams-cpu", [] { return in_fence(output_of("ladder streams --backend simt")); }},
      {"streams-balanced",
       [] {
         return in_fence(output_of("ladder streams --backend simt --kernel 54 --rung 2,3,4,6,7,8"));
       }},
      {"streams-one-queue",
       [] {
         const std::string old = " --copy-engines 1 --one-queue --kernel 54 --rung 3,4,5";
         return in_fence(output_of("ladder streams --backend simt" + old));
       }},
      {"build-stages", [&] { return of_builds(build_stages_table); }},
      {"build-targets", [&] { return of_builds(build_targets_table); }},
      {"build-calls", [&] { return of_builds(build_calls_table); }},
      {"ci-github",
       [&] { return in_fence_of("yaml", read(root / "examples" / "ci" / "github.yml")); }},
      {"ci-gitlab",
       [&] { return in_fence_of("yaml", read(root / "examples" / "ci" / "gitlab.yml")); }},
      {"streams-h100",
       [&] {
         return streams_table(results / "streams_h100_2e26.json") +
                "\nWith 50 passes of the kernel over each chunk:\n\n" +
                streams_table(results / "streams_h100_2e26_50.json");
       }},
      {"help-streams", [] { return in_fence(output_of("ladder streams --help")); }},
      {"help-sort", [] { return in_fence(output_of("ladder sort --help")); }},
      {"example-sum",
       [&] { return in_fence_of("cpp", read(root / "examples" / "library" / "sum.cu")); }},
      {"example-report", [] { return in_fence(output_of("", WARPFOLD_EXAMPLE)); }},
      {"example-lines",
       [] {
         const std::string all = output_of("--lines", WARPFOLD_EXAMPLE);
         return in_fence(all.substr(0, all.find("\n\n") + 1));  // the first kernel's
       }},
      {"example-test",
       [&] { return in_fence_of("cpp", excerpt(own / "test_kernels.cpp", "padding")); }},
      {"example-kernel", [&] { return in_fence_of("cpp", read(own / "transpose.cu")); }},
      {"example-cmake", [&] { return in_fence_of("cmake", read(own / "CMakeLists.txt")); }},
      {"lines-11",
       [] {
         const std::string all =
             output_of("ladder reduce --rung 11 --n 2^16 --backend simt --lines");
         return in_fence(all.substr(all.find("\n\n") + 2));
       }},
      {"help-bench", [] { return in_fence(output_of("bench scan --help")); }},
      {"help-file-reduce", [] { return in_fence(output_of("reduce --help")); }},
      {"help-file-scan", [] { return in_fence(output_of("scan --help")); }},
      {"help-file-sort", [] { return in_fence(output_of("sort --help")); }},
      {"backend-rule", [] { return backend_table(); }},
      {"files-host", [&] { return rate_table(results / "files_host.json"); }},
      {"link-h100", [&] { return rate_table(results / "link_h100.json"); }},
      {"help-scan", [] { return in_fence(output_of("ladder scan --help")); }},
      {"help-reduce", [] { return in_fence(output_of("ladder reduce --help")); }},
      {"specimens",
       [&] { return specimen_table(root / "tests" / "golden" / "specimens_h100.csv"); }},
      {"diff-12-13", [] { return "```diff\n" + output_of("ladder diff reduce 12 13") + "```\n"; }},
  };
  std::vector<fs::path> pages{root / "README.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  check_counters(read(root / "docs" / "counters.md"));
  draw_figures(root / "docs" / "figures",
               [](const std::string& arguments) { output_of(arguments); });
  library.draw(root / "docs" / "figures" / "library.svg");
  draw_errors(root / "docs" / "figures" / "exact_errors.svg");
  for (const auto& page : pages) {
    const std::string text = filled(page, known);
    if (text == read(page)) continue;
    std::ofstream(page, std::ios::binary) << text;
    std::fprintf(stderr, "wrote %s\n", page.c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw warpfold::usage_error("usage: warpfold_docs ROOT");
    return run(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpfold_docs: %s\n", e.what());
    return 1;
  }
}
