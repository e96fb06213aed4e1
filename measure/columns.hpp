// The columns that measurements are shown in. The terminal's table and the documents' draw the
// same ones, so a figure is computed and formatted in one place.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/figure.hpp"
#include "measure/measurement.hpp"

namespace warpfold::measure {

enum class tone { plain, good, bad, dim };

struct cell {
  std::string text;
  measure::tone tone = measure::tone::plain;
};

struct column {
  std::string header;       // may take two lines
  bool number = true;       // numbers stand at the right, words at the left
  std::vector<cell> cells;  // one a row
};

/// Where the columns will stand: beside results on a terminal, or beside ideas in a document.
enum class view { terminal, document };

/// The backend that the rows are about: a GPU if any ran there, else the CPU machine, else the
/// host.
backend_kind main_backend(std::span<const measurement> rows);

/// The columns for these rows; those that would have nothing to say are left out. In each view the
/// first column is the rung, and a terminal's last one is the result.
std::vector<column> columns_of(std::span<const measurement> rows, view where);

/// What limits a predicted row, in a word or two.
std::string short_limit(const prediction& predicted);

/// One figure of one row as its column shows it; "–" where it does not apply.
std::string text_of(const measurement& row, figure f);

/// The rung, and every figure that was counted and that a terminal's columns have no room for.
std::vector<column> further_columns(std::span<const measurement> rows);

}  // namespace warpfold::measure
