// Rungs as they are named on the command line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ladder/kind.hpp"
#include "ladder/rung.hpp"

namespace warpfold::cli {

/// Throws usage_error when there is no ladder of this name.
ladder::ladder_kind parse_ladder(std::string_view text);

/// Throws usage_error with the name that was probably meant, or with what to do `otherwise`.
[[noreturn]] void throw_no_rung(std::string_view wanted, std::span<const std::string> names,
                                const std::string& otherwise);

/// Whether these are the rung's number or its name.
bool is_named(int number, std::string_view name, std::string_view wanted);
bool is_named(const ladder::description& about, std::string_view wanted);

/// The rungs that a list names by number or name ("01,7,cascade"), in the ladder's order; all of
/// them for an empty list. Those of the host may be named, and run in any case.
std::vector<const ladder::rung*> choose_rungs(std::string_view names,
                                              std::span<const ladder::rung* const> all,
                                              std::span<const ladder::description> on_host);

/// One rung, also of the host.
const ladder::description& choose_description(std::string_view name,
                                              std::span<const ladder::rung* const> all,
                                              std::span<const ladder::description> on_host);

/// One rung, which must have a kernel.
const ladder::rung& choose_rung(std::string_view name, std::span<const ladder::rung* const> all,
                                std::span<const ladder::description> on_host);

}  // namespace warpfold::cli
