// Where the machine's parts lie: beside this program as installed, or in the tree it was built in.
#pragma once

#include <filesystem>
#include <string>

namespace simt::driver {

struct parts {
  std::filesystem::path include, archive;
  std::filesystem::path programs;  // where the plugin for plain kernels is
  std::filesystem::path toolkit;   // what stands for CUDA's: bin, include, lib64
};

parts find_parts();

/// clang++, or what SIMT_CXX names.
std::string find_compiler();

}  // namespace simt::driver
