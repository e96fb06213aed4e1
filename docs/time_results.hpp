// How far off predictions of time were: docs/time.md's tables, from the runs in bench/results.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "bench/validation/rows.hpp"

/// A line for each ladder and type.
std::string time_errors_table(std::span<const warpfold::validation::row> rows);
/// A line for each ladder and size: errors, and how far the order of the rungs is right.
std::string time_sizes_table(std::span<const warpfold::validation::row> rows);
/// A line for each limiter that a prediction names.
std::string time_limiters_table(std::span<const warpfold::validation::row> rows);
/// Kernels that the model had never seen, by kind: each half, and as they were predicted first.
std::string time_blind_table(std::span<const warpfold::validation::row> rows);
/// Kernels unlike reductions.
std::string time_others_table(std::span<const warpfold::validation::row> rows);
/// What limits each rung's longest kernel: as a profiler has it, and as predicted.
std::string time_instructions_table(const std::filesystem::path& results);
std::string time_limits_table(const std::filesystem::path& results);
/// What the documents print of old devices, and what the published limits of those alone predict.
std::string time_documents_table(const std::filesystem::path& results);
/// The rows that are furthest off.
std::string time_worst_table(std::span<const warpfold::validation::row> rows);
/// What a device file must hold.
std::string device_constants_table(bool of_measured);
/// The cards that the CPU machine can be, and what kernels find there.
std::string cards_table();
