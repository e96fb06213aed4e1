#include "cli/files/outputs.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "data/npy_header.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

std::filesystem::path temporary_folder() {
  std::error_code none;
  const auto folder = std::filesystem::temp_directory_path(none);
  return none ? "/tmp" : folder;
}

std::string text_of(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

/// What another process has made, as an output.
class outputs::joined final : public data::output {
 public:
  joined(const std::string& path, const std::string& hidden)
      : folder(data::folder_entry(path).folder_path()), file(folder, hidden) {}

  [[nodiscard]] const std::string& name() const override { return file.name(); }
  [[nodiscard]] bool in_order() const override { return false; }
  void reserve(std::uint64_t /*bytes*/) override {}  // the first rank does
  void write(std::uint64_t offset, std::span<const std::byte> part) override {
    file.write(offset, part);
  }

  std::filesystem::path folder;
  data::scratch_file file;
};

outputs::outputs(bool force, const files::run_options& limits)
    : force_(force), stop_(limits.stop), ranks_(limits.ranks) {}

outputs::~outputs() = default;

data::output& outputs::open_shared(const char* option, const std::string& path) {
  if (ranks_ == nullptr) return open(option, path);
  if (data::is_standard_output(path)) {
    throw usage_error(
        fmt::format("{} -: ranks of MPI write one file together; name a file", option));
  }
  check_no_input(option, path);
  data::output_file* const made = ranks_->rank() == 0 ? &make(option, path, true) : nullptr;
  const std::string name = files::name_from_first(*ranks_, made != nullptr ? made->hidden() : "");
  data::output* const mine = made != nullptr
                                 ? static_cast<data::output*>(made)
                                 : joined_.emplace_back(std::make_unique<joined>(path, name)).get();
  ranks_->meet();  // all have it: a rank that fails from here on may remove the name
  return *mine;
}

data::output& outputs::open(const char* option, const std::string& path) {
  const bool streamed = data::is_standard_output(path);
  check_no_input(option, streamed ? "/dev/stdout" : path);
  if (streamed) {
    if (streamed_ != nullptr) {
      throw usage_error(fmt::format("{} and {} both go to standard output; give one of them a file",
                                    streamed_, option));
    }
    streamed_ = option;
    return stream_.emplace(stop_);
  }
  return make(option, path, false);
}

void outputs::check_no_input(const char* option, const std::string& path) const {
  for (const auto* in : inputs_) {
    if (!in->is_same_file(path)) continue;
    throw usage_error(
        fmt::format("{} {}: is the input; choose another name", option, data::in_quotes(path)));
  }
}

data::output_file& outputs::make(const char* option, const std::string& path, bool shared) {
  auto file = std::make_unique<data::output_file>(
      path, force_ ? data::output_file::over::anything : data::output_file::over::nothing, shared);
  for (const auto& other : files_) {
    if (other.file->place().is_same(file->place())) {
      throw usage_error(
          fmt::format("{} and {} are the same file; choose two names", other.option, option));
    }
  }
  files_.push_back({option, std::move(file)});
  return *files_.back().file;
}

std::filesystem::path outputs::folder_beside(const data::output* out) const {
  for (const auto& f : files_) {
    if (f.file.get() == out) return f.file->place().folder_path();
  }
  for (const auto& j : joined_) {
    if (j.get() == out) return j->folder;
  }
  return temporary_folder();
}

void outputs::commit() {
  if (ranks_ != nullptr) {
    for (const auto& j : joined_) j->file.sync();
    ranks_->meet();  // all is written
  }
  if (stream_) stream_->finish();
  std::vector<data::output_file*> all;
  for (const auto& f : files_) all.insert(all.begin(), f.file.get());
  data::output_file::commit(all);
  if (ranks_ != nullptr) ranks_->meet();  // all is named
}

file_format parse_file_format(std::string_view option, std::string_view text) {
  if (text == "auto") return file_format::automatic;
  if (text == "npy") return file_format::npy;
  if (text == "raw") return file_format::raw;
  throw usage_error(fmt::format("{} {}: must be auto, npy or raw", option, text));
}

/// What must know its end before its beginning, on its way to an output that goes in order.
class array_output::spool final : public data::output {
 public:
  spool() : scratch_(temporary_folder()) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool in_order() const override { return false; }
  void reserve(std::uint64_t bytes) override { scratch_.reserve(bytes); }
  void write(std::uint64_t offset, std::span<const std::byte> part) override {
    scratch_.write(offset, part);
  }
  void pass_on(std::uint64_t bytes, data::output& to, std::uint64_t begin) const {
    std::vector<std::byte> room(std::size_t{1} << 20);
    for (std::uint64_t at = 0; at < bytes; at += room.size()) {
      const auto part = std::span(room).first(std::min<std::uint64_t>(room.size(), bytes - at));
      scratch_.read(at, part);
      to.write(begin + at, part);
    }
  }

 private:
  std::string name_ = "a temporary file";
  data::scratch_file scratch_;
};

array_output::array_output(outputs& all, const char* option, const std::string& path,
                           file_format format, bool scalar)
    : scalar_(scalar),
      is_npy_(format == file_format::npy ||
              (format == file_format::automatic && path.ends_with(".npy"))) {
  if (path.empty())
    throw usage_error(fmt::format("{}: name the file to write; - is standard output", option));
  to_ = &all.open_shared(option, path);
  if (data::is_standard_output(path) && ::isatty(STDOUT_FILENO) == 1 && !all.by_force()) {
    throw usage_error(fmt::format(
        "{} -: standard output is a terminal; redirect it, or use --force to print raw bytes",
        option));
  }
}

void array_output::start(value_type type, std::optional<std::uint64_t> elements) {
  type_ = type;
  // Of one dimension, the header has the same length for every number of elements.
  const std::size_t one[] = {1};
  if (is_npy_) header_bytes_ = data::make_npy_header(type_, std::span(one, scalar_ ? 0 : 1)).size();
  if (elements) {
    to_->reserve(header_bytes_ + *elements * size_of(type_));
    write_header(*elements);
  } else if (to_->in_order() && header_bytes_ > 0) {
    spool_ = std::make_unique<spool>();
  }
}

void array_output::finish(std::uint64_t elements) {
  if (!has_header_) write_header(elements);
  if (!spool_) return;
  static_cast<const spool&>(*spool_).pass_on(elements * size_of(type_), *to_, header_bytes_);
}

void array_output::write_all(value_type type, std::span<const std::byte> elements) {
  const std::size_t count = elements.size() / size_of(type);
  start(type, count);
  target().write(begin(), elements);
  finish(count);
}

void array_output::write_header(std::uint64_t elements) {
  has_header_ = true;
  if (header_bytes_ == 0) return;
  const std::size_t extent[] = {elements};
  const auto header = data::make_npy_header(type_, std::span(extent, scalar_ ? 0 : 1));
  if (header.size() != header_bytes_) throw error("array_output: the header's length has changed");
  to_->write(0, std::as_bytes(std::span(header)));
}

void json_output::write(const nlohmann::ordered_json& report) {
  text_.put(text_of(report) + "\n");
  text_.flush();
}

void json_output::write(const nlohmann::ordered_json& report, const std::vector<array>& arrays) {
  std::string text = text_of(report);
  text.erase(text.rfind("\n}"));
  text_.put(text);
  for (const auto& [key, values] : arrays) {
    text_.put(fmt::format(",\n  \"{}\": [", key));
    const char* between = "\n    ";
    values([&](const nlohmann::ordered_json& value) {
      text_.put(between);
      text_.put(text_of(value));
      between = ",\n    ";
    });
    text_.put("\n  ]");
  }
  text_.put("\n}\n");
  text_.flush();
}

void text_output::put(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() > std::size_t{1} << 16) flush();
}

void text_output::flush() {
  to_.write(written_, std::as_bytes(std::span(waiting_)));
  written_ += waiting_.size();
  waiting_.clear();
}

}  // namespace warpfold::cli
