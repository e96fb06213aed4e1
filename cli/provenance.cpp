#include "cli/provenance.hpp"

#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "commit.hpp"  // generated at each build

namespace warpfold::cli {

std::vector<std::string> arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> all;
  for (std::string part; std::getline(file, part, '\0');) all.push_back(part);
  return all;
}

measure::run_info provenance(measure::run_info where) {
  auto words = arguments();
  // As it was called, whatever program of ours that is and wherever it lies.
  if (!words.empty()) words[0] = fmt::format("warpfold {}", this_command.words);
  where.commit = commit;
  where.command = fmt::format("{}", fmt::join(words, " "));
  return where;
}

measure::run_info provenance(const ladder::machine& where) {
  return provenance({.device = where.name(),
                     .driver = where.driver(),
                     .toolkit = where.toolkit(),
                     .commit = {},
                     .command = {}});
}

}  // namespace warpfold::cli
