// Files between the compiler's runs.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace simt::source_step {

/// A file that is gone afterwards.
struct scratch_file {
  std::string path;
  scratch_file() = default;
  explicit scratch_file(std::string p) : path(std::move(p)) {}
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  ~scratch_file() {
    if (!path.empty()) std::remove(path.c_str());
  }
};

/// Throw a refusal if that can't be.
std::string contents(const std::string& path);
void replace(const std::string& path, std::string_view text);
/// Returns whether it could be written.
bool write_file(const std::string& path, std::string_view text);

}  // namespace simt::source_step
