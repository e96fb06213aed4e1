// Where a file of some path is, once links are followed: an open folder and a name in it.
#pragma once

#include <filesystem>
#include <string>

#include <sys/stat.h>

namespace warpfold::data {

class folder_entry {
 public:
  /// Follows `path` while it is a link, so that what a link stands for can be replaced and the link
  /// stays; nothing need be there. Throws data_error where the folder can't be opened or links go
  /// round, and for what leads into /proc: an open descriptor has no name that could be replaced.
  explicit folder_entry(const std::filesystem::path& path);
  ~folder_entry();
  folder_entry(const folder_entry&) = delete;
  folder_entry& operator=(const folder_entry&) = delete;

  /// To use with openat and its like.
  [[nodiscard]] int folder() const { return folder_; }
  [[nodiscard]] const char* name() const { return name_.c_str(); }
  [[nodiscard]] const std::filesystem::path& folder_path() const { return folder_path_; }
  [[nodiscard]] std::filesystem::path path() const { return folder_path_ / name_; }

  /// Whether both are one name in one folder, however their paths were spelled.
  [[nodiscard]] bool is_same(const folder_entry& other) const;
  /// What is there: false and errno if nothing is, or it can't be told.
  bool examine(struct stat& status) const;
  /// Makes the folder's names durable; false and errno if it can't be told that they are. `file` is
  /// an open file in it.
  [[nodiscard]] bool sync(int file) const;

 private:
  std::filesystem::path folder_path_;
  std::string name_;
  int folder_ = -1;
};

}  // namespace warpfold::data
