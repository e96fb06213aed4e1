// Names of files that are not complete yet, where the file system has no files without a name.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace warpfold::data {

/// Ends the hidden files of this process, and lets no other come to be: for one that is about to
/// end by a signal and can't wait for destructors. Threads that deal with such files then wait for
/// ever.
void remove_hidden_files();

/// Removes what killed processes of this machine have left where `path` is, or leads to; what can't
/// be removed stays.
void remove_left_files(const std::filesystem::path& path) noexcept;

/// A name that no other process takes, in a folder that outlives it; the destructor removes its
/// file. The process that works on such a file locks it (flock): an unlocked one of a process that
/// has ended was left by a kill, and the next process that needs such a name in the folder removes
/// it.
class hidden_name {
 public:
  hidden_name() = default;
  ~hidden_name() { remove(); }
  hidden_name(const hidden_name&) = delete;
  hidden_name& operator=(const hidden_name&) = delete;

  [[nodiscard]] bool is_taken() const { return !name_.empty(); }
  [[nodiscard]] const char* name() const { return name_.c_str(); }

  /// Calls `make` with names in `folder` until one does not fail with EEXIST: false and errno if
  /// it failed otherwise.
  [[nodiscard]] bool take(int folder, const std::function<bool(const char*)>& make);
  /// Has a name that another process has taken for the same file: whichever ends last removes it.
  void share(int folder, const std::string& name);
  /// Gives the file another name in the folder, in place of what has it, or with RENAME_NOREPLACE
  /// if nothing has it: false and errno if not.
  [[nodiscard]] bool rename_to(const char* name, unsigned flags = 0);
  /// Makes the file and another one change names: false and errno if they can't.
  [[nodiscard]] bool exchange_with(const char* name) const;
  void remove();

 private:
  friend void remove_hidden_files();

  int folder_ = -1;
  std::string name_;
};

}  // namespace warpfold::data
