// What a command on files writes: opened before the work, so that mistakes are found out early;
// files are complete or not there at the end, and standard output is written as other filters write
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "data/number_input.hpp"
#include "data/output_file.hpp"
#include "data/standard_output.hpp"
#include "files/run.hpp"

namespace warpfold::cli {

/// All outputs of a run, none of which is an input or another one.
class outputs {
 public:
  /// What exists is replaced only by force.
  outputs(bool force, const files::run_options& limits);
  ~outputs();

  /// No output may be this file, which must outlive the outputs.
  void spare(const data::number_input& in) { inputs_.push_back(&in); }
  /// The file of that path, or standard output, which one output may go to. Throws usage_error when
  /// the path is an input's or another output's.
  data::output& open(const char* option, const std::string& path);
  /// The same of what all ranks write together; without any, what `open` gives.
  data::output& open_shared(const char* option, const std::string& path);
  /// Where these gave a file, the folder that it is in; else the one for temporary files.
  [[nodiscard]] std::filesystem::path folder_beside(const data::output* out) const;
  /// At the end: the files take their names, the last one that was opened first. All ranks call it.
  void commit();

  [[nodiscard]] bool by_force() const { return force_; }

 private:
  bool force_;
  std::stop_token stop_;
  std::vector<const data::number_input*> inputs_;
  struct named_file {
    const char* option;
    std::unique_ptr<data::output_file> file;
  };
  void check_no_input(const char* option, const std::string& path) const;
  data::output_file& make(const char* option, const std::string& path, bool shared);
  std::vector<named_file> files_;
  files::team* ranks_;
  /// The first rank makes a shared file, the others write to it.
  class joined;
  std::vector<std::unique_ptr<joined>> joined_;
  const char* streamed_ = nullptr;  // the option that gave standard output
  std::optional<data::standard_output> stream_;
};

/// Where the elements' header is: in .npy files, which `automatic` makes of names that end so.
enum class file_format : std::uint8_t { automatic, npy, raw };
file_format parse_file_format(std::string_view option, std::string_view text);

/// An output of elements in one dimension, or of one element in none.
class array_output {
 public:
  /// Throws usage_error without a path, and for a terminal.
  array_output(outputs& all, const char* option, const std::string& path, file_format format,
               bool scalar = false);

  /// Before the elements: how many there will be, if that is known. Where it is not, and the header
  /// must come first, they wait in a temporary file.
  void start(value_type type, std::optional<std::uint64_t> elements);
  /// Where the elements go, from byte begin() on, after start().
  [[nodiscard]] data::output& target() { return spool_ ? *spool_ : *to_; }
  [[nodiscard]] std::uint64_t begin() const { return spool_ ? 0 : header_bytes_; }
  /// After the elements.
  void finish(std::uint64_t elements);
  /// All of these, which are there at once.
  void write_all(value_type type, std::span<const std::byte> elements);

 private:
  class spool;
  void write_header(std::uint64_t elements);

  data::output* to_ = nullptr;
  value_type type_ = value_type::u8;
  bool scalar_, is_npy_;
  std::uint64_t header_bytes_ = 0;
  bool has_header_ = false;
  std::unique_ptr<data::output> spool_;
};

/// Text on its way to an output.
class text_output {
 public:
  explicit text_output(data::output& to) : to_(to) {}

  void put(std::string_view text);
  /// After the last text.
  void flush();

 private:
  data::output& to_;
  std::string waiting_;
  std::uint64_t written_ = 0;
};

/// JSON on its way to an output, text by text.
class json_output {
 public:
  explicit json_output(data::output& to) : text_(to) {}

  void write(const nlohmann::ordered_json& report);
  /// The same, and at its end arrays: under `key` what `values` calls its argument with.
  using taker = std::function<void(const nlohmann::ordered_json&)>;
  struct array {
    const char* key;
    std::function<void(const taker&)> values;
  };
  void write(const nlohmann::ordered_json& report, const std::vector<array>& arrays);

 private:
  text_output text_;
};

}  // namespace warpfold::cli
