// A compilation database, from which clangd reads how a file is parsed.
#pragma once

#include <string>

#include "quoting.hpp"

namespace simt::driver {

/// Adds the command for `source` to the database, or replaces the one that is there. Calls side by
/// side may use one file. Throws usage where it can't be written, or is no database.
void add_command(const std::string& database, const std::string& source, const words& command);

}  // namespace simt::driver
