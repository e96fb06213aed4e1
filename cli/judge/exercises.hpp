// Exercises: a hand-in to begin with, hints, and what the counters of a solution must show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/judge/hand_in.hpp"
#include "ladder/kind.hpp"

namespace warpfold::cli::judge {

/// What a hand-in's counted case must show: "barriers a block <= 2".
struct goal {
  std::string figure;
  bool at_most = true;
  double bound = 0;
};

/// One file of data/exercises; README.md there has its form.
struct exercise {
  std::string name, about;
  ladder::ladder_kind ladder{};
  std::vector<goal> goals;
  std::vector<std::string> hints;
  std::string start, solution;
};

const std::vector<exercise>& exercises();
/// Throws usage_error where there is none of this name.
const exercise& exercise_named(const std::string& name);

/// A list for a person: a line for each.
std::string list_of_exercises();
/// The goals in words: "barriers a block: at most 2".
std::string goals_of(const exercise& e);

/// A hand-in that is right and clean, and short of a goal, is `outcome::short_of_goal` then.
void hold_to_goals(verdict& v, const exercise& e);

}  // namespace warpfold::cli::judge
