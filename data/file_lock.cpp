#include "data/file_lock.hpp"

#include <cerrno>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "data/file.hpp"
#include "warpfold/pipeline.hpp"

namespace warpfold::data {
namespace {

[[noreturn]] void cannot_lock(const folder_entry& place, int code) {
  throw data_error(
      fmt::format("{}: can't be locked: {}", in_quotes(place.path().string()), reason_of(code)));
}

}  // namespace

file_lock::file_lock(const folder_entry& place, const std::stop_token& stop)
    : place_(place), name_(fmt::format(".{}.lock", place.name())) {
  do {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ =
        ::openat(place_.folder(), name_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0) cannot_lock(place_, errno);
    try {
      wait(stop);
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
  } while (!has_name());  // who had it before has removed it
}

file_lock::~file_lock() {
  ::unlinkat(place_.folder(), name_.c_str(), 0);
  ::close(descriptor_);
}

void file_lock::wait(const std::stop_token& stop) const {
  // flock alone would not see `stop`, as another thread handles signals.
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) cannot_lock(place_, errno);
    if (stop.stop_requested()) throw interrupted("data::file_lock: asked to stop");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

bool file_lock::has_name() const {
  struct stat ours {
  }, there{};
  return ::fstat(descriptor_, &ours) == 0 &&
         ::fstatat(place_.folder(), name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

}  // namespace warpfold::data
