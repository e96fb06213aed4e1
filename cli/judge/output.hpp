// Verdicts as text, JSON, JUnit's XML, SARIF and CSV.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cli/judge/hand_in.hpp"
#include "cli/judge/ladder_rows.hpp"
#include "measure/json.hpp"

namespace warpfold::cli::judge {

std::string text_of(const verdict& v, const ladder_rows& rows);
/// docs/schema/judge.json.
std::string json_of(std::span<const verdict> all, const ladder_rows& rows, std::uint64_t seed);
std::string junit_of(std::span<const verdict> all);
/// Version 2.1.0.
std::string sarif_of(std::span<const verdict> all);
/// Commands that GitHub's runners show at the lines of the hand-ins.
std::string annotations_of(std::span<const verdict> all);
std::string csv_of(std::span<const verdict> all, const ladder_rows& rows);

}  // namespace warpfold::cli::judge
