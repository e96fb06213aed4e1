// What the commands on files share: their options, and how they become files and limits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/files/progress.hpp"
#include "cli/stop_on_signal.hpp"
#include "data/number_input.hpp"
#include "data/output_file.hpp"
#include "files/backend.hpp"
#include "files/reduce.hpp"

namespace warpfold::cli {

/// Where a command on files runs; `automatic` is a CUDA device where there is one.
enum class file_backend : std::uint8_t { automatic, cuda, host };

struct file_options {
  std::string file, output;
  std::optional<value_type> type;
  std::size_t memory = std::size_t{512} << 20;
  file_backend backend = file_backend::automatic;
  when_shown progress = when_shown::automatic;
  unsigned threads = 0;
  bool force = false, json = false;
};

/// Adds the options that all commands on files have; those of an output where it writes one.
void add_file_options(options& to, file_options& o, bool writes);

/// A run of a command: the limits, and who listens.
class file_run {
 public:
  explicit file_run(const file_options& o);

  /// Where --backend auto runs this job; without a call, that is on the host.
  void choose_backend(files::task what, std::optional<std::uint64_t> bytes);
  [[nodiscard]] const files::run_options& limits() const { return limits_; }
  [[nodiscard]] const char* backend() const { return limits_.on_device ? "cuda" : "host"; }
  /// The first keys of --json: what ran on what (docs/json.md).
  [[nodiscard]] nlohmann::ordered_json about(const data::number_input& in) const;
  /// Prints it, with the stages behind.
  void print(nlohmann::ordered_json report) const;
  /// The same, and at its end under `key` an array of what `values` calls its argument with.
  using taker = std::function<void(const nlohmann::ordered_json&)>;
  void print(nlohmann::ordered_json report, const char* key,
             const std::function<void(const taker&)>& values) const;

 private:
  stop_on_signal signals_;
  file_progress progress_;
  files::run_options limits_;
  bool chooses_;
};

/// The operation of that name, if `all` has it; throws usage_error.
files::reduction parse_reduction(std::string_view text);

/// A one-dimensional output of as many elements as `in` has, whether it knows the number yet or
/// not: an .npy file where the name ends so, else raw elements.
class column_file {
 public:
  /// Throws usage_error when `path` is `in`'s own file, or `in` has more than one dimension.
  column_file(const std::string& path, const char* option, const data::number_input& in,
              value_type type, bool force);

  [[nodiscard]] data::output_file& file() { return file_; }
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  void reserve(std::uint64_t elements);
  /// The header for so many elements, where the file has one; before it is committed.
  void write_header(std::uint64_t elements);

 private:
  data::output_file file_;
  value_type type_;
  bool scalar_;
  std::uint64_t begin_ = 0;
};

}  // namespace warpfold::cli
