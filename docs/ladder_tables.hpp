// The ladders' tables: what the rungs count on the CPU machine, and what they took on a GPU.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "ladder/kind.hpp"
#include "ladder/rung.hpp"
#include "measure/figure.hpp"
#include "measure/measurement.hpp"

/// All rungs on the CPU machine, once: the same counts each time.
const std::vector<warpfold::measure::measurement>& rows_of(warpfold::ladder::ladder_kind kind);

/// A line for each rung: idea, what it improves, what shows it.
std::string rung_list(warpfold::ladder::ladder_kind kind);
std::string streams_rung_list();

/// A stored run on a GPU.
std::string gpu_table(const std::filesystem::path& file);
/// Says so where no run has been stored yet.
std::string streams_table(const std::filesystem::path& file);
std::string host_table(const std::filesystem::path& file);
/// What ran, how long it took, and how many bytes a second that is.
std::string rate_table(const std::filesystem::path& file);

/// Some rungs side by side: their time in a stored run, and these figures of the same problem,
/// counted on the CPU machine.
std::string why_table(warpfold::ladder::ladder_kind kind, const std::filesystem::path& timed,
                      std::initializer_list<int> rungs,
                      std::initializer_list<warpfold::measure::figure> figures);

/// How many of a multiprocessor's warps are there at once, by threads a block: of some reductions.
std::string occupancy_table();
