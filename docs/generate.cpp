// Fills the generated parts of README.md and docs/*.md: what stands between
// <!-- generated: NAME --> and <!-- end --> is regenerated from the code and from bench/results.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "docs/architecture.hpp"
#include "docs/build_results.hpp"
#include "docs/cluster_model.hpp"
#include "docs/cluster_tables.hpp"
#include "docs/engine_results.hpp"
#include "docs/exact_errors.hpp"
#include "docs/figures.hpp"
#include "docs/ladder_tables.hpp"
#include "docs/library_results.hpp"
#include "docs/page.hpp"
#include "docs/peer_results.hpp"
#include "docs/programs.hpp"
#include "docs/sort_plan.hpp"
#include "docs/specimens.hpp"
#include "docs/teaching.hpp"
#include "docs/time_results.hpp"
#include "examples/specimens/specimens.hpp"
#include "files/backend.hpp"
#include "measure/json.hpp"
#include "measure/table.hpp"
#include "measure/text.hpp"
#include "simt/counters.hpp"
#include "simt/prediction.hpp"
#include "warpfold/error.hpp"

namespace {

namespace measure = warpfold::measure;
using measure::figure;
using warpfold::error;
using warpfold::ladder::ladder_kind;
namespace fs = std::filesystem;

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

/// Parts that are what a command prints, as it is.
struct printed_part {
  const char *name, *arguments;
};
constexpr printed_part printed[] = {
    {"help-bench", "bench scan --help"},
    {"help-file-group", "group --help"},
    {"help-file-histogram", "histogram --help"},
    {"help-file-quantiles", "quantiles --help"},
    {"help-file-reduce", "reduce --help"},
    {"help-file-scan", "scan --help"},
    {"help-file-sort", "sort --help"},
    {"help-file-top", "top --help"},
    {"help-file-unique", "unique --help"},
    {"help-histogram", "ladder histogram --help"},
    {"help-reduce", "ladder reduce --help"},
    {"help-scan", "ladder scan --help"},
    {"help-select", "ladder select --help"},
    {"help-sort", "ladder sort --help"},
    {"help-steps", "steps reduce --help"},
    {"help-streams", "ladder streams --help"},
    {"explain-12", "ladder explain reduce/12"},
    {"scaling-reduce", "ladder reduce --scaling"},
    {"scaling-scan", "ladder scan --scaling --rung 1,2,3,4,5,6,7"},
    // 08 goes other ways as n grows
    {"scaling-sort", "ladder sort --scaling --n 2^16 --rung 1,3,4,5,6,7"},
    {"steps-sequential", "steps reduce/sequential"},
    {"steps-blelloch", "steps scan/blelloch --exclusive --values 3,1,7,0,4,1,6,3"},
    {"steps-bitonic", "steps sort/bitonic-shared --values 3,1,7,0,4,1,6,3"},
    // 08's counts differ from run to run
    {"scan-cpu-table", "ladder scan --n 2^16 --backend simt --rung 1,2,3,4,5,6,7"},
    {"sort-cpu-table", "ladder sort --n 1000 --block 32 --backend simt"},
    {"steps-match", "steps histogram/match --bins 8 --values 3,1,7,3,3,1,6,3"},
    {"histogram-cpu-table", "ladder histogram --backend simt"},
    {"histogram-one-value", "ladder histogram --backend simt --values constant"},
    {"histogram-many-bins", "ladder histogram --backend simt --n 2^18 --bins 2^20"},
    {"steps-warp-ticket", "steps select/warp-ticket --values 3,0,7,0,4,1,0,3"},
    // 04's and 05's counts differ from run to run
    {"select-cpu-table", "ladder select --backend simt --rung 1,2,3"},
    {"streams-cpu", "ladder streams --backend simt"},
    {"streams-balanced", "ladder streams --backend simt --kernel 54 --rung 2,3,4,6,7,8"},
    {"streams-one-queue",
     "ladder streams --backend simt --copy-engines 1 --one-queue --kernel 54 --rung 3,4,5"}};

/// Tables of runs that are stored under bench/results.
struct stored_part {
  const char *name, *file;
  std::string (*table)(const fs::path&);
};
constexpr stored_part stored[] = {
    {"h100-2^22", "reduce_h100_2e22.json", gpu_table},
    {"h100-2^24", "reduce_h100_2e24.json", gpu_table},
    {"h100-2^26", "reduce_h100_2e26.json", gpu_table},
    {"scan-h100-2^20", "scan_h100_2e20.json", gpu_table},
    {"scan-h100-2^24", "scan_h100_2e24.json", gpu_table},
    {"scan-h100-2^26", "scan_h100_2e26.json", gpu_table},
    {"sort-h100-2^20", "sort_h100_2e20.json", gpu_table},
    {"sort-h100-2^24", "sort_h100_2e24.json", gpu_table},
    {"sort-h100-2^26", "sort_h100_2e26.json", gpu_table},
    {"histogram-h200", "histogram_h200_2e24.json", gpu_table},
    {"histogram-h200-one-value", "histogram_h200_2e24_one_value.json", gpu_table},
    {"select-h200", "select_h200_2e26.json", gpu_table},
    {"host-2-cores", "host_2core.json", host_table},
    {"files-host", "files_host.json", rate_table},
    {"engines", "simt_plain_2core.json", engine_table},
    {"link-h100", "link_h100.json", rate_table},
    {"ranks-2-cores", "ranks_2core.json", ranks_table}};

void add_ladders(generated_parts& parts, const fs::path& results) {
  for (const auto& p : printed) {
    parts[p.name] = [&p] { return in_fence(same_anywhere(output_of(p.arguments))); };
  }
  for (const auto& s : stored) {
    parts[s.name] = [&s, results] { return s.table(results / s.file); };
  }
  parts["cpu-table"] = [] {
    return in_fence(measure::table(rows_of(ladder_kind::reduce), {.width = 140}));
  };
  parts["rungs"] = [] { return rung_list(ladder_kind::reduce); };
  parts["scan-rungs"] = [] { return rung_list(ladder_kind::scan); };
  parts["sort-rungs"] = [] { return rung_list(ladder_kind::sort); };
  parts["histogram-rungs"] = [] { return rung_list(ladder_kind::histogram); };
  parts["select-rungs"] = [] { return rung_list(ladder_kind::select); };
  parts["streams-rungs"] = [] { return streams_rung_list(); };
  parts["occupancy"] = [] { return occupancy_table(); };
  parts["why-18"] = [results] {
    return why_table(ladder_kind::reduce, results / "reduce_h100_2e22.json", {17, 18},
                     {figure::branch_uniformity, figure::steps_per_warp, figure::active_lanes});
  };
  parts["why-21-22"] = [results] {
    return why_table(ladder_kind::reduce, results / "reduce_h100_2e22.json", {20, 21, 22},
                     {figure::atomics, figure::load_requests, figure::barriers,
                      figure::shared_requests, figure::steps_per_warp});
  };
  parts["why-blelloch"] = [results] {
    return why_table(ladder_kind::scan, results / "scan_h100_2e20.json", {1, 3, 4},
                     {figure::operator_uses, figure::steps_per_warp, figure::bank_conflicts,
                      figure::sectors_per_request, figure::bytes_moved});
  };
  parts["streams-h100"] = [results] {
    return streams_table(results / "streams_h100_2e26.json") +
           "\nWith 50 passes of the kernel over each chunk:\n\n" +
           streams_table(results / "streams_h100_2e26_50.json");
  };
  parts["lines-11"] = [] {
    const std::string all = output_of("ladder reduce --rung 11 --n 2^16 --backend simt --lines");
    return in_fence(all.substr(all.find("\n\n") + 2));
  };
  parts["diff-13-14"] = [] { return in_fence_of("diff", output_of("ladder diff reduce 13 14")); };
}

void add_library(generated_parts& parts, const fs::path& results, const library_results& library) {
  parts["headline"] = [&] { return library.headline(); };
  constexpr std::pair<const char*, const char*> tables[] = {
      {"library-sum", "sum"},
      {"library-scan", "scan"},
      {"library-rows", "rows"},
      {"library-statistics", "statistics"},
      {"library-sort-pairs", "sort-pairs"},
      {"library-sort-keys", "sort-keys"},
      {"library-sort-pairs-own", "sort-pairs-own-order"},
      {"library-sort-keys-own", "sort-keys-own-order"},
      {"library-sort-keys-in-place", "sort-keys, in place"},
      {"library-sort-pairs-in-place", "sort-pairs, in place"},
      {"library-sort-keys-out-of-place", "sort-keys, out of place"},
      {"library-sort-pairs-out-of-place", "sort-pairs, out of place"}};
  for (const auto& [name, what] : tables) {
    parts[name] = [&library, what = std::string(what)] { return library.table(what); };
  }
  for (const auto& [name, peer] :
       {std::pair{"library-sort-items", "cub"}, {"library-sort-gather", "index-and-gather"}}) {
    parts[name] = [&library, peer = std::string(peer)] { return library.item_table(peer); };
  }
  for (const char* const device : {"h100", "h200"}) {
    parts[std::string("sort-borders-") + device] = [results, device] {
      return border_table(results / (std::string("sort_borders_") + device + ".json"));
    };
  }
  for (const std::string what :
       {"selections", "segments", "groups", "histograms", "top_k", "merges"}) {
    parts[what + "-h200"] = [file = results / (what + "_h200.json")]() -> std::string {
      if (!fs::exists(file)) return "No run has been stored here yet.\n";
      return table_beside_cub(file, "graph");
    };
  }
  for (const std::string what :
       {"segmented_sorts", "sets"}) {  // peers wait, so they are in no graph
    parts[what + "-h200"] = [file = results / (what + "_h200.json")] {
      return table_beside_cub(file, "single");
    };
  }
  for (const std::string what : {"canonical", "segments"}) {
    const std::string name = what == "canonical" ? what : "canonical-" + what;
    parts[name + "-h200"] = [file = results / (what + "_h200.json")] {
      return table_beside_plain(file);
    };
  }
  parts["sized-h200"] = [results] { return table_of_sizes(results / "sized_h200.json"); };
  parts["library-sort-structs"] = [&library] { return library.struct_table(); };
  parts["exact-cost"] = [results] {
    return exact_cost_table(measure::parse_json_document(read(results / "exact_h100.json")));
  };
  parts["exact-host"] = [results] {
    return exact_host_table(measure::parse_json_document(read(results / "exact_host.json")));
  };
  parts["exact-errors"] = [] { return error_table(); };
  parts["sort-plan"] = [] { return sort_plan_table(); };
  parts["backend-rule"] = [] { return backend_table(); };
}

void add_python(generated_parts& parts, const fs::path& results) {
  const auto run = [=] { return measure::json::parse(read(results / "python_2core.json")); };
  parts["python-calls"] = [=] { return python_calls_table(run()); };
  parts["python-files"] = [=] { return python_files_table(run()); };
}

void add_building(generated_parts& parts, const fs::path& root) {
  const auto of_builds = [root](std::string (*table)(const measure::json&)) -> std::string {
    const fs::path file = root / "bench" / "results" / "build_2core.json";
    if (!fs::exists(file)) return "No run has been stored here yet.\n";
    return table(measure::json::parse(read(file)));
  };
  parts["build-stages"] = [=] { return of_builds(build_stages_table); };
  parts["build-targets"] = [=] { return of_builds(build_targets_table); };
  parts["rooms"] = [=] { return room_table(root, false); };
  parts["rooms-simt"] = [=] { return room_table(root, true); };
  parts["build-calls"] = [=] { return of_builds(build_calls_table); };
  for (const std::string where : {"github", "gitlab"}) {
    parts["ci-" + where] = [=] {
      return in_fence_of("yaml", read(root / "examples" / "ci" / (where + ".yml")));
    };
  }
}

void add_own_kernels(generated_parts& parts, const fs::path& root) {
  const fs::path own = root / "examples" / "own_kernel";
  parts["example-report"] = [] { return in_fence(output_of("", WARPFOLD_EXAMPLE)); };
  parts["example-time"] = [] { return in_fence(output_of("--time", WARPFOLD_EXAMPLE)); };
  parts["example-lines"] = [] {
    const std::string all = output_of("--lines", WARPFOLD_EXAMPLE);
    return in_fence(all.substr(0, all.find("\n\n") + 1));  // the first kernel's
  };
  parts["example-fixture"] = [=] {
    return in_fence_of("cpp", excerpt(own / "test_kernels.cpp", "/// Each", "};", "kernels"));
  };
  parts["example-test"] = [=] {
    return in_fence_of("cpp", excerpt(own / "test_kernels.cpp", "TEST_F(", "}", "padding"));
  };
  parts["example-sum"] = [=] {
    return in_fence_of("cpp", read(root / "examples" / "library" / "sum.cu"));
  };
  parts["example-kernel"] = [=] { return in_fence_of("cpp", read(own / "transpose.cu")); };
  parts["example-cmake"] = [=] { return in_fence_of("cmake", read(own / "CMakeLists.txt")); };
  parts["specimens"] = [=] {
    return specimen_table(root / "tests" / "golden" / "specimens_h100.csv");
  };
}

void add_cluster(generated_parts& parts, const fs::path& root) {
  const fs::path examples = root / "examples" / "cluster";
  parts["cluster-messages"] = [] { return cluster_messages_table(); };
  parts["cluster-model"] = [] { return cluster_model_table(); };
  parts["cluster-example"] = [=] { return in_fence_of("cpp", read(examples / "sum.cpp")); };
  parts["cluster-hosts"] = [=] { return in_fence(read(examples / "hosts")); };
  parts["cluster-slurm"] = [=] { return in_fence_of("sh", read(examples / "job.slurm")); };
  for (const std::string gpus : {"h100x2", "h100x4"}) {
    parts["multi-" + gpus] = [=] {
      return multi_gpu_table(
          measure::json::parse(read(root / "bench" / "results" / ("multi_" + gpus + ".json"))));
    };
  }
}

void add_programs(generated_parts& parts, const fs::path& results) {
  const auto facts = [results] { return measure::json::parse(read(results / "programs.json")); };
  parts["programs-summary"] = [=] { return programs_summary(facts()); };
  parts["checker-headline"] = [=] { return checker_headline(facts()); };
  parts["checker-record"] = [=] { return checker_record(facts()); };
  parts["checker-fixes"] = [=] { return checker_fixes(facts()); };
  for (const std::string suite : {"cuda-samples", "rodinia", "polybench", "hecbench"}) {
    parts["programs-" + suite] = [=] { return programs_table(facts(), suite); };
  }
}

void add_time(generated_parts& parts, const fs::path& results) {
  using namespace warpfold::validation;
  const auto of = [results](auto rows_of, std::string device,
                            std::string (*table)(std::span<const row>)) {
    return [=] { return table(rows_of(results, device, simt::find_device_model(device))); };
  };
  parts["time-errors"] = of(stored_rows, "h100", time_errors_table);
  parts["time-sizes"] = of(stored_rows, "h100", time_sizes_table);
  parts["time-limiters"] = of(stored_rows, "h100", time_limiters_table);
  parts["time-worst"] = of(stored_rows, "h100", time_worst_table);
  parts["time-blind"] = [results] {
    return time_blind_table(
        blind_rows(results / "../../tests/golden", "h200", simt::find_device_model("h200")));
  };
  parts["time-others"] = of(other_rows, "h100", time_others_table);
  parts["time-h200"] = of(stored_rows, "h200", time_errors_table);
  parts["time-h200-sizes"] = of(stored_rows, "h200", time_sizes_table);
  parts["device-published"] = [] { return device_constants_table(false); };
  parts["cards"] = [] { return cards_table(); };
  parts["device-measured"] = [] { return device_constants_table(true); };
  parts["time-instructions"] = [results] { return time_instructions_table(results); };
  parts["time-limits"] = [results] { return time_limits_table(results); };
  parts["time-documents"] = [results] { return time_documents_table(results); };
}

void add_teaching(generated_parts& parts) {
  for (const int document : {1, 2, 3, 4}) {
    parts[fmt::format("slides-{:03}", document)] = [=] { return slide_table(document); };
  }
  for (const auto& s : warpfold::specimens::all()) {
    const std::string name(s.name);
    parts["found-" + name] = [=] { return in_fence(found_in(name)); };
    parts["first-found-" + name] = [=] { return in_fence(first_finding_in(name)); };
    parts["mended-" + name] = [=] {
      return in_fence_of("diff", output_of("specimens diff " + name));
    };
  }
}

int run(const fs::path& root) {
  const fs::path results = root / "bench" / "results";
  constexpr const char* of_the_library[] = {
      "library_reduce_h100.json",     "library_reduce_wide_h100.json",
      "library_scan_h100.json",       "library_scan_wide_h100.json",
      "library_sort_keys_h100.json",  "library_sort_keys_own_h100.json",
      "library_sort_pairs_h100.json", "library_sort_pairs_own_h100.json",
      "sort_calls_h100.json",         "sort_items_h100.json",
      "sort_members_h100.json",       "library_h100.json"};  // rows, statistics, narrow types
  const library_results library(results, of_the_library);
  generated_parts parts;
  add_ladders(parts, results);
  add_library(parts, results, library);
  add_python(parts, results);
  add_building(parts, root);
  add_own_kernels(parts, root);
  add_cluster(parts, root);
  add_programs(parts, results);
  add_teaching(parts);
  add_time(parts, results);
  std::vector<fs::path> pages{root / "README.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  check_counters(read(root / "docs" / "counters.md"));
  check_exercises(read(root / "docs" / "teaching.md"));
  draw_figures(root / "docs" / "figures",
               [](const std::string& arguments) { output_of(arguments); });
  library.draw(root / "docs" / "figures" / "library.svg");
  std::ofstream(root / "docs" / "figures" / "architecture.svg", std::ios::binary)
      << draw_architecture(root);
  draw_errors(root / "docs" / "figures" / "exact_errors.svg");
  std::ofstream(root / "docs" / "figures" / "two_devices.svg", std::ios::binary)
      << sharing_svg(measure::json::parse(read(root / "bench" / "results" / "multi_h100x2.json")));
  draw_cluster_model(root / "docs" / "figures" / "cluster.svg");
  for (const auto& page : pages) {
    const std::string text = filled(page, parts);
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
    setenv("SIMT_WORKERS", "1",
           1);  // the same counts each time, in the programs that it starts, too
    return run(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpfold_docs: %s\n", e.what());
    return 1;
  }
}
