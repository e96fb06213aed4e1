#include "data/number_input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/npy_header.hpp"
#include "data/read.hpp"
#include "warpfold/error.hpp"

namespace warpfold::data {
namespace {

struct stat status_of(int descriptor) {
  struct stat status {};
  ::fstat(descriptor, &status);
  return status;
}

bool is_stream(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISSOCK(status.st_mode));
}

}  // namespace

number_input::number_input(const std::filesystem::path& path)
    : name_(in_quotes(path.string())), path_(path) {
  // Standard input may stand anywhere, may not be allowed to be opened again, and needs no /proc.
  stream_ = path == "/dev/stdin" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open_to_read(path);
  if (stream_ < 0) {
    throw data_error(fmt::format("{}: can't be opened: {}", name_, reason_of(errno)));
  }
}

number_input::number_input(const std::filesystem::path& path, std::optional<value_type> type)
    : number_input(path == "-" ? "/dev/stdin" : path) {
  if (!is_stream(stream_)) {
    const auto origin =
        static_cast<std::uint64_t>(std::max<off_t>(0, ::lseek(stream_, 0, SEEK_CUR)));
    file_.emplace(std::exchange(stream_, -1), name_, origin);
    const file_layout layout = layout_of(*file_, type);
    type_ = layout.type;
    shape_ = layout.shape;
    begin_ = layout.data_offset;
    bytes_ = layout.data_bytes;
    written_ = status_of(file_->descriptor()).st_mtim;
    ::posix_fadvise(file_->descriptor(), 0, 0, POSIX_FADV_SEQUENTIAL);
    ::lseek(file_->descriptor(), 0, SEEK_END);  // whoever reads the same descriptor next goes on
    return;
  }
  if (!type) {
    throw usage_error(fmt::format("{}: a stream may be of any type; say which with --type ({})",
                                  name_, list_of_types()));
  }
  type_ = *type;
}

number_input::~number_input() {
  if (stream_ >= 0) ::close(stream_);
}

bool number_input::is_same_file(const std::filesystem::path& path) const {
  struct stat ours {
  }, theirs{};
  return file_ && ::fstat(file_->descriptor(), &ours) == 0 && ::stat(path.c_str(), &theirs) == 0 &&
         ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

void number_input::require_unchanged() const {
  if (!file_) return;
  const struct stat now = status_of(file_->descriptor());
  if (now.st_mtim.tv_sec == written_.tv_sec && now.st_mtim.tv_nsec == written_.tv_nsec) return;
  throw data_error(fmt::format(
      "{}: was written to while it was read; read it again when it is complete", name_));
}

std::size_t number_input::read(std::uint64_t offset, std::span<std::byte> room,
                               const std::stop_token& stop) {
  if (!file_) return read_stream(room, stop);
  const std::uint64_t left = *bytes_ - std::min(offset, *bytes_);
  room = room.first(static_cast<std::size_t>(std::min<std::uint64_t>(left, room.size())));
  file_->read(begin_ + offset, room);
  return room.size();
}

std::size_t number_input::read_stream(std::span<std::byte> room, const std::stop_token& stop) {
  std::size_t filled = 0;
  while (filled < room.size() && !stop.stop_requested()) {
    // A signal may be handled by another thread, and then does not wake this one.
    pollfd ready{.fd = stream_, .events = POLLIN, .revents = 0};
    const int count_ready = ::poll(&ready, 1, 100);
    if (count_ready == 0 || (count_ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(stream_, room.data() + filled, room.size() - filled);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) {
      throw data_error(fmt::format("{}: reading failed after {} bytes: {}", name_, taken_ + filled,
                                   reason_of(errno)));
    }
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  if (taken_ == 0 && filled >= npy_magic.size() &&
      std::memcmp(room.data(), npy_magic.data(), npy_magic.size()) == 0) {
    throw data_error(fmt::format(
        "{}: begins like an .npy file, whose header is no number; give the file's path", name_));
  }
  taken_ += filled;
  if (filled % size_of(type_) != 0 && !stop.stop_requested()) {
    throw data_error(
        fmt::format("{}: ended after {} bytes, which are not a whole number of {} ({} bytes each); "
                    "give the type that it was written with",
                    name_, taken_, name_of(type_), size_of(type_)));
  }
  return filled;
}

}  // namespace warpfold::data
