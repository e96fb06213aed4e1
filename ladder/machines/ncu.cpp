#include "ladder/machines/ncu.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/text.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

namespace names = measure::counters;
constexpr std::array metrics = {names::load_requests,         names::load_sectors,
                                names::store_requests,        names::store_sectors,
                                names::shared_load_conflicts, names::shared_store_conflicts,
                                names::load_efficiency,       names::store_efficiency};

bool is_ratio(std::string_view metric) { return metric.ends_with(".pct"); }

/// The names of all kernels of a rung contain the rung's type, also those it shares with others:
/// "void g::propagate_kernel<int, counting_operator<plus, g::blelloch>>". Those that measure the
/// longest chain have no tag, and are no part of the problem.
bool is_kernel_of(std::string_view kernel, const measure::measurement& rung) {
  std::string tag = "::" + rung.name + ">";
  std::replace(tag.begin(), tag.end(), '-', '_');
  return kernel.find(tag) != std::string_view::npos;
}

/// A folder for ncu's log that is gone afterwards.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "warpfold-ncu-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw data_error(name + ": can't make a folder there");
    path_ = name;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs `words` with its output thrown away; its exit status, or -1 when it can't be started.
int run(std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

void add_counters_from_csv(std::vector<measure::measurement>& rows, std::string_view csv) {
  std::istringstream in{std::string(csv)};
  std::vector<std::string> header;
  std::map<const measure::measurement*, std::map<std::string_view, double>> sums;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] != '"') continue;  // ncu's own remarks
    const auto fields = measure::csv_fields(line);
    if (header.empty()) {
      header = fields;
      continue;
    }
    const auto column = [&](std::string_view name) -> std::string {
      const auto at = std::find(header.begin(), header.end(), name) - header.begin();
      return static_cast<std::size_t>(at) < fields.size() ? fields[static_cast<std::size_t>(at)]
                                                          : "";
    };
    const std::string kernel = column("Kernel Name");
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& m) {
      return m.backend == measure::backend_kind::cuda && is_kernel_of(kernel, m);
    });
    if (kernel.empty() || row == rows.end()) continue;
    auto& sum = sums[&*row];
    const auto value_of = [&](std::string_view metric) {
      std::string text = column(metric);
      std::erase(text, ',');
      double value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    for (const auto metric : metrics) {
      if (!is_ratio(metric)) sum[metric] += value_of(metric);
    }
    // A ratio of sums, not a mean of ratios: weigh each launch by its sectors.
    sum[names::load_efficiency] += value_of(names::load_efficiency) * value_of(names::load_sectors);
    sum[names::store_efficiency] +=
        value_of(names::store_efficiency) * value_of(names::store_sectors);
  }
  for (auto& m : rows) {
    const auto it = sums.find(&m);
    if (it == sums.end()) continue;
    auto& sum = it->second;
    const auto weigh = [&](std::string_view ratio, std::string_view weight) {
      sum[ratio] = sum[weight] > 0 ? sum[ratio] / sum[weight] : 0;
    };
    weigh(names::load_efficiency, names::load_sectors);
    weigh(names::store_efficiency, names::store_sectors);
    for (const auto metric : metrics) m.counters.push_back({std::string(metric), sum[metric]});
  }
}

void add_ncu_counters(std::vector<measure::measurement>& rows,
                      const std::vector<std::string>& command) {
  const scratch_folder folder;
  const std::string log = folder.path() / "ncu.csv";
  std::vector<std::string> words = {
      "ncu", "--clock-control", "none", "--csv",     "--page",
      "raw", "--log-file",      log,    "--metrics", fmt::format("{}", fmt::join(metrics, ","))};
  words.push_back(std::filesystem::read_symlink("/proc/self/exe"));
  words.insert(words.end(), command.begin(), command.end());
  const int status = run(words);
  if (status == -1) {
    throw device_error(
        "--counters: ncu is not on the PATH; it comes with the CUDA toolkit (package "
        "nsight-compute), or leave --counters out");
  }
  std::ifstream file(log);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.find("ERR_NVGPUCTRPERM") != std::string::npos) {
    throw device_error(
        "--counters: ncu may not read the GPU's counters; run as root, or let the "
        "driver allow it (NVreg_RestrictProfilingToAdminUsers=0)");
  }
  add_counters_from_csv(rows, text);
  if (std::none_of(rows.begin(), rows.end(), [](const auto& m) {
        return m.backend == measure::backend_kind::cuda && !m.counters.empty();
      })) {
    const auto error_at = text.find("==ERROR==");
    throw device_error(
        fmt::format("--counters: ncu ended with status {} and counted nothing{}", status,
                    error_at == std::string::npos
                        ? ""
                        : ": " + text.substr(error_at, text.find('\n', error_at) - error_at)));
  }
}

}  // namespace warpfold::ladder
