// A folder for what is made on the way.
#pragma once

#include <filesystem>

namespace warpfold::cli {

/// Below TMPDIR, gone afterwards. Throws data_error where it can't be made.
class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace warpfold::cli
