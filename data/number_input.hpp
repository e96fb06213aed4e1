// Numbers in a file or a pipe, read in parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "data/file.hpp"
#include "warpfold/value_type.hpp"

namespace warpfold::data {

/// An .npy file, a raw file, or a pipe of raw elements. "-" is standard input: a pipe, or, from
/// where it stands, a file, which is then taken to its end.
class number_input {
 public:
  /// `type` is needed for all but .npy files, which must not hold another type than it. Throws
  /// usage_error for a missing or wrong type, data_error for a file that is not what it says.
  number_input(const std::filesystem::path& path, std::optional<value_type> type);
  ~number_input();
  number_input(const number_input&) = delete;
  number_input& operator=(const number_input&) = delete;

  /// The file or pipe in quotes, as messages show it.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] value_type type() const { return type_; }
  /// One dimension for raw data; empty for a single value, and for a pipe.
  [[nodiscard]] const std::vector<std::size_t>& shape() const { return shape_; }
  /// Of all elements; none for a pipe, which has no known length.
  [[nodiscard]] std::optional<std::uint64_t> bytes() const { return bytes_; }
  /// Whether only a stream can be read: one offset after the other, from one thread at a time.
  [[nodiscard]] bool in_order() const { return !file_.has_value(); }
  /// Whether `path` is the same file, by whatever name.
  [[nodiscard]] bool is_same_file(const std::filesystem::path& path) const;

  /// Throws data_error if a file has another length than when it was opened, or was written to.
  void require_unchanged() const;

  /// Fills `room`, a whole number of elements, with the bytes from `offset` of the first element
  /// on; returns how many there were, fewer only at the end. Throws data_error when a file has
  /// become shorter, and when a pipe ends within an element. A wait for a pipe ends at `stop`,
  /// too.
  std::size_t read(std::uint64_t offset, std::span<std::byte> room, const std::stop_token& stop);

 private:
  explicit number_input(const std::filesystem::path& path);
  std::size_t read_stream(std::span<std::byte> room, const std::stop_token& stop);

  std::string name_;
  std::filesystem::path path_;
  std::optional<input_file> file_;
  int stream_ = -1;
  value_type type_ = value_type::u8;
  std::vector<std::size_t> shape_;
  std::optional<std::uint64_t> bytes_;
  std::uint64_t begin_ = 0;  // of the elements, in the file
  std::uint64_t taken_ = 0;  // of a stream
  timespec written_{};       // when a file was, last
};

}  // namespace warpfold::data
