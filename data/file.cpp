#include "data/file.hpp"

#include <atomic>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "warpfold/error.hpp"

namespace warpfold::data {
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

std::string what_to_do(int code) {
  switch (code) {
    case ENOENT: return "check the path";
    case EACCES:
    case EPERM: return "change its permissions or choose another place";
    case ENOSPC:
    case EDQUOT: return "free some space or choose another place";
    default: return "check the file system";
  }
}

/// The new file that becomes `path`. Removed again unless commit() was reached.
class pending_file {
 public:
  explicit pending_file(const std::filesystem::path& path)
      : path_(path), name_(in_quotes(path.string())) {
    static std::atomic<unsigned> counter{0};
    do {
      temporary_ = path.parent_path() / fmt::format(".warpfold-{}-{}.tmp", ::getpid(), counter++);
      descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail(errno);
  }
  ~pending_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }
  pending_file(const pending_file&) = delete;
  pending_file& operator=(const pending_file&) = delete;

  void write(std::span<const std::byte> part) {
    while (!part.empty()) {
      const ssize_t count = ::write(descriptor_, part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail(count < 0 ? errno : ENOSPC);
      part = part.subspan(static_cast<std::size_t>(count));
      written_ += static_cast<std::size_t>(count);
    }
  }

  void commit() {
    // Without the sync, a crash just after the rename may leave an empty file under the name.
    if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) fail(errno);
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (::close(descriptor) != 0) fail(errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
    temporary_.clear();
  }

 private:
  [[noreturn]] void fail(int code) const {
    throw data_error(fmt::format("{}: can't be written after {} bytes: {}; {}", name_, written_,
                                 reason(code), what_to_do(code)));
  }

  std::filesystem::path path_, temporary_;
  std::string name_;
  int descriptor_ = -1;
  std::size_t written_ = 0;
};

}  // namespace

std::string in_quotes(std::string_view text, std::size_t longest) {
  std::string result = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && byte < 0xa0 && result.back() == '\xc2')) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + (text.size() > longest ? "...'" : "'");
}

input_file::input_file(const std::filesystem::path& path) : name_(in_quotes(path.string())) {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw data_error(
        fmt::format("{}: can't be opened: {}; {}", name_, reason(errno), what_to_do(errno)));
  }
  struct stat status {};
  const char* kind = nullptr;
  if (::fstat(descriptor_, &status) != 0)
    kind = "can't be examined";
  else if (S_ISDIR(status.st_mode))
    kind = "is a directory";
  else if (!S_ISREG(status.st_mode))
    kind = "is a pipe or a device, whose length is unknown";
  if (kind != nullptr) {
    ::close(descriptor_);
    throw data_error(fmt::format("{}: {}; give a regular file", name_, kind));
  }
  size_ = static_cast<std::size_t>(status.st_size);
}

input_file::~input_file() { ::close(descriptor_); }

void input_file::read(std::size_t offset, std::span<std::byte> out) const {
  const std::size_t wanted = out.size();
  while (!out.empty()) {
    const ssize_t count = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw data_error(fmt::format("{}: reading {} bytes at byte {} failed: {}; {}", name_,
                                   out.size(), offset, reason(errno), what_to_do(errno)));
    }
    if (count == 0) {
      throw data_error(
          fmt::format("{}: ended at byte {}, {} of {} bytes short; is something "
                      "still writing it? Read it again when it is complete",
                      name_, offset, out.size(), wanted));
    }
    out = out.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::size_t>(count);
  }
}

std::vector<std::byte> input_file::read(std::size_t offset, std::size_t count) const {
  std::vector<std::byte> bytes;
  try {
    bytes.resize(count);
  } catch (const std::exception&) {  // bad_alloc or length_error
    throw data_error(
        fmt::format("{}: its {} bytes do not fit in memory; read it in parts", name_, count));
  }
  read(offset, bytes);
  return bytes;
}

void replace_file(const std::filesystem::path& path,
                  std::initializer_list<std::span<const std::byte>> parts) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw data_error(fmt::format("{}: exists and is not a regular file; choose another name",
                                 in_quotes(path.string())));
  }
  pending_file file(path);
  for (const auto part : parts) file.write(part);
  file.commit();
}

}  // namespace warpfold::data
