// The plugins of clang's: the one by which kernels are observed (simt/observe), and the one that
// makes kernels for launches that nobody looks on at (simt/pass). They are of one version of
// clang's. Without the first nothing compiles; without the second kernels run watched.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace simt::driver {

class plugins {
 public:
  plugins(std::filesystem::path directory, std::string compiler)
      : directory_(std::move(directory)), compiler_(std::move(compiler)) {}

  /// Has the compiler load them.
  void look();
  /// What has the compiler use them, and what depends on the compiler's version.
  /// `alone`: the file shares no functions of the device.
  [[nodiscard]] std::vector<std::string> options(bool alone) const;
  /// Which kernels there are, and by what.
  [[nodiscard]] std::string in_words() const;

 private:
  /// The plugin's file, or why there is none.
  struct found {
    std::string file, reason;
  };
  [[nodiscard]] found find(const std::string& name) const;

  std::filesystem::path directory_;
  std::string compiler_, version_, observe_;
  found plain_{"", "there is no CUDA to compile"};
};

}  // namespace simt::driver
