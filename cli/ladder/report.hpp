// What the commands `warpfold ladder …` print and write.
#pragma once

#include <span>
#include <string>

#include "cli/ladder/request.hpp"
#include "ladder/ladder.hpp"
#include "measure/json.hpp"
#include "measure/measurement.hpp"

namespace warpfold::cli {

void print(const std::string& text);
/// What --list shows of one, and with `why` what it improves and what shows it.
void print_rung(const ladder::description& about, bool why);

/// With --json, writes all that was measured, and behind it the keys of `more`.
void write_json(const ladder_options& o, std::span<const measure::measurement> rows,
                const ladder::machine& where, const measure::json& more);

/// --list, in the order of their numbers.
void list_rungs(std::span<const ladder::rung* const> rungs,
                std::span<const ladder::description> on_host, bool why);

/// Prints what --check found. Returns whether there is nothing.
bool print_findings(const ladder_options& o, ladder::machine& where);

/// The table, the JSON, sources and findings. Returns whether all results are right and nothing was
/// found.
bool report_run(const ladder_options& o, const ladder::ladder_entry& here,
                std::span<const ladder::rung* const> rungs,
                std::span<const measure::measurement> rows, ladder::machine& where);

}  // namespace warpfold::cli
