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

number_input::number_input(const std::vector<std::string>& paths, std::optional<value_type> type)
    : number_input() {
  if (paths.empty()) throw usage_error("no file to read; name one");
  for (const auto& path : paths) open(path == "-" ? "/dev/stdin" : path, type, paths.size() == 1);
  if (paths.size() == 1) return;
  shape_ = {*bytes_ / size_of(type_)};
  name_ = fmt::format("{} and {} more", files_.front().file.name(), paths.size() - 1);
}

void number_input::open(const std::string& path, std::optional<value_type> type, bool alone) {
  name_ = in_quotes(path);
  paths_.push_back(path);
  // Standard input may stand anywhere, may not be allowed to be opened again, and needs no /proc.
  const int descriptor =
      path == "/dev/stdin" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open_to_read(path);
  if (descriptor < 0) {
    throw data_error(fmt::format("{}: can't be opened: {}", name_, reason_of(errno)));
  }
  if (!is_stream(descriptor)) return add_file(descriptor, name_, type);
  stream_ = descriptor;
  if (!alone) {
    throw usage_error(fmt::format(
        "{}: is a stream, and only files can be several; write it to one first", name_));
  }
  if (!type) {
    throw usage_error(fmt::format("{}: a stream may be of any type; say which with --type ({})",
                                  name_, list_of_types()));
  }
  type_ = *type;
}

void number_input::add_file(int descriptor, const std::string& name,
                            std::optional<value_type> type) {
  const auto origin =
      static_cast<std::uint64_t>(std::max<off_t>(0, ::lseek(descriptor, 0, SEEK_CUR)));
  part& added = files_.emplace_back(descriptor, name, origin);
  const file_layout layout = layout_of(added.file, type);
  if (files_.size() > 1 && layout.type != type_) {
    throw data_error(fmt::format("{}: holds {}, and {} holds {}; give files of one type", name,
                                 name_of(layout.type), files_.front().file.name(), name_of(type_)));
  }
  type_ = layout.type;
  shape_ = layout.shape;
  dimensions_ = std::max(dimensions_, layout.shape.size());
  added.begin = layout.data_offset;
  added.offset = bytes_.value_or(0);
  added.bytes = layout.data_bytes;
  bytes_ = added.offset + added.bytes;
  added.written = status_of(descriptor).st_mtim;
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  ::lseek(descriptor, 0, SEEK_END);  // whoever reads the same descriptor next goes on
}

number_input::~number_input() {
  if (stream_ >= 0) ::close(stream_);
}

std::vector<std::uint64_t> number_input::bytes_of_files() const {
  std::vector<std::uint64_t> all;
  for (const part& f : files_) all.push_back(f.bytes);
  return all;
}

bool number_input::is_same_file(const std::filesystem::path& path) const {
  struct stat theirs {};
  if (files_.empty() || ::stat(path.c_str(), &theirs) != 0) return false;
  return std::any_of(files_.begin(), files_.end(), [&](const part& f) {
    const struct stat ours = status_of(f.file.descriptor());
    return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
  });
}

void number_input::require_unchanged() const {
  for (const part& f : files_) {
    const struct stat now = status_of(f.file.descriptor());
    if (now.st_mtim.tv_sec == f.written.tv_sec && now.st_mtim.tv_nsec == f.written.tv_nsec)
      continue;
    throw data_error(fmt::format(
        "{}: was written to while it was read; read it again when it is complete", f.file.name()));
  }
}

std::size_t number_input::read(std::uint64_t offset, std::span<std::byte> room,
                               const std::stop_token& stop) {
  if (files_.empty()) return read_stream(room, stop);
  std::size_t done = 0;
  for (const part& f : files_) {
    const std::uint64_t at = offset + done;
    if (at >= f.offset + f.bytes) continue;
    const std::uint64_t left = f.offset + f.bytes - at;
    const auto piece = room.subspan(done, std::min<std::uint64_t>(left, room.size() - done));
    f.file.read(f.begin + (at - f.offset), piece);
    done += piece.size();
  }
  return done;
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
