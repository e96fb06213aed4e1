#include "data/standard_output.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/file.hpp"
#include "warpfold/pipeline.hpp"

namespace warpfold::data {
namespace {

/// A file takes any part at once; a pipe that is ready takes PIPE_BUF bytes without blocking the
/// writer, which could not be stopped while it blocks.
constexpr std::size_t file_part = std::size_t{8} << 20, pipe_part = PIPE_BUF;

bool takes_writes(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags >= 0 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_RDONLY) return true;
  errno = EBADF;
  return false;
}

}  // namespace

bool is_standard_output(const std::filesystem::path& path) {
  return path == "-" || path == "/dev/stdout";
}

standard_output::standard_output(std::stop_token stop) : stop_(std::move(stop)) {
  if (!takes_writes(STDOUT_FILENO)) cannot_write(name_, 0, errno);
  descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (descriptor_ < 0) cannot_write(name_, 0, errno);
  struct stat status {};
  is_file_ = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

standard_output::~standard_output() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void standard_output::write(std::uint64_t offset, std::span<const std::byte> part) {
  if (offset != written_) throw error("standard_output::write: a part is missing or comes twice");
  while (!part.empty()) {
    if (stop_.stop_requested()) throw interrupted("data::standard_output: asked to stop");
    // A signal may be handled by another thread, and then does not wake this one.
    pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    if (!is_file_ && ::poll(&ready, 1, 100) <= 0) continue;
    const ssize_t count =
        ::write(descriptor_, part.data(), std::min(part.size(), is_file_ ? file_part : pipe_part));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0 && errno == EPIPE) throw broken_pipe(name_ + ": its reader has closed it");
    if (count <= 0) cannot_write(name_, written_, count < 0 ? errno : ENOSPC);
    part = part.subspan(static_cast<std::size_t>(count));
    written_ += static_cast<std::uint64_t>(count);
  }
}

void standard_output::finish() {
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0 && errno != EINTR) cannot_write(name_, written_, errno);
}

}  // namespace warpfold::data
