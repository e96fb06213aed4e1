// The commands of `warpfold`, one file each. A command adds itself to the parser and, when chosen,
// returns its exit code: 0 ok, 1 a check failed. Errors are thrown; main turns them into the
// others, and `interrupted` into the signal that asked for it.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace warpfold::cli {

using action = std::function<int()>;

void add_ladder(CLI::App& app, action& chosen);
/// The subcommands of `ladder`.
void add_ladder_reduce(CLI::App& ladder, action& chosen);
void add_ladder_scan(CLI::App& ladder, action& chosen);
void add_ladder_sort(CLI::App& ladder, action& chosen);
void add_ladder_streams(CLI::App& ladder, action& chosen);

/// `bench`, and its subcommands.
void add_bench(CLI::App& app, action& chosen);

/// `steps`.
void add_steps(CLI::App& app, action& chosen);

/// Commands on files of numbers.
void add_reduce(CLI::App& app, action& chosen);
void add_scan(CLI::App& app, action& chosen);
void add_sort(CLI::App& app, action& chosen);

void add_doctor(CLI::App& app, action& chosen);

}  // namespace warpfold::cli
