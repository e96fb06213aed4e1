// A rung's evidence, in words and in the figures of a run.
#pragma once

#include <span>
#include <string>

#include "ladder/rung.hpp"
#include "measure/measurement.hpp"

namespace warpfold::ladder {

/// The row that the evidence of `about` is held against: that of the rung it names, else of the one
/// before it. Null where the rows have none.
const measure::measurement* baseline_of(const description& about,
                                        std::span<const measure::measurement> rows);

/// "load requests ↓, % uniform branches ↑; time". With the rows of a run, those figures' values
/// there: "load requests 1,562,583 → 411,213".
std::string evidence_text(const description& about,
                          std::span<const measure::measurement> rows = {});

/// Whether the figure went from `before` to `after` as the rung says.
bool holds(const change& expected, double before, double after);

}  // namespace warpfold::ladder
