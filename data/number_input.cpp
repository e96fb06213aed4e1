#include "data/number_input.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/npy_header.hpp"
#include "data/read.hpp"
#include "warpfold/error.hpp"
#include "warpfold/pipeline.hpp"

namespace warpfold::data {
namespace {

bool is_stream(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISSOCK(status.st_mode));
}

usage_error missing_type(const std::string& name) {
  return usage_error(fmt::format(
      "{}: a stream without an .npy header may be of any type; give it with --type ({})", name,
      list_of_types()));
}

}  // namespace

number_input::number_input(const std::vector<std::string>& paths, std::optional<value_type> type)
    : number_input() {
  if (paths.empty()) throw usage_error("no file to read; name one");
  asked_ = type;
  for (const auto& path : paths) open(path == "-" ? "/dev/stdin" : path, paths.size() == 1);
  if (paths.size() == 1) return;
  shape_ = {*bytes_ / size_of(type_)};
  name_ = fmt::format("{} and {} more", pool_.name(0), paths.size() - 1);
}

void number_input::open(const std::string& path, bool alone) {
  // Standard input may stand anywhere, may not be allowed to be opened again, and needs no /proc.
  const bool is_standard = path == "/dev/stdin";
  name_ = is_standard ? "standard input" : in_quotes(path);
  paths_.push_back(path);
  const int descriptor =
      is_standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open_to_read(path);
  if (descriptor < 0) {
    throw data_error(fmt::format("{}: can't be opened: {}", name_, reason_of(errno)));
  }
  if (!is_stream(descriptor)) return add_file(descriptor, alone || is_standard ? "" : path);
  stream_ = descriptor;
  if (!alone) {
    throw usage_error(fmt::format(
        "{}: is a stream, and several inputs must be files; write it to a file first", name_));
  }
  if (!asked_ && ::isatty(descriptor) != 0) throw missing_type(name_);
}

void number_input::add_file(int descriptor, std::string path) {
  const auto origin =
      static_cast<std::uint64_t>(std::max<off_t>(0, ::lseek(descriptor, 0, SEEK_CUR)));
  pool_.add(descriptor, name_, origin, std::move(path));
  ::lseek(descriptor, 0, SEEK_END);  // the next reader of the descriptor goes on there
  const file_layout layout =
      pool_.use(parts_.size(), [&](const input_file& file) { return layout_of(file, asked_); });
  if (!parts_.empty() && layout.type != type_) {
    throw data_error(fmt::format("{}: holds {}, and {} holds {}; give files of one type", name_,
                                 name_of(layout.type), pool_.name(0), name_of(type_)));
  }
  type_ = layout.type;
  shape_ = layout.shape;
  dimensions_ = std::max(dimensions_, layout.shape.size());
  parts_.push_back({layout.data_offset, bytes_.value_or(0), layout.data_bytes});
  bytes_ = parts_.back().offset + layout.data_bytes;
}

number_input::~number_input() {
  if (stream_ >= 0) ::close(stream_);
}

void number_input::begin(const std::stop_token& stop) {
  if (stream_ < 0) return;
  const bool is_npy = begins_like_npy(stop);
  if (stop.stop_requested()) throw interrupted("data::number_input: asked to stop");
  if (is_npy) {
    npy_header header =
        read_npy_header(name_, [&](std::span<std::byte> room) { return fill(room, stop); });
    check_type(name_, header.type, asked_);
    type_ = header.type;
    shape_ = std::move(header.shape);
    dimensions_ = shape_.size();
    bytes_ = header.data_bytes;
  } else if (asked_) {
    type_ = *asked_;
  } else {
    throw missing_type(name_);
  }
}

/// Reads no more than it takes to tell: a slow stream is not waited for.
bool number_input::begins_like_npy(const std::stop_token& stop) {
  std::string start;
  for (char next = 0; start.size() < npy_magic.size() && npy_magic.starts_with(start);) {
    if (fill(std::as_writable_bytes(std::span(&next, 1)), stop) == 0) break;
    start += next;
  }
  const auto bytes = std::as_bytes(std::span(start));
  ahead_.assign(bytes.begin(), bytes.end());
  return start == npy_magic;
}

std::vector<std::uint64_t> number_input::bytes_of_files() const {
  std::vector<std::uint64_t> all;
  for (const part& f : parts_) all.push_back(f.bytes);
  return all;
}

bool number_input::is_same_file(const std::filesystem::path& path) const {
  struct stat theirs {};
  if (parts_.empty() || ::stat(path.c_str(), &theirs) != 0) return false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const struct stat& ours = pool_.status(i);
    if (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino) return true;
  }
  return false;
}

void number_input::require_unchanged() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const timespec then = pool_.status(i).st_mtim, now = pool_.use(i, [](const input_file& file) {
      struct stat status {};
      ::fstat(file.descriptor(), &status);
      return status.st_mtim;
    });
    if (now.tv_sec == then.tv_sec && now.tv_nsec == then.tv_nsec) continue;
    throw data_error(fmt::format(
        "{}: was written to while it was read; read it again when it is complete", pool_.name(i)));
  }
}

std::size_t number_input::read(std::uint64_t offset, std::span<std::byte> room,
                               const std::stop_token& stop) {
  if (stream_ >= 0) return read_stream(room, stop);
  std::size_t done = 0;
  auto f =
      std::upper_bound(parts_.begin(), parts_.end(), offset,
                       [](std::uint64_t at, const part& p) { return at < p.offset + p.bytes; });
  for (; f != parts_.end() && done < room.size(); ++f) {
    const std::uint64_t at = offset + done - f->offset;
    const auto piece =
        room.subspan(done, std::min<std::uint64_t>(f->bytes - at, room.size() - done));
    pool_.use(static_cast<std::size_t>(f - parts_.begin()),
              [&](const input_file& file) { file.read(f->begin + at, piece); });
    done += piece.size();
  }
  return done;
}

/// Fewer bytes only at the stream's end, and at `stop`.
std::size_t number_input::fill(std::span<std::byte> room, const std::stop_token& stop) {
  std::size_t filled = std::min(room.size(), ahead_.size());
  std::copy_n(ahead_.begin(), filled, room.begin());
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(filled));
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
  return filled;
}

std::size_t number_input::read_stream(std::span<std::byte> room, const std::stop_token& stop) {
  const auto wanted =
      bytes_ ? room.first(std::min<std::uint64_t>(*bytes_ - taken_, room.size())) : room;
  const std::size_t filled = fill(wanted, stop);
  taken_ += filled;
  if (stop.stop_requested()) return filled;
  if (bytes_ && filled < wanted.size()) {
    throw data_error(
        fmt::format("{}: ended after {} of the {} bytes that its header gives; it was cut short: "
                    "copy or save it "
                    "again",
                    name_, taken_, *bytes_));
  }
  std::byte more{};
  if (bytes_ && filled < room.size() && fill({&more, 1}, stop) > 0) {
    throw data_error(
        fmt::format("{}: has more than the {} bytes that its header gives; a stream is one .npy "
                    "file: name several as files",
                    name_, *bytes_));
  }
  if (filled % size_of(type_) != 0) {
    throw data_error(
        fmt::format("{}: ended after {} bytes, which are not a whole number of {} ({} bytes each); "
                    "give the type that it was written with",
                    name_, taken_, name_of(type_), size_of(type_)));
  }
  return filled;
}

}  // namespace warpfold::data
