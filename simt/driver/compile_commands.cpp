#include "compile_commands.hpp"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "parts.hpp"

namespace simt::driver {

namespace {

/// A file that one process at a time has open.
class locked_file {
 public:
  explicit locked_file(const std::string& name)
      : file_(open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ < 0 || flock(file_, LOCK_EX) != 0) throw usage(name + ": can't be written");
  }
  ~locked_file() { close(file_); }
  locked_file(const locked_file&) = delete;
  locked_file& operator=(const locked_file&) = delete;

 private:
  int file_;
};

}  // namespace

void add_command(const std::string& database, const std::string& source, const words& command) {
  const locked_file lock(database);
  auto all = nlohmann::json::array();
  if (std::filesystem::file_size(database) > 0) {
    std::ifstream file(database);
    all = nlohmann::json::parse(file, nullptr, false);
    if (!all.is_array()) throw usage(database + ": not a compilation database; remove it");
  }
  const std::string directory = std::filesystem::current_path();
  nlohmann::json entry{{"directory", directory}, {"file", source}, {"arguments", command}};
  for (auto& other : all) {
    if (other.is_object() && other.value("directory", "") == directory &&
        other.value("file", "") == source) {
      std::swap(other, entry);
      entry = nullptr;
      break;
    }
  }
  if (!entry.is_null()) all.push_back(std::move(entry));
  std::ofstream file(database);
  file << all.dump(2) << '\n';
  if (!file.flush()) throw usage(database + ": can't be written");
}

}  // namespace simt::driver
