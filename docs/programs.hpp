// What the pages say of other people's programs: tables from bench/results/programs.json.
#pragma once

#include <string>

#include "measure/json.hpp"

/// A line for each suite: how many programs there are, compile, run and are right.
std::string programs_summary(const warpfold::measure::json& facts);
/// A line for each program of a suite; what was left out and why below it.
std::string programs_table(const warpfold::measure::json& facts, const std::string& suite);
/// What the checks found of others' kernels with known mistakes, and of those without.
std::string checker_record(const warpfold::measure::json& facts);
/// The Indigo suite's line of that record, next to compute-sanitizer's.
std::string checker_headline(const warpfold::measure::json& facts);
/// What the checks found of others' kernels before a published fix, and after it.
std::string checker_fixes(const warpfold::measure::json& facts);
