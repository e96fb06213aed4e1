#include "data/folder_entry.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "data/file.hpp"
#include "warpfold/error.hpp"

namespace warpfold::data {
namespace {

constexpr int most_links = 40;  // as the kernel has it

/// To be synced, too, where the folder may be read; who may only write in it gets a handle.
int open_folder(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0 || errno != EACCES) return descriptor;
  return ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

bool is_in_proc(int folder) {
  struct statfs system {};
  return ::fstatfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

}  // namespace

folder_entry::folder_entry(const std::filesystem::path& path) {
  const std::string shown = in_quotes(path.string());
  std::filesystem::path target = path;
  for (int links = 0;; ++links) {
    folder_path_ = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
    name_ = target.has_filename() ? target.filename().string() : ".";
    folder_ = open_folder(folder_path_);
    if (folder_ < 0) cannot_write(shown, 0, errno);
    if (is_in_proc(folder_)) {
      ::close(folder_);
      throw data_error(fmt::format(
          "{}: is a link to an open file; give the file's own name, or - for standard output",
          shown));
    }
    std::array<char, PATH_MAX> text{};
    const ssize_t size = ::readlinkat(folder_, name_.c_str(), text.data(), text.size());
    if (size < 0) return;  // no link
    ::close(folder_);
    if (links == most_links) cannot_write(shown, 0, ELOOP);
    target = folder_path_ / std::string_view(text.data(), static_cast<std::size_t>(size));
  }
}

folder_entry::~folder_entry() { ::close(folder_); }

bool folder_entry::is_same(const folder_entry& other) const {
  struct stat ours {
  }, theirs{};
  return name_ == other.name_ && ::fstat(folder_, &ours) == 0 &&
         ::fstat(other.folder_, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
         ours.st_ino == theirs.st_ino;
}

bool folder_entry::examine(struct stat& status) const {
  return ::fstatat(folder_, name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool folder_entry::sync(int file) const {
  if (::fsync(folder_) == 0 || errno == EINVAL || errno == ENOSYS) return true;
  return errno == EBADF && ::syncfs(file) == 0;  // a handle can't be synced
}

}  // namespace warpfold::data
