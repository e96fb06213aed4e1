// What /proc calls this machine's processor.
#pragma once

#include <fstream>
#include <string>

namespace warpfold::bench {

inline std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace warpfold::bench
