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

#include "data/file_pool.hpp"
#include "warpfold/value_type.hpp"

namespace warpfold::data {

/// An .npy file or a raw one, or a pipe of either; or several files, one behind the other, as if
/// they were one, of which only some are open at a time. "-" is standard input: a pipe, or, from
/// where it stands, a file, which is then taken to its end.
class number_input {
 public:
  /// `type` is needed for all but .npy files, which must not hold another type than it. Throws
  /// usage_error for a missing or wrong type, data_error for a file that is not what it says, and
  /// for several of which one is a stream or of another type than the first. Of a stream nothing is
  /// known before begin().
  number_input(const std::vector<std::string>& paths, std::optional<value_type> type);
  number_input(const std::filesystem::path& path, std::optional<value_type> type)
      : number_input(std::vector<std::string>{path.string()}, type) {}
  ~number_input();
  number_input(const number_input&) = delete;
  number_input& operator=(const number_input&) = delete;

  /// Waits for the first bytes of a stream, until `stop` (`interrupted`), and reads the header of
  /// an .npy file there. Throws as the constructor does. Of files there is nothing to do.
  void begin(const std::stop_token& stop);

  /// The file or pipe in quotes, as messages show it; of several the first, and how many more.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// "/dev/stdin" for "-".
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }
  [[nodiscard]] value_type type() const { return type_; }
  /// One dimension for raw data and for several files; empty for a single value, and for a pipe of
  /// raw elements.
  [[nodiscard]] const std::vector<std::size_t>& shape() const { return shape_; }
  /// How many dimensions the file has that has most.
  [[nodiscard]] std::size_t dimensions() const { return dimensions_; }
  /// Of all elements; none for a pipe of raw elements, which has no known length.
  [[nodiscard]] std::optional<std::uint64_t> bytes() const { return bytes_; }
  /// Whether only a stream can be read: one offset after the other, from one thread at a time.
  [[nodiscard]] bool in_order() const { return stream_ >= 0; }
  /// The bytes of each file's elements.
  [[nodiscard]] std::vector<std::uint64_t> bytes_of_files() const;
  /// Whether `path` is one of the files, by whatever name.
  [[nodiscard]] bool is_same_file(const std::filesystem::path& path) const;

  /// Throws data_error if a file has another length than when it was opened, or was written to.
  void require_unchanged();

  /// Fills `room`, a whole number of elements, with the bytes from `offset` of the first element
  /// on; returns how many there were, fewer only at the end. Throws data_error when a file has
  /// become shorter, and when a pipe ends within an element. A wait for a pipe ends at `stop`,
  /// too.
  std::size_t read(std::uint64_t offset, std::span<std::byte> room, const std::stop_token& stop);

 private:
  struct part {
    std::uint64_t begin, offset, bytes;  // of the elements: in the file, among all
  };

  number_input() = default;
  void open(const std::string& path, bool alone);
  void add_file(int descriptor, std::string path);
  bool begins_like_npy(const std::stop_token& stop);
  std::size_t read_stream(std::span<std::byte> room, const std::stop_token& stop);
  std::size_t fill(std::span<std::byte> room, const std::stop_token& stop);

  std::string name_;
  std::vector<std::string> paths_;
  file_pool pool_;
  std::vector<part> parts_;  // of each file in the pool
  int stream_ = -1;
  std::optional<value_type> asked_;
  value_type type_ = value_type::u8;
  std::vector<std::size_t> shape_;
  std::size_t dimensions_ = 0;
  std::optional<std::uint64_t> bytes_;
  std::uint64_t taken_ = 0;       // of a stream's elements
  std::vector<std::byte> ahead_;  // read from it, not taken yet
};

}  // namespace warpfold::data
