// Where commands write what they make.
#pragma once

#include <string>
#include <string_view>

#include "cli/svg.hpp"

namespace warpfold::cli {

/// Writes the file whole or not at all; - is standard output. Throws data_error.
void put(const std::string& file, std::string_view text);

/// "light", "dark" or "auto". Throws usage_error naming `option`.
svg_theme parse_theme(std::string_view option, std::string_view text);

}  // namespace warpfold::cli
