// The plugin of clang's that makes kernels for launches that nobody looks on at (simt/pass). It is of
// one version of clang's; where the compiler can't load it, kernels run watched.
#pragma once

#include <filesystem>
#include <string>

namespace simt::driver {

class plain_plugin {
 public:
  plain_plugin(std::filesystem::path directory, std::string compiler)
      : directory_(std::move(directory)), compiler_(std::move(compiler)) {}

  /// Has the compiler load it.
  void look();
  [[nodiscard]] bool found() const { return !file_.empty(); }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// Which it is, or why there is none.
  [[nodiscard]] std::string in_words() const;

 private:
  std::filesystem::path directory_;
  std::string compiler_, file_, reason_ = "there is no CUDA to compile";
};

}  // namespace simt::driver
