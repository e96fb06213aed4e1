// Findings for services that show them beside the source: SARIF 2.1.0, and annotations of GitHub's
// runners.
//
//   const simt::report report = simt::inspect([&] { transpose(in, out); });
//   file << simt::sarif(simt::scan_of(report.findings()));
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simt/findings.hpp"

namespace simt {

/// Of a source.
struct scan_place {
  std::string file;    // "": not known
  int line = 0;        // 0: not known
  int column = 0;      // 0: not known
  std::string text{};  // what happens there
};

struct scan_result {
  std::string rule;      // its name: "race between warps"
  std::string help{};    // how to fix what breaks the rule
  std::string text;      // the message
  std::string kernel{};  // "": none
  scan_place place;
  std::vector<scan_place> related{};
  std::uint64_t count = 1;
  bool note = false;  // fails nothing
};

/// What a tool finds in one run.
struct scan {
  std::string tool;  // "warpfold judge"
  std::vector<scan_result> results{};
  std::vector<std::string> errors{};  // that end kernels
  std::string program{};              // the place of a result without one
};

scan_result scan_result_of(const finding& f);
scan scan_of(std::span<const finding> findings);

/// A log of one run. Paths are relative to the checkout of the CI service (GITHUB_WORKSPACE,
/// CI_PROJECT_DIR), or else to the current folder.
std::string sarif(const scan& s);
/// A line for each result, which GitHub's runners show at its place.
std::string annotations(const scan& s);

}  // namespace simt
