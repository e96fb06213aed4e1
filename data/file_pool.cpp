#include "data/file_pool.hpp"

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "warpfold/error.hpp"

namespace warpfold::data {
namespace {

/// A quarter of what the process may have open beside the files of a command and its libraries: a
/// sort has two pools.
std::size_t most_open() {
  constexpr rlim_t others = 32, least = 2, most = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return least;
  return std::clamp((std::max(limit.rlim_cur, others) - others) / 4, least, most);
}

struct stat status_of(const input_file& file) {
  struct stat status {};
  ::fstat(file.descriptor(), &status);
  return status;
}

std::unique_ptr<input_file> opened(int descriptor, const std::string& name, std::uint64_t origin) {
  auto file = std::make_unique<input_file>(descriptor, name, origin);
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return file;
}

}  // namespace

void file_pool::add(int descriptor, const std::string& name, std::uint64_t origin,
                    std::string path) {
  auto file = opened(descriptor, name, origin);
  const std::lock_guard lock(changing_);
  const auto status = status_of(*file);
  if (!path.empty()) {
    make_room();
    open_.push_back(entries_.size());
  }
  entries_.push_back({name, std::move(path), status, std::move(file)});
}

const input_file& file_pool::take(std::size_t i) {
  std::unique_lock lock(changing_);
  entry& e = entries_[i];
  given_back_.wait(lock, [&] { return e.file != nullptr || make_room(); });
  if (e.file == nullptr) {
    auto file = opened(open_to_read(e.path), e.name, 0);
    const auto now = status_of(*file);
    if (now.st_dev != e.status.st_dev || now.st_ino != e.status.st_ino) {
      throw data_error(fmt::format("{}: was replaced while it was read; read it again", e.name));
    }
    e.file = std::move(file);
    open_.push_back(i);
  } else if (const auto at = std::find(open_.begin(), open_.end(), i); at != open_.end()) {
    std::rotate(at, at + 1, open_.end());
  }
  ++e.users;
  return *e.file;
}

void file_pool::give_back(std::size_t i) {
  const std::lock_guard lock(changing_);
  if (--entries_[i].users == 0) given_back_.notify_all();
}

/// Whether one more may be open: if needed, closes the unused file that was used longest ago.
bool file_pool::make_room() {
  static const std::size_t most = most_open();
  if (open_.size() < most) return true;
  const auto idle = std::find_if(open_.begin(), open_.end(),
                                 [&](std::size_t k) { return entries_[k].users == 0; });
  if (idle == open_.end()) return false;
  entries_[*idle].file.reset();
  open_.erase(idle);
  return true;
}

}  // namespace warpfold::data
