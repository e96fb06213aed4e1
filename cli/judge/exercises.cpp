#include "cli/judge/exercises.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "cli/judge/ladder_rows.hpp"
#include "cli/judge/texts.hpp"
#include "cli/parse.hpp"
#include "cli/words.hpp"
#include "measure/figure.hpp"
#include "measure/text.hpp"
#include "simt/prediction.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli::judge {

namespace {

constexpr std::string_view a_block = " a block";

goal parse_goal(const std::string& text) {
  const auto at = text.find_first_of("<>");
  return {.figure = text.substr(0, at - 1),
          .at_most = text[at] == '<',
          .bound = parse_number<double>("goal", std::string_view(text).substr(at + 3))};
}

/// Where the next piece of code goes: the start, or a replacement of its lines in the solution.
struct pieces {
  std::string start, from, to;
  std::string solution;
  void replace() {
    if (solution.empty()) solution = start;
    if (from.empty()) return;
    const auto at = solution.find(from);
    if (at == std::string::npos) throw error("an exercise has no lines '" + from + "'");
    solution.replace(at, from.size(), to);
    from.clear();
    to.clear();
  }
};

exercise parse(const std::string& name, std::istream& lines) {
  exercise e{.name = name};
  pieces code;
  std::string* into = nullptr;
  for (std::string line; std::getline(lines, line) && !line.starts_with("--- end");) {
    const auto colon = line.find(": ");
    if (line == "--- start") {
      into = &code.start;
    } else if (line == "--- replace") {
      code.replace();
      into = &code.from;
    } else if (line == "--- by") {
      into = &code.to;
    } else if (into != nullptr) {
      *into += line + "\n";
    } else if (line.starts_with("about")) {
      e.about = line.substr(colon + 2);
    } else if (line.starts_with("ladder")) {
      e.ladder = ladder::ladder_named(line.substr(colon + 2)).value();
    } else if (line.starts_with("goal")) {
      e.goals.push_back(parse_goal(line.substr(colon + 2)));
    } else if (line.starts_with("hint")) {
      e.hints.push_back(line.substr(colon + 2));
    }
  }
  code.replace();
  e.start = code.start;
  e.solution = code.solution;
  return e;
}

double blocks_of(const measure::measurement& row) {
  double blocks = 0;
  for (const auto& p : simt::parse_profiles(row.profiles)) {
    blocks += static_cast<double>(p.launches) * p.grid.x * p.grid.y * p.grid.z;
  }
  return blocks;
}

/// 0 where nothing of the kind was counted.
double value_of(const measure::measurement& row, std::string_view figure) {
  const bool each = figure.ends_with(a_block);
  if (each) figure.remove_suffix(a_block.size());
  const double value = measure::value_of(row, figure_named(figure));
  return std::isnan(value) ? 0 : each ? value / blocks_of(row) : value;
}

std::string in_words(const goal& g) {
  return fmt::format("at {} {}", g.at_most ? "most" : "least", g.bound);
}

}  // namespace

const std::vector<exercise>& exercises() {
  static const std::vector<exercise> all = [] {
    std::vector<exercise> read;
    std::istringstream lines{std::string(exercises_text())};
    const std::string_view begin = "--- exercise ";
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(begin)) read.push_back(parse(line.substr(begin.size()), lines));
    }
    return read;
  }();
  return all;
}

const exercise& exercise_named(const std::string& name) {
  std::vector<std::string> known;
  for (const exercise& e : exercises()) {
    if (e.name == name) return e;
    known.push_back(e.name);
  }
  throw usage_error("there is no exercise " + printable(name) + "; " + suggestion(name, known) +
                    "; --exercises lists them");
}

std::string list_of_exercises() {
  std::string text;
  for (const exercise& e : exercises()) {
    text += fmt::format("{:<22} {:<7} {}\n", e.name, ladder::name_of(e.ladder), e.about);
  }
  return text;
}

std::string goals_of(const exercise& e) {
  std::string text = "right and clean";
  for (const goal& g : e.goals) text += fmt::format("; {}: {}", g.figure, in_words(g));
  return text;
}

void hold_to_goals(verdict& v, const exercise& e) {
  if (v.is != outcome::right || !v.row) return;
  std::string reached;
  for (const goal& g : e.goals) {
    const double is = value_of(*v.row, g.figure);
    const std::string counted =
        fmt::format("{} {}, {}", g.figure,
                    measure::with_separators(is, is == std::floor(is) ? 0 : 2), in_words(g));
    if (g.at_most ? is > g.bound : is < g.bound) {
      v.is = outcome::short_of_goal;
      v.sentence = "right and clean, short of its goal: " + counted;
      return;
    }
    reached += "; goal reached: " + counted;
  }
  v.sentence += reached;
}

}  // namespace warpfold::cli::judge
