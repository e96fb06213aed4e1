#include "data/file.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/output_file.hpp"
#include "warpfold/error.hpp"

namespace warpfold::data {
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

std::string what_to_do(int code) {
  switch (code) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP: return "check the path";
    case EBADF: return "open it for the program";
    case EMFILE: return "raise the limit (ulimit -n)";
    case EFBIG: return "raise the limit (ulimit -f) or choose another place";
    case EACCES:
    case EPERM: return "change its permissions or choose another place";
    case ENOSPC:
    case EDQUOT: return "free some space or choose another place";
    default: return "check the file system";
  }
}

}  // namespace

std::string reason_of(int code) { return reason(code) + "; " + what_to_do(code); }

void cannot_write(const std::string& name, std::size_t written, int code) {
  const std::string after = written != 0 ? fmt::format(" after {} bytes", written) : "";
  throw data_error(fmt::format("{}: can't be written{}: {}", name, after, reason_of(code)));
}

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

int open_to_read(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

input_file::input_file(const std::filesystem::path& path)
    : input_file(open_to_read(path), in_quotes(path.string()), 0) {}

input_file::input_file(int descriptor, std::string name, std::uint64_t origin)
    : name_(std::move(name)), descriptor_(descriptor), origin_(origin) {
  if (descriptor_ < 0) {
    throw data_error(fmt::format("{}: can't be opened: {}", name_, reason_of(errno)));
  }
  struct stat status {};
  const char* kind = nullptr;
  if (::fstat(descriptor_, &status) != 0)
    kind = "can't be examined";
  else if (S_ISDIR(status.st_mode))
    kind = "is a directory";
  else if (!S_ISREG(status.st_mode))
    kind = "is a pipe or a device, whose length is unknown";
  else if (char byte = 0; status.st_size == 0 && ::pread(descriptor_, &byte, 1, 0) > 0)
    kind = "has a size of 0 but holds bytes, like files in /proc";
  if (kind != nullptr) {
    ::close(descriptor_);
    throw data_error(fmt::format("{}: {}; give a regular file", name_, kind));
  }
  const auto end = static_cast<std::uint64_t>(status.st_size);
  size_ = static_cast<std::size_t>(end - std::min(end, origin_));
}

input_file::~input_file() { ::close(descriptor_); }

std::size_t read_at(int descriptor, const std::string& name, std::uint64_t offset,
                    std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t count = ::pread(descriptor, out.data() + done, out.size() - done,
                                  static_cast<off_t>(offset + done));
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      throw data_error(fmt::format("{}: reading {} bytes at byte {} failed: {}", name,
                                   out.size() - done, offset + done, reason_of(errno)));
    }
  }
  return done;
}

void input_file::read(std::size_t offset, std::span<std::byte> out) const {
  const std::size_t done = read_at(descriptor_, name_, origin_ + offset, out);
  if (done == out.size()) return;
  throw data_error(
      fmt::format("{}: ended at byte {}, {} of {} bytes short; is something "
                  "still writing it? Read it again when it is complete",
                  name_, origin_ + offset + done, out.size() - done, out.size()));
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
  output_file file(path, output_file::over::anything);
  std::size_t at = 0;
  for (const auto part : parts) {
    file.write(at, part);
    at += part.size();
  }
  file.commit();
}

}  // namespace warpfold::data
