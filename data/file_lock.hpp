// Keeps the processes that change a file apart.
#pragma once

#include <stop_token>
#include <string>

#include "data/folder_entry.hpp"

namespace warpfold::data {

/// For as long as it lives, no other process has a lock of the same place: it is a hidden file
/// beside it, locked by flock, and removed at the end. A kill leaves the empty file, which does
/// not block other processes.
class file_lock {
 public:
  /// Waits until it has the lock. Throws data_error where nothing can be locked, and `interrupted`
  /// at `stop`. `place` must outlive it.
  file_lock(const folder_entry& place, const std::stop_token& stop);
  ~file_lock();
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;

 private:
  [[nodiscard]] bool has_name() const;
  void wait(const std::stop_token& stop) const;

  const folder_entry& place_;
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace warpfold::data
