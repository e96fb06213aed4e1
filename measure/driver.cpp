#include "measure/driver.hpp"

#include <algorithm>
#include <fstream>

namespace warpfold::measure {

std::string nvidia_driver() {
  // "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build …"
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word && word != "GCC";) {
    if (std::count(word.begin(), word.end(), '.') >= 1 &&
        word.find_first_not_of("0123456789.") == std::string::npos) {
      return word;
    }
  }
  return "";
}

}  // namespace warpfold::measure
