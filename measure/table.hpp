// Measurements as a table on a terminal.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/columns.hpp"
#include "measure/measurement.hpp"

namespace warpfold::measure {

struct table_style {
  bool color = false;  // ANSI escapes
  int width = 120;     // of the longest line; results are cut to fit, then rungs, then columns
};

/// For standard output: a terminal's own width, and colour unless NO_COLOR or TERM=dumb forbid it;
/// elsewhere nothing is cut.
table_style style_of_output();

/// A title, two lines of headers, a rule, a line a row; timed rows get a line on their device and
/// read ceiling below. Ends with a line feed; empty when there are no rows.
std::string table(std::span<const measurement> rows, table_style style = {});

/// What else was counted of these rows, in as many tables as it takes for no line to be cut or
/// wider than 120; empty where the table has it all.
std::string further_table(std::span<const measurement> rows, table_style style = {});

/// The same of any columns, without the last line; there must be one at least.
std::string table(std::string_view title, std::vector<column> columns, table_style style = {});

}  // namespace warpfold::measure
