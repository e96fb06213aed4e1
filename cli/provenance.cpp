#include "cli/provenance.hpp"

#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commit.hpp"  // generated at each build

namespace warpfold::cli {

std::vector<std::string> arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> all;
  for (std::string part; std::getline(file, part, '\0');) all.push_back(part);
  return all;
}

measure::run_info provenance(const ladder::machine& where) {
  auto words = arguments();
  if (!words.empty()) words[0] = "warpfold";  // not where it lies
  return {.device = where.device(),
          .driver = where.driver(),
          .toolkit = where.toolkit(),
          .commit = commit,
          .command = fmt::format("{}", fmt::join(words, " "))};
}

}  // namespace warpfold::cli
