// What docs/exact.md shows: the errors of several ways to sum, and what exact sums cost on a GPU.
#pragma once

#include <filesystem>
#include <string>

#include "measure/json.hpp"

/// The worst error of each way on the same data, as a table.
std::string error_table();

/// The errors over the size of values that cancel, as an SVG picture.
void draw_errors(const std::filesystem::path& file);

/// Exact sums beside plain ones, in a graph: one row for each type, range and size.
std::string exact_cost_table(const warpfold::measure::document& document);

/// What `warpfold_bench_exact_host` wrote.
std::string exact_host_table(const warpfold::measure::document& document);
