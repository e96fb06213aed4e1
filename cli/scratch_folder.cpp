#include "cli/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace fs = std::filesystem;

scratch_folder::scratch_folder() {
  std::string name = (fs::temp_directory_path() / "warpfold-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw data_error(name + ": " + std::strerror(errno) + "; set TMPDIR to another folder");
  }
  path_ = name;
}

scratch_folder::~scratch_folder() {
  std::error_code none;
  fs::remove_all(path_, none);
}

}  // namespace warpfold::cli
