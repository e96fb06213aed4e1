#include "data/output_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/file.hpp"
#include "warpfold/error.hpp"

namespace warpfold::data {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

/// A name in `folder` that nobody else in this machine takes.
std::filesystem::path hidden_name(const std::filesystem::path& folder) {
  static std::atomic<unsigned> counter{0};
  return folder / fmt::format(".warpfold-{}-{}.tmp", ::getpid(), counter++);
}

int open_without_name(const std::filesystem::path& folder) {
  return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

/// Opens a new file with a hidden name, which it stores in `path`.
int open_hidden(const std::filesystem::path& folder, std::filesystem::path& path) {
  int descriptor = -1;
  do {
    path = hidden_name(folder);
    descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EEXIST);
  return descriptor;
}

/// Whether the file system, rather than the caller, is why there can be no file without a name.
bool has_no_nameless_files(int code) {
  return code == EOPNOTSUPP || code == EISDIR || code == EINVAL || code == ENOENT;
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
    throw data_error(
        fmt::format("{}: there is no room for {} bytes: {}", name, bytes, reason_of(errno)));
  }  // otherwise the file system can't tell in advance
}

}  // namespace

output_file::output_file(const std::filesystem::path& path, over what)
    : path_(path), name_(in_quotes(path.string())), over_(what) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status)) {
    if (!std::filesystem::is_regular_file(status)) {
      throw data_error(
          fmt::format("{}: exists and is not a regular file; choose another name", name_));
    }
    if (over_ == over::nothing) {
      throw data_error(
          fmt::format("{}: exists already; choose another name, or --force to replace it", name_));
    }
  }
  const auto folder = folder_of(path);
  descriptor_ = open_without_name(folder);
  if (descriptor_ < 0 && has_no_nameless_files(errno)) {
    descriptor_ = open_hidden(folder, temporary_);
  }
  if (descriptor_ < 0) {
    const int code = errno;
    temporary_.clear();
    cannot_write(name_, 0, code);
  }
}

output_file::~output_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void output_file::reserve(std::uint64_t bytes) { reserve_in(descriptor_, name_, bytes); }

void output_file::write(std::uint64_t offset, std::span<const std::byte> part) {
  write_at(descriptor_, name_, written_, offset, part);
}

void output_file::commit() {
  // Without the sync, a crash just after the rename may leave an empty file under the name.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) {
    cannot_write(name_, written_, errno);
  }
  // A link, unlike a rename, replaces nothing; where it may, a rename does so at one stroke.
  const std::string self =
      temporary_.empty() ? fmt::format("/proc/self/fd/{}", descriptor_) : temporary_.string();
  const auto link_as = [&](const std::filesystem::path& name) {
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link_as(path_)) return close();
  if (errno == EEXIST && over_ == over::nothing) {
    throw data_error(fmt::format("{}: has come to exist meanwhile; choose another name", name_));
  }
  while (temporary_.empty() && errno == EEXIST) {
    const auto name = hidden_name(folder_of(path_));
    if (link_as(name)) temporary_ = name;
  }
  if (temporary_.empty()) cannot_write(name_, written_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) cannot_write(name_, written_, errno);
  temporary_.clear();
  close();
}

void output_file::close() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) cannot_write(name_, written_, errno);
}

scratch_file::scratch_file(const std::filesystem::path& folder)
    : name_("a scratch file in " + in_quotes(folder.string())) {
  descriptor_ = open_without_name(folder);
  if (descriptor_ < 0 && has_no_nameless_files(errno)) {
    std::filesystem::path path;
    descriptor_ = open_hidden(folder, path);
    if (descriptor_ >= 0) ::unlink(path.c_str());
  }
  if (descriptor_ < 0) cannot_write(name_, 0, errno);
}

scratch_file::~scratch_file() { ::close(descriptor_); }

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
