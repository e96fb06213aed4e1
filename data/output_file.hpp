// Files that are complete or absent: an output that takes its name when it is complete, and scratch
// files without a name.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "data/folder_entry.hpp"
#include "data/hidden_name.hpp"
#include "data/output.hpp"

namespace warpfold::data {

/// A file that becomes `path`, or what `path` is a link to, at commit(), all of it or nothing.
/// Until then it has no name where the file system allows that (O_TMPFILE), so that nothing is left
/// even by a kill; elsewhere it is a hidden file beside it, which the destructor removes. What it
/// replaces passes on its permissions, and its owner and group where the caller may set them.
/// Errors are data_errors.
class output_file final : public output {
 public:
  enum class over { nothing, anything };  // what may stand at `path` already

  /// Throws when `path` exists and may not be replaced, when it is no regular file, and when
  /// nothing can be written beside it.
  /// `shared`: it has a hidden name from the beginning, under which other processes open it.
  output_file(const std::filesystem::path& path, over what, bool shared = false);
  ~output_file() override;

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool in_order() const override { return false; }
  /// Where it will be, links followed.
  [[nodiscard]] const folder_entry& place() const { return place_; }

  /// The hidden name of a shared one.
  [[nodiscard]] const char* hidden() const { return hidden_.name(); }
  /// Reserves this number of bytes now, if the file system can, so that a full disk is detected
  /// before the work.
  void reserve(std::uint64_t bytes) override;
  /// Several threads may write different places at the same time.
  void write(std::uint64_t offset, std::span<const std::byte> part) override;
  /// The bytes are on the disk, under the name, and the name is on the disk when it returns.
  void commit() {
    output_file* const one = this;
    commit({&one, 1});
  }
  /// All of these files. Each is on the disk before the first takes its name, and if one can't take
  /// its name, those before it give theirs back. Yet a reader or a kill may come between two names.
  static void commit(std::span<output_file* const> files);

 private:
  enum class named { not_yet, by_link, by_exchange, by_rename };

  void open(bool replaces, bool shared);
  void keep_permissions(const struct stat& old) const;
  [[nodiscard]] bool link();
  void hide();
  void prepare();
  void take_name(bool may_be_undone);
  void give_name_back() noexcept;
  void finish();

  std::string name_;
  folder_entry place_;
  over over_;
  int descriptor_ = -1;
  hidden_name hidden_;  // not taken: the file has no name yet, or its own
  named named_ = named::not_yet;
  std::atomic<std::uint64_t> written_ = 0;
};

/// Bytes on a disk for as long as the object lives; without a name, so nothing is ever left.
class scratch_file {
 public:
  /// Throws data_error when nothing can be written in `folder`. `shared`: it has a hidden name,
  /// under which other processes open it.
  explicit scratch_file(const std::filesystem::path& folder, bool shared = false);
  /// One that another process made, of that hidden name.
  scratch_file(const std::filesystem::path& folder, const std::string& hidden);
  ~scratch_file();
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  void reserve(std::uint64_t bytes);
  void write(std::uint64_t offset, std::span<const std::byte> part);
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  /// What was written is where other machines see it when it returns.
  void sync() const;

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Of a shared one.
  [[nodiscard]] const char* hidden() const { return hidden_.name(); }

 private:
  std::string name_;
  int folder_ = -1, descriptor_ = -1;
  hidden_name hidden_;
  std::atomic<std::uint64_t> written_ = 0;
};

}  // namespace warpfold::data
