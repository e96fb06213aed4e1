// Findings for services that show them beside the source: SARIF 2.1.0, and annotations of GitHub's
// runners.
//
//   const simt::report report = simt::inspect([&] { transpose(in, out); });
//   file << simt::sarif(simt::sarif_run_of(report.findings()));
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simt/findings.hpp"

namespace simt {

/// A place in a source.
struct sarif_location {
  std::string file;    // "": not known
  int line = 0;        // 0: not known
  int column = 0;      // 0: not known
  std::string text{};  // what happens there
};

struct sarif_result {
  std::string rule;      // its name: "race between warps"
  std::string help{};    // how to fix what breaks the rule
  std::string text;      // the message
  std::string kernel{};  // "": none
  sarif_location location;
  std::vector<sarif_location> related{};
  std::uint64_t count = 1;
  bool note = false;  // fails nothing
};

/// What a tool finds in one run.
struct sarif_run {
  std::string tool;  // "warpfold judge"
  std::vector<sarif_result> results{};
  std::vector<std::string> errors{};  // that end kernels
  std::string program{};              // the file of a result without a location
};

sarif_run sarif_run_of(std::span<const finding> findings);

/// A log of one run. Paths are relative to the checkout of the CI service (GITHUB_WORKSPACE,
/// CI_PROJECT_DIR), or else to the current folder.
std::string sarif(const sarif_run& run);
/// A line for each result, which GitHub's runners show at its location.
std::string annotations(const sarif_run& run);

}  // namespace simt
