// Regular files, read in parts and replaced as a whole. Every failure is a data_error with one
// line that names the file, the sizes, and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpfold::data {

/// `text` in quotes, on one line: bytes that do not print become \xNN, a long tail becomes "...".
std::string in_quotes(std::string_view text, std::size_t longest = 200);

class input_file {
 public:
  /// Opens a regular file; what has no length is refused: directories, pipes, devices, and the
  /// kernel's own files, which have bytes and a size of 0.
  explicit input_file(const std::filesystem::path& path);
  /// A file that is open already, from byte `origin` on: offsets and the size count from there.
  /// Takes the descriptor over.
  input_file(int descriptor, std::string name, std::uint64_t origin);
  ~input_file();
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }
  /// The path in quotes, as messages show it.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Fills `out` with the bytes from `offset` on; throws if the file ends before. Several threads
  /// may read at the same time.
  void read(std::size_t offset, std::span<std::byte> out) const;
  [[nodiscard]] std::vector<std::byte> read(std::size_t offset, std::size_t count) const;

 private:
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t origin_ = 0;
  std::size_t size_ = 0;
};

/// Opens what is to be read, and waits for nothing: a pipe may have no writer yet. A descriptor, or
/// -1 and errno.
int open_to_read(const std::filesystem::path& path);

/// Fills `out` with the bytes of an open file from `offset` on: how many there were, fewer only
/// where the file ends. Throws data_error with `name` when they can't be read.
std::size_t read_at(int descriptor, const std::string& name, std::uint64_t offset,
                    std::span<std::byte> out);

/// A message about a file that could not be written: what happened after how many bytes, and what
/// to do about it. `code` is errno's.
[[noreturn]] void cannot_write(const std::string& name, std::size_t written, int code);
/// What errno `code` means, and what to do about it.
std::string reason_of(int code);

/// Puts a file that consists of `parts` at `path`, all of it or nothing: the bytes go to a new
/// file beside it, which then takes its name, and which is removed when anything fails.
void replace_file(const std::filesystem::path& path,
                  std::initializer_list<std::span<const std::byte>> parts);

}  // namespace warpfold::data
