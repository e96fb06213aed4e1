#include "data/output_file.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "data/file.hpp"
#include "warpfold/error.hpp"

namespace warpfold::data {
namespace {

constexpr const char* access_list = "system.posix_acl_access";

int handle_of_folder(const std::filesystem::path& folder) {
  return ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int open_without_name(int folder, mode_t mode) {
  return ::openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

/// Opens a new file that has, and locks, a hidden name.
int open_hidden(int folder, mode_t mode, hidden_name& name) {
  int descriptor = -1;
  const bool taken = name.take(folder, [&](const char* text) {
    descriptor = ::openat(folder, text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0) return false;
    // Another process may have taken the file in between for one that was left by a kill.
    struct stat status {};
    if ((::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
        ::fstat(descriptor, &status) == 0 && status.st_nlink > 0) {
      return true;
    }
    ::close(descriptor);
    errno = EEXIST;
    return false;
  });
  return taken ? descriptor : -1;
}

/// Whether the file system, rather than the caller, is why there can be no file without a name.
bool has_no_nameless_files(int code) {
  return code == EOPNOTSUPP || code == EISDIR || code == EINVAL || code == ENOENT;
}

/// What an open file can be given a name by.
std::string path_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

bool link_open_file(int descriptor, int folder, const char* name) {
  return ::linkat(AT_FDCWD, path_of(descriptor).c_str(), folder, name, AT_SYMLINK_FOLLOW) == 0;
}

void write_at(int descriptor, const std::string& name, std::atomic<std::uint64_t>& written,
              std::uint64_t offset, std::span<const std::byte> part) {
  while (!part.empty()) {
    const ssize_t count =
        ::pwrite(descriptor, part.data(), part.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) cannot_write(name, written, count < 0 ? errno : ENOSPC);
    part = part.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
    written += static_cast<std::uint64_t>(count);
  }
}

void reserve_in(int descriptor, const std::string& name, std::uint64_t bytes) {
  if (bytes == 0 || ::fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) == 0) return;
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) {
    throw data_error(fmt::format("{}: no space for {} bytes: {}", name, bytes, reason_of(errno)));
  }  // otherwise the file system can't tell in advance
}

}  // namespace

output_file::output_file(const std::filesystem::path& path, over what, bool shared)
    : name_(in_quotes(path.string())), place_(path), over_(what) {
  struct stat old {};
  const bool replaces = place_.examine(old);
  if (!replaces && errno != ENOENT) cannot_write(name_, 0, errno);
  if (replaces && !S_ISREG(old.st_mode)) {
    throw data_error(
        fmt::format("{}: exists and is not a regular file; choose another name", name_));
  }
  if (replaces && over_ == over::nothing) {
    throw data_error(
        fmt::format("{}: exists already; choose another name, or --force to replace it", name_));
  }
  open(replaces, shared);
}

/// A file to be replaced may be private, so no other user may read the new one.
void output_file::open(bool replaces, bool shared) {
  const mode_t mode = replaces ? 0600 : 0666;
  if (!shared) descriptor_ = open_without_name(place_.folder(), mode);
  if (descriptor_ >= 0 && ::access(path_of(descriptor_).c_str(), F_OK) != 0) {
    ::close(descriptor_);  // without /proc it could get no name
    descriptor_ = -1;
    errno = EOPNOTSUPP;
  }
  if (shared || (descriptor_ < 0 && has_no_nameless_files(errno))) {
    descriptor_ = open_hidden(place_.folder(), mode, hidden_);
  }
  if (descriptor_ < 0) cannot_write(name_, 0, errno);
}

output_file::~output_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void output_file::reserve(std::uint64_t bytes) { reserve_in(descriptor_, name_, bytes); }

void output_file::write(std::uint64_t offset, std::span<const std::byte> part) {
  write_at(descriptor_, name_, written_, offset, part);
}

void output_file::commit(std::span<output_file* const> files) {
  for (output_file* const f : files) f->prepare();
  auto next = files.begin();
  try {
    for (; next != files.end(); ++next) (*next)->take_name(next + 1 != files.end());
  } catch (...) {
    while (next != files.begin()) (*--next)->give_name_back();
    throw;
  }
  for (output_file* const f : files) f->finish();
}

void output_file::prepare() {
  struct stat old {};
  const bool replaces = over_ == over::anything && place_.examine(old) && S_ISREG(old.st_mode);
  if (replaces) keep_permissions(old);
  // Without the sync, a crash just after the rename may leave an empty file under the name.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) {
    cannot_write(name_, written_, errno);
  }
  if (replaces && !hidden_.is_taken()) hide();
}

/// Best effort, as a file system may have neither; never more than the old file allowed.
void output_file::keep_permissions(const struct stat& old) const {
  mode_t mode = old.st_mode & 07777;
  const bool same_owner = ::fchown(descriptor_, old.st_uid, static_cast<gid_t>(-1)) == 0;
  const bool same_group = ::fchown(descriptor_, static_cast<uid_t>(-1), old.st_gid) == 0;
  if (!same_owner) mode &= ~static_cast<mode_t>(S_ISUID);
  if (!same_group) mode &= ~static_cast<mode_t>(S_ISGID | S_IRWXG);
  // With an access list, the group's bits are what the list allows at most: not what the group may.
  const std::string path = place_.path();
  std::array<char, 4096> list{};
  const ssize_t size = ::getxattr(path.c_str(), access_list, list.data(), list.size());
  const bool listed = size >= 0 || errno == ERANGE;
  if (listed && (size < 0 || ::fsetxattr(descriptor_, access_list, list.data(),
                                         static_cast<std::size_t>(size), 0) != 0)) {
    mode &= ~static_cast<mode_t>(S_IRWXG);
  }
  if (!listed) (void)::fremovexattr(descriptor_, access_list);  // that a folder gives its files
  (void)::fchmod(descriptor_, mode);
}

bool output_file::link() {
  if (!hidden_.is_taken()) return link_open_file(descriptor_, place_.folder(), place_.name());
  if (hidden_.rename_to(place_.name(), RENAME_NOREPLACE)) return true;
  return errno == EINVAL &&  // not known there
         ::linkat(place_.folder(), hidden_.name(), place_.folder(), place_.name(), 0) == 0;
}

/// Gives a file without a name a hidden one.
void output_file::hide() {
  (void)::flock(descriptor_, LOCK_EX | LOCK_NB);
  const auto link_as = [&](const char* text) {
    return link_open_file(descriptor_, place_.folder(), text);
  };
  if (!hidden_.take(place_.folder(), link_as)) cannot_write(name_, written_, errno);
}

/// A link, unlike a rename, replaces nothing; where it may, a rename does so at one stroke. An
/// exchange of names can be undone.
void output_file::take_name(bool may_be_undone) {
  if (link()) {
    named_ = named::by_link;
    return;
  }
  if (errno == EEXIST && over_ == over::nothing) {
    throw data_error(fmt::format("{}: was created meanwhile; choose another name", name_));
  }
  if (!hidden_.is_taken()) {
    if (errno != EEXIST) cannot_write(name_, written_, errno);
    hide();
  }
  if (may_be_undone && hidden_.exchange_with(place_.name())) {
    named_ = named::by_exchange;
    return;
  }
  if (!hidden_.rename_to(place_.name())) cannot_write(name_, written_, errno);
  named_ = named::by_rename;
}

void output_file::give_name_back() noexcept {
  struct stat ours {
  }, there{};
  const bool still_there = ::fstat(descriptor_, &ours) == 0 && place_.examine(there) &&
                           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
  if (!still_there) return;
  if (named_ == named::by_link) ::unlinkat(place_.folder(), place_.name(), 0);
  if (named_ == named::by_exchange) (void)hidden_.exchange_with(place_.name());
}

void output_file::finish() {
  hidden_.remove();
  if (!place_.sync(descriptor_)) {
    throw data_error(fmt::format("{}: is complete, but a power failure now may lose its name: {}",
                                 name_, reason_of(errno)));
  }
  // All is on the disk: closing has nothing to add that could fail.
  ::close(std::exchange(descriptor_, -1));
}

scratch_file::scratch_file(const std::filesystem::path& folder, bool shared)
    : name_("a scratch file in " + in_quotes(folder.string())), folder_(handle_of_folder(folder)) {
  if (folder_ < 0) cannot_write(name_, 0, errno);
  if (!shared) descriptor_ = open_without_name(folder_, 0600);
  if (shared || (descriptor_ < 0 && has_no_nameless_files(errno))) {
    descriptor_ = open_hidden(folder_, 0600, hidden_);
  }
  const int code = errno;
  if (!shared) hidden_.remove();
  if (descriptor_ >= 0) return;
  ::close(folder_);
  cannot_write(name_, 0, code);
}

scratch_file::scratch_file(const std::filesystem::path& folder, const std::string& hidden)
    : name_(in_quotes((folder / hidden).string())), folder_(handle_of_folder(folder)) {
  if (folder_ >= 0) descriptor_ = ::openat(folder_, hidden.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor_ < 0) {
    const int code = errno;
    ::close(folder_);
    throw data_error(fmt::format("{}: was created by the first rank and can't be opened here: {}",
                                 name_, reason_of(code)));
  }
  hidden_.share(folder_, hidden);
}

scratch_file::~scratch_file() {
  hidden_.remove();
  ::close(descriptor_);
  ::close(folder_);
}

void scratch_file::sync() const {
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) {
    cannot_write(name_, written_, errno);
  }
}

void scratch_file::reserve(std::uint64_t bytes) { reserve_in(descriptor_, name_, bytes); }

void scratch_file::write(std::uint64_t offset, std::span<const std::byte> part) {
  write_at(descriptor_, name_, written_, offset, part);
}

void scratch_file::read(std::uint64_t offset, std::span<std::byte> out) const {
  const std::size_t done = read_at(descriptor_, name_, offset, out);
  if (done == out.size()) return;
  throw data_error(fmt::format("{}: was cut short at byte {}, {} of {} bytes missing", name_,
                               offset + done, out.size() - done, out.size()));
}

}  // namespace warpfold::data
