// Files that are read in parts, only some of which are open at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "data/file.hpp"

namespace warpfold::data {

class file_pool {
 public:
  /// Takes an open file over, from byte `origin` on. A file with a path is closed while others are
  /// read, and opened there again; one with none stays open.
  void add(int descriptor, const std::string& name, std::uint64_t origin, std::string path);

  [[nodiscard]] const std::string& name(std::size_t i) const { return entries_[i].name; }
  /// What it was when it was added.
  [[nodiscard]] const struct stat& status(std::size_t i) const { return entries_[i].status; }

  /// f(file), which stays open meanwhile. Several threads may do so at the same time. Throws
  /// data_error where the path leads to another file by now.
  template <class F>
  auto use(std::size_t i, const F& f) {
    const user now(*this, i);
    return f(now.file);
  }

 private:
  struct entry {
    std::string name, path;
    struct stat status {};
    std::unique_ptr<input_file> file;
    unsigned users = 0;
  };
  struct user {
    user(file_pool& all, std::size_t i) : pool(all), index(i), file(all.take(i)) {}
    ~user() { pool.give_back(index); }
    user(const user&) = delete;
    user& operator=(const user&) = delete;

    file_pool& pool;
    std::size_t index;
    const input_file& file;
  };
  const input_file& take(std::size_t i);
  void give_back(std::size_t i);
  bool make_room();

  std::deque<entry> entries_;
  std::vector<std::size_t> open_;  // of those with a path, the one used last at the end
  std::mutex changing_;
  std::condition_variable given_back_;
};

}  // namespace warpfold::data
