// Texts that the judge carries with it.
#pragma once

#include <string_view>

#include "ladder/kind.hpp"

namespace warpfold::cli::judge {

/// What stands around a hand-in in the file that is compiled: entries.hpp and wrapper.cuh.
std::string_view entries_text();
std::string_view wrapper_text();
/// Hand-ins to begin with, each behind a line "//--- reduce function".
std::string_view templates_text();
/// The files of data/exercises, each behind a line "--- exercise NAME", before a line "--- end".
std::string_view exercises_text();
/// The rungs of a ladder with what they counted, as measure::parse_json_document reads them.
std::string_view ladder_text(ladder::ladder_kind kind);

}  // namespace warpfold::cli::judge
