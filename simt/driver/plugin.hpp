// The plugin of clang's that makes kernels for launches that nobody looks on at (simt/pass). It is
// of one version of clang's; where the compiler can't load it, kernels run watched.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace simt::driver {

class plain_plugin {
 public:
  plain_plugin(std::filesystem::path directory, std::string compiler)
      : directory_(std::move(directory)), compiler_(std::move(compiler)) {}

  /// Has the compiler load it.
  void look();
  /// What has the compiler use it where it is there, and what depends on the compiler's version.
  /// `alone`: the file shares no functions of the device.
  [[nodiscard]] std::vector<std::string> options(bool alone) const;
  /// Which it is, or why there is none.
  [[nodiscard]] std::string in_words() const;

 private:
  std::filesystem::path directory_;
  std::string compiler_, version_, file_, reason_ = "there is no CUDA to compile";
};

}  // namespace simt::driver
