// A hand-in among the rungs of its ladder: which it is like, which beat it, what the next one does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/judge/hand_in.hpp"
#include "ladder/kind.hpp"
#include "measure/figure.hpp"
#include "measure/measurement.hpp"

namespace warpfold::cli::judge {

/// By its name in tables, "bank conflicts"; figure::none where there is none.
measure::figure figure_named(std::string_view name);

/// What a ladder says of one of its rungs.
struct rung_words {
  std::string label;  // "13 first-add"
  std::string idea, improves;
  std::vector<measure::figure> evidence;
};

/// The stored rungs of a ladder, with times predicted for the H100.
class ladder_rows {
 public:
  explicit ladder_rows(ladder::ladder_kind kind);
  [[nodiscard]] const std::vector<measure::measurement>& all() const { return rows_; }
  [[nodiscard]] const rung_words* words_of(const measure::measurement& row) const;
  /// The shortest predicted time of a rung.
  [[nodiscard]] double best_us() const;

 private:
  std::vector<measure::measurement> rows_;
  std::vector<rung_words> words_;
};

struct placed {
  const measure::measurement* like = nullptr;  // the rung whose counters are nearest
  const measure::measurement* next = nullptr;  // the first after that which is faster; or nullptr
  std::string next_idea;
  std::vector<std::string> changes;    // "barriers 37,017 → 18,477"
  std::size_t slower = 0, faster = 0;  // rungs, by predicted time
  double roofline_pct = 0;  // the time of reading and writing once, of the predicted time
};
/// Of a hand-in that was counted.
placed place(const verdict& v, const ladder_rows& rows);

/// docs/judge.md has the rule.
int score(const verdict& v, const ladder_rows& rows);

}  // namespace warpfold::cli::judge
