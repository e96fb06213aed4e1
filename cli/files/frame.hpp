// What the commands on files share: their options, and how they become files and limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/files/outputs.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/ranks.hpp"
#include "cli/stop_on_signal.hpp"
#include "data/number_input.hpp"
#include "files/backend.hpp"
#include "files/reduce.hpp"

namespace warpfold::cli {

/// Where a command on files runs; `automatic` is a CUDA device where there is one.
enum class file_backend : std::uint8_t { automatic, cuda, host };

struct file_options {
  std::vector<std::string> files;
  std::string output, json;
  std::optional<value_type> type;
  std::size_t memory = std::size_t{512} << 20;
  file_backend backend = file_backend::automatic;
  when_shown progress = when_shown::automatic;
  unsigned threads = 0;
  file_format format = file_format::automatic;
  bool force = false;
  bool gpu_to_gpu = false;
};

/// Adds the options that all commands on files have.
void add_file_options(options& to, file_options& o,
                      const char* output = "The file to write; - for standard output");

/// Adds --determinism, of the commands that have a canonical order.
void add_determinism(options& to, file_options& o);

/// A run of a command: the limits, and who listens.
class file_run {
 public:
  explicit file_run(const file_options& o);
  /// Throws usage_error for limits that make no sense.
  void check() const;
  /// Has the command run by all of these ranks together.
  void join(ranks& all);
  /// Refuses what ranks can't read in parts, and what is another file for one of them.
  void share(const data::number_input& in) const;
  /// Whether what is printed is this process's to print.
  [[nodiscard]] bool is_first() const { return files::is_first(limits_); }
  /// Refuses --backend cuda, of a command that has no other place than the host.
  void require_host() const;
  /// Where --backend auto runs this job; streams, and without a call all, are the host's.
  void choose_backend(files::task what, const data::number_input& in,
                      const data::number_input* more = nullptr);
  [[nodiscard]] const files::run_options& limits() const { return limits_; }
  [[nodiscard]] const char* backend() const { return limits_.on_device ? "cuda" : "host"; }
  /// The first keys of --json: what ran on what (docs/json.md).
  [[nodiscard]] nlohmann::ordered_json about(const data::number_input& in) const;
  /// What --json gets: this, and the stages behind.
  [[nodiscard]] nlohmann::ordered_json with_stages(nlohmann::ordered_json report) const;

 private:
  stop_on_signal signals_;
  file_progress progress_;
  files::run_options limits_;
  bool chooses_;
};

/// The command, by this process alone or by all that MPI has started: its exit code, the same for
/// all. `outputs` are the files that it writes beside those of all commands.
int run_on_files(const file_options& o, std::vector<std::string> outputs,
                 const std::function<int(file_run&)>& command);

/// Where sorted runs go: the folder in --tmp, or without it that of this output, or without that
/// one the folder for temporary files. Throws data_error where there is none.
std::filesystem::path scratch_folder(const std::string& tmp, const outputs& all,
                                     const data::output* beside);

/// After what was printed, before the files take their names: throws data_error where it is lost.
void flush_text();

/// JSON has no word for NaN and infinities: they are strings.
nlohmann::ordered_json json_of(const files::number& value);

/// The operation of that name, if `all` has it; throws usage_error.
files::reduction parse_reduction(std::string_view text);

/// Throws usage_error for an input, or one of its files, of more than one dimension.
void check_one_dimension(const data::number_input& in);
/// Whether it has none: a single value.
bool is_scalar(const data::number_input& in);
/// How many elements it has; a stream does not know.
std::optional<std::uint64_t> elements_of(const data::number_input& in);

}  // namespace warpfold::cli
