#include "data/hidden_name.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/folder_entry.hpp"

namespace warpfold::data {
namespace {

/// Held while a name is taken, given up or handed on.
std::mutex& names_mutex() {
  static auto* const mutex = new std::mutex;  // outlives all threads
  return *mutex;
}
std::vector<const hidden_name*>& names_taken() {
  static auto* const names = new std::vector<const hidden_name*>;
  return *names;
}

/// What this machine's names begin with: a lock of another machine may not be seen here.
std::string prefix() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string text = fmt::format(".warpfold-{:.64}-", host.data());
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

/// Whether a process has ended but its parent has not waited for it.
bool is_zombie(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);  // "7 (name) Z …", where the name may have anything in it
  const auto name_end = text.rfind(") ");
  return name_end != std::string::npos && text.substr(name_end + 2, 1) == "Z";
}

/// Whether the process that took a name, of which this is what follows the prefix, has ended.
bool has_ended(std::string_view rest) {
  pid_t process = 0;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), process);
  if (code != std::errc() || *end != '-') return false;
  return (::kill(process, 0) != 0 && errno == ESRCH) || is_zombie(process);
}

/// Removes what killed processes of this machine have left. Of those that it can't see, as in
/// another container, the lock tells that they still live.
void sweep(int folder, const std::string& begin) {
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> names(again < 0 ? nullptr : ::fdopendir(again),
                                                  &::closedir);
  while (const dirent* const entry = names ? ::readdir(names.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(begin) || !name.ends_with(".tmp")) continue;
    if (!has_ended(name.substr(begin.size()))) continue;
    const int file =
        ::openat(folder, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    struct stat status {};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
        ::flock(file, LOCK_EX | LOCK_NB) == 0) {
      ::unlinkat(folder, entry->d_name, 0);
    }
    ::close(file);
  }
}

}  // namespace

void remove_hidden_files() {
  names_mutex().lock();  // and never unlocked
  for (const hidden_name* n : names_taken()) ::unlinkat(n->folder_, n->name(), 0);
}

void remove_left_files(const std::filesystem::path& path) noexcept try {
  const folder_entry place(path);
  sweep(place.folder(), prefix());
} catch (...) {  // there is no such folder
}

bool hidden_name::take(int folder, const std::function<bool(const char*)>& make) {
  static unsigned counter = 0;
  const std::scoped_lock lock(names_mutex());
  const std::string begin = prefix();
  sweep(folder, begin);
  names_taken().reserve(names_taken().size() + 1);
  folder_ = folder;
  do {
    name_ = fmt::format("{}{}-{}.tmp", begin, ::getpid(), counter++);
    if (make(name())) {
      names_taken().push_back(this);
      return true;
    }
  } while (errno == EEXIST);
  const int code = errno;
  name_.clear();
  errno = code;
  return false;
}

void hidden_name::share(int folder, const std::string& name) {
  const std::scoped_lock lock(names_mutex());
  names_taken().push_back(this);
  folder_ = folder;
  name_ = name;
}

bool hidden_name::rename_to(const char* name, unsigned flags) {
  const std::scoped_lock lock(names_mutex());
  if (::renameat2(folder_, name_.c_str(), folder_, name, flags) != 0) return false;
  std::erase(names_taken(), this);
  name_.clear();
  return true;
}

bool hidden_name::exchange_with(const char* name) const {
  const std::scoped_lock lock(names_mutex());
  return ::renameat2(folder_, name_.c_str(), folder_, name, RENAME_EXCHANGE) == 0;
}

void hidden_name::remove() {
  if (!is_taken()) return;
  const std::scoped_lock lock(names_mutex());
  ::unlinkat(folder_, name_.c_str(), 0);
  std::erase(names_taken(), this);
  name_.clear();
}

}  // namespace warpfold::data
