// What a rung is about, in words: its idea, what it improves, what shows it, and where it is from.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ladder/rung.hpp"
#include "measure/measurement.hpp"

namespace warpfold::cli {

/// "12  sequential  neighbouring lanes read …  (documents 002, …)", a line.
std::string list_line(const ladder::description& about);

/// What it improves, what shows that, and what it corrects, each under its heading.
std::string why_text(const ladder::description& about);

/// All that it says of itself, and the commands that show more. With the rows of a run, its
/// evidence has figures; `problem` is what ran.
std::string explain_text(std::string_view ladder, const ladder::description& about,
                         std::span<const measure::measurement> rows, std::string_view problem);

}  // namespace warpfold::cli
