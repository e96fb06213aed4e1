// One hand-in: compiled, run in a process of its own, and judged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/judge/cases.hpp"
#include "cli/judge/sandbox.hpp"
#include "ladder/kind.hpp"
#include "measure/json.hpp"
#include "measure/measurement.hpp"
#include "simt/sarif.hpp"

namespace warpfold::cli::judge {

enum class outcome : std::uint8_t {
  right,
  short_of_goal,  // of an exercise
  unclean,
  wrong,
  stopped,
  refused,
  does_not_compile
};
constexpr std::string_view name_of(outcome o) {
  constexpr std::string_view names[] = {"right",   "short of its goal", "unclean",         "wrong",
                                        "stopped", "refused",           "does not compile"};
  return names[static_cast<std::size_t>(o)];
}

/// Something wrong with the hand-in at a place of its source.
struct judged_finding {
  std::string kind, kernel, file;
  int line = 0, column = 0;
  std::vector<simt::sarif_location> related;
  std::string mend, text;
  std::size_t n = 0;      // of the smallest case that shows it
  std::size_t count = 0;  // there
  measure::json whole;    // as a report has it
};

struct wrong_case {
  trial at;
  std::string what;  // "expected 12, got 11: in[32] is missing"
};

struct durations {
  double compile = 0, run = 0;
};

/// A line of the source that costs time.
struct costly_line {
  std::string file;
  int line = 0;
  double share = 0;  // of the predicted time
};

struct verdict {
  std::string file;
  ladder::ladder_kind ladder{};
  outcome is = outcome::right;
  std::string sentence;  // the first thing to say
  std::string details;   // what the compiler said
  std::optional<wrong_case> wrong;
  std::vector<judged_finding> findings;
  std::vector<std::string> errors;
  std::size_t cases = 0;                           // that were right
  std::optional<measure::measurement> row;         // what the counted case counted
  std::vector<costly_line> lines;                  // the costliest first
  std::vector<std::string> remarks;                // "my.cu:12 · 2-way bank conflict · …"
  measure::json kernels = measure::json::array();  // of the counted case, as a report has them
  durations seconds;
};

struct conditions {
  ladder::ladder_kind ladder{};
  limits most;
  std::uint64_t seed = 0;
};

verdict judge_hand_in(const std::string& file, const conditions& c);

}  // namespace warpfold::cli::judge
